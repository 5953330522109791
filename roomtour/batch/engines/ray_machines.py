"""The machines of a Ray cluster: which there are, what they say of themselves, and which could hold an attempt."""

from __future__ import annotations

import platform
import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.batch.engines.engine import SAME_VERSIONS
from roomtour.batch.records import Attempt, Need
from roomtour.batch.results.s3 import INSTALL, Bucket
from roomtour.batch.results.storage import is_bucket
from roomtour.errors import RoomtourError
from roomtour.workers.machine import find_version

ANSWER_S = 120.0
"""A machine has so long to answer, and an attempt waits so long while there is none that could hold it."""
_GONE_S = 20.0
"""Within so long Ray knows that a machine is gone."""
_LOOK_EVERY_S = 5.0
_MB = 1e6
_LEAST_FREE_MB = 500.0
"""On the disk of a job; with less no machine can work for it."""
_PORT_S = 10.0
"""A head that listens answers within so long."""

Machine = dict[str, Any]
"""As `ray.nodes()` describes it."""


@dataclass(frozen=True)
class NodeFacts:
    """What a machine of the cluster says of itself."""

    name: str
    versions: dict[str, str]
    sees_job: bool
    free_mb: float = float("inf")
    """On the disk of the job, as it sees it; without end where it does not."""


def list_machines(ray: Any) -> list[Machine]:
    """Those that are alive.

    Raises:
        RoomtourError: If none is.
    """
    machines = [node for node in ray.nodes() if node["Alive"]]
    if not machines:
        raise RoomtourError("the Ray cluster has no machine that is alive")
    return machines


def find_most_memory_mb(machines: Sequence[Machine]) -> float:
    """Memory of the largest machine that takes tours; a head may lend no processors."""
    able = [machine["Resources"] for machine in machines if machine["Resources"].get("CPU", 0.0) >= 1]
    return max((resources.get("memory", 0.0) for resources in able), default=0.0) / _MB


def list_able(machines: Sequence[Machine], need: Need) -> list[Machine]:
    """Machines that could hold an attempt if nothing else ran there."""
    wanted = {"CPU": need.cores * need.workers, "memory": need.memory_mb * _MB, "GPU": need.gpu}
    return [
        machine
        for machine in machines
        if all(machine["Resources"].get(what, 0.0) >= amount for what, amount in wanted.items())
    ]


def choose_machine(ray: Any, attempt: Attempt) -> Any | None:
    """A machine that is not to be avoided and could hold an attempt, if there is one; else Ray chooses."""
    if not attempt.avoid:
        return None
    able = [
        machine for machine in list_able(list_machines(ray), attempt.need) if machine["NodeID"] not in attempt.avoid
    ]
    return prefer_machine(able[attempt.number % len(able)]["NodeID"], soft=True) if able else None


def prefer_machine(node_id: str, *, soft: bool) -> Any:
    """The strategy by which a task runs there; with `soft` elsewhere if it is gone."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node_id, soft=soft)


def ask_machines(ray: Any, describe: Callable[..., Any], *args: object) -> Iterator[Any]:
    """What every machine says of itself. One that goes away meanwhile is passed over: those from which an error comes
    are asked a second time after a while, for Ray may not have told yet that they are gone.

    Args:
        ray: The module.
        describe: What is called there.
        args: With what.

    Raises:
        RoomtourError: Naming the first that is there and does not answer, or only with an error.
    """
    answered: set[str] = set()
    for is_last in (False, True):
        machines = {machine["NodeID"]: machine for machine in list_machines(ray) if machine["NodeID"] not in answered}
        asked = {
            ray.remote(describe)
            .options(num_cpus=0, max_retries=0, name="probe", scheduling_strategy=prefer_machine(name, soft=False))
            .remote(*args): name
            for name in machines
        }
        ready = ray.wait(list(asked), num_returns=len(asked), timeout=ANSWER_S)[0] if asked else []
        failed: dict[str, str] = {name: f"does not answer within {ANSWER_S:.0f} s" for name in machines}
        for ref in ready:
            try:
                answer = ray.get(ref)
            except ray.exceptions.NodeDiedError:  # whatever comes back has another id
                del failed[asked[ref]]
                answered.add(asked[ref])
                continue
            except ray.exceptions.RayError as error:
                failed[asked[ref]] = f"cannot work for roomtour: {first_line(error)}"
                continue
            del failed[asked[ref]]
            answered.add(asked[ref])
            yield answer
        alive = {machine["NodeID"] for machine in list_machines(ray)} if failed else set()
        for name in sorted(failed.keys() & alive):
            if is_last:
                raise RoomtourError(f"node {machines[name]['NodeManagerHostname']}: {failed[name]}")
        if not failed:
            return
        if not is_last:
            time.sleep(_GONE_S)


class Places:
    """For how long attempts that wait had no machine that could hold them: Ray would let them wait for ever."""

    def __init__(self, ray: Any):
        self._ray = ray
        self._had: dict[Any, float] = {}
        self._looked = 0.0
        self._machines: list[Machine] = []

    def lack(self, ref: Any, need: Need) -> bool:
        """Whether there was none for a while; asked again and again while it waits."""
        now = time.monotonic()
        if now - self._looked >= _LOOK_EVERY_S:
            self._looked, self._machines = now, list_machines(self._ray)
        if list_able(self._machines, need):
            self._had[ref] = now
        return now - self._had.setdefault(ref, now) > ANSWER_S

    def forget(self, ref: Any) -> None:
        """It waits no more."""
        self._had.pop(ref, None)


def describe_need(need: Need) -> str:
    """For people."""
    return f"{need.cores * need.workers:g} processors, {need.gpu:g} GPUs and {need.memory_mb:.0f} MB"


def first_line(error: Exception) -> str:
    """Of a message, at most 300 characters."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)[:300]


