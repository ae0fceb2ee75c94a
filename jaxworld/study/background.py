"""Work that goes on beside the main thread and never holds up the end of the program."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def start_all(tasks: Sequence[Callable[[], T]], num_threads: int = 2) -> list[Future[T]]:
    """Start tasks in order on daemon threads; each result, or error, arrives in its future.

    A pool of ``concurrent.futures`` would make an interrupted program wait for a running task to finish.
    A future that is cancelled before its task began is skipped.
    """
    futures: list[Future[T]] = [Future() for _ in tasks]
    waiting = iter(list(zip(tasks, futures, strict=True)))
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                task, future = next(waiting, (None, None))
            if task is None or future is None:
                return
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(task())
            except BaseException as error:
                future.set_exception(error)

    for _ in range(min(num_threads, len(tasks))):
        threading.Thread(target=work, daemon=True).start()
    return futures
