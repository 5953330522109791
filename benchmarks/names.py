"""Names and rooms of runs against labels made by looking (`labels/`), tours that set bars and check tours apart.

    python benchmarks/names.py office_walk=RUN navila_1=RUN ...

A thing's best word is right if at least half of the frames that see it lie in ranges of labelled things that may be
called so; a word that no label of the tour has is wrong. Where somebody looked at the very boxes (`boxes.json`), what
he saw there counts instead. A name is sure if the run says it: `category` is set. Of the boxes that rows point at under
that name, and that were looked at, it is counted which show one whole such thing, as far as the picture reaches.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.results_table import write_table
from instructions.facts.overlap import box_iou
from instructions.facts.sizes import is_one
from instructions.facts.things import may_point_at
from instructions.records import Observation, SceneObject

LABELS = Path(__file__).parent / "labels"
LEAST_SHARE = 0.5
"""A named thing is right if so much of its frames lie in ranges of things of that name."""
SAME_BOX = 0.5
"""Intersection over union from which on a box is one that was looked at."""
SAME_MOMENT = 0.15
"""Frames, or seconds of `home_walk`, by which moments of one frame may differ."""
SURFACES = {"wall", "floor", "ceiling"}
"""No things: nobody misses them in a list of things."""
LEAST_SEEN = 3
"""Frames of the run that lie in its ranges, for the absence of a thing to count."""
SAME_ROOM = {
    "living room": ("lounge", "living area"),
    "dining room": ("dining area",),
    "hallway": ("corridor", "hall"),
    "open-plan office": ("office",),
    "study": ("office",),
    "entrance hall": ("entrance", "foyer"),
}
"""Our words for rooms, and what the labels call the same."""


@dataclass(frozen=True)
class Labels:
    """What a person saw in one tour."""

    tour: str
    use: str
    things: list[dict[str, Any]]
    rooms: list[dict[str, Any]]
    first: float
    per_second: float
    slack: float

    def place(self, time_s: float) -> float:
        """A moment of the run on the scale of the ranges."""
        return self.first + time_s * self.per_second

    def shows(self, label: Mapping[str, Any], place: float) -> bool:
        """Whether a moment lies in a range of a thing."""
        return any(start - self.slack <= place <= end + self.slack for start, end in label["ranges"])

    def find_named(self, word: str) -> list[dict[str, Any]]:
        """Labelled things that may be called so."""
        return [one for one in self.things if may_be_called(one, word)]

    def list_rooms(self, place: float) -> set[str]:
        """What the room of a moment may be called; empty where no stay covers it."""
        ends = [
            (one, *((one["first"], one["last"] + 1) if "first" in one else (one["start_s"], one["end_s"])))
            for one in self.rooms
        ]
        return {name for one, start, end in ends if start <= place <= end for name in (one["room"], *one["also"])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="TOUR=RUN")
    parser.add_argument("--table", default="names", help="name of the table in results/")
    args = parser.parse_args()
    figures: dict[str, Counter[str]] = {}
    whole: dict[str, Counter[str]] = defaultdict(Counter)
    for one in args.runs:
        tour, _, folder = one.partition("=")
        labels = read_labels(tour)
        figures[tour] = judge_run(labels, roomtour.Run(Path(folder)))
        whole[f"all {labels.use} tours"] += figures[tour]
    columns = (
        "tour",
        "best words right",
        "sure names right",
        "boxes whole",
        "large things",
        "named",
        "surely",
        "rooms",
        "colors",
    )
    rows = [(tour, *_row(one)) for tour, one in (figures | whole).items()]
    print(write_table(args.table, columns, rows, "python benchmarks/names.py TOUR=RUN ..."))


def read_labels(tour: str) -> Labels:
    """The labels of one tour."""
    told = json.loads((LABELS / f"{tour}_things.json").read_text(encoding="utf-8"))
    return Labels(
        tour, told["use"], told["things"], told["rooms"], told["first"], told["frames_per_second"], max(told["step"], 0)
    )


@cache
def read_boxes() -> dict[str, list[dict[str, Any]]]:
    """Boxes that were looked at, by tour: frame of the file, corners as shares of the picture, what they show."""
    path = LABELS / "boxes.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def may_be_called(label: Mapping[str, Any], word: str) -> bool:
    """Whether a word is one of those of a label, in full or as its last word (`coffee table` is a table)."""
    return any(word in (one, one.rpartition(" ")[2]) for one in (label["category"], *label["also"]))


def judge_run(labels: Labels, run: roomtour.Run) -> Counter[str]:
    """Counts of what is right and wrong in a run."""
    place, size = place_frames(labels, run)
    seen = list_observations(run)
    counts: Counter[str] = Counter()
    found: set[str] = set()
    surely: set[str] = set()
    for thing in run.objects:
        word = thing.likely_category
        if word is None:
            continue
        is_right = judge_thing(labels, thing, word, seen.get(thing.id, ()), place, size)
        counts["word right" if is_right else "word wrong"] += 1
        mine = {
            one["id"]
            for one in labels.find_named(word)
            if is_right and sum(labels.shows(one, place[frame]) for frame in thing.frames) * 2 >= len(thing.frames)
        }
        found |= mine
        if thing.category is None:
            continue
        counts["sure right" if is_right else "sure wrong"] += 1
        surely |= mine
        metre = next(model.nominal_metre for model in run.scene.models if model.name == thing.model)
        clear = [one for one in seen[thing.id] if is_one(thing, metre) and may_point_at(thing, one)]
        looked = [box for one in clear if (box := find_box(labels, one, place, size)) and "shows" in box]
        whole = sum(box["shows"] == "one" and is_called(box, word) for box in looked)
        counts.update({"box right": whole, "box wrong": len(looked) - whole})
        if not is_right:
            print(f"{labels.tour}: {thing.category} {thing.id} is wrong, {_span(place, thing.frames)}")
        colors = [set(one["colors"]) for one in labels.find_named(word) if one["id"] in mine and one.get("colors")]
        if thing.color is not None and colors:
            is_so = any(set(thing.color.split()) & {*one, *same_colors(one)} for one in colors)
            counts["color right" if is_so else "color wrong"] += 1
    large = {
        one["id"]
        for one in labels.things
        if one["over_40cm"] and one["sure"] and one["category"] not in SURFACES and _is_seen(labels, one, run, place)
    }
    counts.update({"large": len(large), "large named": len(large & found), "large sure": len(large & surely)})
    said = {one.frame: one.room for one in run.frame_rooms}
    for frame in (frame for model in run.scene.models for frame in model.frames):
        allowed = labels.list_rooms(place[frame])
        room = said.get(frame)
        if allowed:
            is_right = room is not None and bool({room, *SAME_ROOM.get(room, ())} & allowed)
            counts["room unknown" if room is None else "room right" if is_right else "room wrong"] += 1
    return counts


def place_frames(labels: Labels, run: roomtour.Run) -> tuple[dict[int, float], dict[int, tuple[int, int]]]:
    """By frame, its place on the scale of the labels, and its width and height in pixels."""
    frames = run.scene.frames
    place = {frame.index: labels.place(frame.time_s) for frame in frames}
    return place, {frame.index: (frame.width, frame.height) for frame in frames}


def list_observations(run: roomtour.Run) -> dict[str, list[Observation]]:
    """Observations by thing."""
    seen: dict[str, list[Observation]] = {}
    for one in run.observations:
        seen.setdefault(one.object, []).append(one)
    return seen


def judge_thing(
    labels: Labels,
    thing: SceneObject,
    word: str,
    seen: Sequence[Observation],
    place: Mapping[int, float],
    size: Mapping[int, tuple[int, int]],
) -> bool:
    """Whether a thing is what a word says: by boxes that were looked at, else by the frames that see it."""
    votes = [is_called(box, word) for one in seen if (box := find_box(labels, one, place, size)) is not None]
    if votes:
        return 2 * sum(votes) >= len(votes)
    known = labels.find_named(word)
    fitting = sum(any(labels.shows(one, place[frame]) for one in known) for frame in thing.frames)
    return fitting >= LEAST_SHARE * len(thing.frames)


def find_box(
    labels: Labels, seen: Observation, place: Mapping[int, float], size: Mapping[int, tuple[int, int]]
) -> dict[str, Any] | None:
    """What a person saw in that box; None if nobody looked."""
    width, height = size[seen.frame]
    for one in read_boxes().get(labels.tour, ()):
        x0, y0, x1, y1 = one["box"]
        if abs(one["at"] - place[seen.frame]) < SAME_MOMENT:
            box = (x0 * width, y0 * height, x1 * width, y1 * height)
            if box_iou(seen.box_xyxy, box) >= SAME_BOX:
                return one
    return None


def is_called(box: Mapping[str, Any], word: str) -> bool:
    """Whether a word fits what a person saw in a box."""
    return bool(box["is"]) and may_be_called({"category": box["is"][0], "also": box["is"][1:]}, word)


def _is_seen(labels: Labels, label: Mapping[str, Any], run: roomtour.Run, place: Mapping[int, float]) -> bool:
    registered = [frame for model in run.scene.models for frame in model.frames]
    return sum(labels.shows(label, place[frame]) for frame in registered) >= LEAST_SEEN


def same_colors(colors: Collection[str]) -> set[str]:
    """Words that somebody else may have for these colors."""
    pairs = (
        ("grey", "gray"),
        ("grey", "silver"),
        ("gray", "silver"),
        ("beige", "white"),
        ("beige", "brown"),
        ("black", "dark"),
    )
    return {other for pair in pairs for one, other in (pair, pair[::-1]) if one in colors}


def _span(place: Mapping[int, float], frames: Sequence[int]) -> str:
    return f"{place[frames[0]]:g} to {place[frames[-1]]:g}"


def _row(counts: Counter[str]) -> tuple[str, ...]:
    def share(kind: str) -> str:
        right, wrong = counts[f"{kind} right"], counts[f"{kind} wrong"]
        return f"{right} of {right + wrong}"

    rooms = " / ".join(str(counts[f"room {one}"]) for one in ("right", "wrong", "unknown"))
    large = tuple(str(counts[one]) for one in ("large", "large named", "large sure"))
    return share("word"), share("sure"), share("box"), *large, rooms, share("color")


if __name__ == "__main__":
    main()