def require_answer(address: str) -> None:
    """Refuse an address at which nothing listens: Ray itself would go on trying."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isdecimal()):
        return  # `auto` and the like, which Ray looks up on this machine
    try:
        socket.create_connection((host, int(port)), timeout=_PORT_S).close()
    except (OSError, OverflowError) as error:
        raise RoomtourError(
            f"--address {address}: no Ray cluster answers ({error}); start one with: ray start --head"
        ) from error


def put_token(place: str, token: str) -> None:
    """Leave what every machine that sees a folder or a bucket finds there."""
    if is_bucket(place):
        Bucket(place).replace(token, b"")
        return
    Path(place).mkdir(parents=True, exist_ok=True)
    (Path(place) / token).touch()


def remove_token(place: str, token: str) -> None:
    """Take it away again."""
    if is_bucket(place):
        Bucket(place).delete([token])
    else:
        (Path(place) / token).unlink(missing_ok=True)


def _sees_token(place: str, token: str) -> bool:
    if not is_bucket(place):
        return (Path(place) / token).exists()
    with suppress(RoomtourError):  # the client is missing there, or its keys
        return Bucket(place).read(token) is not None
    return False


def describe_node(place: str = "", token: str = "") -> NodeFacts:
    """What this machine says of itself, and of a place in which a token lies."""
    versions = {package: find_version(package) or "none" for package in SAME_VERSIONS}
    if not place:
        return NodeFacts(platform.node(), versions, sees_job=True)
    sees = _sees_token(place, token)
    free = shutil.disk_usage(place).free / _MB if sees and not is_bucket(place) else float("inf")
    return NodeFacts(platform.node(), versions, sees, free)


def require_able(node: NodeFacts, ours: NodeFacts, job: Path, storage: str | None) -> None:
    """Refuse a machine that cannot work for a job.

    Args:
        node: What it says of itself.
        ours: What the head says of itself.
        job: Folder of the job.
        storage: Bucket or shared folder for results; that of the job if None.

    Raises:
        RoomtourError: Naming the machine, and why.
    """
    for package in SAME_VERSIONS:
        here, there = ours.versions[package], node.versions[package]
        if here != there:
            raise RoomtourError(
                f"node {node.name}: has {package} {there}, the head has {here}; results would differ. Install the "
                "same versions everywhere"
            )
    if node.sees_job and node.free_mb < _LEAST_FREE_MB:
        raise RoomtourError(
            f"node {node.name}: sees {node.free_mb:.0f} MB free for {storage or job}, need {_LEAST_FREE_MB:.0f}: make "
            "room, then run the same command again"
        )
    if not node.sees_job:
        need = "it has to be on storage that all share, under the same path"
        if storage is None:
            need = "--out or --storage has to be on storage that all share"
        elif is_bucket(storage):
            need = f"it needs {INSTALL}, and keys in its environment or a role"
        raise RoomtourError(f"node {node.name}: does not see {storage or job}: {need}")
