"""What today's writer says of the motion of real tours, against stretches labelled by looking at the frames.

    python benchmarks/motion.py office_walk=RUN home_walk=RUN ...

Each RUN was made from the named tour by `roomtour process`; texts are written anew from its walks, things and rooms.
The labels are `benchmarks/labels/motion.json` (the README there says what they mean). No code of the project judges: a
statement is compared with the stretches that it covers. Printed are statements that are true, labelled turns of 45
degrees and more that a text tells with their side and about their size, and texts that the writer's own check rejects.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from benchmarks.results_table import write_table
from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.records import Instruction
from instructions.navigation.room_writer import write_room_texts
from instructions.records import Claim
from instructions.tour import Tour

LABELS = Path(__file__).parent / "labels" / "motion.json"
FRAMES_PER_SECOND = {"office_walk": 10.0, "office_loop": 3.0}
"""Of the tours whose labels count frames."""
FORWARD = {"forward", "curve_left", "curve_right"}
WALKS = {0.0: FORWARD, 90.0: {"side_left"}, -90.0: {"side_right"}, 180.0: {"back"}}
LEAST_LABELLED, LEAST_FITTING, TURN_OFF_DEG = 0.5, 0.7, 45.0
"""Share of a statement's time that is labelled, share of that which fits, and how far off an angle may be."""
SPOT_M = 2.0
"""A turn of the view alone is true if one gets no further meanwhile, and no walk aside beyond it is left out."""
LEAST_TOLD = 0.5
"""Share of the time of a walk aside that statements of such a walk cover."""
LEAST_TURN_DEG = 45.0
"""A labelled turn by as much has to be told."""
LEAST_MET = 0.5
"""Share of a labelled turn's time that a statement about it covers, and of its angle that it tells."""


@dataclass(frozen=True)
class Labels:
    """The labelled stretches of one tour, and where the frames of its run are on their scale."""

    stretches: list[dict[str, Any]]
    at: Mapping[int, float]
    """Position on the labels' scale (frames or seconds) by frame of the run."""


