"""What a run says of a real tour, against labels made by looking at the frames.

    python benchmarks/real_words.py RUN --tour office_walk

RUN was made from the tour by `roomtour process`; the labels are in `benchmarks/labels/`. Printed are statements about
motion, and how many texts name something; names and rooms are judged by `names.py`. No code of the project judges
there. Last, how many accepted texts are found true when they are read back as text (`check_text`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.results_table import write_table
from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import Claim
from instructions.truth.check import check_text
from instructions.truth.ranges import ranges_by_thing
from trajectories.augment import is_way_back

LABELS = Path(__file__).parent / "labels"
FORWARD = {"forward", "curve_left", "curve_right"}
WALKS = {0.0: FORWARD, 90.0: {"side_left"}, -90.0: {"side_right"}, 180.0: {"back"}}
LEAST_LABELLED, LEAST_FITTING, TURN_OFF_DEG = 0.5, 0.7, 45.0
"""Share of a statement's time that is labelled, share of that which fits, and how far off an angle may be."""
SPOT_M = 2.0
"""A turn of the view alone is true if one gets no further meanwhile, and no walk aside beyond it is left out."""
LEAST_TOLD = 0.5
"""Share of the time of a walk aside that statements of such a walk cover."""


@dataclass(frozen=True)
class Tour:
    """The labels of one tour, and where its frames are on their scale."""

    stretches: list[dict[str, Any]]
    at: Mapping[int, float]
    """Position on the labels' scale (frame of the office, second of the home) by frame of the run."""


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
        ("statements about motion that are true", print_motion(tour, run)),
        ("texts that name a thing with a category", print_texts(run, {thing.id for thing in named})),
        ("accepted texts that are true when read back by the check", print_read_back(run)),
    ]
    write_table(f"real_words_{args.tour}", ("what", "figure"), rows)


def read_labels(name: str, run: roomtour.Run) -> Tour:
    """Labels of one tour, on the scale of its run."""
    things = json.loads((LABELS / f"{name}_things.json").read_text(encoding="utf-8"))
    motion = json.loads((LABELS / "motion.json").read_text(encoding="utf-8"))
    at = {frame.index: frame.time_s * things["frames_per_second"] + things["first"] for frame in run.scene.frames}
    stretches = [one for one in motion["stretches"] if one["tour"] == name]
    return Tour(stretches, at)


def print_motion(tour: Tour, run: roomtour.Run) -> str:
    """Statements about motion in accepted texts, as far as the labels cover them, and what they leave out.

    The labels hold two facts, feet and view; how many turns are true by the view alone is printed beside.
    """
    verdicts: Counter[str] = Counter()
    by_view = 0
    for row in run.instructions:
        claims = [check.claim for check in row.claims]
        for claim in claims:
            verdict = judge_motion(tour, claim)
            if verdict is None:
                continue
            by_view += verdict == "by view"
            verdicts["true" if verdict == "by view" else verdict] += 1
            if verdict == "false":
                where = _span(tour, [claim.first_frame or 0, claim.last_frame or 0])
                print(
                    f"  false by the labels: {claim.kind} {claim.side or ''} {claim.angle_deg} at {where}: {claim.text}"
                )
        for walk, first, last in find_left_out(tour, claims, row.views[0], row.views[-1]):
            verdicts["false"] += 1
            print(f"  left out: {walk} at {first:g} to {last:g}: {row.text}")
    judged = verdicts["true"] + verdicts["false"]
    share = verdicts["true"] / max(judged, 1)
    open_ones = verdicts["open"]
    print(f"statements about motion: {verdicts['true']} of {judged} true ({share:.2f}); not labelled: {open_ones}")
    print(f"  of the true ones, turns of the view while the feet get nowhere: {by_view}")
    return f"{verdicts['true']} of {judged}"


