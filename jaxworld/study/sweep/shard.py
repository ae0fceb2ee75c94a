"""Which part of a sweep a process computes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from jaxworld.core.errors import ConfigurationError, require

T = TypeVar("T")
_FORM = re.compile(r"(\d+)/(\d+)")


def parse_shard(shard: str | tuple[int, int] | None) -> tuple[int, int]:
    """``(i, n)`` from ``"i/n"``: part ``i`` of ``n``, counted from 0; the whole if None.

    Raises:
        ConfigurationError: for anything else.
    """
    if shard is None:
        return 0, 1
    if isinstance(shard, str):
        match = _FORM.fullmatch(shard.strip())
        if match is None:
            raise ConfigurationError("shard", shard, "write i/n, from 0/4 to 3/4 for four parts")
        shard = int(match[1]), int(match[2])
    index, count = shard
    require(
        count >= 1 and 0 <= index < count, "shard", f"{index}/{count}", f"use 0/{count} to {max(count - 1, 0)}/{count}"
    )
    return index, count


def take_shard(items: Sequence[T], shard: tuple[int, int]) -> list[T]:
    """Every n-th of ``items`` from the i-th on, so that parts are alike in size and in arms."""
    return list(items[shard[0] :: shard[1]])
