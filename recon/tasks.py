"""How independent pieces of work are given out: one task, many items, results in the order of the items.

A task is a function of a module or a frozen dataclass that can be called; tasks, items and results can be pickled, so
that a task may run in another process or on another machine. Who gives them out is the caller's choice (`FanOut`); the
results are the same, because a task hangs on its item alone, draws from a seed of its own, and runs on a fixed number
of threads.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Result = TypeVar("Result")
Progress = Callable[[float], None]  # called with a fraction from 0 to 1 while work goes on

THREADS_PER_TASK = 1
"""Of OpenCV, BLAS, OpenMP, COLMAP and Ceres. Sums over more threads end differently from run to run: Ceres adds up in
the order in which threads finish. The other cores work on other items."""


class FanOut(Protocol):
    """Gives out the items of a task."""

    def __call__(self, task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items, as they are asked for; items are drawn a few ahead of the results.

        Raises:
            Exception: What the task raised, of the first item that failed; no later result follows.
        """
        ...


def map_here(task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """One item after the other, in this thread."""
    return map(task, items)


@contextmanager
def fixed_threads() -> Iterator[None]:
    """Hold the libraries of this process to the threads of a task while inside.

    For the functions that give out tasks: what they compute themselves, and tasks that run here, then give the same as
    in a worker.
    """
    import cv2
    from threadpoolctl import threadpool_limits

    before = cv2.getNumThreads()
    cv2.setNumThreads(THREADS_PER_TASK)
    try:
        with threadpool_limits(THREADS_PER_TASK):
            yield
    finally:
        cv2.setNumThreads(before)


def begin_worker(lifeline: Connection) -> None:
    """Make this new process a worker: fixed threads, deaf to Ctrl-C, and gone as soon as the lifeline is cut.

    That is the reading end of a pipe that whoever gives out tasks holds open. To be called before numpy is
    imported, whose libraries read the number of their threads from the environment.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that gives out tasks hears it, and cuts the lifeline
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ[name] = str(THREADS_PER_TASK)
    import cv2

    cv2.setNumThreads(THREADS_PER_TASK)


def _end_with(lifeline: Connection) -> None:
    try:
        lifeline.poll(None)
    finally:
        os._exit(1)


def run_in_worker(task: Callable[[Item], Result], item: Item) -> tuple[Result, int, float]:
    """The result, the worker's process id and the CPU-seconds that it has used in all."""
    result = task(item)
    return result, os.getpid(), time.process_time()
