"""Runs of external agents on record: a killed run goes on where its trace ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jaxworld.core.errors import require
from jaxworld.social.host import Recording, SocialWorld, TickLog, drive, resume
from jaxworld.social.host.driver import Agent
from jaxworld.social.records import Population
from jaxworld.social.trace.conversion import rows_to_delta, rows_to_rate, rows_to_turns, tick_rows
from jaxworld.social.trace.header import trace_header
from jaxworld.social.trace.reader import TraceReader
from jaxworld.social.trace.writer import TraceWriter


def drive_on_record(
    world: SocialWorld,
    agent: Agent,
    folder: str | Path,
    *,
    batch_size: int | None = None,
    activation_rate: Callable[[int], float] | None = None,
) -> Iterator[TickLog]:
    """Run a world to its horizon and write its trace; arguments and what is yielded are those of ``drive``.

    A tick is in the folder, whole and on the disk, before it is yielded. If the folder holds a part of this run, the
    world takes the recorded turns and goes on: no agent is asked again about a tick that is there.

    Args:
        world: not yet reset.
        agent: stands in for all personas.
        folder: of the trace.
        batch_size: most requests of one call.
        activation_rate: by tick.

    Raises:
        ConfigurationError: if the folder holds the trace of another run, or the world has begun.
    """
    require(world.last_tick is None, "world", world.last_tick, "the world has begun: make another one")
    writer = TraceWriter(folder, header_of(world))
    first = writer.next_tick
    if first >= world.header.scenario.horizon_ticks:
        return
    recorded = recording_of(TraceReader(folder))
    rate = None if activation_rate is None or first == 0 else activation_rate(first)
    if first > 0:
        rates = dict(recorded.activation_rates)
        if rate is not None:
            rates[first] = rate
        resume(world, Recording(turns=recorded.turns, activation_rates=rates), first)
    for log in drive(world, agent, batch_size=batch_size, activation_rate=activation_rate):
        tick = log.delta.tick
        used = rate if tick == first else log.activation_rate
        refused = [rejection for rejection in world.rejected if rejection.tick == tick - 1]
        writer.append(tick, tick_rows(log.delta, log.turns, refused, log.failures, used))
        yield log


def header_of(world: SocialWorld) -> dict[str, Any]:
    """The header of a world's trace."""
    world.build()
    header, brief = world.header, world.header.pack.brief
    made = trace_header(
        world.kernel.config,
        world.params,
        seed=header.world_seed,
        persona_ids=world.population.persona_ids,
        concept=brief.product.description,
        claims=[(claim.id, claim.text) for claim in brief.claims],
        partition=header.to_dict(),
    )
    return {**made, "population": {**made["population"], **_people(world.population)}}


def _people(population: Population) -> dict[str, Any]:
    """Everybody with what is private to them, and communities under their own names."""
    plain = population.to_dict()
    return {"personas": plain["personas"], "communities": plain["communities"]}


def recording_of(trace: TraceReader, *, with_deltas: bool = False) -> Recording:
    """What a replay needs, from a trace of a run with records.

    Args:
        trace: of :func:`drive_on_record`.
        with_deltas: also read the deltas, to compare a replay with.
    """
    turns, rates, deltas = {}, {}, []
    for tick, rows in trace.ticks():
        turns[tick] = rows_to_turns(tick, rows)
        rate = rows_to_rate(rows)
        if rate is not None:
            rates[tick] = rate
        if with_deltas:
            deltas.append(rows_to_delta(tick, rows))
    return Recording(turns=turns, activation_rates=rates, deltas=tuple(deltas))
