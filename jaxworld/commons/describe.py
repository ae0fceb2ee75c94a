"""What an agent may know of a commons: the rules and how things are shown, as JSON values and as text.

Rates that are hidden from the players are not told here either, nor is the first stock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxworld.commons import observation as names
from jaxworld.commons.config import CommonsConfig
from jaxworld.commons.params import CommonsParams
from jaxworld.commons.vocabulary import GrowthBase, Ration
from jaxworld.observe import describe, describe_data

_SERVICE = {
    Ration.PROPORTIONAL: "everybody gets the same share of what they asked for",
    Ration.RANDOM: "players are served in a fresh random order",
    Ration.SEAT: "players are served in the order of their seats",
}
_WHOLE_SERVICE = {
    Ration.PROPORTIONAL: "everybody gets the same share of what they asked for, rounded down, and what is left is "
    "drawn among those who want more",
    Ration.RANDOM: "every unit goes to a player drawn from those who still want one",
    Ration.SEAT: "players are served in the order of their seats",
}


def rules(config: CommonsConfig, params: CommonsParams) -> dict[str, Any]:
    """The public rules as plain JSON values; what does not apply is left out.

    Args:
        config: static configuration.
        params: of one world (not batched).
    """
    whole = config.whole_units
    capacity = float(params.capacity)
    cap = float(params.harvest_cap)
    visible = {plan.variable.name for plan in config.pipeline.plans if plan.visible}
    made: dict[str, Any] = {
        "num_players": int(np.asarray(params.active).sum()),
        "capacity": capacity,
        "whole_units": whole,
        "most_a_player_may_ask_for": capacity * min(cap, 1.0),
        "growth_follows": GrowthBase(int(params.growth_base)).name.lower(),
        "when_there_is_not_enough": (_WHOLE_SERVICE if whole else _SERVICE)[Ration(int(params.ration))],
        "collapses_below": float(params.collapse_share) * capacity,
        "collapse_ends_the_world": bool(params.absorbing),
    }
    if names.REGROWTH in visible:
        made["regrowth"] = float(params.regrowth)
    if float(params.living_cost) > 0:
        made["living_cost"] = float(params.living_cost)
    made["capital"] = config.seneca
    made["observed"] = describe_data(config.pipeline, params.observe)
    if config.governance is not None:
        made["pact_slots"] = config.governance.max_pacts
    return made


def text(config: CommonsConfig, params: CommonsParams) -> str:
    """The public rules as a few sentences, and what is observed of each variable."""
    known = rules(config, params)
    unit = "whole units" if known["whole_units"] else "any amount"
    lines = [
        f"{known['num_players']} players share a resource of at most {known['capacity']:g}.",
        f"Each turn everybody asks, at the same time, for {unit} up to {known['most_a_player_may_ask_for']:g}.",
        f"If more is asked for than there is, {known['when_there_is_not_enough']}.",
        _growth_sentence(config, known),
    ]
    if known["collapses_below"] > 0:
        end = "the commons is lost for good" if known["collapse_ends_the_world"] else "the commons counts as collapsed"
        lines.append(f"Below {known['collapses_below']:g} {end}.")
    if "living_cost" in known:
        lines.append(f"Living costs {known['living_cost']:g} a turn; whoever cannot pay drops out.")
    if known["capital"]:
        lines.append("Harvests build capital that speeds up harvesting, and pollution that slows regrowth.")
    if "pact_slots" in known:
        lines.append(f"Players may write to each other and agree on caps, {known['pact_slots']} pacts at a time.")
    return " ".join(lines) + "\n\n" + describe(config.pipeline, params.observe)


def _growth_sentence(config: CommonsConfig, known: dict[str, Any]) -> str:
    base = "what is left" if known["growth_follows"] == "after_harvest" else "what there was before the harvest"
    if config.whole_units:
        grows = f"every unit left adds {known['regrowth']:g}" if "regrowth" in known else "what is left multiplies"
        return f"Then {grows}, up to the most there can be."
    rate = f" at a rate of {known['regrowth']:g}" if "regrowth" in known else ""
    return f"Then {base} regrows{rate}, slowly when little or much is there and fastest at half of the most."
