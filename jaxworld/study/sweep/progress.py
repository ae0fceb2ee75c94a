"""Where a sweep stands."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable


@dataclasses.dataclass(frozen=True)
class SweepProgress:
    """One moment of a run.

    Attributes:
        arm_name, arm, num_arms: which arm, its number and how many there are.
        phase: ``compiling``, ``running`` or ``merging``.
        done_world_ticks, total_world_ticks: of what this run has to compute; what was found done is not counted.
        resumed_worlds: worlds that were found done.
        elapsed_s: seconds since the run began.
        rate: world-ticks a second of running time, 0 while nothing is known.
        remaining_s: seconds left at that rate, None while it is not known.
    """

    arm_name: str
    arm: int
    num_arms: int
    phase: str
    done_world_ticks: int
    total_world_ticks: int
    resumed_worlds: int
    elapsed_s: float
    rate: float
    remaining_s: float | None


ProgressCallback = Callable[[SweepProgress], None]


class Clock:
    """Counts what is done and how fast, and tells a callback."""

    def __init__(self, callback: ProgressCallback | None, num_arms: int, total: int, resumed_worlds: int) -> None:
        self._callback, self._num_arms, self._total, self._resumed = callback, num_arms, total, resumed_worlds
        self._began = time.perf_counter()
        self._busy, self._done, self._last = 0.0, 0, 0.0

    def tell(self, phase: str, arm_name: str, arm: int, more: int = 0) -> None:
        """Say where the run is; ``more`` world-ticks were done since the last time."""
        now = time.perf_counter() - self._began
        if more:
            self._busy += now - self._last
            self._done += more
        self._last = now
        rate = self._done / self._busy if self._busy > 0 else 0.0
        left = (self._total - self._done) / rate if rate > 0 else None
        if self._callback is not None:
            self._callback(
                SweepProgress(
                    arm_name, arm, self._num_arms, phase, self._done, self._total, self._resumed, now, rate, left
                )
            )
