"""What one would see who stood somewhere else.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

import numpy as np

from instructions.facts.facing import measure_facing_bearing_deg
from instructions.facts.measured import Measured
from instructions.facts.verdict import SIGMAS
from instructions.facts.viewer import measure_free_share
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Judged
from instructions.questions.core.types import VIDEO, QuestionType, about_views
from instructions.questions.core.world import Given, Ids, ProgramScene, ProgramThing, Things
from instructions.questions.sets.families.facing import estimate_bearing_sigma, find_crowd
from recon.geometry import Array

FAMILY = "sight"
HALF_VIEW_DEG = 45.0
LEAST_FREE = 0.3
"""Share of the faces turned to the eye."""


def stand_over(thing: ProgramThing, scene: ProgramScene) -> Array:
    """An eye right over the middle of a thing, as high as the camera is carried.

    Raises:
        ValueError: If no walk is known.
    """
    if not len(scene.path):
        raise ValueError("no walk is known")
    x, y, _ = thing.obb.center
    return np.array([x, y, float(np.median([place[2] for place in scene.path]))])


def is_seen_from(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether C is in view from over A, looking towards B: 90 degrees across, not hidden by the boxes of things."""
    stand, look, target = things
    eye = stand_over(stand, scene)
    if abs(measure_facing_bearing_deg(eye, look.body.center, target.body.center)) > HALF_VIEW_DEG:
        return False
    others = [one.obb for one in scene.things.values() if one.id != target.id]
    return measure_free_share(eye, target.obb, others) >= LEAST_FREE


SURELY_FREE = 0.6
"""Share of the faces that nothing hides, for a thing to be surely in view: boxes hide more than what is in them."""
OVER_M = 0.2
"""(Nominal) metres that one's eye must be above what one stands at."""


def judge_seen_from(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged | str:
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


TYPES = (
    about_views(FAMILY, "seen_from", VIDEO, "yes_no", (3, 3), "", "none",
        "Whether C is in view from right over A, as high as the camera is carried, looking towards B, 90 degrees "
        "across, with at least 0.3 of its faces not hidden by other boxes.",
        reference=is_seen_from, judge=judge_seen_from),
)  # fmt: skip
"""Of the family."""
