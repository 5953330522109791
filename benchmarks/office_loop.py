"""Reconstruct a walk that returns to its start, and compare it with a slow reconstruction (`results/office_loop.md`).

    ROOMTOUR_MODELS=MODELS python benchmarks/office_loop.py FOLDER [--seeds 0 1 2 3 4] [--keep RUNS]

FOLDER holds `images/`, 3 per second, and `reference.txt`: a frame and its camera centre per row, at any scale.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from recon.evaluate import pose_error
from recon.geometry import Pose, path_length
from roomtour import Run


def measure(run: Run, reference: dict[int, Pose]) -> tuple[object, ...]:
    """What became of one run: models, frames of the largest, error in % of the path, revisits, verdict."""
    model = run.scene.models[0]
    error = pose_error(dict(model.world_from_cam), reference)
    length = path_length(np.array([reference[frame].center for frame in sorted(reference)]))
    health = model.health
    loops = "" if health is None else f"{health.contradicting_loops} of {health.loop_pairs}"
    return len(run.scene.models), len(model.frames), f"{100 * error.rmse / length:.2f}", loops, run.verdict.words


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument("--keep", type=Path, help="keep the runs here")
    arguments, options = parser.parse_known_args()
    rows = np.loadtxt(arguments.folder / "reference.txt")
    reference = {int(row[0]): Pose(np.eye(3), row[1:]) for row in rows}
    table: list[tuple[object, ...]] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in arguments.seeds:
            out = (arguments.keep or Path(folder)) / f"seed_{seed}"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = ["roomtour", "process", str(arguments.folder / "images"), "--out", str(out), "--input.fps", "3"]
            subprocess.run([*command, "--until", "scene", "--seed", str(seed), *options], check=False)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            table.append((seed, *measure(Run(out), reference), f"{cpu_s:.0f}"))
            print(*table[-1], sep="  ", flush=True)
    header = ("seed", "models", "largest, frames", "error % of path", "revisits against it", "verdict", "CPU-s")
    write_table("office_loop", header, table)


if __name__ == "__main__":
    main()
