"""CPU-seconds and wall-clock seconds per stage, and per second of tour, for one input.

    python benchmarks/stages.py examples/apartment.mp4
    python benchmarks/stages.py FOLDER --input.fps 10 --sample.fps 10

Everything after the input is handed to `roomtour process`. CPU time counts all threads of the process and is the figure
to compare; wall-clock time depends on the machine's other work.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

import roomtour
from roomtour.cli import main as roomtour_main


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("input", type=Path)
    parser.add_argument("--out", type=Path, help="keep the run here (must be new); a temporary folder by default")
    args, flags = parser.parse_known_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = args.out or Path(scratch) / "run"
        if out.exists():
            parser.error(f"--out {out} exists; kept stages would show no time")
        code = roomtour_main(["process", str(args.input), "--out", str(out), *flags])
        run = roomtour.Run(out)
        _print(run)
    return code


def _print(run: roomtour.Run) -> None:
    duration_s = run.scene.source.duration_s
    table = Table(title=f"{run.manifest['source']}, {duration_s:.1f} s, {len(run.scene.frames)} frames")
    for name in ("stage", "wall s", "CPU s", "wall s / video s", "CPU s / video s"):
        table.add_column(name, justify="left" if name == "stage" else "right")
    rows = [(name, entry.seconds, entry.cpu_seconds) for name, entry in run.stages.items()]
    recon = [row for row in rows if row[0] in ("features", "sfm", "merge")]
    rows += [("features + sfm + merge", *map(sum, zip(*[row[1:] for row in recon], strict=True)))]
    rows += [("all", sum(entry.seconds for entry in run.stages.values()), _cpu(run))]
    for name, wall_s, cpu_s in rows:
        table.add_row(name, f"{wall_s:.1f}", f"{cpu_s:.1f}", f"{wall_s / duration_s:.3f}", f"{cpu_s / duration_s:.3f}")
    Console(width=100).print(table)
    print(f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def _cpu(run: roomtour.Run) -> float:
    return sum(entry.cpu_seconds for entry in run.stages.values())


if __name__ == "__main__":
    raise SystemExit(main())
