"""Traces of random worlds, compiled once for all tests of traces and audits."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.audit import traces

EVERYTHING, LAUNCH = 7, 3
"""Shapes: all channels and surveys under an interest feed; word of mouth alone."""


@pytest.fixture(scope="package")
def traces_of_everything() -> list[tuple[dict[str, Any], list[Any]]]:
    """Header and ticks of ten random worlds with all channels."""
    return list(traces(2, 10, (EVERYTHING,)))


@pytest.fixture(scope="package")
def random_traces(traces_of_everything: Any) -> list[tuple[dict[str, Any], list[Any]]]:
    """Those, and ten that launch by word of mouth alone."""
    return [*traces_of_everything, *traces(2, 10, (LAUNCH,))]


@pytest.fixture(scope="package")
def rich_trace(traces_of_everything: Any) -> tuple[dict[str, Any], list[Any]]:
    """The longest of the first: it has every kind of event."""
    return max(traces_of_everything, key=lambda trace: sum(len(rows) for _, rows in trace[1]))
