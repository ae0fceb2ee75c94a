"""The kernel's arrays as the records of the slow world, and random turns for both."""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxworld.social import SocialConfig, SocialState, TurnBatch
from jaxworld.social.spaces import turn_channels
from jaxworld.social.vocabulary import AFFORDANCES, SENTIMENT_UNIT, Action, Channel
from tests.oracles.social_world import Moment, Shown, SocialOracle, Turn

NAMES = {"feed": "feed", "forum": "forum", "wom": "word_of_mouth"}
SENTIMENTS = (0, 300_000, 599_999, 600_000, 900_000, SENTIMENT_UNIT)


def filled(view, persona: int) -> list[Shown]:
    """The filled slots of one persona; they must come first, and what follows must be blank."""
    row = {field.name: np.asarray(getattr(view, field.name))[persona] for field in dataclasses.fields(view)}
    number = int((row["stimulus"] >= 0).sum())
    for name, values in row.items():
        blank = 0 if name in ("attention", "counts") else -1
        assert (values[number:] == blank).all(), f"{name} of persona {persona}: {values}"
    return [
        Shown(**{name: tuple(v[k].tolist()) if name == "counts" else int(v[k]) for name, v in row.items()})
        for k in range(number)
    ]


def dropped(drops, num_personas: int) -> dict[int, list[tuple[int, int]]]:
    """Drops per persona in the order of the arrays; their number must be ``drops.count``."""
    stimulus, reason = np.asarray(drops.stimulus), np.asarray(drops.reason)
    owner = (
        np.broadcast_to(np.arange(num_personas)[:, None], stimulus.shape) if drops.persona is None else drops.persona
    )
    there = stimulus >= 0
    assert (reason[~there] == -1).all()
    made: dict[int, list[tuple[int, int]]] = {persona: [] for persona in range(num_personas)}
    for persona, slot, why in zip(np.asarray(owner)[there], stimulus[there], reason[there], strict=True):
        made[int(persona)].append((int(slot), int(why)))
    assert [len(made[persona]) for persona in range(num_personas)] == np.asarray(drops.count).tolist()
    return made


def everything_of(moment: Moment, oracle: SocialOracle) -> dict[str, object]:
    """What the slow world shows, drops, stores and tells its observers at one tick."""
    config, personas = oracle.config, oracle.personas
    seen: dict[str, object] = {
        "tick": moment.tick,
        "active": [persona in moment.active for persona in personas],
        "survey": [persona in moment.survey for persona in personas],
        "rejected": moment.rejected,
        "published": moment.published,
        "interventions": [kind in moment.interventions for kind in range(3)],
        "launched": [persona in moment.launched for persona in personas],
        "ended": [moment.ended] * config.num_personas,
        "followees": oracle.followees,
        "followers_gained": oracle.followers_gained,
        "counts": [list(oracle.counts(slot)) for slot in range(len(oracle.stimuli))],
        "stimuli": [oracle.row(slot) for slot in range(len(oracle.stimuli))],
    }
    for name in NAMES:
        if name in moment.views:
            seen[f"view of {name}"] = {persona: moment.views[name].get(persona, []) for persona in personas}
            drops = {persona: moment.drops[name].get(persona, []) for persona in personas}
            seen[f"drops of {name}"] = _unordered(drops) if name == "wom" else drops
    seen["reward"] = oracle.reward(moment)
    return seen


