"""Attempts on the machines of a Ray cluster. A Ray task watches one child, as the local engine does on its machine."""

from __future__ import annotations

import importlib.metadata
import logging
import os
import platform
import secrets
import shutil
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from roomtour.batch.local import LocalEngine
from roomtour.batch.ray_machines import (
    Places,
    ask_machines,
    choose_machine,
    describe_need,
    find_most_memory_mb,
    first_line,
    list_machines,
)
from roomtour.batch.records import Attempt, Ended, Need
from roomtour.errors import RoomtourError

INSTALL = 'pip install "roomtour[ray]"'
_SAME = ("roomtour", "pycolmap", "opencv-python-headless")
"""Packages whose version has to be the same everywhere, for results to be."""
_AHEAD = 2
"""Attempts in the cluster, for each that can run: none waits long, and the head never holds thousands."""
_ALIVE_EVERY_S, _STALE_S = 5.0, 60.0
"""A watcher that did not touch its file for so long is taken for lost with its machine."""
_ANSWER_S = 10.0
_MB = 1e6


@dataclass(frozen=True)
class NodeFacts:
    """What a machine of the cluster says of itself."""

    name: str
    versions: dict[str, str]
    sees_job: bool
    free_mb: float
    """On the disk of the job, as it sees it."""


@dataclass
class _Running:
    attempt: Attempt
    started: float
    touched: int = 0
    """Time of change of the watcher's file, by its machine's clock."""
    seen: float | None = None
    """When that changed last, by ours; None before the watcher began."""


