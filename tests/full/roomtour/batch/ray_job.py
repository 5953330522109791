"""Jobs of stub tours on a Ray cluster of two machines, made here; run by `test_ray.py` in a network of its own.

    python -m tests.full.roomtour.batch.ray_job FOLDER CASE...

Prints a line of JSON for each case: the states, the attempts, and what each run holds.
"""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import ray
from ray.cluster_utils import Cluster

from instructions.language.options import LanguageOptions
from roomtour.batch import driver
from roomtour.batch.driver import Job
from roomtour.batch.engines.ray_engine import RayEngine
from roomtour.batch.job_options import JobOptions
from roomtour.batch.ledger import read_rows
from roomtour.batch.records import Attempt, Phase, TourTask
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.sources import Tour
from tests.support.paths import DATA, ROOT

SOUND = """
import json, pathlib, sys, time
from roomtour.batch.children.phase import die_with_parent
from roomtour.store import RunStore, StageEntry
die_with_parent()
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


LOOKER = """
import json, os, pathlib, signal, sys
from roomtour.batch.children.phase import die_with_parent
die_with_parent()
for number, line in enumerate(sys.stdin, 1):
    spec = json.load(open(json.loads(line)["spec"]))
    run = pathlib.Path(spec["run"])
    if spec["tour"].startswith("falls"):
        os.kill(os.getpid(), signal.SIGSEGV)
    run.mkdir(parents=True, exist_ok=True)
    (run / "source.json").write_text(f"{os.getpid()} {number}")
    part = spec["outcome"] + ".part"
    json.dump({"state": "done", "tour_s": 10.0, "gpu_s": 3.0}, open(part, "w"))
    os.replace(part, spec["outcome"])
"""
ASKER = """
import json, os, pathlib, sys, time
from roomtour.batch.engines.gate import VARIABLE, GateAt
spec = json.load(open(sys.argv[1]))
gate, times = GateAt(os.environ[VARIABLE]), []
for number in range(20):
    word = gate.ask(100)
    while word.wait_s:
        time.sleep(word.wait_s)
        word = gate.ask(100, word.ticket)
    times.append(time.time())
    gate.settle(100, 60, 40)
run = pathlib.Path(spec["run"])
run.mkdir(parents=True, exist_ok=True)
(run / "source.json").write_text(json.dumps(times))
json.dump({"state": "done", "tour_s": 10.0}, open(spec["outcome"], "w"))
"""


class StubEngine(RayEngine):
    """The engine, with lines of Python in place of the tours' children: those of a tour's name, or those of all."""

    program = SOUND.replace("SECONDS", "0.3")

    def submit(self, attempt: Attempt, command: Sequence[str]) -> None:
        super().submit(attempt, ["-c", POISON.get(attempt.task.tour.name, self.program), command[-1]])


class LookEngine(StubEngine):
    """With children that stay."""

    program = LOOKER


class AskEngine(StubEngine):
    """With children that only pass the gate."""

    program = ASKER


def run_job(
    job: Path, names: Sequence[str], engine: RayEngine, options: JobOptions = JobOptions(memory_mb=300.0)
) -> dict[str, Any]:
    job.mkdir(parents=True, exist_ok=True)
    tasks = []
    for name in names:
        (job / f"{name}.mp4").write_bytes(b"")
        tasks.append(TourTask(Tour(name, job / f"{name}.mp4", job / "runs" / name), f"key-{name}", 10.0))
    status = Job(job, tasks, Config(workers=1), options, engine, engine.gate).run()
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
        "runs": runs,
    }


FILES = ("clips", "source", "mask")
SOUND_TOURS = [f"t{number}" for number in range(8)]


def poison(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """Tours that fall, eat memory and hang among sound ones."""
    return run_job(folder, [*SOUND_TOURS, *POISON], StubEngine(str(cluster.address), None, 1, 15.0))


def look(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """Tours whose only phase is a look of large models: two machines with a GPU each; then one that kills its child."""
    phases, driver.list_phases = driver.list_phases, lambda config, until: (Phase("look", "vision"),)
    try:
        return look_alone(folder, cluster)
    finally:
        driver.list_phases = phases


def look_alone(folder: Path, cluster: Cluster) -> dict[str, Any]:
    engine = LookEngine(str(cluster.address), None, 1, 600.0, gpu_share=0.5)
    halves = JobOptions(memory_mb=300.0, gpu_share=0.5)
    told = run_job(folder, SOUND_TOURS, engine, halves)
    rows = read_rows(folder)
    falls = LookEngine(str(cluster.address), None, 1, 600.0, gpu_share=1.0)
    share = JobOptions(memory_mb=300.0, gpu_share=1.0)
    try:
        told["falls"] = run_job(folder.with_name("falls"), [f"falls{number}" for number in range(6)], falls, share)[
            "states"
        ]
    except RoomtourError as error:
        told["falls"] = str(error)
    too_much = RayEngine(str(cluster.address), None, 3, 600.0)
    try:
        too_much.probe(folder)
    except RoomtourError as error:
        told["workers"] = str(error)
    return {**told, "gpu_s": sum(row.gpu_s for row in rows)}


def gate(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """Children on two machines pass one gate, which dies in the middle and comes back."""
    language = LanguageOptions(requests_per_minute=1200.0, concurrency=8)
    engine = AskEngine(str(cluster.address), None, 1, 600.0, language=language)

    def kill_later() -> None:
        while not list((folder / "runs").glob("t*")):
            time.sleep(0.2)
        assert engine.gate is not None
        ray.kill(engine.gate.handle, no_restart=False)

    threading.Thread(target=kill_later, daemon=True).start()
    told = run_job(folder, SOUND_TOURS, engine)
    return {
        **told,
        "metrics": (folder / "metrics.prom").read_text(),
        "shown": scrape("ray_roomtour_tours{", 'state="done"} 8.0', "ray_roomtour_gate_wait_seconds"),
    }


def scrape(start: str, end: str, other: str) -> str:
    """What the metrics of all machines say, once a line begins and ends so and the other is there."""
    text = ""
    for _ in range(60):
        text = ""
        for node in ray.nodes():
            with suppress(OSError):
                address = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
                text += urllib.request.urlopen(address, timeout=5).read().decode()
        if other in text and any(line.startswith(start) and line.endswith(end) for line in text.splitlines()):
            return text
        time.sleep(1.0)
    return text


PARTS = """
import json, sys
from pathlib import Path
from recon.video.sampling import SampleOptions
from roomtour.config import Config
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from roomtour.workers.local import LocalWorkers
from roomtour.workers.ray_workers import RayWorkers

