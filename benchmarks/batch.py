"""Sixty tours through `roomtour batch` on a Ray cluster of which a machine is killed: does each cost itself alone?

    python benchmarks/batch.py --out FOLDER [--tours 60] [--until report] [--nodes 2]
    python benchmarks/batch.py --out FOLDER --nodes 1 --slots 2        the same on the local engine

Tours are those of `batch_tours.py`: pieces of walks, damaged files, and pieces whose child meets a fault in native
code, takes all memory or stands still. The cluster is made on this machine, in a network of its own (Linux, `unshare
-n`); when a quarter of the tours is done one of its machines is killed amid a tour; later a new one joins.

Every tour whose child meets no fault is then processed quietly, one after the other in this process; those that come
out well from a whole file are the sound ones. Asked of each sound tour: was it done, once, and is every file of it
equal to that of the quiet run, byte by byte? Of each other: is it named rightly, and did it keep the stages that it had
finished? The same command again goes on where it stopped; the exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from batch_tours import POISON, REFUSED, TURNED_OVER, make_tours

from roomtour.batch.driver import Job
from roomtour.batch.engines.engine import Engine
from roomtour.batch.engines.local import LocalEngine
from roomtour.batch.engines.ray_engine import RayEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.plan import plan_tasks
from roomtour.batch.records import Attempt, Ended, JobStatus, LedgerRow
from roomtour.config import Config
from roomtour.errors import USER_ERRORS
from roomtour.pipeline import process_tour
from roomtour.sources import Tour

OTHERS = 14
"""Tours that are not sound."""
LIMIT_MB, NODE_MB = 1200.0, 2600.0
"""Resident memory of a tour, and of a machine: what eats is tried with both."""
IDLE_S = 90.0
"""A child without progress for so long hangs; no stage of tours so short takes that on a machine with other work."""
AT_WORK_S = 8.0
"""What a child has to have worked on the machine that is killed."""
JOINS_AFTER_S = 20.0
"""After one was killed."""
_TOLD_APART = ("manifest.json", "log.jsonl", "report.html")
"""Files with times and places, which differ from run to run."""
_TIMED = "merge_log.jsonl"
"""Each of its lines says how many seconds a merge took; all else of it has to be equal."""
_APART = "ROOMTOUR_BENCHMARK_APART"
"""Set in the process that has a network of its own."""


class PoisonedEngine(LocalEngine):
    """The local engine; the children of some tours meet a fault."""

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start the tour's child, or one with the fault."""
        super().submit(attempt, poison_command(attempt, command))


class PoisonedCluster(RayEngine):
    """The same on machines of a cluster made here, of which one is killed when it is time; a new one joins later."""

    def __init__(self, machines: int, slots: int, is_time: Callable[[], bool]):
        from ray.cluster_utils import Cluster

        self._size: dict[str, Any] = {"num_cpus": slots, "memory": int(NODE_MB * 1e6)}
        self._is_time, self._killed_at, self._has_joined = is_time, 0.0, False
        self._begun: dict[int, float] = {}
        """Children on the machine that will be killed, and when they were first seen."""
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        self._machines = [self._cluster.add_node(**self._size) for _ in range(machines)]
        self._cluster.wait_for_nodes()
        super().__init__(str(self._cluster.address), None, 1, IDLE_S)

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        """Start the tour's child, or one with the fault."""
        super().submit(attempt, poison_command(attempt, command))

    def wait(self, timeout_s: float) -> list[Ended]:
        """Wait as the engine does; before it, kill a machine or let one join if it is time."""
        if not self._killed_at and self._is_time() and self._is_at_work(self._machines[-1]):
            self._cluster.remove_node(self._machines.pop(), allow_graceful=False)
            self._killed_at = time.monotonic()
            print("  -- a machine was killed", flush=True)
        elif self._killed_at and not self._has_joined and time.monotonic() - self._killed_at > JOINS_AFTER_S:
            with suppress(Exception):  # Ray gives a machine 30 s to start; else it is tried again
                self._machines.append(self._cluster.add_node(**self._size))
                self._has_joined = True
                print("  -- a new one joined", flush=True)
        return super().wait(timeout_s)

    def _is_at_work(self, machine: Any) -> bool:
        """Whether a tour's child has been at work there for so long that something may be finished."""
        now = time.monotonic()
        self._begun = {child: self._begun.get(child, now) for child in find_tours_children(machine)}
        return any(now - begun > AT_WORK_S for begun in self._begun.values())

    def close(self) -> None:
        """End the cluster."""
        self._ray.shutdown()
        self._cluster.shutdown()


