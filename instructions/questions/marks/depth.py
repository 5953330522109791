"""How far marks of one picture are from the camera: nearer, farther, in order, in meters, as a ratio."""

from __future__ import annotations

from functools import partial
from itertools import combinations, pairwise
from math import hypot
from typing import Literal

from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.marks import programs
from instructions.questions.marks.families import Found, MarkType, Start, ask_number, tell_margin
from instructions.questions.marks.spots import Spot, SpotTour, SpotView

FAMILY = "mark_depth"
LEAST_SHARE = 0.15
"""Relative difference of two distances that is asked about; of pairs further apart a depth sensor contradicts 1.5 %."""
LEAST_RATIO = 1.3
"""A ratio nearer to one is none that people name."""
_TRIES = 40


def is_nearer(near: Spot, far: Spot) -> bool:
    """Whether a mark is clearly nearer to the camera, by its distance and along the optical axis alike."""
    return far.range - near.range >= _margin(near, far) and far.depth - near.depth >= LEAST_SHARE * near.depth / 2


def _margin(near: Spot, far: Spot) -> float:
    return max(SIGMAS * hypot(near.sigma, far.sigma), LEAST_SHARE * near.range)


def _clear_pairs(view: SpotView) -> list[tuple[Spot, Spot]]:
    """Pairs of which the first is clearly nearer."""
    pairs = [(a, b) if a.range < b.range else (b, a) for a, b in combinations(view.spots, 2)]
    return [pair for pair in pairs if is_nearer(*pair)]


def _evidence(near: Spot, far: Spot, tour: SpotTour) -> tuple[Measured, ...]:
    unit = tour.unit
    return (
        Measured("range of the nearer", near.range, unit, near.sigma),
        Measured("range of the farther", far.range, unit, far.sigma),
        *tell_margin(far.range - near.range, _margin(near, far), unit),
    )


def _find_pair(start: Start, *, word: Literal["nearer", "farther"], choice: bool) -> Found:
    pairs = _clear_pairs(start.view)
    if not pairs:
        raise start.lack(2)
    near, far = start.draw.pick(pairs)
    return start.ask_which(
        near if word == "nearer" else far, (near, far), _evidence(near, far, start.tour), choice=choice
    )  # fmt: skip


def _find_order(start: Start) -> Found:
    """Three marks from the nearest to the farthest, each clearly nearer than the next."""
    clear = {(a.point, b.point) for a, b in _clear_pairs(start.view)}
    for one in start.shuffle(combinations(sorted(start.view.spots, key=lambda spot: spot.range), 3))[:_TRIES]:
        if all((a.point, b.point) in clear for a, b in pairwise(one)):
            break
    else:
        raise start.lack(3)
    marks = tuple(start.shuffle(one))
    closest = min(pairwise(one), key=lambda pair: pair[1].range - pair[0].range - _margin(*pair))
    return start.ask_order([marks.index(spot) + 1 for spot in one], _evidence(*closest, start.tour), marks=marks)


def _find_distance(start: Start) -> Found:
    for spot in start.shuffle(start.view.spots):
        if found := start.ask_length("mark_distance", spot.range, spot.sigma, marks=(spot,)):
            return found
    raise start.lack(1, "uncertain")


def _find_ratio(start: Start) -> Found:
    """How many times as far mark 1 is as mark 2; it is the farther one, so there is no twin."""
    for near, far in start.shuffle(_clear_pairs(start.view)):
        ratio, relative = far.range / near.range, hypot(near.sigma / near.range, far.sigma / far.range)
        measured = Measured("mark_distance_ratio", ratio, "ratio", ratio * relative)
        found = ask_number(measured, (start.view.frame,), (far, near), _evidence(near, far, start.tour))
        if found and ratio >= LEAST_RATIO:
            return found
    raise start.lack(2)


_BOTH = "mark 1 or mark 2"
TYPES = (
    MarkType("mark_nearer_choice", FAMILY, "label", "ahead", 2, False, "3d",
        reference=programs.pick(programs.measure_range),
        definition="Which of two marks is nearer to the camera, by the distance of its point from the eye.",
        find=partial(_find_pair, word="nearer", choice=True), has_twin=True,
        questions=(
            f"Which is nearer to the camera, {_BOTH}?",
            f"Which of the two marked points is closer to the viewer, {_BOTH}?",
            f"Is it {_BOTH} that lies closer to the camera?",
            f"Look at the two numbered points. Which one is nearer, {_BOTH}?",
            f"From where the picture was taken, which point is less far away: {_BOTH}?",
            f"If you reached out from the camera, which would you get to first, {_BOTH}?",
        ),
        answers={"answer": ("{Truth}.", "{Truth} is nearer.", "It is {truth}.", "The nearer one is {truth}.")}),
    MarkType("mark_farther_predicate", FAMILY, "yes_no", "ahead", 2, False, "3d",
        reference=programs.is_first(programs.pick(programs.measure_range, max)),
        definition="Whether mark 1 is farther from the camera than mark 2, by the distance of its point from the eye.",
        find=partial(_find_pair, word="farther", choice=False), has_twin=True,
        questions=(
            "Is mark 1 farther from the camera than mark 2?",
            "Does mark 1 lie farther away than mark 2?",
            "Is the point at mark 1 more distant than the one at mark 2?",
            "Would you say that mark 1 is farther away from the viewer than mark 2?",
            "Compare the two marks: is mark 1 the more distant one?",
        ),
        answers={
            "yes": ("Yes.", "Yes, mark 1 is farther away.", "Yes, it is the more distant one."),
            "no": ("No.", "No, mark 1 is nearer.", "No, mark 2 is the more distant one."),
        }),
    MarkType("mark_depth_order", FAMILY, "label", "ahead", 3, False, "3d",
        reference=programs.order_by(programs.measure_range),
        definition="The three marks from the nearest to the camera to the farthest.", find=_find_order,
        questions=(
            "Put the three marks in order, the nearest to the camera first. {choices}",
            "Which order of the marks goes from near to far? {choices}",
            "Sort marks 1, 2 and 3 by their distance from the camera, nearest first. {choices}",
            "Going away from the camera, in which order do you meet the marks? {choices}",
        ),
        answers={"answer": ("{Truth}.", "The order is {truth}.", "From near to far: {truth}.")}),
    MarkType("mark_distance", FAMILY, "number", "ahead", 1, False, "3d",
        reference=lambda things, scene, given: programs.measure_range(things[0], scene),
        definition="Distance of the marked point from the eye of the camera.", find=_find_distance, metric=True,
        questions=(
            "How far is mark 1 from the camera?",
            "What is the distance from the camera to the point at mark 1?",
            "How far away is the marked point?",
            "Estimate how far mark 1 is from where the picture was taken.",
            "How long is the straight line from the camera to mark 1?",
        ),
        answers={"answer": ("{q}.", "About {q}.", "It is about {q} away.", "Mark 1 is around {q} from the camera.")}),
    MarkType("mark_distance_ratio", FAMILY, "number", "ahead", 2, False, "3d",
        reference=lambda things, scene, given: programs.measure_range(things[0], scene)
        / programs.measure_range(things[1], scene),
        definition="Distance of mark 1 from the eye, divided by that of mark 2; mark 1 is the farther one.",
        find=_find_ratio,
        questions=(
            "How many times as far from the camera as mark 2 is mark 1?",
            "Mark 1 is farther away than mark 2. How many times as far?",
            "By what factor is mark 1 farther from the camera than mark 2?",
            "What is the distance to mark 1 divided by the distance to mark 2?",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "Roughly {q}.")}),
)  # fmt: skip
