"""Workers on machines of a Ray cluster, for the tasks of one long tour. Only paths that all of them see are used."""

from __future__ import annotations

import logging
import platform
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, islice
from typing import Any, TypeVar

from recon.tasks import fixed_threads, run_in_worker
from roomtour.errors import RoomtourError
from roomtour.workers.local import LocalWorkers

Item = TypeVar("Item")
Result = TypeVar("Result")
_AHEAD = 2
"""Items in the cluster for each worker: one runs, one is there."""
_RETRIES = 3
"""Of a task whose machine goes away: it changes nothing that is there, so it may run twice."""


class RayWorkers:
    """Tasks that Ray places where processors are free."""

    is_elsewhere = True
    """They see the run folder, but should not open one database together."""

    def __init__(self, address: str, count: int) -> None:
        """Join the cluster at `address` when the first tasks are given out; `count` of them run at once."""
        self._address, self._count = address, count
        self._ray: Any = None
        self._run: Any = None
        self._cpu_s: dict[tuple[str, int], float] = {}
        self._guard = threading.Lock()

    @property
    def cpu_s(self) -> float:
        """CPU-seconds of the tasks."""
        return sum(self._cpu_s.values())

    def map(self, task: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items; may be called from several threads.

        Raises:
            Exception: What the task raised, of the first item that failed.
            RoomtourError: If the machines of a task went away again and again.
        """
        waiting = iter(items)
        first = list(islice(waiting, 2))
        if len(first) < 2:
            yield from map(task, first)
            return
        self._join()
        held = self._ray.put(task)  # once for all items
        running: deque[Any] = deque()
        try:
            for item in chain(first, waiting):
                running.append(self._run.remote(held, item))
                if len(running) > _AHEAD * self._count:
                    yield self._fetch(running.popleft())
            while running:
                yield self._fetch(running.popleft())
        finally:
            for ref in running:
                self._ray.cancel(ref, force=True)

    def map_in_threads(self, task: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
        """Results in the order of the items, from threads of this process."""
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(task, items)

    def close(self) -> None:
        """Leave the cluster; what still runs there is ended."""
        if self._ray is not None:
            self._ray.shutdown()
            self._ray = None

    def _join(self) -> None:
        with self._guard:
            if self._ray is not None:
                return
            import ray

            ray.init(address=self._address, log_to_driver=False, logging_level=logging.ERROR)
            self._ray = ray
            self._run = ray.remote(_run).options(num_cpus=1, max_retries=_RETRIES, name="part of a tour")

    def _fetch(self, ref: Any) -> Any:
        try:
            result, node, process, cpu_s = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except self._ray.exceptions.RayError as error:
            reason = str(error).splitlines()[0][:300]
            raise RoomtourError(f"machines that had a part of this tour went away: {reason}") from error
        with self._guard:
            before = self._cpu_s.get((node, process), 0.0)
            self._cpu_s[node, process] = before + cpu_s
        return result


def _run(task: Callable[[Any], Any], item: Any) -> tuple[Any, str, int, float]:
    """In a process that other jobs may have used before: what it took is told for this item alone."""
    import time

    before = time.process_time()
    with fixed_threads():
        result, process, _ = run_in_worker(task, item)
    return result, platform.node(), process, time.process_time() - before


Workers = LocalWorkers | RayWorkers
"""Run tasks on items, in whatever processes they have. Results never depend on how many there are."""