def find_tours_children(machine: Any) -> list[int]:
    """Processes of tours that are at work on a machine: children of the workers of its raylet."""
    raylet = machine.all_processes["raylet"][0].process.pid
    found = [child for worker in _list_children(raylet) for child in _list_children(worker)]
    return [child for child in found if b".spec.json" in _read_words(child)]


def _read_words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # gone meanwhile
        return b""


def _list_children(pid: int) -> list[int]:
    try:
        return [int(one) for path in Path(f"/proc/{pid}/task").glob("*/children") for one in path.read_text().split()]
    except OSError:
        return []


def poison_command(attempt: Attempt, command: Sequence[str]) -> Sequence[str]:
    """The command of a tour's child, or of one that meets its fault."""
    poison = POISON.get(attempt.task.tour.name)
    return ["-c", poison.child, command[-1]] if poison else command


def require_own_network() -> None:
    """Start this script again in a network of its own, where a cluster of several machines can be made on one."""
    if _APART in os.environ:
        return
    words = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv]
    os.environ[_APART] = "1"
    os.execvp(words[0], words)


def run_quietly(tours: dict[str, Path], folder: Path, config: Config, until: str | None) -> dict[str, tuple[str, str]]:
    """State and reason of each tour, processed alone in this process."""
    found: dict[str, tuple[str, str]] = {}
    for name, source in tours.items():
        try:
            done = process_tour(Tour(name, source, folder / name), config, until=until)
        except USER_ERRORS as error:
            found[name] = "refused", str(error)
            continue
        errors = [finding.code for finding in done.findings if finding.severity == "error"]
        found[name] = ("done-with-errors" if errors else "done"), " ".join(errors)
    return found


def find_differing(one: Path, other: Path) -> list[str]:
    """Files of two run folders that are not equal."""
    names = {
        str(path.relative_to(run))
        for run in (one, other)
        for path in run.rglob("*")
        if path.is_file() and path.name not in _TOLD_APART and not path.name.startswith(".")
    }
    return sorted(name for name in names if _content(one / name) != _content(other / name))


def _content(path: Path) -> bytes | None:
    if not path.is_file():
        return None
    content = path.read_bytes()
    return re.sub(rb'"seconds": [0-9.e-]+', b"", content) if path.name == _TIMED else content


def find_wrong(job: Path, status: JobStatus, quiet: dict[str, tuple[str, str]], runs: Path) -> dict[str, str]:
    """What is wrong, by tour."""
    wrong: dict[str, str] = {}
    ends = count_ends(job)
    for row in status.tours:
        name = row.tour
        if ends[name] != 1:
            wrong[name] = f"came to {ends[name]} ends"
        elif name in POISON:
            if why := _why_poison_wrong(row, job / "runs" / name):
                wrong[name] = why
        elif row.state != quiet[name][0]:
            wrong[name] = f"{row.state} ({row.reason}), quietly {quiet[name]}"
        elif name in REFUSED and row.state != "refused":
            wrong[name] = f"{row.state}, holds nothing to go by"
        elif row.state.startswith("done") and (found := find_differing(runs / name, job / "runs" / name)):
            if name in TURNED_OVER:
                print(
                    f"{name}: damaged amid its pictures, and decoded otherwise than quietly ({len(found)} files differ)"
                )
            else:
                wrong[name] = f"not equal to a quiet run: {', '.join(found[:3])}"
    return wrong


