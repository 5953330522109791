"""What views say of how many there are, against labels made by looking (`labels/`): none, the only one, so many.

    python benchmarks/counts.py office_walk=RUN navila_1=RUN ...

Asked is what every kind of data asks: `View.judge_absence` of each kind that perception looks for, `judge_alone` of
each thing with a sure name, and `judge_count` of each noun. A name (`name_things`) points at one thing if its noun and
color fit one label, or two of which a clause says which. Moments within the slack of the labels' ranges are left out,
and so is a noun where a label may or may not be meant by it (`also`), but for absence, which it belies. For the tables
of `instructions.facts.existence` it prints how often each statement would be wrong, by noun, and in how many of a
hundred moments of each tour labels have one of a noun, and more.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

import roomtour
from benchmarks.names import Labels, may_be_called, place_frames, read_labels
from benchmarks.results_table import write_table
from instructions.asking.names import name_things
from instructions.facts.existence import judge_alone, judge_count
from instructions.view import View
from instructions.wording.colors import WORDS, may_be_one_color
from instructions.wording.english import head_noun, pluralize
from roomtour.config import Config
from roomtour.stages.read_tour import read_tour

MOMENTS = 100


@dataclass(frozen=True)
class Statement:
    """One thing that a view would say."""

    kind: str
    """`none`, `only one`, `count` or `name`."""
    noun: str
    is_said: bool
    """Whether `instructions.facts.existence` lets it be said."""
    is_true: bool


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="TOUR=RUN")
    args = parser.parse_args()
    figures: dict[tuple[str, str], Counter[tuple[bool, bool]]] = defaultdict(Counter)
    nouns: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for one in args.runs:
        tour, _, folder = one.partition("=")
        labels = read_labels(tour)
        for said in judge_run(labels, roomtour.Run(Path(folder))):
            figures[said.kind, labels.use][said.is_said, said.is_true] += 1
            if labels.use == "tune":
                nouns[said.kind, said.noun][said.is_true] += 1
    rows = []
    for (kind, use), counts in sorted(figures.items()):
        said, held = counts[True, True] + counts[True, False], counts[False, True] + counts[False, False]
        rows.append((kind, use, f"{counts[True, True]} of {said}", f"{counts[False, True]} of {held}"))
    columns = ("statement", "tours", "said: true", "not said: would be true")
    print(write_table("counts", columns, rows, "python benchmarks/counts.py TOUR=RUN ..."))
    for (kind, noun), counts in sorted(nouns.items()):
        if counts[False] or kind != "none":
            print(f"{kind:9} {noun:16} wrong {counts[False]} of {counts[True] + counts[False]}")
    for noun, (tours, one, more) in sorted(count_moments([one.partition("=")[0] for one in args.runs]).items()):
        print(f"moments with one {noun:16} {one:4} of {tours} tours, with more {more}")


def count_moments(tours: Sequence[str]) -> dict[str, tuple[int, int, int]]:
    """By noun: tours whose labels have it, moments with one at least, and with more; tours that set bars alone."""
    moments: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for labels in (labels for tour in tours if (labels := read_labels(tour)).use == "tune"):
        ends = [end for one in labels.things for part in one["ranges"] for end in part]
        for place in np.linspace(min(ends), max(ends), MOMENTS):
            seen: Counter[str] = Counter()
            for one in labels.things:
                if any(start <= place <= end for start, end in one["ranges"]):
                    noun = head_noun(one["category"])
                    seen[noun] += 2 if pluralize(noun) in one["phrase"].split() else 1
            for noun, number in seen.items():
                moments[noun].append((labels.tour, number))
    return {
        noun: (len({tour for tour, _ in of_noun}), len(of_noun), sum(number > 1 for _, number in of_noun))
        for noun, of_noun in moments.items()
    }


def judge_run(labels: Labels, run: roomtour.Run) -> Iterator[Statement]:
    """What the views of a run say, with the truth."""
    place, _ = place_frames(labels, run)
    tour = read_tour(run.path, Config(perception="light"))
    for model in run.scene.models:
        for view in tour.views(model):
            yield from _judge_view(labels, view, place[view.frame])


def _judge_view(labels: Labels, view: View, place: float) -> Iterator[Statement]:
    inside = [one for one in labels.things if any(start <= place <= end for start, end in one["ranges"])]
    around = [one for one in labels.things if labels.shows(one, place)]
    for kind in sorted(view.looked_for):
        may_be = [one for one in around if may_be_called(one, kind)]
        if may_be and not any(one in inside for one in may_be):
            continue
        yield Statement("none", head_noun(kind), view.judge_absence(kind).state is True, not may_be)
    named = [one for one in view.things if one.category]
    for thing in named:
        names = name_things(view, thing, "none")
        sure, may_be = ([one for one in labels if not isinstance(names, str) and _fits(one, names[0].phrase)]
                        for labels in (inside, around))  # fmt: skip
        if not isinstance(names, str) and len(sure) == len(may_be):
            has_many = any(pluralize(thing.head) in one["phrase"].split() for one in sure)
            yield Statement("name", thing.head, True, len(sure) == 1 and not has_many)
    for noun in sorted({one.head for one in named}):
        mine = [one for one in named if one.head == noun]
        may_be = [one for one in around if may_be_called(one, noun)]
        sure = [one for one in inside if head_noun(one["category"]) == noun]
        if len(sure) != len(may_be):
            continue
        has_many = any(pluralize(noun) in one["phrase"].split() for one in sure)
        others = sum(noun in {head_noun(rival.words)} for rival in view.rivals) - len(mine)
        doubtful = int(others > 0 or noun in view.perhaps)
        verdict = judge_count(noun, len(mine), doubtful, is_detected=view.is_detected)
        yield Statement("count", noun, verdict.state is True, len(sure) == len(mine) and not has_many)
        if len(mine) == 1:
            alone = judge_alone(noun, doubtful, is_detected=view.is_detected)
            yield Statement("only one", noun, alone.state is True, len(sure) == 1 and not has_many)


def _fits(label: Mapping[str, Any], phrase: str) -> bool:
    """Whether a phrase may mean a labelled thing: by its noun, and by its color where one was noted."""
    said, noted = (WORDS.intersection(words) for words in (phrase.split(), label.get("colors") or ()))
    fits = not (said and noted) or any(may_be_one_color(one, other) for one in said for other in noted)
    return fits and may_be_called(label, head_noun(phrase))


if __name__ == "__main__":
    main()
