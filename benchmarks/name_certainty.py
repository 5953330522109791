"""Fit how sure names and boxes are (`perception/things/certainty.toml`) to labelled tours, and judge it on others.

    python benchmarks/name_certainty.py office_walk=RUN navila_1=RUN ... [--write]

Each thing of a run is one trial: its clues, and whether its best word is right (`names.py`). Each of its boxes that was
looked at is another: its score, how far it is the outline of the thing, and whether it shows one whole thing of that
name. Odds are additive, weights are never negative, and both are drawn towards what one would guess without data. The
figure to believe is that of tours left out one by one; a bar holds there and on the same tours. A run looks closely
only where that decides; the fit in use had close looks at all things (`certainty.is_open` made to say yes always).
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.names import find_box, is_called, judge_thing, list_observations, place_frames, read_labels
from instructions.facts.bodies import Body
from instructions.facts.overlap import box_iou
from instructions.facts.sizes import fits_name, is_one
from instructions.perception.things import certainty
from instructions.perception.things.certainty import group_of
from instructions.view import draw_box
from recon.geometry import Array

TABLE = Path(certainty.__file__).with_suffix(".toml")
CLUES = ("share", "views", "close", "tag", "fine", "both")
GROUPS = ("structure", "storage", "other")
WHOLE = ("score", "outline", "both")
RIGHT = 0.95
"""Share of sure names that are right."""
LEAST_TRIALS = 15
"""Fewer names above a bar prove nothing of it."""
UNPROVEN = 0.99
"""Bar of a group without such names: more than its clues reach, so that only votes of a server make a name sure."""
USUAL_WEIGHT, USUAL_START = 1.5, -5.5
"""Before any data: six clues of this weight, of which three fifths make an even chance."""
SPREAD_WEIGHT, SPREAD_START = 1.0, 2.0
"""Standard deviations of that guess."""


@dataclass(frozen=True)
class Trial:
    """One thing, or one box of a thing."""

    tour: str
    word: str
    clues: tuple[float, ...]
    starts: tuple[float, ...]
    """1 for the start that counts, else 0: one for each group, or for all boxes."""
    is_right: bool
    fits: bool = True
    """Whether its box allows the name; else it is not said, however sure."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="TOUR=RUN")
    parser.add_argument("--write", action="store_true", help="write the weights")
    args = parser.parse_args()
    trials = [trial for one in args.runs for trial in read_trials(*one.split("=", 1))]
    fitted = fit(trials)
    print(f"{len(trials)} things, {sum(one.is_right for one in trials)} right")
    print({name: round(float(value), 2) for name, value in zip((*CLUES, *GROUPS), fitted, strict=True)})
    own, held = judge(trials, fitted), judge_elsewhere(trials)
    bars = {
        group: max(
            find_bar([pair for pair in judged if pair[0].fits and group_of(pair[0].word) == group])
            for judged in (own, held)
        )
        for group in GROUPS
    }
    show("fitted and judged on the same tours", own, bars)
    show("each tour judged by a fit without it", held, bars)
    boxes = [trial for one in args.runs for trial in read_boxes_of(*one.split("=", 1))]
    whole = fit(boxes)
    own, held = judge(boxes, whole), judge_elsewhere(boxes)
    bar = max(find_bar(own), find_bar(held))
    print(f"boxes: {sum(one.is_right for one in boxes)} of {len(boxes)} show one whole thing")
    for title, judged in (("the same tours", own), ("tours left out", held)):
        clear = [one.is_right for one, value in judged if value >= bar]
        print(f"  clear from {bar:.3f}, {title}: {sum(clear)} of {len(clear)}")
    print({name: round(float(value), 2) for name, value in zip((*WHOLE, "start"), whole, strict=True)})
    if args.write:
        write("", (*CLUES, *GROUPS), fitted.tolist())
        write("[sure]", tuple(bars), list(bars.values()))
        write("[whole]", (*WHOLE, "start", "sure"), [*whole.tolist(), bar])


def read_trials(tour: str, folder: str) -> list[Trial]:
    """Things of one run whose names were weighed."""
    labels, run = read_labels(tour), roomtour.Run(Path(folder))
    place, size = place_frames(labels, run)
    seen = list_observations(run)
    metre_of = {model.name: model.nominal_metre for model in run.scene.models}
    return [
        Trial(
            tour,
            thing.categories[0][0],
            tuple(dict(thing.clues)[name] for name in CLUES),
            tuple(float(group_of(thing.categories[0][0]) == group) for group in GROUPS),
            judge_thing(labels, thing, thing.categories[0][0], seen.get(thing.id, ()), place, size),
            fits_name(thing.categories[0][0], thing.obb, metre_of[thing.model], or_group=True),
        )
        for thing in run.objects
        if thing.clues
    ]


