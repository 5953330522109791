"""The walk as a whole, and the rooms.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from itertools import pairwise
from math import hypot

import numpy as np

from instructions.facts.verdict import Measured
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import VIDEO, VSI, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, Refused, require
from instructions.questions.core.world import Given, Ids, ProgramScene, Things
from recon.geometry import path_length

FAMILY = "walks"
LEAST_PATH_M = 2.0
PATH_SHARE = 0.02
"""Error of a path beyond the scale's: a hand sways, and every sway is walked."""


def measure_floor(things: Things, scene: ProgramScene, given: Given) -> float:
    """Area of all rooms together.

    Raises:
        ValueError: If no room is known.
    """
    if scene.floor_area is None:
        raise ValueError("no room is known")
    return scene.floor_area


def judge_path(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How far the camera went."""
    require(asker.has_scale, "no_scale")
    value = float(asker.answer(kind, things, given))  # type: ignore[arg-type]  # a number
    require(value >= LEAST_PATH_M, "out_of_range")
    relative = hypot(asker.views.model.scale.sigma, 0.0 if asker.exact else PATH_SHARE)
    return asker.judge_amount(kind, value, relative, "m")


def judge_floor(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How large all rooms are together."""
    if (area := asker.around.floor_area) is None:
        raise Refused("no_rooms")
    return asker.judge_amount(kind, area, 2 * asker.views.model.scale.sigma, "m2")


def judge_transitions(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """How often the room changes."""
    require(bool(asker.around.rooms), "no_rooms")
    require(bool(asker.answer(kind, things, given)), "none_or_too_many")
    return Judged(measured=Measured(kind.name, float(len(asker.around.rooms) - 1), "", 0.0))


TYPES = (
    about_views(FAMILY, "vsi_room_size", VSI, "number", (0, 0), "m2", "none",
        "Area of the floor, of all rooms together if there are several.", words="room_size",
        spellings=("room_size_estimation", "room_size"), options="never",
        reference=measure_floor, judge=judge_floor),
    about_views(FAMILY, "path_length", VIDEO, "number", (0, 0), "m", "none", "Way of the camera over the floor.",
        reference=lambda things, scene, given: path_length(
            np.array(scene.path, dtype=np.float64).reshape(-1, 3) * (1.0, 1.0, 0.0)),
        judge=judge_path),
    about_views(FAMILY, "room_transitions", VIDEO, "number", (0, 0), "", "none",
        "How often the camera goes from one room into another.",
        reference=lambda things, scene, given: float(sum(a != b for a, b in pairwise(scene.rooms))),
        judge=judge_transitions),
)  # fmt: skip
