"""What a run says of a real tour, against labels made by looking at the frames.

    python benchmarks/real_words.py RUN --tour office_walk

RUN was made from the tour by `roomtour process`. Printed are statements about motion against `labels/` (`motion.py`),
how many texts name something, and how many accepted texts are found true when they are read back as text
(`check_text`). Names and rooms are judged by `names.py`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.motion import judge_tour
from benchmarks.results_table import write_table
from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.truth.check import check_text
from instructions.truth.ranges import ranges_by_thing
from trajectories.augment import is_way_back


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
        ("accepted texts that are true when read back by the check", print_read_back(run)),
    ]
    write_table(f"real_words_{args.tour}", ("what", "figure"), rows)


def print_texts(run: roomtour.Run, named: set[str]) -> str:
    """How many accepted texts name a thing, and one with a category."""
    rows = run.instructions
    things = sum(bool(row.objects) for row in rows)
    known = sum(bool(named.intersection(row.objects)) for row in rows)
    print(f"texts that name a thing: {things} of {len(rows)}; one with a category: {known}")
    return f"{known} of {len(rows)}"


def print_read_back(run: roomtour.Run) -> str:
    """How many accepted texts hold when nothing but their words is known; those of ways back without any things."""
    walks = {walk.id: walk for walk in (*run.trajectories, *run.further_walks)}
    models = {model.name: model for model in run.scene.models}
    ranges = ranges_by_thing(run.observations)
    rows = [row for row in (*run.instructions, *run.further_instructions) if row.accepted]
    held = 0
    for row in rows:
        walk, model = Walk.of(walks[row.trajectory]), models[row.model]
        things = {one.id: one for one in run.objects if one.model == row.model}
        if is_way_back(walks[row.trajectory]):  # no frame shows what is seen then: only where things stand counts
            things = {name: replace(one, frames=walk.frames) for name, one in things.items()}
        first, last = walk.index_of[row.views[0]], walk.index_of[row.views[-1]]
        way = WayGeometry(walk, first, last, model.nominal_metre, things, tuple(run.room_spans), ranges)
        because = check_text(row.text, way).false_because
        held += because is None
        if because is not None:
            print(f"  false when read back: {row.text}\n    {because}")
    print(f"accepted texts that are true when read back: {held} of {len(rows)}")
    return f"{held} of {len(rows)}"


if __name__ == "__main__":
    main()
