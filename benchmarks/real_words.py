"""What a run says of a real tour, against labels made by looking at the frames.

    python benchmarks/real_words.py RUN --tour office_walk

RUN was made from the tour by `roomtour process`. Printed are statements about motion against `labels/` (`motion.py`)
and how many texts name something. Names and rooms are judged by `names.py`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.motion import judge_tour
from benchmarks.results_table import write_table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--tour", choices=("office_walk", "home_walk"), required=True)
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    named = [thing for thing in run.objects if thing.category is not None]
    print(f"{len(run.objects)} objects, {len(named)} with a category; {len(run.instructions)} accepted texts")
    rows = [
        ("statements about motion that are true", judge_tour(args.tour, run).statements),
        ("texts that name a thing with a category", print_texts(run, {thing.id for thing in named})),
    ]
    write_table(f"real_words_{args.tour}", ("what", "figure"), rows)


def print_texts(run: roomtour.Run, named: set[str]) -> str:
    """How many accepted texts name a thing, and one with a category."""
    rows = run.instructions
    things = sum(bool(row.objects) for row in rows)
    known = sum(bool(named.intersection(row.objects)) for row in rows)
    print(f"texts that name a thing: {things} of {len(rows)}; one with a category: {known}")
    return f"{known} of {len(rows)}"


if __name__ == "__main__":
    main()
