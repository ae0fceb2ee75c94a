"""From a run of the array kernel to the rows of a trace, without records in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from jaxworld.core.policy import Policy
from jaxworld.core.pytree import pytree_dataclass
from jaxworld.core.rollout import Trajectory, Transition, rollout_chunk, rollout_start
from jaxworld.social.params import SocialParams
from jaxworld.social.records import impression_id, published_stimulus_id, study_stimulus_id
from jaxworld.social.state import ChannelView, Drops, SocialInfo, SocialObservation, Stimuli, TurnBatch
from jaxworld.social.vocabulary import (
    ATTENTION_UNIT,
    AUTHORING,
    SENTIMENT_UNIT,
    TIE_UNIT,
    Action,
    Channel,
    DropReason,
    InterventionKind,
    Reason,
    StimulusKind,
)
from jaxworld.social.world import SocialWorld

Row = dict[str, Any]

_CHANNELS = {channel: channel.name.lower() for channel in Channel} | {Channel.WORD_OF_MOUTH: "wom"}
_REASONS = [reason.name.lower() for reason in Reason if reason >= 0]
_REASONS[Reason.WORD_OF_MOUTH] = "wom"
_DROP_REASONS = [reason.name.lower() for reason in DropReason]
_ACTIONS = [action.name.lower() for action in Action]
_KINDS = [kind.name.lower() for kind in StimulusKind]
_SPEAKING = {Action.ANSWER, Action.POST, Action.COMMENT, Action.REPLY, Action.QUOTE, Action.COMPLAIN, Action.ASK_PEER}
_UNWRITTEN = "(unwritten)"
_VIEWS = (("feed", Channel.SOCIAL_FEED), ("forum", Channel.FORUM), ("word_of_mouth", Channel.WORD_OF_MOUTH))


@pytree_dataclass
class ArrayRun:
    """All of a run that a trace says something about.

    Attributes:
        first: observer's information of tick 0.
        steps: one transition a step; its observation is that of the tick before.
        last: observation of the last tick.
        stimuli: all stimuli published.
        overflow: ``int32[]``, see ``OVERFLOWS``; a run that overflowed is void.
    """

    first: SocialInfo
    steps: Transition
    last: SocialObservation
    stimuli: Stimuli
    overflow: jax.Array


def run_arrays(world: SocialWorld, policy: Policy, key: jax.Array, num_steps: int, params: SocialParams) -> ArrayRun:
    """Run a world and keep what a trace needs; pure, so that it can be compiled and mapped over worlds.

    Args:
        world: any social world (static).
        policy: whose turns it takes.
        key: the world key.
        num_steps: steps after tick 0.
        params: of one world, or of many under ``vmap``.
    """
    reducer = Trajectory()
    start = rollout_start(world, policy, key, params, reducer)
    carry, steps = rollout_chunk(world, policy, key, start, 1, num_steps, params, reducer)
    state = carry.state
    return ArrayRun(
        first=start.timestep.info,
        steps=steps,
        last=carry.timestep.observation,
        stimuli=state.stimuli,
        overflow=state.overflow,
    )


class ArrayRows:
    """Rows of the trace of a recorded run, tick by tick.

    Texts of personas that never wrote one are ``(unwritten)``.

    Args:
        run: of one world, as NumPy arrays.
        header: the trace's header, see ``trace_header``.
        texts: texts by handle; handles beyond it, and -1, have none.
    """

    def __init__(self, run: ArrayRun, header: dict[str, Any], texts: Sequence[str] = ()) -> None:
        self._run, self._seed = run, header["world_seed"]
        self._people: list[str] = header["population"]["persona_ids"]
        study = [(None, header["study"]["concept"])]
        self._study = study + [(claim["id"], claim["text"]) for claim in header["study"]["claims"]]
        self._texts = texts
        self._last = min(int(np.asarray(run.last.tick)), header["world"]["horizon"] - 1)
        self._table = {name: np.asarray(getattr(run.stimuli, name)).tolist() for name in _TABLE}
        self._number = sum(tick >= 0 for tick in self._table["tick"])
        self._names = self._stimulus_ids()
        self._ancestry = self._chains()
        self._impressions: dict[tuple[int, Channel, int], str] = {}

    def ticks(self) -> Iterator[tuple[int, list[Row]]]:
        """Number and rows of every tick."""
        for tick in range(self._last + 1):
            observation, info = self._observation(tick), self._info(tick)
            rows = [*self._published(tick), *self._interventions(tick, info), *self._rejections(tick)]
            rows += self._shown(tick, observation)
            rows += self._dropped(tick, info)
            rows += self._turns(tick)
            for sequence, row in enumerate(rows):
                row["tick"], row["sequence"] = tick, sequence
            yield tick, rows

    def _observation(self, tick: int) -> SocialObservation:
        steps = self._run.steps
        if tick == steps.reward.shape[0]:
            return self._run.last
        return _at(steps.observation, tick)

    def _info(self, tick: int) -> SocialInfo:
        return self._run.first if tick == 0 else _at(self._run.steps.info, tick - 1)

    def _stimulus_ids(self) -> list[str]:
        names = [study_stimulus_id(self._seed, slot) for slot in range(len(self._study))]
        for tick in range(1, self._last + 1):
            actions = self._published_by(tick)
            names += [published_stimulus_id(self._seed, tick, name, index) for index, name in enumerate(actions)]
        return names

    def _published_by(self, tick: int) -> list[str]:
        """Actions of the landed turns that publish at a tick, in the order of publication."""
        batch: TurnBatch = _at(self._run.steps.action, tick - 1)
        rejected = np.asarray(self._info(tick).rejected)
        rows = np.flatnonzero(np.asarray(batch.valid) & ~rejected & AUTHORING[np.asarray(batch.action)])
        keys = [np.asarray(getattr(batch, name))[rows] for name in _ORDER]
        order = np.lexsort(keys[::-1])
        return [_ACTIONS[action] for action in np.asarray(batch.action)[rows][order].tolist()]

    def _chains(self) -> list[list[str]]:
        chains: list[list[str]] = []
        for slot in range(self._number):
            parent = self._table["parent"][slot]
            chains.append([] if parent < 0 else [self._names[parent], *chains[parent]])
        return chains

    def _text(self, handle: int) -> str:
        return self._texts[handle] if 0 <= handle < len(self._texts) else _UNWRITTEN

    def _impression(self, tick: int, channel: Channel, persona: int) -> str:
        key = tick, channel, persona
        if key not in self._impressions:
            self._impressions[key] = impression_id(self._seed, tick, _CHANNELS[channel], self._people[persona])
        return self._impressions[key]

    def _published(self, tick: int) -> Iterator[Row]:
        table = self._table
        for slot in range(self._number):
            if table["tick"][slot] != tick:
                continue
            author, parent = table["author"][slot], table["parent"][slot]
            claim, text = self._study[slot] if author < 0 else (None, self._text(table["text"][slot]))
            yield {
                "event": "stimulus",
                "stimulus_id": self._names[slot],
                "author": None if author < 0 else self._people[author],
                "kind": _KINDS[table["kind"][slot]],
                "text": text,
                "claim_id": claim,
                "in_reply_to": None if parent < 0 else self._names[parent],
            }

    def _interventions(self, tick: int, info: SocialInfo) -> Iterator[Row]:
        del tick
        for kind in np.flatnonzero(np.asarray(info.interventions)).tolist():
            yield {"event": "intervention", "kind": InterventionKind(kind).name.lower()}

    def _shown(self, tick: int, observation: SocialObservation) -> Iterator[Row]:
        for name, channel in _VIEWS:
            view = getattr(observation, name)
            if view is not None:
                yield from self._view(tick, channel, view)
        for persona in np.flatnonzero(np.asarray(observation.survey)).tolist():
            yield {
                **self._exposure(tick, Channel.SURVEY_ROOM, persona, 0, 0),
                "reason": _REASONS[Reason.INTEREST],
                "attention": 1.0,
                **dict.fromkeys(_COUNTS, 0),
                "ancestry": [],
            }

    def _exposure(self, tick: int, channel: Channel, persona: int, rank: int, slot: int) -> Row:
        return {
            "event": "exposure",
            "channel": _CHANNELS[channel],
            "persona_id": self._people[persona],
            "impression_id": self._impression(tick, channel, persona),
            "rank": rank,
            "stimulus_id": self._names[slot],
        }

    def _view(self, tick: int, channel: Channel, view: ChannelView) -> Iterator[Row]:
        there = np.nonzero(np.asarray(view.stimulus) >= 0)
        columns = [np.asarray(getattr(view, name))[there].tolist() for name in _VIEW]
        place = there[0].tolist(), there[1].tolist()
        for persona, rank, slot, attention, reason, tie, shared, via, counts in zip(*place, *columns, strict=True):
            yield {
                **self._exposure(tick, channel, persona, rank, slot),
                "reason": _REASONS[reason],
                "attention": attention / ATTENTION_UNIT,
                **dict(zip(_COUNTS, counts, strict=True)),
                "ancestry": self._ancestry[slot],
                "tie_strength": None if tie < 0 else tie / TIE_UNIT,
                "shared_community": None if shared < 0 else bool(shared),
                "via_persona_id": None if via < 0 else self._people[via],
            }

    def _dropped(self, tick: int, info: SocialInfo) -> Iterator[Row]:
        del tick
        for name, channel in _VIEWS:
            drops: Drops | None = getattr(info, name)
            if drops is None:
                continue
            there = np.nonzero(np.asarray(drops.stimulus) >= 0)
            persona = there[0] if drops.persona is None else np.asarray(drops.persona)[there]
            columns = (persona, np.asarray(drops.stimulus)[there], np.asarray(drops.reason)[there])
            for who, slot, reason in zip(*(column.tolist() for column in columns), strict=True):
                yield {
                    "event": "drop",
                    "channel": _CHANNELS[channel],
                    "persona_id": self._people[who],
                    "stimulus_id": self._names[slot],
                    "reason": _DROP_REASONS[reason],
                }

    def _rejections(self, tick: int) -> Iterator[Row]:
        if tick > 0:
            yield from self._acts(tick - 1, np.asarray(self._info(tick).rejected), "rejection")

    def _turns(self, tick: int) -> Iterator[Row]:
        steps = self._run.steps
        if tick < steps.reward.shape[0] and tick < self._last:
            yield from self._acts(tick, np.asarray(steps.action.valid[tick]), "turn")

    def _acts(self, tick: int, rows: np.ndarray, event: str) -> Iterator[Row]:
        batch: TurnBatch = _at(self._run.steps.action, tick)
        columns = (np.asarray(getattr(batch, name))[rows].tolist() for name in _TURN)
        for persona, channel, subject, action, sentiment, text in zip(*columns, strict=True):
            row: Row = {
                "event": event,
                "channel": _CHANNELS[Channel(channel)],
                "persona_id": self._people[persona],
                "stimulus_id": self._names[subject] if subject < self._number else None,
                "action": _ACTIONS[action],
            }
            if event == "turn":
                row["impression_id"] = self._impression(tick, Channel(channel), persona)
                row["sentiment"] = sentiment / SENTIMENT_UNIT
                row["text"] = self._text(text) if action in _SPEAKING else None
            yield row


_TABLE = ("tick", "author", "kind", "parent", "text")
_VIEW = ("stimulus", "attention", "reason", "tie", "shared_community", "via", "counts")
_COUNTS = ("likes", "reposts", "replies", "upvotes", "downvotes")
_ORDER = ("persona", "subject", "action", "channel", "vector", "text")
_TURN = ("persona", "channel", "subject", "action", "sentiment", "text")


def _at(tree: Any, index: int) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], tree)
