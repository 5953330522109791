"""Ray actors that each hold a share of a GPU and a child that keeps its models loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.records import Attempt, Ended
from roomtour.errors import RoomtourError

_MOST_DEATHS = 2
"""Deaths in a row, without a tour that was looked at between them, after which a share of a GPU is left alone."""


@dataclass(eq=False)
class _Share:
    """One actor."""

    handle: Any
    given: int = 0
    """Attempts that it has or that wait for it."""
    deaths: int = 0
    is_closed: bool = False


class GpuActors:
    """As many as the GPUs of the cluster have room for, made when they are needed."""

    def __init__(self, ray: Any, most: Callable[[float], int], watch: Callable[..., Ended], gate: Any | None):
        """Make none yet.

        Args:
            ray: The module.
            most: Actors of a share that the cluster has room for.
            watch: Runs an attempt by an engine on the actor's machine.
            gate: Handle of the job's gate.
        """
        self._ray, self._most, self._watch, self._gate = ray, most, watch, gate
        self._shares: list[_Share] = []
        self._of: dict[Any, _Share] = {}

    @property
    def closed(self) -> int:
        """Shares that are left alone because their actors died."""
        return sum(share.is_closed for share in self._shares)

    def submit(self, attempt: Attempt, name: str, *words: Any) -> Any:
        """Give an attempt to the actor that has least to do; a reference to how it ends.

        Raises:
            RoomtourError: If no GPU is left.
        """
        share = self._pick(attempt)
        share.given += 1
        ref = share.handle.watch.options(name=name).remote(attempt, *words)
        self._of[ref] = share
        return ref

    def note_end(self, ref: Any, *, is_dead: bool) -> None:
        """Remember how an attempt ended; two deaths in a row close a share."""
        share = self._of.pop(ref, None)
        if share is None:
            return
        share.given -= 1
        share.deaths = share.deaths + 1 if is_dead else 0
        if share.deaths >= _MOST_DEATHS:
            share.is_closed = True
            self._ray.kill(share.handle, no_restart=True)

    def end(self) -> None:
        """End all, and the children with them."""
        for share in self._shares:
            if not share.is_closed:
                self._ray.kill(share.handle, no_restart=True)
        self._shares.clear()
        self._of.clear()

    def _pick(self, attempt: Attempt) -> _Share:
        usable = [share for share in self._shares if not share.is_closed]
        idle = [share for share in usable if not share.given]
        if idle:
            return idle[0]
        if len(self._shares) < self._most(attempt.need.gpu):
            share = _Share(self._make(attempt))
            self._shares.append(share)
            return share
        if not usable:
            raise RoomtourError(
                f"no GPU is left: {self.closed} of {len(self._shares)} were closed because their processes died "
                f"{_MOST_DEATHS} times in a row. See the logs of the last tours; --gpu-share may be too small"
            )
        return min(usable, key=lambda share: share.given)

    def _make(self, attempt: Attempt) -> Any:
        need = attempt.need
        actor = self._ray.remote(_GpuActor).options(
            num_cpus=need.cores * need.workers,
            num_gpus=need.gpu,
            memory=int(need.memory_mb * 1e6),
            max_restarts=-1,
            max_task_retries=0,  # the driver tries again
        )
        return actor.remote(self._watch, self._gate)


class _GpuActor:
    """Runs one attempt after the other by an engine whose child stays."""

    def __init__(self, watch: Callable[..., Ended], gate: Any | None):
        self._run, self._gate = watch, gate
        self._engine: LocalEngine | None = None

    def watch(
        self, attempt: Attempt, command: list[str], idle_s: float, spec: dict[str, Any] | None, signs: Any
    ) -> Ended:
        """An attempt, to its end."""
        if self._engine is None:
            self._engine = LocalEngine(1, attempt.need.memory_mb, idle_s)
        return self._run(attempt, command, idle_s, spec, signs, self._gate, self._engine)
