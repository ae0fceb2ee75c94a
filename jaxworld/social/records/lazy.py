"""Sequences whose records are made while they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class LazySequence(Sequence[T], Generic[T]):
    """An immutable sequence made slice by slice; nothing that was read is kept.

    Args:
        length: number of entries.
        make: returns entries ``start`` to ``stop``; called again whenever they are read again.
        chunk: entries made at once while iterating.
    """

    __slots__ = ("_chunk", "_length", "_make")

    def __init__(self, length: int, make: Callable[[int, int], list[T]], chunk: int) -> None:
        self._length, self._make, self._chunk = length, make, chunk

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        for start in range(0, self._length, self._chunk):
            yield from self._make(start, min(start + self._chunk, self._length))

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._length)
            return self._make(start, max(start, stop)) if step == 1 else [self[at] for at in range(start, stop, step)]
        at = index + self._length if index < 0 else index
        if not 0 <= at < self._length:
            raise IndexError(index)
        return self._make(at, at + 1)[0]

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((type(self), self._length))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(length={self._length}, chunk={self._chunk})"
