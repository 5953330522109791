"""Sizes, volumes, and what is above what.

First the reference programs, then whether each question may be asked.
"""

from __future__ import annotations

from math import hypot

import numpy as np

from instructions.asking.names import PLANTS
from instructions.facts import sizes
from instructions.facts.between import stands_on_gap
from instructions.facts.pairs import volume_sigma
from instructions.facts.verdict import Measured, Verdict
from instructions.questions.core.asker import Asker, judge_by
from instructions.questions.core.types import ALL, STILL, VIDEO, VSI, QuestionType, about_views
from instructions.questions.core.view_sets import Judged, refuse, require
from instructions.questions.core.world import Given, Ids, ProgramScene, ProgramThing, pick_by

FAMILY = "sizes"


_LEAST_VOLUME_M3 = 0.1
"""Volumes are told with two decimals: of a smaller one that is off by more than 5 %, and two options may read alike."""


def judge_size(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """One side of one thing."""
    refuse(None if kind.unit == "cm" else _blur_sides(asker, things[0], given.side))
    body = asker.known(things[0]).body
    value = sizes.longest_side(body) if kind.unit == "cm" else sizes.measure_named_side(body, given.side)
    return asker.judge_length(kind, things, value, 2**0.5 * asker.sigma(*things))


def judge_size_comparison(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """The same side of two things."""
    for name in things:
        refuse(_blur_sides(asker, name, given.side))
    one, other = (sizes.measure_named_side(asker.known(name).body, given.side) for name in things)
    pair = asker.pair(*things)
    found = pair.compare_extents(one, other)
    if given.side == "width" and found.state is not None:
        views, seen = asker.views.views, asker.views.seen
        both = [view.viewer for at, view in enumerate(views) if all(at in seen[name] for name in things)]
        # Who looks at both may see other sides of them.
        require((not found.state) not in [pair.is_wider(viewer).state for viewer in both], "image_disagrees")
    return asker.judge_relation("difference", found)


def judge_volume(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """The volume of one thing."""
    require(asker.has_scale, "no_scale")
    _require_thick(asker, things)
    known, scale = asker.known(things[0]), asker.views.model.scale.sigma
    value = sizes.volume(known.body)
    require(value >= _LEAST_VOLUME_M3 * asker.metre**3, "out_of_range")
    evidence = (Measured("error of the scale", 1.0, "ratio", scale),)
    return asker.judge_amount(kind, value, hypot(3 * scale, volume_sigma(known)), "m3", evidence)


def judge_volume_comparison(asker: Asker, kind: QuestionType, things: Ids, given: Given) -> Judged:
    """The volumes of several things."""
    _require_thick(asker, things)
    sign = 1.0 if given.word == "smallest" else -1.0
    first, second, *_ = sorted(things, key=lambda name: sign * sizes.volume(asker.known(name).body))
    return asker.judge_relation("ratio", asker.pair(first, second).is_bigger)


def _compare_tallest(asker: Asker, things: Ids, given: Given) -> Verdict:
    first, second, *_ = sorted(things, key=lambda name: -sizes.height(asker.known(name).body))
    return asker.pair(first, second).is_taller


def _measure_side(one: ProgramThing, scene: ProgramScene, given: Given) -> float:
    return sizes.measure_named_side(one.body, given.side)


def _blur_sides(asker: Asker, name: str, side: str) -> str | None:
    body = asker.known(name).body
    if side != "height" and np.degrees(np.arccos(min(np.abs(body.axes[2]).max(), 1.0))) > asker.own.most_tilt_deg:
        return "tilted"
    length, width = sizes.length(body), sizes.level_width(body)
    if side in ("length", "width") and asker.known(name).head in PLANTS:
        return "no_length"
    if side in ("length", "width") and length - width < asker.own.least_side_gap * length:
        return "sides_alike"
    return None


def _require_thick(asker: Asker, things: Ids) -> None:
    least = min(2 * asker.known(name).body.half.min() for name in things)
    require(least >= asker.own.flat_m * asker.metre, "flat")


_ABOVE = judge_by("bottom of A above top of B", lambda asker, things, given: asker.pair(*things).is_wholly_above)
_DIMS = tuple(Given(side=side) for side in ("height", "length", "width", "longest"))
_LARGER = (Given(word="largest"), Given(word="smallest"))
TYPES = (
    about_views(FAMILY, "size_estimation", ALL, "number", (1, 1), "m", "height",
        "Height is the extent along z; length and width are the longer and shorter level side of the box; longest is "
        "the longest of the three.", _DIMS, sized=True, spellings=("object_size_estimation", "size_est", "size"),
        reference=lambda things, scene, given: _measure_side(things[0], scene, given), judge=judge_size),
    about_views(FAMILY, "size_comparison", STILL, "thing", (2, 2), "", "height",
        "Which has the greater (or smaller) height, length, width or longest side.",
        tuple(Given(side=one.side, word=word) for one in _DIMS for word in ("greater", "smaller")), sized=True,
        has_twin=True, spellings=("object_size_comparison", "size_compare"),
        reference=pick_by(_measure_side), judge=judge_size_comparison),
    about_views(FAMILY, "volume_estimation", ALL, "number", (1, 1), "m3", "volume",
        "Product of the full sides of the box.", sized=True, spellings=("object_volume_estimation", "volume"),
        reference=lambda things, scene, given: sizes.volume(things[0].body), judge=judge_volume),
    about_views(FAMILY, "volume_comparison", ALL, "thing", (2, 4), "", "volume",
        "Which of them has the largest (or smallest) product of the full sides.", _LARGER, sized=True,
        spellings=("object_volume_comparison", "volume_compare"),
        reference=pick_by(lambda one, scene, given: sizes.volume(one.body)), judge=judge_volume_comparison),
    about_views(FAMILY, "above", ALL, "yes_no", (2, 2), "", "vertical",
        "A is completely above B: its lowest point is no lower than the highest point of B.", has_twin=True,
        spellings=("above_position", "object_above"),
        reference=lambda things, scene, given: stands_on_gap(things[0].body, things[1].body) >= 0.0, judge=_ABOVE),
    about_views(FAMILY, "below", ALL, "yes_no", (2, 2), "", "vertical",
        "A is completely below B: its highest point is no higher than the lowest point of B.", has_twin=True,
        spellings=("below_position", "object_below"),
        reference=lambda things, scene, given: stands_on_gap(things[1].body, things[0].body) >= 0.0, judge=_ABOVE),
    about_views(FAMILY, "high_and_low", ALL, "thing", (2, 2), "", "vertical", "Whose center is higher (or lower).",
        (Given(word="higher"), Given(word="lower")), has_twin=True,
        spellings=("high_and_low_position", "high_low", "high_low_position"),
        reference=pick_by(lambda one, scene, given: float(one.body.center[2])),
        judge=judge_by("difference", lambda asker, things, given: asker.pair(*things).is_above)),
    about_views(FAMILY, "height_determination", (*VIDEO, "scan"), "thing", (2, 4), "", "height",
        "Which has the largest extent along z: which is tallest, not which hangs highest.", (Given(word="tallest"),),
        sized=True, spellings=("object_height_determination", "height"),
        reference=pick_by(lambda one, scene, given: sizes.height(one.body)),
        judge=judge_by("difference", _compare_tallest)),
    about_views(FAMILY, "vsi_object_size", VSI, "number", (1, 1), "cm", "height",
        "The longest side of the box in centimeters.",
        (Given(side="longest"),), sized=True, words="size_estimation", options="never",
        reference=lambda things, scene, given: 100.0 * sizes.longest_side(things[0].body), judge=judge_size),
)  # fmt: skip
