"""A run on record that is killed at a given tick: ``python -m tests.social.trace.killed_run FOLDER TICK STAGE``."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jaxworld.core import files
from jaxworld.social.host import Request, SocialWorld
from jaxworld.social.trace import drive_on_record
from tests.social.records.studies import port, rule

HORIZON = 9
ACTS = ({"tick": 2, "kind": "teaser"}, {"tick": 2, "kind": "launch"}, {"tick": 5, "kind": "promotion"})


def study() -> SocialWorld:
    """A fresh world: four personas on all channels, with surveys and interventions."""
    from jaxworld.social.records import Intervention

    acts = tuple(Intervention.from_dict(act) for act in ACTS)
    return port(horizon_ticks=HORIZON, survey_every=3, interventions=acts)


def rate(tick: int) -> float:
    """Every third tick half of the personas stay asleep."""
    return 0.5 if tick % 3 == 0 else 1.0


class Agents:
    """Rule-following personas; one fails at tick 4, another is silent at tick 5; knows when it was asked."""

    def __init__(self) -> None:
        self.ticks: list[int] = []

    def __call__(self, requests: Sequence[Request]) -> list[Any]:
        impressions = [request.presentation.impression for request in requests]
        self.ticks += [impressions[0].tick] if impressions else []
        return [self._one(request, shown) for request, shown in zip(requests, impressions, strict=True)]

    def _one(self, request: Request, shown: Any) -> Any:
        if (shown.tick, shown.persona_id) == (4, "p-000001"):
            return RuntimeError("no answer in time")
        return None if (shown.tick, shown.persona_id) == (5, "p-000003") else rule(request)


def kill() -> None:
    """End this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def main(folder: str, tick: int, stage: str) -> None:
    """Run until the tick, and be killed while agents are asked or while its file is being written."""
    agents = Agents()

    def asked(requests: Sequence[Request]) -> list[Any]:
        answers = agents(requests)
        if stage == "asking" and agents.ticks[-1] == tick:
            kill()
        return answers

    replace = os.replace

    def cut(source: Any, target: Any) -> None:
        if stage == "writing" and Path(target).name == f"tick-{tick:06d}.parquet":
            os.truncate(source, Path(source).stat().st_size // 2)
            kill()
        replace(source, target)

    files.os.replace = cut  # type: ignore[attr-defined]
    for _ in drive_on_record(study(), asked, folder, activation_rate=rate):
        pass


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
