"""A job of stub tours on a Ray cluster of two machines, made here; run by `test_ray.py` in a network of its own.

    python ray_job.py FOLDER CASE

Prints one line of JSON: the states, the attempts, and what each run holds.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from roomtour.batch.driver import Job, JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.ray_engine import RayEngine
from roomtour.batch.records import Attempt, TourTask
from roomtour.config import Config
from roomtour.sources import Tour

SOUND = """
import json, pathlib, sys, time
from roomtour.batch.phase import _die_with_parent
from roomtour.store import RunStore, StageEntry
_die_with_parent()
spec = json.load(open(sys.argv[1]))
run = pathlib.Path(spec["run"])
with RunStore(run).opened() as store:
    for stage in ("clips.json", "source.json", "mask.png"):
        if not store.is_done(stage, "k"):
            part = store.begin()
            time.sleep(SECONDS)
            (part / stage).write_text(f"{spec['tour']} {stage}")
            store.commit(stage, StageEntry("k", 0.0, 0.0, "", attempt=spec["attempt"]), (stage,), ())
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""
POISON = {
    "falls": "import ctypes; print('about to fall', flush=True); ctypes.string_at(0)",
    "eats": "import time; held = bytearray(2_000_000_000); held[::4096] = b'x' * len(held[::4096]); time.sleep(600)",
    "hangs": "import time; time.sleep(600)",
}


class StubEngine(RayEngine):
    """The engine, with lines of Python in place of the tours' children."""

    seconds = 0.3

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        program = POISON.get(attempt.task.tour.name, SOUND.replace("SECONDS", str(self.seconds)))
        super().submit(attempt, ["-c", program, command[-1]])


def run_job(job: Path, names: Sequence[str], engine: RayEngine) -> dict[str, Any]:
    job.mkdir(parents=True, exist_ok=True)
    tasks = []
    for name in names:
        (job / f"{name}.mp4").write_bytes(b"")
        tasks.append(TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0))
    status = Job(job, tasks, Config(workers=1), JobOptions(memory_mb=300.0), engine).run()
    rows = read_rows(job)
    runs = {
        name: {path.name: path.read_text() for path in sorted((job / "runs" / name).glob("*.*")) if path.stem in FILES}
        for name in names
    }
    return {
        "states": {row.tour: row.state for row in status.tours},
        "reasons": {row.tour: row.reason for row in status.tours},
        "signals": {row.tour: row.signal for row in status.tours},
        "attempts": {name: [row.node for row in rows if row.tour == name and row.event == "ended"] for name in names},
        "lost": [row.tour for row in rows if "lost" in row.reason or "gave no sign" in row.reason],
        "runs": runs,
        "left": sorted(path.name for path in (job / "attempts").iterdir()),
    }


FILES = ("clips", "source", "mask")


def main() -> None:
    folder, case = Path(sys.argv[1]), sys.argv[2]
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "memory": 1_600_000_000, "include_dashboard": False}
    )
    second = cluster.add_node(num_cpus=2, memory=1_600_000_000)
    cluster.wait_for_nodes()
    engine = StubEngine(str(cluster.address), None, 1, 15.0 if case == "poison" else 600.0)
    names = [f"t{number}" for number in range(12)]
    if case == "poison":
        names += list(POISON)
    else:
        engine.seconds = 1.0

        def kill_later() -> None:
            while len(list((folder / "runs").glob("t*"))) < 2:
                time.sleep(0.2)
            time.sleep(1.2)  # into the middle of the next tours
            if case == "node":
                cluster.remove_node(second, allow_graceful=False)
            else:  # its raylet alone; worker and child go on
                os.kill(second.all_processes["raylet"][0].process.pid, signal.SIGKILL)

        threading.Thread(target=kill_later, daemon=True).start()
    told = run_job(folder, names, engine)
    print("RESULT " + json.dumps(told), flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