def judge_motion(tour: Tour, claim: Claim) -> str | None:
    """`true` (`by view`: a turn of the view alone), `false` or `open` where the labels do not cover it.

    None for what is no motion.
    """
    if claim.kind not in ("walk", "turn", "look") or claim.first_frame is None or claim.last_frame is None:
        return None
    first, last = tour.at[claim.first_frame], tour.at[claim.last_frame]
    parts = [(one, min(last, one["last"]) - max(first, one["first"])) for one in tour.stretches]
    parts = [(one, length) for one, length in parts if length > 0]
    labelled = sum(length for _, length in parts)
    if labelled < LEAST_LABELLED * (last - first) or not parts:
        return "open"
    if claim.kind == "walk":
        wanted = WALKS.get(float(claim.angle_deg or 0.0), set())
        fitting = sum(length for one, length in parts if wanted & {one["walk"], *one["walk_also"]})
        return "true" if fitting >= LEAST_FITTING * labelled else "false"
    unlabelled = (last - first) / labelled  # between stretches the turning goes on
    if _is_turned(claim, [_share_deg(one, claim.kind, length) * unlabelled for one, length in parts]):
        return "true"
    seen = _is_turned(claim, [_share_deg(one, "look", length) * unlabelled for one, length in parts])
    gone_m = measure_gone_m(tour, first, last)
    return "by view" if seen and claim.kind == "turn" and gone_m is not None and gone_m <= SPOT_M else "false"


def _is_turned(claim: Claim, turned_deg: Sequence[float]) -> bool:
    """Whether parts of a turn add up to what a statement says, none of them far against it."""
    net, most = sum(turned_deg), sum(map(abs, turned_deg))
    if claim.side is None:
        return abs(net) >= 180.0 - TURN_OFF_DEG
    sign = 1.0 if claim.side == "left" else -1.0
    off = abs(sign * net - abs(claim.angle_deg)) if claim.angle_deg is not None else 0.0
    against = (most - abs(net)) / 2.0
    return sign * net > 0 and off <= TURN_OFF_DEG and against <= TURN_OFF_DEG


def _share_deg(stretch: Mapping[str, Any], kind: str, length: float) -> float:
    """Turning in a part of a stretch: of the walk for a turn while it moves, else of the view."""
    is_walk = kind == "turn" and stretch["walk"] != "standing" and stretch["turn_deg"] is not None
    share = length / (stretch["last"] - stretch["first"])
    return share * float(stretch["turn_deg" if is_walk else "view_deg"] or 0.0)


def measure_gone_m(tour: Tour, first: float, last: float) -> float | None:
    """How far apart the places at two moments are; None where the labels give no places."""
    known = [one for one in tour.stretches if one["from_m"] is not None]
    if not known:
        return None
    times = [moment for one in known for moment in (one["first"], one["last"])]
    places = np.array([place for one in known for place in (one["from_m"], one["to_m"])])
    ends = [[float(np.interp(moment, times, places[:, axis])) for axis in (0, 1)] for moment in (first, last)]
    return float(np.linalg.norm(np.array(ends[1]) - np.array(ends[0])))


def find_left_out(
    tour: Tour, claims: Sequence[Claim], first_frame: int, last_frame: int
) -> list[tuple[str, float, float]]:
    """Walks sideways or backwards of a way that get far and that its statements mostly leave out: kind and ends."""
    begin, end = sorted((tour.at[first_frame], tour.at[last_frame]))
    runs: list[tuple[str, float, float]] = []
    for one in tour.stretches:
        first, last = max(begin, one["first"]), min(end, one["last"])
        walk = "forward" if FORWARD & {one["walk"], *one["walk_also"]} else one["walk"]
        if first >= last:
            continue
        if runs and runs[-1][0] == walk:
            first = runs.pop()[1]
        runs.append((walk, first, last))
    found = []
    for walk, first, last in runs:
        gone_m = measure_gone_m(tour, first, last)
        told = [one for one in claims if one.kind == "walk" and walk in WALKS.get(float(one.angle_deg or 0.0), ())]
        ends = [sorted(tour.at[frame or 0] for frame in (one.first_frame, one.last_frame)) for one in told]
        covered = sum(max(0.0, min(last, stop) - max(first, start)) for start, stop in ends)
        gets_far = walk not in ("forward", "standing") and gone_m is not None and gone_m > SPOT_M
        if gets_far and covered < LEAST_TOLD * (last - first):
            found.append((walk, first, last))
    return found


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
