"""A job of stub tours whose children and driver are killed at random, again and again.

    python chaos_job.py FOLDER TOURS EVERY_ROWS SEED

Something is killed each time the ledger has grown by so many rows: a slow machine kills no more than a fast one.
Drivers are processes of their own, started anew until one comes to its end. Prints one line of JSON: what was killed.
Run by `test_chaos.py`.
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

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.local import LocalEngine
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


class Stubs(LocalEngine):
    """Puts the stub in place of the tours' children."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        program = STUB.replace("STAGES.items()", f"{STAGES!r}.items()").replace("SECONDS", str(STAGE_S))
        super().submit(attempt, ["-c", program, command[-1]])


def drive(folder: Path, tours: int) -> None:
    """Be a driver of the job, until every tour has come to its end."""
    engine = Stubs(4, 8000.0, 600.0)
    names = [f"t{number:03d}" for number in range(tours)]
    tasks = [TourTask(Tour(n, folder / "tours" / n, folder / "job" / "runs" / n), f"key-{n}", 10.0) for n in names]
    Job(folder / "job", tasks, Config(workers=1), JobOptions(memory_mb=300.0), engine).run()


class Chaos:
    """Kills one thing at a time, drawn at random."""

    def __init__(self, folder: Path, tours: int, seed: int):
        self.folder, self.tours = folder, tours
        self.killed: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._hit: set[str] = set()
        """Tours whose child was killed: twice would be a tour's own fault, by the rules of a job."""
        self._ways: dict[str, Callable[[], bool]] = {"child": self._kill_child, "driver": self._kill_driver}
        self._driver: subprocess.Popen[bytes] | None = None

    def run(self, every_rows: int) -> None:
        """Start drivers until one comes to its end, and kill something whenever the job has got on."""
        waiting: list[str] = []
        rows_before = 0
        while self._driver is None or self._driver.poll() != 0:
            if self._driver is None or self._driver.poll() is not None:
                assert self._driver is None or self._driver.returncode == -signal.SIGKILL, "the driver gave up"
                words = [str(self.folder), "drive", str(self.tours)]
                self._driver = subprocess.Popen([sys.executable, __file__, *words])
            time.sleep(self._random.uniform(0.0, 1.0))  # at any point of what is at work
            if self._count_rows() < rows_before + every_rows:
                continue
            if not waiting:  # each in turn, in another order each time: a few kills are of both kinds
                waiting = self._random.sample(sorted(self._ways), len(self._ways))
            way = waiting.pop()
            if self._ways[way]():
                self.killed[way] += 1
                rows_before = self._count_rows()
            else:  # nothing of the kind was at work: it has its turn after the others
                waiting.insert(0, way)

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
        drive(Path(sys.argv[1]), int(sys.argv[3]))
        return
    folder, tours = Path(sys.argv[1]).absolute(), int(sys.argv[2])
    (folder / "tours").mkdir(parents=True)
    for number in range(tours):
        (folder / "tours" / f"t{number:03d}").write_bytes(b"")
    chaos = Chaos(folder, tours, int(sys.argv[4]))
    chaos.run(int(sys.argv[3]))
    print("KILLED " + json.dumps(chaos.killed), flush=True)


if __name__ == "__main__":
    main()
