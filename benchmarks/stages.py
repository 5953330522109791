"""CPU-seconds and wall-clock seconds per stage, and per second of tour, for one input.

    python benchmarks/stages.py examples/apartment.mp4
    python benchmarks/stages.py FOLDER --input.fps 10 --sample.fps 10

Everything after the input is handed to `roomtour process`. CPU time counts all threads of the process and is the figure
to compare; wall-clock time depends on the machine's other work. Writes `results/stages_INPUT.md`.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.results_table import write_table
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
        _print(run, args.input.parent.name if args.input.name == "images" else args.input.stem)
    return code


def _print(run: roomtour.Run, name: str) -> None:
    duration_s = run.scene.source.duration_s
    table = Table(title=f"{run.manifest['source']}, {duration_s:.1f} s, {len(run.scene.frames)} frames")
    columns = ("stage", "wall s", "CPU s", "wall s / video s", "CPU s / video s")
    for column in columns:
        table.add_column(column, justify="left" if column == "stage" else "right")
    rows = [(stage, entry.seconds, entry.cpu_seconds) for stage, entry in run.stages.items()]
    recon = [row for row in rows if row[0] in ("features", "sfm", "merge")]
    rows += [("features + sfm + merge", *map(sum, zip(*[row[1:] for row in recon], strict=True)))]
    rows += [("all", sum(entry.seconds for entry in run.stages.values()), _cpu(run))]
    cells = [
        (stage, f"{wall_s:.1f}", f"{cpu_s:.1f}", f"{wall_s / duration_s:.3f}", f"{cpu_s / duration_s:.3f}")
        for stage, wall_s, cpu_s in rows
    ]
    for line in cells:
        table.add_row(*line)
    Console(width=100).print(table)
    peak = f"peak memory of the process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    print(peak)
    note = f"{duration_s:.1f} s, {len(run.scene.frames)} frames; {peak}. Wall-clock depends on what else runs."
    write_table(f"stages_{name}", columns, cells, note=note)


def _cpu(run: roomtour.Run) -> float:
    return sum(entry.cpu_seconds for entry in run.stages.values())


if __name__ == "__main__":
    raise SystemExit(main())
