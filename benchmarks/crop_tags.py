"""Whether the tag network can name what the detectors cannot, asked on crops: how many of its names would be right.

    python benchmarks/crop_tags.py RUN --tour office_walk

RUN was made from the tour by `roomtour process`. Every thing without a name, and every one whose name has less than
`SURE` of the evidence, is cut out of its best views, at least half a second apart, and shown to the tag network. A word
is taken if enough views say it and no other word has as many. Names are held against the labels by `real_words`, which
knows no code of the project that names things.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from real_words import LEAST_SHARE, Tour, read_labels

import roomtour
from instructions.perception.models.light.folder import find_light_files, light_folder
from instructions.perception.models.light.imagenet_tags import ImagenetTags
from instructions.records import Observation, SceneObject
from recon.tasks import fixed_threads

SURE = 0.6
VIEWS, APART_S = 5, 0.5
LEAST_PROBABILITY, LEAST_AGREEING = 0.3, 2
MARGIN = 0.1
"""A crop is wider than the box by this share on every side."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--tour", choices=("office_walk", "home_walk"), required=True)
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    tour = read_labels(args.tour, run)
    with fixed_threads():
        tagger = ImagenetTags(find_light_files(light_folder())["tags"], LEAST_PROBABILITY)
        asked = [thing for thing in run.objects if is_open(thing)]
        said = {thing.id: vote(run, thing, tagger) for thing in asked}
    named = {name: word for name, word in said.items() if word is not None}
    right = {name for name, word in named.items() if is_right(tour, word, run, name)}
    print(f"{len(asked)} things without a sure name; {len(named)} would get one, {len(right)} of them right")
    for thing in asked:
        if thing.id in named:
            verdict = "right" if thing.id in right else "not by the labels"
            print(f"  {thing.alias} {thing.id}: {named[thing.id]} ({verdict})")


def is_open(thing: SceneObject) -> bool:
    """Whether nobody knows surely what it is."""
    return thing.category is None or (bool(thing.categories) and thing.categories[0][1] < SURE)


def vote(run: roomtour.Run, thing: SceneObject, tagger: ImagenetTags) -> str | None:
    """The word that most views say, if enough do and no other has as many."""
    votes: Counter[str] = Counter()
    for one in choose_views(run, [seen for seen in run.observations if seen.object == thing.id]):
        votes.update(list(tagger.tag([cut(run, one)])[0])[:1])
    order = votes.most_common(2)
    if not order or order[0][1] < LEAST_AGREEING or (len(order) > 1 and order[0][1] == order[1][1]):
        return None
    return order[0][0]


def choose_views(run: roomtour.Run, seen: Sequence[Observation]) -> list[Observation]:
    """The largest and surest, apart in time."""
    time_s = {frame.index: frame.time_s for frame in run.scene.frames}

    def measure_worth(one: Observation) -> float:
        x0, y0, x1, y1 = one.box_xyxy
        return (x1 - x0) * (y1 - y0) * one.score

    chosen: list[Observation] = []
    for one in sorted(seen, key=measure_worth, reverse=True):
        if len(chosen) < VIEWS and all(abs(time_s[one.frame] - time_s[other.frame]) >= APART_S for other in chosen):
            chosen.append(one)
    return chosen


def cut(run: roomtour.Run, one: Observation) -> np.ndarray:
    """The crop, (h, w, 3) RGB."""
    path = run.path / "frames" / next(frame.image for frame in run.scene.frames if frame.index == one.frame)
    image_bgr = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if image_bgr is None:
        raise SystemExit(f"crop_tags: {path}: no picture")
    x0, y0, x1, y1 = one.box_xyxy
    wide, high = MARGIN * (x1 - x0), MARGIN * (y1 - y0)
    crop = image_bgr[max(0, int(y0 - high)) : int(y1 + high) + 1, max(0, int(x0 - wide)) : int(x1 + wide) + 1, ::-1]
    return np.ascontiguousarray(crop)


def is_right(tour: Tour, word: str, run: roomtour.Run, name: str) -> bool:
    """Whether labels of that name hold most of its frames."""
    frames = next(thing.frames for thing in run.objects if thing.id == name)
    known = tour.find_named(word)
    return sum(any(tour.shows(label, frame) for label in known) for frame in frames) >= LEAST_SHARE * len(frames)


if __name__ == "__main__":
    main()
