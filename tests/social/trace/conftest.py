"""Traces of random worlds, compiled once for all tests of traces and audits."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.audit import traces

EVERYTHING, LAUNCH = 7, 3
"""Shapes: all channels and surveys under an interest feed; word of mouth alone."""


@pytest.fixture(scope="package")
def random_traces() -> list[tuple[dict[str, Any], list[Any]]]:
    """Header and ticks of twenty random worlds."""
    return list(traces(2, 20, (EVERYTHING, LAUNCH)))


@pytest.fixture(scope="package")
def rich_trace(random_traces: Any) -> tuple[dict[str, Any], list[Any]]:
    """The longest of them: it has every kind of event."""
    return max(random_traces, key=lambda trace: sum(len(rows) for _, rows in trace[1]))