def everything_in(state: SocialState, timestep, config: SocialConfig) -> dict[str, object]:
    """The same from the kernel's arrays."""
    observation, info, table = timestep.observation, timestep.info, state.stimuli
    number, first = int(state.num_stimuli), int(info.published_start)
    columns = [
        table.tick,
        table.author,
        table.kind,
        table.parent,
        table.root,
        table.depth,
        table.platform,
        table.vector,
    ]
    rows = np.stack([np.asarray(column) for column in [*columns, table.text]], axis=1)
    assert (rows[number:] == -1).all()
    assert int(state.tick) == int(observation.tick)
    assert not np.asarray(state.counts)[number:].any()
    seen: dict[str, object] = {
        "tick": int(observation.tick),
        "active": np.asarray(observation.active).tolist(),
        "survey": np.asarray(observation.survey).tolist(),
        "rejected": np.asarray(info.rejected).tolist(),
        "published": list(range(first, first + int(info.published_count))) if info.published_count else [],
        "interventions": np.asarray(info.interventions).tolist(),
        "launched": np.asarray(info.launched).tolist(),
        "ended": np.asarray(timestep.terminated).tolist(),
        "reward": np.asarray(timestep.reward).tolist(),
        "followees": [[int(f) for f in row if f >= 0] for row in np.asarray(state.followees)],
        "followers_gained": np.asarray(state.followers_gained).tolist(),
        "counts": np.asarray(state.counts)[:number].tolist(),
        "stimuli": [tuple(row) for row in rows[:number].tolist()],
    }
    for name, attribute in NAMES.items():
        view, drops = getattr(observation, attribute), getattr(info, attribute)
        assert (view is None) == (drops is None) == (name not in config.channels)
        if view is not None:
            seen[f"view of {name}"] = {persona: filled(view, persona) for persona in range(config.num_personas)}
            made = dropped(drops, config.num_personas)
            seen[f"drops of {name}"] = _unordered(made) if name == "wom" else made
    return seen


def _unordered(drops: dict[int, list[tuple[int, int]]]) -> dict[int, list[tuple[int, int]]]:
    return {persona: sorted(entries) for persona, entries in drops.items()}


def random_batch(
    rng: np.random.Generator,
    config: SocialConfig,
    present: list[int],
    num_stimuli: int,
    num_rows: int,
    *,
    unborn: bool = True,
) -> TurnBatch:
    """Turns of all actions on all channels, some twice, in no order, with padding.

    With ``unborn``, some are about stimuli that do not exist yet.
    """
    newest = min(num_stimuli + 2, config.stimulus_capacity) if unborn else num_stimuli
    number = int(rng.integers(num_rows * 3 // 4))
    turns = [_random_turn(rng, config, present, num_stimuli, newest) for _ in range(number)]
    turns += [turns[int(rng.integers(len(turns)))] for _ in range(num_rows // 8) if turns]
    padding = Turn(int(rng.integers(config.num_personas)), 1, 0, int(Action.LIKE), SENTIMENT_UNIT, -1, -1)
    rows = [(True, turn) for turn in turns] + [(False, padding)] * (num_rows - len(turns))
    rows = [rows[k] for k in rng.permutation(num_rows)]
    names = [field.name for field in dataclasses.fields(Turn)]
    columns = {name: np.asarray([getattr(turn, name) for _, turn in rows], np.int32) for name in names}
    return TurnBatch(valid=np.asarray([valid for valid, _ in rows]), **columns)


def _random_turn(
    rng: np.random.Generator, config: SocialConfig, present: list[int], num_stimuli: int, newest: int
) -> Turn:
    channel = rng.choice(turn_channels(config)) if rng.random() < 0.7 else rng.integers(len(Channel))
    fitting = np.flatnonzero(AFFORDANCES[channel])
    action = rng.choice(fitting) if rng.random() < 0.8 else rng.integers(len(Action))
    low, high = [(0, config.num_study), (0, num_stimuli), (max(0, num_stimuli - 6), newest)][rng.integers(3)]
    handles = config.num_study + config.num_personas
    return Turn(
        persona=int(rng.choice(present)),
        channel=int(channel),
        subject=int(rng.integers(low, high)),
        action=int(action),
        sentiment=int(rng.choice(SENTIMENTS)),
        vector=int(rng.integers(handles)) if rng.random() < 0.3 else -1,
        text=int(rng.integers(1000)) if rng.random() < 0.5 else -1,
    )


def turns_of(batch: TurnBatch) -> list[Turn | None]:
    """The rows of a batch, None for padding."""
    names = [field.name for field in dataclasses.fields(Turn)]
    columns = [np.asarray(getattr(batch, name)).tolist() for name in names]
    rows = zip(np.asarray(batch.valid).tolist(), *columns, strict=True)
    return [Turn(*row) if valid else None for valid, *row in rows]


def rejected_rows(batch: TurnBatch, rejected: list[bool]) -> list[bool]:
    """The oracle's verdict on its turns, put back into the rows of the batch; padding is never rejected."""
    verdicts = iter(rejected)
    return [False if turn is None else next(verdicts) for turn in turns_of(batch)]
