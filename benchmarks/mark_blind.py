"""Whether questions about marks can be answered without their pictures.

    python benchmarks/mark_blind.py [RUN...] [--rooms 20] [--things] [--write]

Rows of the given runs and of made rooms of any size, walked either way round, are guessed at by the blind test of the
exports (`instructions.asking.blind`): a forest that knows type, template, options and the number of words, trained on
other homes. With `--things` they are rows about things of which one has a mark, of the runs and of as many furnished
homes (`benchmarks/made_homes.py`), balanced as an export is. `above` is the forest's score less chance; 3 points are
allowed, more where 1.64 standard errors of so many rows reach further.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from benchmarks.results_table import write_table
from instructions.asking.blind import guess_blind
from instructions.questions.core.options import MarkOptions
from instructions.questions.core.records import Question
from instructions.questions.quality.balance import blind_item, find_surplus, weigh
from instructions.questions.writers import sets, views
from instructions.questions.writers.marks import write_mark_questions
from instructions.tour import Tour
from roomtour.run import Run
from tests.support.worlds.tracked_room import make_tracked_room

ALLOWED = 0.03
SIGMAS = 1.64
PER_VIEW = MarkOptions(rows_per_view=30)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=Path, nargs="*")
    parser.add_argument("--rooms", type=int, default=20)
    parser.add_argument("--things", action="store_true", help="rows about things with marks, in place of points")
    parser.add_argument("--write", action="store_true", help="write the table to benchmarks/results/")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="The number of unique classes")  # orders are nearly all so
    runs = list(map(Run, args.runs))
    rows = ask_about_things(runs, args.rooms) if args.things else ask_about_points(runs, args.rooms)
    items = [blind_item(row) for row in rows if row.form != "number"]
    lines = []
    told = 0
    for one in guess_blind(items):
        allowed = max(ALLOWED, SIGMAS * (one.chance * (1 - one.chance) / one.rows) ** 0.5)
        told += one.score - one.chance > allowed
        above = f"{100 * (one.score - one.chance):+.1f}"
        lines.append((one.kind, one.rows, f"{one.score:.1%}", f"{one.chance:.1%}", above, f"{100 * allowed:.1f}"))
    for line in lines:
        print(*(str(cell).ljust(28 if at == 0 else 8) for at, cell in enumerate(line)))
    print(f"{told} of {len(lines)} types can be guessed; {len({row.tour for row in rows})} homes")
    if args.write:
        columns = ("type", "rows", "guessed", "chance", "above", "allowed")
        write_table("marked_things_blind" if args.things else "mark_blind", columns, lines)
    return 0


def ask_about_points(runs: Sequence[Run], rooms: int) -> list[Question]:
    """Rows about points, of the runs and of made rooms."""
    scenes = [(run.scene, run.detections) for run in runs]
    scenes += [(make_tracked_room(seed, any_size=True), ()) for seed in range(rooms)]
    return [row for scene, seen in scenes for row in write_mark_questions(scene, seen, PER_VIEW, not_asked=Counter())]


def ask_about_things(runs: Sequence[Run], homes: int) -> list[Question]:
    """Balanced rows about things of which one has a mark, of the runs and of made homes."""
    tours = [Tour(run.scene, run.objects, run.observations, run.detections) for run in runs]
    tours += [replace(make_home(seed).tour, seed=seed) for seed in range(homes)]
    asked = [row for tour in tours for write in (views, sets) for row in write.write_questions(tour).rows]
    gone = find_surplus(map(weigh, asked))
    return [row for row in asked if row.id not in gone and any(one.mark is not None for one in row.references)]


if __name__ == "__main__":
    sys.exit(main())