def _why_poison_wrong(row: LedgerRow, run: Path) -> str:
    """What is wrong with the end of a tour whose child met a fault; empty for nothing."""
    poison = POISON[row.tour]
    if (row.state, row.signal) != (poison.state, poison.signal or row.signal):
        return f"{row.state} with signal {row.signal}, not {poison.state} with {poison.signal}: {row.reason}"
    if row.stage != poison.title or poison.title not in row.reason:
        return f"named in {row.stage!r}, not in {poison.title!r}: {row.reason}"
    stages = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["stages"]
    return "" if {"sample", "clips"} <= set(stages) else f"kept only {sorted(stages)}"


def count_ends(job: Path) -> Counter[str]:
    """How often each tour came to an end, read from the ledger line by line."""
    rows = [json.loads(line) for line in (job / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    return Counter(row["tour"] for row in rows if row["event"] == "ended" and row["state"] != "waiting")


def cpu_seconds() -> float:
    """User and system time of this process."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main() -> int:
    """Run the job, then the quiet runs, and print what is wrong; 0 if nothing is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tours", type=int, default=60)
    parser.add_argument("--slots", type=int, default=1, help="tours at once on each machine")
    parser.add_argument("--until", default="report")
    parser.add_argument("--nodes", type=int, default=2)
    given = parser.parse_args()
    if given.nodes > 1:
        require_own_network()
    config = replace(Config(), perception="landmarks", workers=1)
    tours = make_tours(given.out / "tours", given.tours - OTHERS)
    job = given.out / "job"
    tasks = plan_tasks(list(tours.values()), job, config, given.until)

    def count_done() -> int:
        return len(list((job / "runs").glob("*")))

    before = count_done()
    engine: Engine = PoisonedEngine(given.slots, memory_mb=NODE_MB, idle_s=IDLE_S)
    if given.nodes > 1:
        engine = PoisonedCluster(given.nodes, given.slots, lambda: count_done() >= before + (len(tasks) - before) / 4)
    own, started = cpu_seconds(), time.monotonic()
    options = JobOptions(until=given.until, memory_mb=LIMIT_MB)
    status = Job(job, tasks, config, options, engine).run(
        lambda row: print(
            f"  {row.tour:<34} {row.state:<14} {row.cpu_s:6.1f} CPU-s {row.peak_mb:5.0f} MB  {row.reason}", flush=True
        )
    )
    wall, driver_s = time.monotonic() - started, cpu_seconds() - own
    if isinstance(engine, PoisonedCluster):
        engine.close()
    own = cpu_seconds()
    healthy = {name: path for name, path in tours.items() if name not in POISON}
    quiet = run_quietly(healthy, given.out / "quiet", config, given.until)
    quiet_s = cpu_seconds() - own
    wrong = find_wrong(job, status, quiet, given.out / "quiet")
    for name, why in wrong.items():
        print(f"WRONG {name}: {why}")
    sound = {name for name, (state, _) in quiet.items() if state == "done"} - set(TURNED_OVER)
    others = set(tours) - sound
    print(f"states: {status.states}; attempts lost with a machine: {_count_lost(job)}")
    print(f"sound tours done once and equal to a quiet run: {len(sound - set(wrong))} of {len(sound)}")
    print(f"other tours named rightly: {len(others - set(wrong))} of {len(others)}")
    batch_s = sum(row.cpu_s for row in status.tours if row.tour not in POISON)
    print(f"CPU-s of tours without poison, last attempts: {batch_s:.1f} in the job, {quiet_s:.1f} quietly")
    print(f"driver: {driver_s:.1f} CPU-s, {driver_s / wall:.1%} of a core; wall {wall:.0f} s")
    return 1 if wrong or len(status.tours) != len(tours) else 0


def _count_lost(job: Path) -> int:
    lines = (job / "ledger.jsonl").read_text(encoding="utf-8").splitlines()
    return sum("lost it" in line or "gave no sign" in line for line in lines)


if __name__ == "__main__":
    sys.exit(main())
