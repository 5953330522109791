"""A job of stub tours whose children, workers, machines and driver are killed at random, again and again.

    python chaos_job.py FOLDER local|ray TOURS EVERY_ROWS SEED

Something is killed each time the ledger has grown by so many rows: a slow machine kills no more than a fast one.
Drivers are processes of their own, started anew until one comes to its end; with `ray` they use a cluster of two
machines made here, in a network of its own. Prints one line of JSON: what was killed. Run by `test_chaos.py`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.engine import Engine
from roomtour.batch.local import LocalEngine
from roomtour.batch.ray_engine import RayEngine
from roomtour.batch.records import Attempt, TourTask
from roomtour.config import Config
from roomtour.sources import Tour

STUB = """
import hashlib, json, pathlib, sys, time
from roomtour.batch.phase import die_with_parent
from roomtour.store import RunStore, StageEntry
die_with_parent()
spec = json.load(open(sys.argv[1]))
run = pathlib.Path(spec["run"])
before = spec["tour"]
with RunStore(run).opened() as store:
    for stage, outputs in STAGES.items():
        before = hashlib.sha256(f"{before} {stage}".encode()).hexdigest()
        if store.is_done(stage, "k"):
            continue
        part = store.begin()
        time.sleep(SECONDS)
        for name in outputs:
            (part / name).write_text(json.dumps({"text": before, "attempt": spec["attempt"]}))
        store.commit(stage, StageEntry("k", 0.0, 0.0, "", attempt=spec["attempt"]), outputs, ())
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""
STAGES = {"sample": ["frames", "source.json", "mask.png"], "clips": ["frames.parquet", "clips.json"]}
"""Outputs of the stages that the stub goes through; each holds a digest of all before it."""
STAGE_S = 0.2


class StubCalls:
    """Puts the stub in place of the tours' children."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        program = STUB.replace("STAGES.items()", f"{STAGES!r}.items()").replace("SECONDS", str(STAGE_S))
        super().submit(attempt, ["-c", program, command[-1]])  # type: ignore[misc]


class LocalStubs(StubCalls, LocalEngine):
    """On this machine."""


class RayStubs(StubCalls, RayEngine):
    """On a cluster."""


def drive(folder: Path, tours: int, address: str) -> None:
    """Be a driver of the job, until every tour has come to its end."""
    # Slots are given: a driver that starts while a killed machine is still counted would take three for two.
    engine: Engine = RayStubs(address, 4, 1, 600.0) if address else LocalStubs(4, 8000.0, 600.0)
    names = [f"t{number:03d}" for number in range(tours)]
    tasks = [TourTask(Tour(n, folder / "tours" / n, folder / "job" / "runs" / n), f"key-{n}", 10.0) for n in names]
    Job(folder / "job", tasks, Config(workers=1), JobOptions(memory_mb=300.0), engine).run()


class Chaos:
    """Kills one thing at a time, drawn at random."""

    def __init__(self, folder: Path, tours: int, seed: int):
        self.folder, self.tours = folder, tours
        self.address = ""
        self.killed: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._hit: set[str] = set()
        """Tours whose child was killed: twice would be a tour's own fault, by the rules of a job."""
        self._ways: dict[str, Callable[[], bool]] = {"child": self._kill_child, "driver": self._kill_driver}
        self._driver: subprocess.Popen[bytes] | None = None
        self._cluster: Any = None
        self._machines: list[Any] = []

    def make_cluster(self) -> None:
        """Two machines besides the head, which takes no tour."""
        from ray.cluster_utils import Cluster

        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self._machines = [self._add_machine() for _ in range(2)]
        self._cluster.wait_for_nodes()
        self.address = str(self._cluster.address)
        self._ways |= {"worker": self._kill_worker, "machine": self._kill_machine}

    def run(self, every_rows: int) -> None:
        """Start drivers until one comes to its end, and kill something whenever the job has got on."""
        waiting: list[str] = []
        rows_before = 0
        while self._driver is None or self._driver.poll() != 0:
            if self._driver is None or self._driver.poll() is not None:
                assert self._driver is None or self._driver.returncode == -signal.SIGKILL, "the driver gave up"
                words = [str(self.folder), "drive", str(self.tours), self.address]
                self._driver = subprocess.Popen([sys.executable, __file__, *words])
            time.sleep(self._random.uniform(0.0, 1.0))  # at any point of what is at work
            if self._count_rows() < rows_before + every_rows:
                continue
            if not waiting:  # each in turn, in another order each time: few kills are of all kinds
                waiting = self._random.sample(sorted(self._ways), len(self._ways))
            way = waiting.pop()
            if self._ways[way]():
                self.killed[way] += 1
                rows_before = self._count_rows()
            else:  # nothing of the kind was at work: it has its turn after the others
                waiting.insert(0, way)

    def stop(self) -> None:
        """End the cluster."""
        if self._cluster is not None:
            self._cluster.shutdown()

    def _add_machine(self) -> Any:
        """Again until it comes up: Ray gives a machine 30 s to start, which a busy one does not keep."""
        while True:
            try:
                return self._cluster.add_node(num_cpus=2, memory=1_600_000_000)
            except Exception as error:  # Ray raises no narrower one
                print(f"a machine did not start: {error}", file=sys.stderr)

    def _count_rows(self) -> int:
        ledger = self.folder / "job" / "ledger.jsonl"
        return ledger.read_bytes().count(b"\n") if ledger.exists() else 0

    def _kill_driver(self) -> bool:
        assert self._driver is not None
        if self._driver.poll() is not None:
            return False
        self._driver.kill()
        self._driver.wait()
        return True

    def _kill_child(self) -> bool:
        """A child of a tour, as a fault of native code would end it."""
        found = [(pid, tour) for pid, tour in _list_children(self.folder) if tour not in self._hit]
        if not found:
            return False
        pid, tour = self._random.choice(found)
        self._hit.add(tour)
        return _kill(pid, signal.SIGSEGV)

    def _kill_worker(self) -> bool:
        """Ray's process that watches a child."""
        parents = [_parent_of(pid) for pid, _ in _list_children(self.folder)]
        return bool(parents) and _kill(self._random.choice(parents), signal.SIGKILL)

    def _kill_machine(self) -> bool:
        gone = self._machines.pop(self._random.randrange(len(self._machines)))
        self._cluster.remove_node(gone, allow_graceful=False)
        self._machines.append(self._add_machine())
        return True


def _list_children(folder: Path) -> list[tuple[int, str]]:
    """Children at work for this job: process, and name of the tour."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # gone meanwhile
            continue
        spec = next((word for word in words if word.endswith(".spec.json")), "")
        if spec.startswith(str(folder)):
            found.append((int(path.parent.name), Path(spec).parent.name))
    return found


def _parent_of(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


def _kill(pid: int, number: int) -> bool:
    if pid <= 1:
        return False
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    if sys.argv[2] == "drive":
        drive(Path(sys.argv[1]), int(sys.argv[3]), sys.argv[4])
        return
    folder, tours = Path(sys.argv[1]).absolute(), int(sys.argv[3])
    (folder / "tours").mkdir(parents=True)
    for number in range(tours):
        (folder / "tours" / f"t{number:03d}").write_bytes(b"")
    chaos = Chaos(folder, tours, int(sys.argv[5]))
    if sys.argv[2] == "ray":
        chaos.make_cluster()
    try:
        chaos.run(int(sys.argv[4]))
    finally:
        chaos.stop()
    print("KILLED " + json.dumps(chaos.killed), flush=True)


if __name__ == "__main__":
    main()
