"""What one would see who stood somewhere else: whether it may be asked."""

from __future__ import annotations

from instructions.facts.facing import measure_facing_bearing_deg
from instructions.facts.measured import Measured
from instructions.facts.sight import measure_free_share
from instructions.facts.verdict import SIGMAS
from instructions.programs.judge.asker import SetAsker
from instructions.programs.judge.facing import estimate_bearing_sigma, find_crowd
from instructions.programs.judge.truths import Judged
from instructions.programs.reference.sight import HALF_VIEW_DEG, stand_over
from instructions.programs.types import ProgramType
from instructions.programs.world import Given

Things = tuple[str, ...]
SURELY_FREE = 0.6
"""Share of the faces that nothing hides, for a thing to be surely in view: boxes hide more than what is in them."""
OVER_M = 0.2
"""(Nominal) metres that one's eye must be above what one stands at."""


def judge_seen_from(asker: SetAsker, kind: ProgramType, things: Things, given: Given) -> Judged | str:
    """Over A, facing B: C is surely out of the field of view, or surely in it and free; walls need known rooms."""
    a, b, c = (asker.scene.things[name] for name in things)
    reason = find_crowd(asker, (a.id, b.id), (a.id, c.id))
    if reason is not None:
        return reason
    eye = stand_over(a, asker.scene)
    if float(a.body.points[:, 2].max()) > eye[2] - OVER_M * asker.metre:
        return "stands_too_near"
    margin = max(asker.own.off_border_deg, SIGMAS * estimate_bearing_sigma(asker, a.id, b.id, c.id))
    bearings = [abs(measure_facing_bearing_deg(eye, b.body.center, corner)) for corner in c.body.points]
    evidence = (
        Measured("bearing", measure_facing_bearing_deg(eye, b.body.center, c.body.center), "deg", 0.0),
        Measured("margin", margin, "deg", 0.0),
    )
    if min(bearings) > HALF_VIEW_DEG + margin:
        return Judged(False, evidence=evidence)
    if max(bearings) > HALF_VIEW_DEG - margin:
        return "near_border"
    if a.room is None or a.room != c.room:
        return "no_rooms"
    others = [one.obb for one in asker.scene.things.values() if one.id != c.id]
    free = measure_free_share(eye, c.obb, others, grow=SIGMAS * asker.sigma(a.id, c.id))
    if free < SURELY_FREE:
        return "half_seen"
    return Judged(True, evidence=(*evidence, Measured("free of other things", free, "ratio", 0.0)))
