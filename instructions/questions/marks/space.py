"""Where marks of one picture lie in space: how far apart, how high, which is higher, which are closest together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import hypot, radians, tan
from typing import Literal

import numpy as np

from instructions.facts.between import distance, vertical_difference
from instructions.facts.bodies import UP
from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.core.view_sets import Refused
from instructions.questions.marks import programs
from instructions.questions.marks.families import Found, MarkType, Start, ask_whether, tell_margin
from instructions.questions.marks.spots import Slope, Spot, SpotTour, find_sigma
from recon.geometry import Array

FAMILY = "mark_space"
LEAST_SHARE = 0.30
"""Relative difference of two distances that is asked about; less is not seen where they run in different directions."""
LEAST_APART_M = 0.20
"""(Nominal) metres between two marks whose distance is asked for or compared."""
LEAST_HIGHER_M = 0.15
"""(Nominal) metres between the heights of two marks, or of a mark and the camera, that are compared."""
LEAST_HEIGHT_M = 0.25
"""Metres above the floor of a mark whose height is asked for: lower ones are called on the floor."""
VERTICAL_SIGMA_DEG = 1.0
"""By how far the vertical of a model may be off: lines and planes that it is found from agree within a degree."""
HEIGHTS_OF_EYE_M = (0.8, 2.2)
"""(Nominal) metres: a camera lower or higher above the floor found stands on another one, on stairs or a step."""


@dataclass(frozen=True, eq=False)
class Line:
    """The straight line between two marks."""

    spots: tuple[Spot, Spot]
    length: float
    """In the unit of the model."""
    direction: Array  # (3,) unit, from the first to the second

    @classmethod
    def between(cls, one: Spot, other: Spot) -> Line:
        """The line from a mark to another."""
        step = other.xyz - one.xyz
        length = float(np.linalg.norm(step))
        return cls((one, other), length, step / max(length, 1e-12))

    def slopes(self, weight: float = 1.0) -> tuple[Slope, Slope]:
        """How a multiple of its length changes with its ends."""
        one, other = self.spots
        return Slope(one, -weight * self.direction), Slope(other, weight * self.direction)


def _measure_line(line: Line, tour: SpotTour) -> Measured:
    return Measured("mark_pair_distance", line.length, tour.unit, find_sigma(tour, line.slopes()))


def _compare_lines(long: Line, short: Line, tour: SpotTour) -> tuple[Measured, ...] | None:
    """The evidence that the first line is longer; None where that is not sure."""
    sigma = find_sigma(tour, [*long.slopes(), *short.slopes(-1.0)])
    margin = max(SIGMAS * sigma, LEAST_SHARE * short.length, LEAST_APART_M / 2 * tour.metre)
    difference = long.length - short.length
    if difference < margin or short.length < LEAST_APART_M * tour.metre:
        return None
    named = ("longer line", long), ("shorter line", short)
    measured = [replace(_measure_line(line, tour), name=name) for name, line in named]
    return (*measured, *tell_margin(difference, margin, tour.unit))


def _find_distance(start: Start) -> Found:
    for pair in start.pick_groups(2):
        line = _measure_line(Line.between(*pair), start.tour)
        found = start.ask_length(line.name, line.value, line.sigma, marks=pair)
        if found and line.value >= LEAST_APART_M:
            return found
    raise start.lack(2, "uncertain")


def _find_closer(start: Start) -> Found:
    """Which of marks 2 and 3 is closer to mark 1."""
    for center, near, far in start.pick_groups(3):
        if evidence := _compare_lines(Line.between(center, far), Line.between(center, near), start.tour):
            return start.ask_which(near, (near, far), evidence, before=(center,))
    raise start.lack(3)


def _find_pair(start: Start, *, farthest: bool) -> Found:
    """Which two of three marks are farthest apart, or closest together."""
    for marks in start.pick_groups(3):
        lines = sorted((Line.between(*pair) for pair in combinations(marks, 2)), key=lambda line: line.length)
        if evidence := _compare_lines(*(lines[2], lines[1]) if farthest else (lines[1], lines[0]), start.tour):
            return start.ask_two_of_three(marks, lines[2 if farthest else 0].spots, evidence)
    raise start.lack(3)


def _measure_higher(one: Spot, other: Spot, tour: SpotTour) -> Measured:
    """How much higher a mark is than another, without the error of the scale."""
    step = one.xyz - other.xyz
    known = tour.model.pose_sigma.get(one.frame) if tour.model.has_clouds else None
    vertical_deg = max(VERTICAL_SIGMA_DEG, known.rotation_deg) if known else VERTICAL_SIGMA_DEG
    tilted = tan(radians(vertical_deg)) * hypot(float(step[0]), float(step[1]))
    sigma = find_sigma(tour, (Slope(one, UP), Slope(other, -UP)))
    return Measured("height difference", float(step[2]), tour.unit, hypot(sigma, tilted))


def _decide_higher(measured: Measured, tour: SpotTour) -> tuple[Measured, ...] | None:
    """The evidence that a height is greater than another; None where that is not sure."""
    margin = max(SIGMAS * measured.sigma, LEAST_HIGHER_M * tour.metre)
    decided = tell_margin(abs(measured.value), margin, tour.unit)
    return (measured, *decided) if abs(measured.value) >= margin else None


def _find_higher(start: Start, *, word: Literal["higher", "lower"], choice: bool) -> Found:
    for pair in start.pick_groups(2):
        measured = _measure_higher(pair[0], pair[1], start.tour)
        if evidence := _decide_higher(measured, start.tour):
            wanted = pair[0] if (measured.value > 0) == (word == "higher") else pair[1]
            return start.ask_which(wanted, pair, evidence, choice=choice)
    raise start.lack(2)


def _find_height_difference(start: Start) -> Found:
    for pair in start.pick_groups(2):
        rise = _measure_higher(pair[0], pair[1], start.tour)
        about = "mark_height_difference", abs(rise.value), rise.sigma
        evidence = _decide_higher(rise, start.tour)
        if evidence and (found := start.ask_length(*about, marks=pair, evidence=evidence)):
            return found
    raise start.lack(2, "uncertain")


def _find_height(start: Start) -> Found:
    tour = start.tour
    floor_z, eye = tour.model.floor_z, start.view.viewer.eye
    low, high = (length * tour.metre for length in HEIGHTS_OF_EYE_M)
    if floor_z is None or not low <= eye[2] - floor_z <= high:
        raise Refused("no_floor")
    for spot in start.shuffle(start.view.spots):
        height = float(spot.xyz[2]) - floor_z
        tilted = tan(radians(VERTICAL_SIGMA_DEG)) * hypot(*(float(d) for d in (spot.xyz - eye)[:2]))
        sigma = hypot(find_sigma(tour, (Slope(spot, UP),)), tilted, tour.floor_sigma)
        found = start.ask_length("mark_height", height, sigma, marks=(spot,))
        if found and height >= LEAST_HEIGHT_M:
            return found
    raise start.lack(1, "uncertain")


def _find_above_eye(start: Start) -> Found:
    """Whether a mark is higher than the camera; which answer is looked for is drawn."""
    tour, wanted = start.tour, start.draw.uniform() < 0.5
    other: Found | None = None
    for spot in start.shuffle(start.view.spots):
        step = spot.xyz - start.view.viewer.eye
        tilted = tan(radians(VERTICAL_SIGMA_DEG)) * hypot(float(step[0]), float(step[1]))
        sigma = hypot(find_sigma(tour, (Slope(spot, UP),)), tilted)
        if evidence := _decide_higher(Measured("above the camera", float(step[2]), tour.unit, sigma), tour):
            other = ask_whether(step[2] > 0, (start.view.frame,), (spot,), evidence)
            if (step[2] > 0) == wanted:
                return other
    if other is None:
        raise start.lack(1)
    return other


_BOTH = "mark 1 or mark 2"
_OTHERS = "mark 2 or mark 3"
TYPES = (
    MarkType("mark_pair_distance", FAMILY, "number", "none", 2, False, "3d",
        reference=lambda things, scene, given: distance(things[0].body, things[1].body),
        definition="Length of the straight line between the points of two marks.", find=_find_distance, metric=True,
        questions=(
            "How far apart are mark 1 and mark 2?",
            "What is the distance between the two marked points?",
            "How far is mark 1 from mark 2 in a straight line?",
            "A string is stretched from mark 1 to mark 2. How long is it?",
            "Estimate the straight-line distance between mark 1 and mark 2.",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "They are about {q} apart.", "Roughly {q} in a straight line.")}),
    MarkType("mark_closer_choice", FAMILY, "label", "none", 3, False, "3d",
        reference=lambda things, scene, given: min(
            things[1:], key=lambda mark: distance(things[0].body, mark.body)).id,
        definition="Which of marks 2 and 3 lies closer to mark 1, in a straight line through the room.",
        find=_find_closer, has_twin=True,
        questions=(
            f"Which is closer to mark 1 in the room, {_OTHERS}?",
            f"In real space, does {_OTHERS} lie nearer to mark 1?",
            f"A string is to be stretched from mark 1 to {_OTHERS}. To which of the two is it shorter?",
            f"Measured in the room and not in the picture, which is nearer to mark 1: {_OTHERS}?",
            f"Think of the three marked points in 3D. Which is less far from mark 1, {_OTHERS}?",
        ),
        answers={"answer": ("{Truth}.", "{Truth} is closer.", "It is {truth}.", "The closer one is {truth}.")}),
    MarkType("mark_farthest_pair", FAMILY, "label", "none", 3, False, "3d", reference=programs.name_pair(max),
        definition="Which two of three marks are farthest from each other in space.",
        find=partial(_find_pair, farthest=True),
        questions=(
            "Which two marks are farthest apart in the room? {choices}",
            "In real space, which pair of marks has the greatest distance between them? {choices}",
            "Between which two of the marked points is the straight line longest? {choices}",
            "Of the three marks, which two lie farthest from each other in 3D? {choices}",
        ),
        answers={"answer": ("{Truth}.", "{Truth} are farthest apart.", "They are {truth}.")}),
    MarkType("mark_closest_pair", FAMILY, "label", "none", 3, False, "3d", reference=programs.name_pair(min),
        definition="Which two of three marks are closest to each other in space.",
        find=partial(_find_pair, farthest=False),
        questions=(
            "Which two marks are closest together in the room? {choices}",
            "In real space, which pair of marks has the smallest distance between them? {choices}",
            "Between which two of the marked points is the straight line shortest? {choices}",
            "Of the three marks, which two lie nearest to each other in 3D? {choices}",
        ),
        answers={"answer": ("{Truth}.", "{Truth} are closest together.", "They are {truth}.")}),
    MarkType("mark_higher_choice", FAMILY, "label", "vertical", 2, True, "3d_vertical",
        reference=programs.pick(programs.measure_z, max), definition="Which of two marks is higher up in the room.",
        find=partial(_find_higher, word="higher", choice=True), has_twin=True,
        questions=(
            f"Which is higher above the floor, {_BOTH}?",
            f"Which of the two marked points is higher up in the room, {_BOTH}?",
            f"In the room, is it {_BOTH} that is higher up?",
            f"Which point would you reach up higher for, {_BOTH}?",
            f"Going up from the level of the floor, which comes last, {_BOTH}?",
        ),
        answers={"answer": ("{Truth}.", "{Truth} is higher.", "It is {truth}.", "The higher one is {truth}.")}),
    MarkType("mark_lower_predicate", FAMILY, "yes_no", "vertical", 2, True, "3d_vertical",
        reference=programs.is_first(programs.pick(programs.measure_z)),
        definition="Whether mark 1 is lower down in the room than mark 2.",
        find=partial(_find_higher, word="lower", choice=False), has_twin=True,
        questions=(
            "Is mark 1 lower in the room than mark 2?",
            "Is the point at mark 1 closer to the level of the floor than the one at mark 2?",
            "Does mark 1 have less height above the floor than mark 2?",
            "Compare their heights above the floor: is mark 1 the lower one?",
            "Is it mark 1 that is farther down, mark 2 being higher above the floor?",
        ),
        answers={
            "yes": ("Yes.", "Yes, mark 1 is lower.", "Yes, it is the lower one."),
            "no": ("No.", "No, mark 1 is higher.", "No, mark 2 is the lower one."),
        }),
    MarkType("mark_height_difference", FAMILY, "number", "vertical", 2, True, "3d_vertical",
        reference=lambda things, scene, given: abs(vertical_difference(things[0].body, things[1].body)),
        definition="Difference of the heights of two marks above the floor.", find=_find_height_difference, metric=True,
        questions=(
            "What is the difference in height between mark 1 and mark 2?",
            "By how much do mark 1 and mark 2 differ in height above the floor?",
            "One of the two marks is higher up than the other. By how much?",
            "How much higher is the upper one of the two marked points than the lower one?",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "They differ by about {q}.", "Roughly {q} in height.")}),
    MarkType("mark_height", FAMILY, "number", "vertical", 1, True, "3d_vertical",
        reference=lambda things, scene, given: programs.measure_z(things[0], scene) - scene.floor_z,
        definition="Height of the marked point above the floor.", find=_find_height, metric=True,
        questions=(
            "How high above the floor is mark 1?",
            "What is the height of the marked point above the floor?",
            "At what height in the room is mark 1?",
            "How far up from the floor is the point at mark 1?",
            "Estimate the height of mark 1 above the floor.",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "It is about {q} above the floor.", "At a height of around {q}.")}),
    MarkType("mark_above_eye", FAMILY, "yes_no", "vertical", 1, True, "3d_vertical",
        reference=lambda things, scene, given: (
            "yes" if things[0].body.center[2] > scene.cameras[0].position[2] else "no"),
        definition="Whether the marked point is higher up than the camera was.", find=_find_above_eye,
        questions=(
            "Is mark 1 higher up than the camera?",
            "Is the marked point above the height at which the camera was held?",
            "Would a level line from the lens pass below mark 1?",
            "Is mark 1 above the eye level of this picture?",
            "Does the point at mark 1 lie above the height of the lens?",
        ),
        answers={
            "yes": ("Yes.", "Yes, it is higher than the camera.", "Yes, it lies above that height."),
            "no": ("No.", "No, it is lower than the camera.", "No, it lies below that height."),
        }),
)  # fmt: skip