@dataclass(frozen=True)
class Judged:
    """What the labels say of one tour's texts."""

    statements: str
    """True ones of those that the labels cover."""
    turns: str
    """Labelled turns that are told."""
    rejected: str
    """Texts that the writer's own check rejects."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tours", nargs="+", metavar="TOUR=RUN")
    rows = []
    for pair in parser.parse_args().tours:
        name, folder = pair.split("=", 1)
        judged = judge_tour(name, roomtour.Run(folder))
        rows.append((name, judged.statements, judged.turns, judged.rejected))
    command = "python benchmarks/motion.py " + " ".join(f"{name}=RUN" for name, *_ in rows)
    write_table("motion", ("tour", "statements that are true", "turns that are told", "texts rejected"), rows, command)


def judge_tour(name: str, run: roomtour.Run) -> Judged:
    """Write the texts of a run anew and hold them against the labels of its tour."""
    labels = read_labels(name, run)
    tour = Tour(run.scene, run.objects, run.observations, rooms=run.room_spans)
    rows = [
        *write_instructions(tour, run.trajectories, WriterOptions(nameless=True)),
        *write_room_texts(tour, run.trajectories),
    ]
    accepted = [row for row in rows if row.accepted]
    print(f"{name}: {len(accepted)} of {len(rows)} texts accepted")
    for row in rows:
        if not row.accepted:
            print(f"  rejected: {row.text}\n    {row.rejection}")
    return Judged(
        print_statements(labels, accepted), print_turns(labels, accepted), f"{len(rows) - len(accepted)} of {len(rows)}"
    )


def read_labels(name: str, run: roomtour.Run) -> Labels:
    """The labels of one tour, on the scale of its run."""
    known = json.loads(LABELS.read_text(encoding="utf-8"))
    per_second, first = (FRAMES_PER_SECOND[name], 1) if known[name]["unit"] == "frame" else (1.0, 0)
    at = {frame.index: frame.time_s * per_second + first for frame in run.scene.frames}
    return Labels([one for one in known["stretches"] if one["tour"] == name], at)


def print_statements(tour: Labels, rows: Sequence[Instruction]) -> str:
    """Statements about motion, as far as the labels cover them, and what they leave out.

    The labels hold two facts, feet and view; how many turns are true by the view alone is printed beside.
    """
    verdicts: Counter[str] = Counter()
    for row in rows:
        claims = [check.claim for check in row.claims]
        for claim in claims:
            verdict = judge_motion(tour, claim)
            if verdict is None:
                continue
            verdicts[verdict] += 1
            if verdict == "false":
                first, last = (tour.at[frame or 0] for frame in (claim.first_frame, claim.last_frame))
                print(
                    f"  false: {claim.kind} {claim.side or ''} {claim.angle_deg} at {first:g} to {last:g}: {row.text}"
                )
        for walk, first, last in find_left_out(tour, claims, row.views[0], row.views[-1]):
            verdicts["false"] += 1
            print(f"  left out: {walk} at {first:g} to {last:g}: {row.text}")
    true = verdicts["true"] + verdicts["by view"]
    print(f"  {true} of {true + verdicts['false']} statements true ({verdicts['by view']} by the view alone)")
    return f"{true} of {true + verdicts['false']}"


def print_turns(tour: Labels, rows: Sequence[Instruction]) -> str:
    """How many labelled turns a text tells with their side and at least half of their size."""
    told = [check.claim for row in rows for check in row.claims if check.claim.kind in ("turn", "look")]
    wanted = [one for one in tour.stretches if one["sure"] and abs(one["view_deg"] or 0) >= LEAST_TURN_DEG]
    missed = [one for one in wanted if not any(_tells(tour, claim, one) for claim in told)]
    for one in missed:
        print(f"  not told: turn by {one['view_deg']} at {one['first']} to {one['last']}: {one['note']}")
    return f"{len(wanted) - len(missed)} of {len(wanted)}"


def _tells(tour: Labels, claim: Claim, turn: Mapping[str, Any]) -> bool:
    first, last = (tour.at[frame or 0] for frame in (claim.first_frame, claim.last_frame))
    met = min(last, turn["last"]) - max(first, turn["first"])
    side = "left" if turn["view_deg"] > 0 else "right"
    is_met = met >= LEAST_MET * min(last - first, turn["last"] - turn["first"])
    is_large = abs(claim.angle_deg or 180.0) >= LEAST_MET * abs(turn["view_deg"])
    return is_met and is_large and claim.side in (side, None)


def judge_motion(tour: Labels, claim: Claim) -> str | None:
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
    if claim.kind == "turn" and any(
        _is_straight(one) and one["first"] > first and one["last"] < last for one in tour.stretches
    ):
        return "false"  # two turns, and a walk between them that nobody is told of
    unlabelled = (last - first) / labelled  # between stretches the turning goes on
    if _is_turned(claim, [_share_deg(one, claim.kind, length) * unlabelled for one, length in parts]):
        return "true"
    seen = _is_turned(claim, [_share_deg(one, "look", length) * unlabelled for one, length in parts])
    gone_m = measure_gone_m(tour, first, last)
    return "by view" if seen and claim.kind == "turn" and gone_m is not None and gone_m <= SPOT_M else "false"


def _is_straight(stretch: Mapping[str, Any]) -> bool:
    return stretch["walk"] == "forward" and stretch["view"] == "ahead" and stretch["sure"]


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


def measure_gone_m(tour: Labels, first: float, last: float) -> float | None:
    """How far apart the places at two moments are; None where the labels give no places."""
    known = [one for one in tour.stretches if one["from_m"] is not None]
    if not known:
        return None
    times = [moment for one in known for moment in (one["first"], one["last"])]
    places = np.array([place for one in known for place in (one["from_m"], one["to_m"])])
    ends = [[float(np.interp(moment, times, places[:, axis])) for axis in (0, 1)] for moment in (first, last)]
    return float(np.linalg.norm(np.array(ends[1]) - np.array(ends[0])))


def find_left_out(
    tour: Labels, claims: Sequence[Claim], first_frame: int, last_frame: int
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


if __name__ == "__main__":
    main()
