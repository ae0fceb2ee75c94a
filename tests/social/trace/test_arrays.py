"""Rows straight from arrays are the rows of the records that the port makes of the same run."""

from __future__ import annotations

import jax

from jaxworld.social import make_policy
from jaxworld.social.audit import audit
from jaxworld.social.host import drive_arrays
from jaxworld.social.policies import make_traits
from jaxworld.social.trace import COLUMNS, ArrayRows, header_of, run_arrays, tick_rows
from tests.social.records.studies import port

STEPS = 7
FROM_TURNS = ("turn", "rejection")


def test_rows_from_arrays_are_rows_from_records():
    world = port(horizon_ticks=STEPS + 1, survey_every=3)
    header = header_of(world)
    traits = make_traits(4, {"post": 0.2, "reply": 0.3, "quote": 0.2, "approve": 0.3, "sentiment": 0.7})
    policy = make_policy(world.kernel.config, world.params, traits=traits)
    run = jax.device_get(run_arrays(world.kernel, policy, world.key, STEPS, world.params))
    ticks = list(ArrayRows(run, header).ticks())
    deltas = drive_arrays(world, policy, lambda *_: "(unwritten)")
    published = 0
    for delta, (tick, rows) in zip(deltas, ticks, strict=True):
        made = [row for row in rows if row["event"] not in FROM_TURNS]
        assert list(map(cells, made)) == list(map(cells, tick_rows(delta))), f"tick {tick}"
        published += len(delta.published)
    assert published > 8, "nobody wrote anything"
    assert audit(header, ticks).clean


def cells(row):
    """All that a row says; where it stands follows from the others."""
    return [row.get(column.name) for column in COLUMNS if column.name not in ("tick", "sequence")]
