"""Attempts on the machines of a Ray cluster. A Ray task watches one child, as the local engine does on its machine."""

from __future__ import annotations

import logging
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from instructions.language.gate import SharedGate
from instructions.language.options import LanguageOptions
from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.gate import RayGate
from roomtour.batch.engines.gpu_actors import GpuActors
from roomtour.batch.engines.local import IDLE_S, LocalEngine
from roomtour.batch.engines.ray_machines import (
    Places,
    ask_machines,
    choose_machine,
    describe_need,
    describe_node,
    find_most_memory_mb,
    first_line,
    list_machines,
    put_token,
    remove_token,
    require_able,
    require_answer,
)
from roomtour.batch.metrics import Metric, RayMetrics
from roomtour.batch.records import Attempt, Ended, Need
from roomtour.errors import RoomtourError
from roomtour.files.records import read_json, write_json

INSTALL = 'pip install "roomtour[ray]"'
_AHEAD = 2
"""Attempts in the cluster, for each that can run: none waits long, and the head never holds thousands."""
_SIGN_EVERY_S, _STALE_S = 5.0, 60.0
"""A watcher that gave no sign for so long is taken for lost with its machine."""
_ANSWER_S = 10.0
_MB = 1e6


@dataclass
class _Running:
    attempt: Attempt
    signs: int = 0
    """That its watcher gave."""
    seen: float | None = None
    """When it gave the last; None before it began."""


