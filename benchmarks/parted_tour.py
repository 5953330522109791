"""One tour whose tasks go to two machines, against the same tour whole: what it costs, and whether a byte differs.

    python benchmarks/parted_tour.py --out FOLDER [--video examples/apartment.mp4] [--until merge] [--config FILE]

Makes a Ray cluster of two machines with a processor each on this machine, in a network of its own (Linux, `unshare
-n`). The tour is processed whole in one process, then with the tasks of its frames, pairs and clips on both machines,
and then two copies of it whole, one on each. Efficiency is the CPU time of the whole tour over two processors times
wall clock: 1 where two machines take half the time of one. Walls count on a quiet machine alone, CPU-seconds on any.
Options of the tour are in FILE, as for `roomtour process`: `clips: {length_s: 12, overlap_s: 3}` makes short clips.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from recon.numerals import count
from roomtour.artifacts import CLIPS
from roomtour.config import Config, load_config
from roomtour.files.frames import read_clips
from roomtour.pipeline import process_tour
from roomtour.run import Run
from roomtour.sources import Tour
from roomtour.workers.local import LocalWorkers
from roomtour.workers.ray_workers import RayWorkers, Workers

ROOT = Path(__file__).parents[1]
_APART = "ROOMTOUR_BENCHMARK_APART"
"""Set in the process that has a network of its own."""


def process(video: Path, run: Path, config: Config, until: str, workers: Workers) -> tuple[float, float]:
    """Wall clock, and CPU-seconds by the run's manifest."""
    began = time.perf_counter()
    try:
        process_tour(Tour("tour", video, run), replace(config, workers=1), until=until, workers=workers)
    finally:
        workers.close()
    return time.perf_counter() - began, sum(entry.cpu_seconds for entry in Run(run).stages.values())


def read_content(path: Path) -> bytes:
    """Of a database without the two counters of its head that SQLite counts up whenever it is opened."""
    content = bytearray(path.read_bytes())
    if path.suffix == ".db":
        content[24:28] = content[92:96] = bytes(4)
    return bytes(content)


def list_files(run: Path) -> dict[str, str]:
    """What a run holds, by name; without times and places."""
    told = ("manifest.json", "log.jsonl", "merge_log.jsonl")
    files = (path for path in sorted(run.rglob("*")) if path.is_file() and path.name not in told)
    return {
        str(path.relative_to(run)): hashlib.sha256(read_content(path)).hexdigest()
        for path in files
        if not path.name.startswith(".")
    }


def main() -> int:
    """Measure and compare; 0 if both are equal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--video", type=Path, default=ROOT / "examples" / "apartment.mp4")
    parser.add_argument("--until", default="merge")
    parser.add_argument("--whole", type=Path, help="process VIDEO into this folder, whole; used by the script itself")
    parser.add_argument("--config", type=Path)
    given = parser.parse_args()
    config = Config() if given.config is None else load_config(given.config)
    if given.whole is not None:
        process(given.video, given.whole, config, given.until, LocalWorkers(1))
        return 0
    if not os.environ.get(_APART):
        words = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, *sys.argv]
        os.environ[_APART] = "1"
        os.execvp(words[0], words)

    import ray
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    given.out.mkdir(parents=True, exist_ok=True)
    whole_s, whole_cpu_s = process(given.video, given.out / "whole", config, given.until, LocalWorkers(1))
    print(f"whole: {whole_s:.1f} s, {whole_cpu_s:.1f} CPU-s", flush=True)
    parted_s, parted_cpu_s = process(
        given.video, given.out / "parted", config, given.until, RayWorkers(str(cluster.address), 2)
    )
    print(f"parted among two: {parted_s:.1f} s, {parted_cpu_s:.1f} CPU-s", flush=True)
    ray.shutdown()
    cluster.shutdown()
    began = time.perf_counter()
    words = [
        sys.executable,
        *sys.argv[:1],
        "--out",
        str(given.out),
        "--video",
        str(given.video),
        "--until",
        given.until,
        *(["--config", str(given.config)] if given.config else []),
    ]
    two = [subprocess.Popen([*words, "--whole", str(given.out / f"side{number}")]) for number in range(2)]
    for one in two:
        one.wait()
    both_s = time.perf_counter() - began
    print(f"two whole tours side by side: {both_s:.1f} s")
    print(f"efficiency by CPU time: parted {whole_cpu_s / parted_cpu_s:.2f}")
    print(f"efficiency by wall clock: parted {whole_s / (2 * parted_s):.2f}, side by side {whole_s / both_s:.2f}")
    equal = list_files(given.out / "whole") == list_files(given.out / "parted")
    clips, files = read_clips(given.out / "whole" / CLIPS.path), list_files(given.out / "whole")
    same = "equal" if equal else "DIFFERENT"
    print(f"files of a tour in {count(len(clips), 'clip')}: {same}, {len(files)} of them")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