def main():
    folder, video, address = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    config = Config(sample=SampleOptions(until_s=5.0))
    for name, workers in (("parts", RayWorkers(address, 4)), ("whole", LocalWorkers(1))):
        process_tour(Tour("walk", video, folder / name), config, until="sfm", workers=workers)
        if name == "parts":
            print(json.dumps(["machines", sorted({node for node, _ in workers._cpu_s}), len(workers._cpu_s)]))
            try:
                list(workers.map(fall, [1, 2, 3]))
            except ZeroDivisionError as error:
                print(json.dumps(["told", str(error)]))
        workers.close()

def fall(number):
    return 1 // (number - 2)

if __name__ == "__main__":
    main()
"""


def read_content(path: Path) -> bytes:
    """Of a database without the two counters of its head that grow whenever it is opened."""
    content = bytearray(path.read_bytes())
    if path.suffix == ".db":
        content[24:28] = content[92:96] = bytes(4)
    return bytes(content)


def parts(folder: Path, cluster: Cluster) -> dict[str, Any]:
    """One tour whose tasks go to both machines, and the same in one process."""
    folder.mkdir(parents=True)
    script = folder / "parts.py"
    script.write_text(PARTS)
    video = DATA / "short_walk.mp4"
    words = [sys.executable, str(script), str(folder), str(video), str(cluster.address)]
    root = str(ROOT)
    paths = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    ran = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": paths})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    hashes = {
        name: {
            str(path.relative_to(folder / name)): hashlib.sha256(read_content(path)).hexdigest()
            for path in sorted((folder / name / "recon").rglob("*"))
            if path.is_file()
        }
        for name in ("parts", "whole")
    }
    told = {line[0]: line[1:] for line in map(json.loads, ran.stdout.splitlines())}
    return {**hashes, **told}


CASES = {"poison": poison, "look": look, "gate": gate, "parts": parts}


def main() -> None:
    folder, cases = Path(sys.argv[1]), sys.argv[2:]
    head = {"num_cpus": 2, "num_gpus": 1, "memory": 1_600_000_000, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    cluster.add_node(num_cpus=2, num_gpus=1, memory=1_600_000_000)
    cluster.wait_for_nodes()
    for case in cases:
        told = CASES[case](folder / case / "job", cluster)
        print(f"RESULT {case} {json.dumps(told)}", flush=True)
    ray.shutdown()
    cluster.shutdown()


if __name__ == "__main__":
    main()