class _Signs:
    """An actor that counts the signs of watchers."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, int]] = Counter()

    def give(self, tour: str, attempt: int) -> None:
        self._counts[tour, attempt] += 1

    def count(self) -> dict[tuple[str, int], int]:
        return dict(self._counts)


class RayEngine(Engine):
    """The processors of a Ray cluster; a machine that does not answer may still be at work."""

    sees_death = False

    def __init__(
        self,
        address: str = "auto",
        slots: int | None = None,
        workers: int = 1,
        idle_s: float = IDLE_S,
        storage: str | None = None,
        language: LanguageOptions | None = None,
        gpu_share: float = 0.0,
    ):
        """Join the cluster.

        Args:
            address: Of its head; `auto` for that of this machine.
            slots: Attempts at once; as many as it has processors for if None.
            workers: Processes in each.
            idle_s: See `LocalEngine`.
            storage: Bucket or shared folder for results; then machines need not see the folder of the job.
            language: Limits of one gate for all machines; none if None.
            gpu_share: Part of a GPU that a tour needs at some time; 0 for none.

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
        require_answer(address)
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, ignore_reinit_error=True)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise RoomtourError(
                f"--address {address}: no Ray cluster answers ({str(error).splitlines()[0]}); start one with: "
                "ray start --head"
            ) from error
        self._idle_s = idle_s
        self._storage = storage
        self._running: dict[Any, _Running] = {}
        self._signs: Any = ray.remote(_Signs).options(num_cpus=0, max_restarts=-1).remote()
        self._counted = 0.0
        self._task: Any = ray.remote(_watch)  # one for all attempts: every other would be another function to Ray
        self._places = Places(ray)
        self._metrics = RayMetrics()
        nodes = list_machines(ray)
        self.memory_mb = find_most_memory_mb(nodes)
        by_node = [node["Resources"].get("CPU", 0.0) for node in nodes]
        cores, self._most_cores = sum(by_node), max(by_node)
        self.slots, self._workers, self._gpu_share = slots or max(1, int(cores // workers)), workers, gpu_share
        self.gate: RayGate | None = None
        if language is not None:
            held = ray.remote(SharedGate).options(num_cpus=0, max_restarts=-1, max_concurrency=16).remote(language)
            self.gate = RayGate(held)
        self._gpus = GpuActors(ray, self._count_shares, _watch, self.gate)

    @property
    def most_slots(self) -> int:
        """Of the machine with most processors."""
        return max(1, int(self._most_cores // self._workers))

    def find_helpers(self, free: int) -> dict[str, Any] | None:
        """Where the cluster is, for a driver of its own."""
        return {"address": self._ray.get_runtime_context().gcs_address, "count": free}

    def has_room(self, running: Sequence[Need], need: Need) -> bool:
        """Whether few enough are in the cluster; where and when each starts is Ray's to decide.

        Those for GPUs get one each, none waits there: a process that dies would take them with it.
        """
        if need.gpu:
            left = self._count_shares(need.gpu) - self._gpus.closed
            return sum(beside.gpu > 0 for beside in running) < max(left, 1)
        return len(running) < _AHEAD * self.slots

    def probe(self, job: Path) -> None:
        """Ask every machine for its versions, and whether it sees the folder of the job; one that goes away meanwhile
        is passed over.

        Raises:
            RoomtourError: Naming the first that differs, or does not answer.
        """
        self._require_room()
        ours = describe_node()
        token = f".probe-{secrets.token_hex(8)}"
        place = self._storage or str(job.absolute())
        put_token(place, token)
        try:
            for facts in ask_machines(self._ray, describe_node, place, token):
                require_able(facts, ours, job, self._storage)
        finally:
            remove_token(place, token)

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Hand an attempt to Ray."""
        need, name = attempt.need, f"{attempt.task.tour.name}:{attempt.phase.name}"
        absolute = replace(
            attempt, folder=attempt.folder.absolute(), log=attempt.log.absolute()
        )  # workers have a folder of their own
        # What the child is told, for machines that do not see the folder of the job.
        spec = read_json(Path(command[-1])) if self._storage is not None else None
        words = (list(command), self._idle_s, spec, self._signs)
        if need.gpu:
            self._running[self._gpus.submit(absolute, name, *words)] = _Running(attempt)
            return
        strategy = choose_machine(self._ray, attempt)
        task = self._task.options(
            num_cpus=need.cores * need.workers,
            num_gpus=need.gpu,
            memory=int(need.memory_mb * _MB),
            max_retries=0,  # the driver knows why an attempt ended, Ray does not
            name=name,
            **({"scheduling_strategy": strategy} if strategy is not None else {}),
        )
        ref = task.remote(absolute, *words, self.gate)
        self._running[ref] = _Running(attempt)

    def wait(self, timeout_s: float) -> list[Ended]:
        """Ask Ray which attempts ended; those whose machine went silent are lost."""
        if not self._running:
            return []
        ready, _ = self._ray.wait(list(self._running), num_returns=1, timeout=timeout_s)
        ready += self._ray.wait([ref for ref in self._running if ref not in ready] or ready, timeout=0)[0]
        ended = [self._fetch(ref) for ref in dict.fromkeys(ready)]
        self._count_signs()
        for ref, running in list(self._running.items()):
            if running.seen is not None and time.monotonic() - running.seen > _STALE_S:
                ended.append(self._give_up(ref, f"its machine gave no sign for {_STALE_S:.0f} s"))
            elif running.seen is None and self._places.lack(ref, running.attempt.need):
                ended.append(self._give_up(ref, f"no machine with {describe_need(running.attempt.need)} is there"))
        return ended

    def tell(self, metrics: Sequence[Metric]) -> None:
        """In Ray's own metrics."""
        self._metrics.tell(metrics)

    def cancel(self) -> None:
        """End every task at once; its child goes with it."""
        for ref in self._running:
            with suppress(Exception):  # gone already, or with its machine
                self._ray.cancel(ref, force=True)
        self._running.clear()
        self._gpus.end()
        self._ray.kill(self._signs)
        if self.gate is not None:
            self._ray.kill(self.gate.handle)

    def _require_room(self) -> None:
        """Refuse what no machine could ever run, instead of waiting for one."""
        most = max(node["Resources"].get("CPU", 0.0) for node in list_machines(self._ray))
        if most < self._workers:
            raise RoomtourError(
                f"--workers {self._workers}: no machine of the cluster has more than {most:g} processors"
            )
        if self._gpu_share and not self._count_shares(self._gpu_share):
            raise RoomtourError(
                f"--gpu-share {self._gpu_share:g}: no machine of the cluster has a GPU that Ray knows of, and large "
                "models look at the frames (--perception models); start Ray there with --num-gpus"
            )

    def _count_shares(self, share: float) -> int:
        """Of GPUs, on all machines."""
        gpus = (int(node["Resources"].get("GPU", 0.0)) for node in list_machines(self._ray))
        return sum(number * int(1 / share + 1e-9) for number in gpus)

    def _fetch(self, ref: Any) -> Ended:
        self._places.forget(ref)
        attempt = self._running.pop(ref).attempt
        try:
            ended = _keep_log(replace(self._ray.get(ref), attempt=attempt))
            self._gpus.note_end(ref, is_dead=ended.death == "signal")
            return ended
        except self._ray.exceptions.OutOfMemoryError as error:
            return _keep_log(Ended(attempt, "memory", peak_mb=attempt.need.memory_mb, last_words=first_line(error)))
        except self._ray.exceptions.RayError as error:
            self._gpus.note_end(ref, is_dead=True)
            return _keep_log(Ended(attempt, "lost", last_words=f"Ray lost it: {first_line(error)}"))

    def _count_signs(self) -> None:
        """Note who gave a sign since the last time; clocks of machines are not compared."""
        if time.monotonic() - self._counted < _SIGN_EVERY_S:
            return
        self._counted = time.monotonic()
        try:
            counts = self._ray.get(self._signs.count.remote(), timeout=_ANSWER_S)
        except self._ray.exceptions.RayError:  # it is started anew: nobody is given up for that
            for running in self._running.values():
                running.seen = running.seen and time.monotonic()
            return
        for running in self._running.values():
            signs = counts.get((running.attempt.task.tour.name, running.attempt.number), 0)
            if signs not in (0, running.signs):
                running.signs, running.seen = signs, time.monotonic()

    def _give_up(self, ref: Any, why: str) -> Ended:
        with suppress(Exception):  # its machine does not answer
            self._ray.cancel(ref, force=True)
        self._gpus.note_end(ref, is_dead=True)
        self._places.forget(ref)
        return _keep_log(Ended(self._running.pop(ref).attempt, "lost", last_words=why))


def _keep_log(ended: Ended) -> Ended:
    """What is known of an attempt whose log lay on its machine's own disk; a machine that dies takes the rest along."""
    if not ended.attempt.log.is_file():
        ended.attempt.log.write_text(ended.last_words + "\n", encoding="utf-8")
    return ended


def _watch(
    attempt: Attempt,
    command: list[str],
    idle_s: float,
    spec: dict[str, Any] | None,
    signs: Any,
    gate: RayGate | None,
    engine: LocalEngine | None = None,
) -> Ended:
    """Run a child on the machine of this task, and watch it to its end.

    Args:
        attempt: By its paths on machines that see the folder of the job.
        command: Of the child.
        idle_s: See `LocalEngine`.
        spec: What the child is told, where the folder of the job is not seen; logs then lie here until the end.
        signs: Handle of the actor that counts them.
        gate: That language servers are asked through.
        engine: Whose children stay for other attempts; one for this attempt alone if None.
    """
    import ray

    with tempfile.TemporaryDirectory(prefix="roomtour-logs-") as logs:
        if spec is not None:
            attempt = replace(attempt, log=Path(logs) / attempt.log.name)
            path = attempt.log.with_suffix(".spec.json")
            write_json(path, {**spec, "outcome": str(attempt.outcome), "events": str(attempt.events)})
            command = [*command[:-1], str(path)]
        own = engine or LocalEngine(1, attempt.need.memory_mb, idle_s, gate)
        own.submit(attempt, command)
        while True:
            signs.give.remote(attempt.task.tour.name, attempt.number)
            ended = own.wait(_SIGN_EVERY_S)
            if ended:
                if engine is None:
                    own.cancel()  # closes its socket
                return replace(ended[0], node=ray.get_runtime_context().get_node_id())
