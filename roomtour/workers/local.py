"""Workers on this machine: processes of their own, started when the first tasks are given out."""

from __future__ import annotations

import multiprocessing
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from multiprocessing.connection import Connection
from types import ModuleType, TracebackType
from typing import TypeVar

from recon.tasks import begin_worker, run_in_worker
from roomtour.errors import RoomtourError

Item = TypeVar("Item")
Result = TypeVar("Result")


class LocalWorkers:
    """A fixed number of processes. With one worker, or for one item, tasks run in the process that gives them out.

    Processes are spawned, not forked: threads of libraries do not survive a fork.
    """

    is_elsewhere = False
    """Whether tasks run on other machines."""

    def __init__(self, count: int) -> None:
        """`count` processes at most work at once."""
        self._count = count
        self._pool: ProcessPoolExecutor | None = None
        self._lifeline: Connection | None = None
        self._cpu_s: dict[int, float] = {}
        self._is_closed = False

    def __enter__(self) -> LocalWorkers:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def cpu_s(self) -> float:
        """CPU-seconds of all processes, their start included."""
        return sum(self._cpu_s.values())

    def map(self, task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items, as they are asked for: they can be counted and written while others run.

        Args:
            task: A function of a module, or a frozen dataclass that can be called; see `recon.tasks`.
            items: Drawn a few ahead of the results, so that many large ones need not be in memory at once.

        Raises:
            Exception: What the task raised, of the first item that failed.
            RoomtourError: If a process ended before its task did.
        """
        waiting = iter(items)
        first = list(islice(waiting, 2 if self._count > 1 else 1))
        if len(first) < 2:
            yield from map(task, chain(first, waiting))
            return
        try:
            submit = partial(self._submit, task)
            yield from map(self._note_cpu, _in_order(submit, chain(first, waiting), _AHEAD * self._count))
        except BrokenProcessPool as broken:
            self._stop()
            raise RoomtourError(
                "a worker process ended before its task did: killed, or out of memory. Try fewer --workers; finished "
                "stages are kept"
            ) from broken

    def map_in_threads(self, task: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
        """As `map`, for tasks that share what cannot leave this process, such as a model on a GPU."""
        with ThreadPoolExecutor(threads) as pool:
            yield from _in_order(partial(pool.submit, task), items, threads)

    def close(self) -> None:
        """Stop all processes at once, whatever they do. Nothing can be given out any more."""
        self._is_closed = True
        self._stop()

    def _stop(self) -> None:
        pool, self._pool = self._pool, None
        if self._lifeline is not None:
            self._lifeline.close()
            self._lifeline = None
        if pool is not None:
            _stop_writing(pool)
            pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, task: Callable[[Item], Result], item: Item) -> Future[tuple[Result, int, float]]:
        if self._is_closed:
            raise RoomtourError("interrupted: no worker is left to run this")
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            theirs, self._lifeline = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self._count, context, begin_worker, (theirs,))
        with _no_main_module():  # a process may start with any task that finds none idle
            return self._pool.submit(run_in_worker, task, item)

    def _note_cpu(self, done: tuple[Result, int, float]) -> Result:
        result, process, cpu_s = done
        self._cpu_s[process] = cpu_s
        return result


def _stop_writing(pool: ProcessPoolExecutor) -> None:
    """Close the end of the pipe to the pool's processes that this process holds, so that it has no reader left.

    Where they end while a large task is written to them, Python 3.11.0 to 3.11.4 wait forever for somebody to read it
    (issue 94777 of CPython). Later ones close it themselves, and would do it twice.
    """
    if sys.version_info < (3, 11, 5):
        pool._call_queue._reader.close()


def _in_order(submit: Callable[[Item], Future[Result]], items: Iterable[Item], ahead: int) -> Iterator[Result]:
    """Results in the order of the items; at most `ahead` of them wait or run besides the one that is waited for."""
    running: deque[Future[Result]] = deque()
    try:
        for item in items:
            running.append(submit(item))
            if len(running) > ahead:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    except Exception:  # nothing of a failed task may still work in the run folder when the next tour begins
        for future in running:
            future.cancel()
        wait(running)
        raise
    finally:
        for future in running:
            future.cancel()


_AHEAD = 2
"""Items drawn per worker before a result is waited for: one runs, one is ready."""


@contextmanager
def _no_main_module() -> Iterator[None]:
    """Keep new processes from running the caller's script once more; tasks are imported by the names of their modules.

    A script that calls `roomtour.process` without asking whether it is `__main__` would start itself again, and what it
    imports would choose its number of threads before `begin_worker` does.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
