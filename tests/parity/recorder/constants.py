"""The numbers of the original's rules, as its settings give them."""

import numpy as np

from tests.parity.recorder.original import Original


def constants(variant):
    """Numbers of one variant by name; a variant has only those that its rules use."""
    original = Original(variant, endless=False)
    simulation = original.settings.simulation
    parts = {}
    for thing in (simulation.scene, *simulation.prefabs.values(), *simulation.gameObjects):
        for component in thing["components"]:
            parts.setdefault(component["component"], dict(component.get("kwargs", {})))
    made = {
        "players": original.num_players,
        "actions": original.num_actions,
        "max_steps": original.settings.maxEpisodeLengthFrames,
        "view": [parts["Avatar"]["view"][side] for side in ("forward", "backward", "left", "right")],
    }
    beam = ("cooldownTime", "beamLength", "beamRadius", "framesTillRespawn")
    wanted = {
        "Zapper": beam,
        "GameInteractionZapper": (*beam, "freezeOnInteraction"),
        "StochasticIntervalEpisodeEnding": (
            "minimumFramesPerEpisode",
            "intervalLength",
            "probabilityTerminationPerInterval",
        ),
        "DensityRegrow": ("regrowthProbabilities", "radius"),
        "ChoiceCoinRegrow": ("regrowRate",),
        "Coin": ("rewardSelfForMatch", "rewardSelfForMismatch", "rewardOtherForMatch", "rewardOtherForMismatch"),
        "Edible": ("rewardForEating",),
        "Resource": ("regenerationRate", "regenerationDelay"),
        "Destroyable": ("initialHealth",),
    }
    for component, names in wanted.items():
        made |= {name: parts[component][name] for name in names if component in parts}
    if "TheMatrix" in parts:
        row = np.asarray(parts["TheMatrix"]["matrix"])
        column = parts["TheMatrix"].get("columnPlayerMatrix")
        made["payoffs"] = np.stack([row, row.T if column is None else np.asarray(column)])
        made["edges"] = np.asarray(parts["TheMatrix"]["resultIndicatorColorIntervals"])[1:, 0]
        made["coin_for_ties"] = parts["TheMatrix"].get("randomTieBreaking", False)
    return {name: np.asarray(value) for name, value in made.items()}