def read_boxes_of(tour: str, folder: str) -> list[Trial]:
    """Boxes of things of one run that were looked at for what they show."""
    labels, run = read_labels(tour), roomtour.Run(Path(folder))
    place, size = place_frames(labels, run)
    seen = list_observations(run)
    model_of = {model.name: model for model in run.scene.models}
    trials: list[Trial] = []
    for thing in run.objects:
        model, body = model_of[thing.model], Body.of_box(thing.obb)
        is_pointed_at = bool(thing.clues) and is_one(thing, model.nominal_metre)
        for one in seen.get(thing.id, ()) if is_pointed_at else ():
            looked = find_box(labels, one, place, size)
            if looked is not None and "shows" in looked:
                outline = draw_box(model, model.world_from_cam[one.frame], body)
                agreement = 0.0 if outline is None else box_iou(one.box_xyxy, outline)
                word = thing.categories[0][0]
                is_right = looked["shows"] == "one" and is_called(looked, word)
                clues = (one.score, agreement, dict(thing.clues)["both"])
                trials.append(Trial(tour, word, clues, (1.0,), is_right))
    return trials


def judge_elsewhere(trials: Sequence[Trial]) -> list[tuple[Trial, float]]:
    """Each trial with the probability that a fit to the other tours gives it."""
    held: list[tuple[Trial, float]] = []
    for tour in sorted({one.tour for one in trials}):
        weights = fit([one for one in trials if one.tour != tour])
        held += judge([one for one in trials if one.tour == tour], weights)
    return held


def fit(trials: Sequence[Trial]) -> Array:
    """Most likely weights of clues and starts of groups, (clues + groups,)."""
    rows, right = np.array([one.clues + one.starts for one in trials]), np.array([one.is_right for one in trials])
    clues, starts = len(trials[0].clues), len(trials[0].starts)
    usual = np.array([USUAL_WEIGHT] * clues + [USUAL_START] * starts)
    spread = np.array([SPREAD_WEIGHT] * clues + [SPREAD_START] * starts)

    def surprise(weights: Array) -> float:
        odds = rows @ weights
        return float(
            np.logaddexp(0.0, np.where(right, -odds, odds)).sum() + 0.5 * (((weights - usual) / spread) ** 2).sum()
        )

    bounds = [(0.0, None)] * clues + [(None, None)] * starts
    return np.asarray(minimize(surprise, usual, method="L-BFGS-B", bounds=bounds).x)


def judge(trials: Sequence[Trial], weights: Array) -> list[tuple[Trial, float]]:
    """Each trial with its probability."""
    odds = np.array([one.clues + one.starts for one in trials]) @ weights
    return list(zip(trials, (1.0 / (1.0 + np.exp(-odds))).tolist(), strict=True))


def find_bar(judged: Sequence[tuple[Trial, float]]) -> float:
    """The lowest probability above which enough names are right."""
    order = sorted(judged, key=lambda pair: -pair[1])
    right = np.cumsum([one.is_right for one, _ in order])
    enough = [at for at in range(len(order)) if at + 1 >= LEAST_TRIALS and right[at] >= RIGHT * (at + 1)]
    return order[enough[-1]][1] if enough else UNPROVEN


def show(title: str, judged: Sequence[tuple[Trial, float]], bars: Mapping[str, float]) -> None:
    """How often names of each certainty are right, and which sure ones are wrong."""
    print(title)
    for group in GROUPS:
        own = [pair for pair in judged if pair[0].fits and group_of(pair[0].word) == group]
        sure = [one.is_right for one, value in own if value >= bars[group]]
        print(f"  {group}: sure from {bars[group]:.3f}, {sum(sure)} of {len(sure)} right")
    for low, high in ((0.0, 0.3), (0.3, 0.6), (0.6, 0.8), (0.8, 0.9), (0.9, 1.01)):
        own = [one.is_right for one, value in judged if low <= value < high]
        mean = np.mean([value for _, value in judged if low <= value < high]) if own else 0.0
        print(f"  {low:.2f} to {min(high, 1.0):.2f}: {sum(own)} of {len(own)} right, said {mean:.2f}")
    for one, value in judged:
        if one.fits and value >= bars[group_of(one.word)] and not one.is_right:
            print(f"  sure and wrong: {one.word} of {one.tour}, {value:.3f}")


def write(section: str, names: Sequence[str], values: Sequence[float]) -> None:
    """Put values into the part of the table from a section on."""
    head, found, tail = TABLE.read_text(encoding="utf-8").partition(section or "[weight]")
    for name, value in zip(names, values, strict=True):
        tail = re.sub(rf"(?m)^{name} = -?[\d.]+$", f"{name} = {value:.3f}", tail, count=1)
    TABLE.write_text(f"{head}{found}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main()
