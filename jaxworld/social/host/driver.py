"""External agents: any callable as the personas of a world, asked for all of a tick together."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxworld.core.checks import whole
from jaxworld.core.errors import ConfigurationError
from jaxworld.social.host.world import SocialWorld
from jaxworld.social.records import fields
from jaxworld.social.records.delta import WorldDelta
from jaxworld.social.records.exposure import Presentation
from jaxworld.social.records.fields import put
from jaxworld.social.records.identity import derived_id
from jaxworld.social.records.kinds import ActionKind, Channel
from jaxworld.social.records.population import Persona
from jaxworld.social.records.record import Record
from jaxworld.social.records.stimulus import Stimulus
from jaxworld.social.records.turn import BeliefChange, Reaction, Turn


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What an agent is asked: everything one persona may know, and nothing of anybody else.

    Attributes:
        persona: the persona itself, with what is private to it.
        presentation: what it is shown.
        stimuli: the shown texts, in order of rank.
        world_seed: of the world, for the ids of reactions.
    """

    persona: Persona
    presentation: Presentation
    stimuli: tuple[Stimulus, ...]
    world_seed: int

    def react(self, subject: int, action: ActionKind | str, verbatim: str | None = None, **fields: Any) -> Reaction:
        """A reaction to the shown stimulus of rank ``subject``; other fields as in ``Reaction``."""
        impression = self.presentation.impression
        purpose = f"reaction:{impression.channel.value}:{impression.persona_id}"
        return Reaction(
            reaction_id=derived_id("rc", self.world_seed, impression.tick, purpose),
            subject_stimulus_id=impression.exposures[subject].stimulus_id,
            action=ActionKind(action),
            verbatim=verbatim,
            **{"belief_change": BeliefChange(), **fields},
        )


Agent = Callable[[Sequence[Request]], Sequence[Any]]
"""Requests in, one ``Reaction`` each out, in their order. None stands for no turn, an exception for a failure."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AgentFailure(Record):
    """A request that brought no turn.

    Attributes:
        persona_id, channel, tick: what was asked.
        error: what went wrong.
    """

    persona_id: str
    channel: Channel
    tick: int
    error: str

    def __post_init__(self) -> None:
        fields.persona("AgentFailure.persona_id", self.persona_id)
        put(self, "channel", fields.member("AgentFailure.channel", Channel, self.channel))
        put(self, "tick", fields.tick("AgentFailure.tick", self.tick))


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class TickLog:
    """What happened at one tick.

    Attributes:
        delta: what the world showed.
        turns: what personas did about it, in the order of requests.
        failures: requests that brought no turn.
        activation_rate: with which the tick was entered, None for that of the configuration.
    """

    delta: WorldDelta
    turns: tuple[Turn, ...]
    failures: tuple[AgentFailure, ...]
    activation_rate: float | None


def each(agent: Callable[[Request], Reaction | None]) -> Agent:
    """An agent from a callable for one request: it is called for each, and fails for that one only."""

    def answer(requests: Sequence[Request]) -> list[Any]:
        return [_attempt(agent, request) for request in requests]

    return answer


def drive(
    world: SocialWorld,
    agent: Agent,
    *,
    batch_size: int | None = None,
    activation_rate: Callable[[int], float] | None = None,
) -> Iterator[TickLog]:
    """Run a world to its horizon, from where it stands.

    Answers from the survey room are recorded, but not given to the world, where they would change nothing.

    Args:
        world: fresh, or at any tick.
        agent: stands in for all personas.
        batch_size: most requests of one call; default all of a tick. Requests come in the order of presentations.
        activation_rate: by tick; default that of the world's configuration.

    Yields:
        One :class:`TickLog` a tick. A failing agent contributes no turn: if a call fails, all its requests do.
    """
    size = None if batch_size is None else whole("batch_size", batch_size, 1, 2**31)
    delta, rate = (world.reset(), None) if world.last_tick is None else (world.presented(), None)
    while True:
        turns, failures = _ask(world, delta, agent, size)
        yield TickLog(delta=delta, turns=turns, failures=failures, activation_rate=rate)
        tick = delta.tick + 1
        if tick >= world.header.scenario.horizon_ticks:
            return
        entering = [turn for turn in turns if turn.impression.channel is not Channel.SURVEY_ROOM]
        rate = None if activation_rate is None else activation_rate(tick)
        delta = world.step(tick, entering, activation_rate=rate)


def _ask(
    world: SocialWorld, delta: WorldDelta, agent: Agent, size: int | None
) -> tuple[tuple[Turn, ...], tuple[AgentFailure, ...]]:
    turns: list[Turn] = []
    failures: list[AgentFailure] = []
    total = len(delta.presentations)
    for start in range(0, total, size or max(total, 1)):
        requests = [_request(world, shown) for shown in delta.presentations[start : start + (size or total)]]
        for request, answer in zip(requests, _answers(agent, requests), strict=True):
            made = _turn(request, answer)
            if isinstance(made, Turn):
                turns.append(made)
            elif made is not None:
                failures.append(made)
    return tuple(turns), tuple(failures)


def _request(world: SocialWorld, shown: Presentation) -> Request:
    ledger = world.ledger
    return Request(
        persona=world.population.personas[ledger.persona_index[shown.impression.persona_id]],
        presentation=shown,
        stimuli=tuple(ledger.stimuli[ledger.slot[exposure.stimulus_id]] for exposure in shown.impression.exposures),
        world_seed=ledger.seed,
    )


def _attempt(call: Callable[[Any], Any], argument: Any) -> Any:
    try:
        return call(argument)
    except Exception as error:
        return error


def _answers(agent: Agent, requests: list[Request]) -> Sequence[Any]:
    answers = _attempt(agent, requests)
    if isinstance(answers, Exception):
        return [answers] * len(requests)
    if not isinstance(answers, Sequence) or len(answers) != len(requests):
        return [ConfigurationError("agent", answers, f"return {len(requests)} answers")] * len(requests)
    return answers


def _turn(request: Request, answer: Any) -> Turn | AgentFailure | None:
    """The turn of an answer; whatever is wrong with it becomes a failure."""
    impression = request.presentation.impression
    if answer is None:
        return None
    problem = answer
    if not isinstance(answer, Exception):
        try:
            return Turn(impression=impression, view=request.presentation.view, reaction=answer)
        except ConfigurationError as error:
            problem = error
    return AgentFailure(
        persona_id=impression.persona_id,
        channel=impression.channel,
        tick=impression.tick,
        error=f"{type(problem).__name__}: {problem}",
    )