class RayEngine:
    """The processors of a Ray cluster."""

    def __init__(self, address: str, slots: int | None, workers: int, idle_s: float):
        """Join the cluster at `address`, `auto` for that of this machine, with `workers` processes in each of `slots`
        attempts at once; by default as many as it has processors for.

        Raises:
            RoomtourError: If ray is not installed, there is no such cluster, or the address is one of Ray Client.
        """
        if address.startswith("ray://"):
            raise RoomtourError(
                f"--address {address}: Ray Client keeps the driver's memory and logs elsewhere. Run on the head: "
                "ray job submit -- roomtour batch run ... --engine ray"
            )
        try:
            import ray
        except ImportError as error:
            raise RoomtourError(f"--engine ray needs Ray: {INSTALL}") from error
        self._ray: Any = ray
        _require_answer(address)
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, ignore_reinit_error=True)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise RoomtourError(
                f"--address {address}: no Ray cluster answers ({str(error).splitlines()[0]}); start one with: "
                "ray start --head"
            ) from error
        self._idle_s = idle_s
        self._running: dict[Any, _Running] = {}
        self._task: Any = ray.remote(_watch)  # one for all attempts: every other would be another function to Ray
        self._places = Places(ray)
        nodes = list_machines(ray)
        self._memory_mb = find_most_memory_mb(nodes)
        cores = sum(node["Resources"].get("CPU", 0.0) for node in nodes)
        self._slots = slots or max(1, int(cores // workers))

    @property
    def slots(self) -> int:
        """Attempts that run at once, for all that is known: machines may come and go."""
        return self._slots

    @property
    def memory_mb(self) -> float:
        """Memory of the largest machine that takes tours."""
        return self._memory_mb

    @property
    def sees_death(self) -> bool:
        """A machine that does not answer may still be at work."""
        return False

    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """Whether few enough are in the cluster; where and when each starts is Ray's to decide."""
        return len(running) < _AHEAD * self._slots

    def probe(self, job: Path) -> None:
        """Ask every machine for its versions, and whether it sees the folder of the job; one that goes away meanwhile
        is passed over.

        Raises:
            RoomtourError: Naming the first that differs, or does not answer.
        """
        ours = _describe_node()
        token = job / f".probe-{secrets.token_hex(8)}"
        token.touch()
        try:
            for facts in ask_machines(self._ray, _describe_node, str(token.absolute())):
                self._require_able(facts, ours, job)
        finally:
            token.unlink(missing_ok=True)

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Hand an attempt to Ray."""
        need, name = attempt.need, f"{attempt.task.tour.name}:{attempt.phase.name}"
        strategy = choose_machine(self._ray, attempt)
        task = self._task.options(
            num_cpus=need.cores * need.workers,
            num_gpus=need.gpu,
            memory=int(need.memory_mb * _MB),
            max_retries=0,  # the driver knows why an attempt ended, Ray does not
            name=name,
            **({"scheduling_strategy": strategy} if strategy is not None else {}),
        )
        absolute = replace(
            attempt, folder=attempt.folder.absolute(), log=attempt.log.absolute()
        )  # workers have a folder of their own
        ref = task.remote(absolute, list(command), self._idle_s)
        self._running[ref] = _Running(attempt, time.monotonic())

    def wait(self, timeout_s: float) -> list[Ended]:
        """Ask Ray which attempts ended; those whose machine went silent are lost."""
        if not self._running:
            return []
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout_s)
        ready += self._ray.wait([ref for ref in self._running if ref not in ready] or ready, timeout=0)[0]
        ended = [self._fetch(ref) for ref in dict.fromkeys(ready)]
        for ref, running in list(self._running.items()):
            if self._is_stale(running):
                ended.append(self._give_up(ref, f"its machine gave no sign for {_STALE_S:.0f} s"))
            elif running.seen is None and self._places.lack(ref, running.attempt.need):
                ended.append(self._give_up(ref, f"no machine with {describe_need(running.attempt.need)} is there"))
        return ended

    def cancel(self) -> None:
        """End every task at once; its child goes with it."""
        for ref in self._running:
            with suppress(Exception):  # gone already, or with its machine
                self._ray.cancel(ref, force=True)
        self._running.clear()

    def _require_able(self, node: NodeFacts, ours: NodeFacts, job: Path) -> None:
        for package in _SAME:
            here, there = ours.versions[package], node.versions[package]
            if here != there:
                raise RoomtourError(
                    f"node {node.name}: has {package} {there}, the head has {here}; results would differ. Install the "
                    "same versions everywhere"
                )
        if not node.sees_job:
            raise RoomtourError(f"node {node.name}: does not see {job}; --out has to be on storage that all share")

    def _fetch(self, ref: Any) -> Ended:
        attempt = self._running.pop(ref).attempt
        self._places.forget(ref)
        try:
            return replace(self._ray.get(ref), attempt=attempt)
        except self._ray.exceptions.OutOfMemoryError as error:
            return Ended(attempt, "memory", peak_mb=attempt.need.memory_mb, last_words=first_line(error))
        except self._ray.exceptions.RayError as error:
            return Ended(attempt, "lost", last_words=f"Ray lost it: {first_line(error)}")

    def _is_stale(self, running: _Running) -> bool:
        """Whether its watcher began and then did not touch its file for too long; clocks are not compared."""
        with suppress(OSError):
            touched = running.attempt.alive.stat().st_mtime_ns
            if touched != running.touched:
                running.touched, running.seen = touched, time.monotonic()
        return running.seen is not None and time.monotonic() - running.seen > _STALE_S

    def _give_up(self, ref: Any, why: str) -> Ended:
        with suppress(Exception):  # its machine does not answer
            self._ray.cancel(ref, force=True)
        self._places.forget(ref)
        return Ended(self._running.pop(ref).attempt, "lost", last_words=why)


def _require_answer(address: str) -> None:
    """Refuse an address at which nothing listens: Ray itself would go on trying."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal()):
        return  # `auto` and the like, which Ray looks up on this machine
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_S).close()
    except (OSError, OverflowError) as error:
        raise RoomtourError(
            f"--address {address}: no Ray cluster answers ({error}); start one with: ray start --head"
        ) from error


def _watch(attempt: Attempt, command: list[str], idle_s: float) -> Ended:
    """Run a child on the machine of this task, and watch it to its end."""
    import ray

    engine = LocalEngine(1, attempt.need.memory_mb, idle_s)
    engine.submit(attempt, command)
    while True:
        attempt.alive.write_text(platform.node(), encoding="utf-8")
        ended = engine.wait(_ALIVE_EVERY_S)
        if ended:
            return replace(ended[0], node=ray.get_runtime_context().get_node_id())


def _describe_node(token: str | None = None) -> NodeFacts:
    versions = {}
    for package in _SAME:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = "none"
    sees = token is None or os.path.exists(token)
    free = shutil.disk_usage(os.path.dirname(token)).free / _MB if token and sees else 0.0
    return NodeFacts(platform.node(), versions, sees, free)
