"""What a run says of a real tour, against labels made by looking at the frames.

    python benchmarks/real_words.py RUN --tour office_walk

RUN was made from the tour by `roomtour process`; the labels are in `benchmarks/labels/` (its README says what a range
means). Printed are things with a category (precision, recall), rooms of frames, statements about motion, and how many
texts name something. No code of the project judges there: names are compared with names, and frames with ranges. A name
that no label covers is listed to be looked at, and counts neither way. Last, how many accepted texts are found true
when they are read back as text (`check_text`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.motion import judge_tour
from benchmarks.results_table import write_table
from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import SceneObject
from instructions.truth.check import check_text
from instructions.truth.ranges import ranges_by_thing
from trajectories.augment import is_way_back

LABELS = Path(__file__).parent / "labels"
OFFICE_HZ = 10.0
SLACK = {"frame": 4, "second": 0.4}
"""A thing may be seen a little before and after its range: ends were looked at in steps of this size."""
LEAST_SHARE = 0.5
"""A named thing is right if so much of its frames lie in ranges of things of that name."""
SURFACES = {"wall", "floor", "ceiling"}
"""No things: nobody misses them in a list of things."""
LEAST_SEEN = 5
"""Frames of the run in which a thing is seen by its label, for its absence to count."""
SAME_ROOM = {
    "living room": ("lounge", "living area"),
    "dining room": ("dining area",),
    "hallway": ("corridor", "hall"),
    "open-plan office": ("office",),
}
"""Our words for rooms, and what the labels call the same."""


@dataclass(frozen=True)
class Tour:
    """The labels of one tour, and where its frames are on their scale."""

    things: list[dict[str, Any]]
    rooms: list[dict[str, Any]]
    slack: float
    at: Mapping[int, float]
    """Position on the labels' scale (frame of the office, second of the home) by frame of the run."""

    def find_named(self, category: str) -> list[dict[str, Any]]:
        """Labelled things that may be called so."""
        return [thing for thing in self.things if category in (thing["category"], *thing["also"])]

    def shows(self, thing: Mapping[str, Any], frame: int) -> bool:
        """Whether a frame of the run lies in a range of the thing."""
        return any(first - self.slack <= self.at[frame] <= last + self.slack for first, last in thing["ranges"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN")
    parser.add_argument("--tour", choices=("office_walk", "home_walk"), required=True)
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    tour = read_labels(args.tour, run)
    named = [thing for thing in run.objects if thing.category is not None]
    print(f"{len(run.objects)} objects, {len(named)} with a category; {len(run.instructions)} accepted texts")
    rows = [
        *print_things(tour, named, [frame for model in run.scene.models for frame in model.frames]),
        ("frames whose room is right, wrong, unknown", print_rooms(tour, run)),
        ("statements about motion that are true", judge_tour(args.tour, run).statements),
        ("texts that name a thing with a category", print_texts(run, {thing.id for thing in named})),
        ("accepted texts that are true when read back by the check", print_read_back(run)),
    ]
    write_table(f"real_words_{args.tour}", ("what", "figure"), rows)


def read_labels(name: str, run: roomtour.Run) -> Tour:
    """Labels of one tour, on the scale of its run."""
    kind = name.removesuffix("_walk")
    things = json.loads((LABELS / f"{kind}_things.json").read_text(encoding="utf-8"))
    per_second, first = (OFFICE_HZ, 1) if things["unit"] == "frame" else (1.0, 0)
    at = {frame.index: frame.time_s * per_second + first for frame in run.scene.frames}
    return Tour(things["things"], things["rooms"], SLACK[things["unit"]], at)


def print_things(tour: Tour, named: Sequence[SceneObject], frames: Iterable[int]) -> list[tuple[str, str]]:
    """Precision over named things, recall over labelled ones."""
    right, unknown = 0, []
    wrong = []
    for thing in named:
        category = thing.category or ""
        known = tour.find_named(category)
        fitting = sum(any(tour.shows(label, frame) for label in known) for frame in thing.frames)
        if not known:
            unknown.append(thing)
        elif fitting >= LEAST_SHARE * len(thing.frames):
            right += 1
        else:
            wrong.append((thing, fitting))
    judged = right + len(wrong)
    print(f"precision of named things: {right} of {judged} ({right / max(judged, 1):.2f})")
    for thing, fitting in wrong:
        print(f"  not there by the labels: {thing.alias} {thing.id}, {fitting} of frames {_span(tour, thing.frames)}")
    for thing in unknown:
        print(f"  no label of this name, look: {thing.alias} {thing.id}, frames {_span(tour, thing.frames)}")
    seen_by: dict[str, list[SceneObject]] = defaultdict(list)
    for thing in named:
        for label in tour.find_named(thing.category or ""):
            if any(tour.shows(label, frame) for frame in thing.frames):
                seen_by[label["id"]].append(thing)
    registered = list(frames)
    asked = [
        label
        for label in tour.things
        if label["over_40cm"]
        and label["sure"]
        and label["category"] not in SURFACES
        and sum(tour.shows(label, frame) for frame in registered) >= LEAST_SEEN
    ]
    found = [label for label in asked if seen_by[label["id"]]]
    print(f"recall of things over 40 cm: {len(found)} of {len(asked)} ({len(found) / max(len(asked), 1):.2f})")
    print("  missed:", ", ".join(f"{one['category']} {one['id']}" for one in asked if one not in found) or "none")
    return [
        ("named things that are there", f"{right} of {judged}"),
        ("things over 40 cm that are found and named", f"{len(found)} of {len(asked)}"),
    ]


def print_rooms(tour: Tour, run: roomtour.Run) -> str:
    """Rooms of frames with a pose: right, wrong, unknown. Frames that no label covers, or no sure one, are left out."""
    found = {one.frame: one.room for one in run.frame_rooms}
    verdicts: Counter[str] = Counter()
    wrong: Counter[tuple[str, str]] = Counter()
    for frame in (frame for model in run.scene.models for frame in model.frames):
        allowed = [
            name for room in tour.rooms if _lies_in(room, tour.at[frame]) for name in (room["room"], *room["also"])
        ]
        if not allowed:
            continue
        room = found.get(frame)
        is_right = room is not None and not {room, *SAME_ROOM.get(room, ())}.isdisjoint(allowed)
        verdicts["unknown" if room is None else "right" if is_right else "wrong"] += 1
        if room is not None and not is_right:
            wrong[room, allowed[0]] += 1
    judged = max(sum(verdicts.values()), 1)
    print("rooms of frames:", ", ".join(f"{verdicts[one] / judged:.3f} {one}" for one in ("right", "wrong", "unknown")))
    for (room, label), count in wrong.most_common():
        print(f"  wrong: {room} for {label}, {count} frames")
    return ", ".join(str(verdicts[one]) for one in ("right", "wrong", "unknown"))


def _lies_in(room: Mapping[str, Any], at: float) -> bool:
    """Whether a labelled stay holds a moment; a border belongs to both sides."""
    first, last = (room["first"], room["last"] + 1) if "first" in room else (room["start_s"], room["end_s"])
    return first <= at <= last


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


def _span(tour: Tour, frames: Sequence[int]) -> str:
    return f"{tour.at[frames[0]]:g} to {tour.at[frames[-1]]:g}"


if __name__ == "__main__":
    main()
