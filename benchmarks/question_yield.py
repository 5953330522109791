"""How many questions a tour gives: rows by family, per minute of tour and per CPU-second.

    python benchmarks/question_yield.py RUN... [--write]

RUN is a run folder with perception. Questions about points, about things, and those that programs answer are asked
anew, with the options a user gets.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.questions.writers import sets, views
from instructions.questions.writers.marks import write_mark_questions
from instructions.tour import Tour
from roomtour.run import Run

FAMILIES = ("mark_depth", "mark_space", "motion", "correspondence", "perspective", "way", "overlap")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/results/")
    args = parser.parse_args()
    columns = ("tour", "frames", "minutes", *FAMILIES, "things", "programs", "types", "per minute", "per CPU-s")
    lines = []
    for folder in args.runs:
        run = Run(folder)
        times = [frame.time_s for frame in run.scene.frames]
        minutes = (max(times) - min(times)) / 60.0 if times else 0.0
        tour = Tour(run.scene, run.objects, run.observations, run.detections)
        began = time.process_time()
        points = write_mark_questions(run.scene, run.detections, not_asked=Counter())
        things, programs = views.write_questions(tour).rows, sets.write_questions(tour).rows
        seconds = time.process_time() - began
        by_family = Counter(row.family for row in points)
        count = len(points) + len(things) + len(programs)
        lines.append((
            folder.name, len(run.scene.frames), f"{minutes:.2f}", *(by_family[name] for name in FAMILIES),
            len(things), len(programs), len({row.type for row in (*points, *things, *programs)}),
            f"{count / minutes:.0f}" if minutes else "-", f"{count / seconds:.0f}",
        ))  # fmt: skip
    for line in (columns, *lines):
        print(*(str(cell)[:14].ljust(15 if at == 0 else 9) for at, cell in enumerate(line)))
    if args.write:
        write_table("question_yield", columns, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
