"""A sweep in a process of its own: ``python -m tests.study.sweep.child '{"sweep": "walk", "out": ...}'``."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from jaxworld.study.sweep import initialise
from jaxworld.study.sweep.store import Store
from tests.study.sweep.common import SWEEPS


def main(task: dict[str, Any]) -> None:
    if "coordinator" in task:
        initialise(task["coordinator"], task["num_processes"], task["process_id"])
    if "delay_s" in task:
        slow_down(task["delay_s"])
    import jax

    facts: dict[str, Any] = {"devices": jax.device_count(), "processes": jax.process_count()}
    for name in task.get("families", ()):
        SWEEPS[name](out=f"{task['out']}/{name}", **task.get("options", {}))
    if "sweep" in task:
        result = SWEEPS[task["sweep"]](out=task["out"], **task.get("options", {}))
        facts |= {"computed": result.computed, "missing": result.missing, "path": str(result.path)}
    print(json.dumps(facts), flush=True)


def slow_down(seconds: float) -> None:
    """Leave time to be killed, before a file is written and while it has another name."""
    write = Store.write

    def slowly(self: Store, chunk: Any, columns: Any) -> None:
        time.sleep(seconds)
        write(self, chunk, columns)

    Store.write = slowly  # type: ignore[method-assign]


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
