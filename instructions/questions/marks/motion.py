"""How the camera moved from one picture to another: where to, how far, and which way it turned.

Directions are those of the first picture, held level. The pictures overlap, so that their motion can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import hypot
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from instructions.facts.verdict import SIGMAS, Measured, Unit
from instructions.questions.core.view_sets import Refused, require
from instructions.questions.marks import programs
from instructions.questions.marks.families import Found, MarkType, Start, tell_margin
from instructions.questions.marks.pairs import LEAST_MOVED_M, LEAST_SHARED, LEAST_TURNED_DEG, Motions
from instructions.questions.marks.spots import SpotTour, SpotView
from recon.geometry import Array
from recon.records import MEDIAN_INDOOR_DEPTH_M

FAMILY = "motion"
MOST_M, MOST_TURN_DEG = 3.0, 120.0
"""(Nominal) metres and degrees between two pictures whose motion is asked about: after more little is left of the first
picture."""
LEAST_PART_M = 0.15
"""(Nominal) metres of a motion along one axis that is asked about."""
LEAST_DEPTH_SHARE = 0.05
"""Of the depth of what the picture shows: what moves the camera by less hardly changes the picture."""
LEAST_TIMES, LEAST_LEAD_DEG = 1.5, 20.0
"""How many times as far, or turned as much, one of two pictures must be, and by how much it must be turned further."""
_TRIES = 12


@dataclass(frozen=True)
class Part:
    """One component of a motion, with a word for either sense."""

    name: Literal["ahead", "right", "up", "turn_deg", "tilt_deg"]
    plus: str
    minus: str
    least: float
    """Nominal metres or degrees."""
    share: float = 0.0
    """Of the whole motion: what is a smaller part of it is no answer to which way it went."""

    @property
    def is_angle(self) -> bool:
        """Whether it is in degrees."""
        return self.name.endswith("deg")

    def measure(self, motion: Motions) -> Array:
        """Its values."""
        return getattr(motion, self.name)

    def margin(self, motion: Motions, metre: float, depth: float) -> Array:
        """What its size must exceed to be said."""
        if self.is_angle:
            return np.maximum(SIGMAS * motion.turn_sigma_deg, self.least)
        floor = max(self.least * metre, LEAST_DEPTH_SHARE * depth)
        return np.maximum(np.maximum(SIGMAS * motion.sigma, floor), self.share * motion.length)


AHEAD = Part("ahead", "forward", "backward", LEAST_PART_M, 0.5)
SIDE = Part("right", "right", "left", LEAST_PART_M, 0.5)
HEIGHT = Part("up", "up", "down", LEAST_PART_M, 0.3)
TURN = Part("turn_deg", "left", "right", LEAST_TURNED_DEG)
TILT = Part("tilt_deg", "up", "down", 12.0)


def _find_seconds(start: Start) -> tuple[NDArray[np.bool_], str]:
    """Views that overlap with one and are not too far from it: (F,); and why no motion to any is asked about."""
    at, pairs, motion = start.at, start.pairs, start.motions
    near = (motion.length <= MOST_M * start.tour.metre) & (np.abs(motion.turn_deg) <= MOST_TURN_DEG)
    seconds = near & (pairs.count_shared(at) >= LEAST_SHARED) & pairs.find_level(at)
    seconds[at] = False
    return seconds, "alike" if seconds.any() else "no_view"


def _find_moved(tour: SpotTour, motion: Motions) -> NDArray[np.bool_]:
    return motion.length >= LEAST_MOVED_M * tour.metre


def _depth(tour: SpotTour, view: SpotView) -> float:
    return float(np.median([spot.depth for spot in view.spots])) if view.spots else MEDIAN_INDOOR_DEPTH_M * tour.metre


def _decide(part: Part, tour: SpotTour, view: SpotView, motion: Motions) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Value and margin of a part, and where it is decided."""
    value, margin = part.measure(motion), part.margin(motion, tour.metre, _depth(tour, view))
    if part is HEIGHT:
        margin = np.maximum(margin, SIGMAS * np.hypot(motion.sigma, np.sqrt(2.0) * tour.floor_sigma))
    decided = np.abs(value) >= margin
    return value, margin, decided if part.is_angle else decided & _find_moved(tour, motion)


def _say_part(part: Part, tour: SpotTour, first: int, second: int) -> tuple[str, tuple[Measured, ...]] | None:
    """The word for what a part of the motion between two views is, and what decided it; None where nothing did."""
    view = tour.views[int(tour.pairs.frames[first])]
    motion = tour.pairs.measure_each(first, np.array([second]))
    value, margin, decided = (one[0] for one in _decide(part, tour, view, motion))
    if not decided:
        return None
    unit: Unit = "deg" if part.is_angle else tour.unit
    sigma = motion.turn_sigma_deg[0] if part.is_angle else motion.sigma[0]
    name = {"turn_deg": "turn to the left", "tilt_deg": "tilt upwards"}.get(part.name, f"moved {part.plus}")
    evidence = Measured(name, float(value), unit, float(sigma)), *tell_margin(abs(float(value)), float(margin), unit)
    return (part.plus if value > 0 else part.minus), evidence


def _find_part(start: Start, *, part: Part) -> Found:
    """Which sense a part of the motion has; the twin shows the pictures the other way round."""
    seconds, reason = _find_seconds(start)
    value, _, decided = _decide(part, start.tour, start.view, start.motions)
    wanted = (value > 0) == (start.draw.uniform() < 0.5)
    second = start.pick_row(seconds & decided, wanted, reason)

    def ask(one: int, other: int) -> Found | None:
        said = _say_part(part, start.tour, one, other)
        return said and start.ask_pictures((one, other), said[0], (part.plus, part.minus), said[1])

    found, twin = ask(start.at, second), ask(second, start.at)
    if found is None:
        raise Refused("alike")
    return replace(found, twin=twin) if twin and twin.truth != found.truth else found


def _find_distance(start: Start) -> Found:
    second = start.pick_row(_find_seconds(start)[0] & _find_moved(start.tour, start.motions))
    motion, views = start.motions[second], start.pairs.list_frames(start.at, second)
    if found := start.ask_length("motion_distance", motion.length, motion.sigma, views=views):
        return found
    raise Refused("uncertain")


def _find_angle(start: Start) -> Found:
    """By how much the camera turned, and the side it turned to is told; a small turn and a large one alike often."""
    seconds, reason = _find_seconds(start)
    angle = np.abs(start.motions.turn_deg)
    sure = seconds & (angle >= LEAST_TURNED_DEG) & (start.motions.turn_sigma_deg <= 0.2 * angle)
    least = LEAST_TURNED_DEG + start.draw.uniform() * (MOST_TURN_DEG - LEAST_TURNED_DEG) / 2
    second = start.pick_row(sure, angle >= least, reason)
    motion = start.motions[second]
    turned = abs(motion.turn_deg)
    return Found(
        views=start.pairs.list_frames(start.at, second),
        truth=repr(turned),
        measured=Measured("motion_turn_angle", turned, "deg", motion.turn_sigma_deg),
        words={"side": "left" if motion.turn_deg > 0 else "right"},
    )


def _find_description(start: Start) -> Found:
    """All parts that are sure, among descriptions that have some of them the other way."""
    (seconds, reason), motion, draw = _find_seconds(start), start.motions, start.draw
    decisions = [(part, *_decide(part, start.tour, start.view, motion)) for part in (AHEAD, SIDE, TURN)]
    decided = np.array([decision[3] for decision in decisions])
    moves = decided[0] | decided[1]
    full = seconds & moves & (decided.sum(axis=0) >= 2)
    # Walks go forward mostly, so one of four sorts of motion is wished for by lot.
    wish = ((motion.ahead > 0) == (draw.uniform() < 0.5)) & ((motion.turn_deg > 0) == (draw.uniform() < 0.5))
    second = start.pick_row(full, wish, reason)
    sure = [(part, value[second], margin[second]) for part, value, margin, mask in decisions if mask[second]]
    right = tuple(part.plus if value > 0 else part.minus for part, value, _ in sure)
    names = [part for part, _, _ in sure]
    others = [words for words in product(*((part.plus, part.minus) for part in names)) if words != right]
    told = [_describe(names, words) for words in start.shuffle([right, *start.shuffle(others)[:3]])]
    part, value, margin = min(sure, key=lambda one: abs(one[1]) / one[2])
    unit: Unit = "deg" if part.is_angle else start.tour.unit
    evidence = tell_margin(abs(float(value)), float(margin), unit)
    return start.ask_pictures((start.at, second), _describe(names, right), tuple(told), evidence)


def _describe(parts: Sequence[Part], words: Sequence[str]) -> str:
    moved = {part.name: word for part, word in zip(parts, words, strict=True)}
    places = [moved["ahead"]] if "ahead" in moved else []
    places += [f"to the {moved['right']}"] if "right" in moved else []
    turned = f", turning {moved['turn_deg']}" if "turn_deg" in moved else ""
    return " and ".join(places) + turned


def _find_more(start: Start, *, what: Literal["length", "turn"]) -> Found:
    """Which of two pictures is farther from the first, or turned further; the twin has them the other way round."""
    motion, seconds = start.motions, np.flatnonzero(_find_seconds(start)[0]).tolist()
    require(len(seconds) > 1, "no_view")
    value, sigma, floor, unit = motion.length, motion.sigma, LEAST_MOVED_M * start.tour.metre, start.tour.unit
    if what == "turn":
        value, sigma, floor, unit = np.abs(motion.turn_deg), motion.turn_sigma_deg, LEAST_LEAD_DEG, "deg"
    for _ in range(_TRIES):
        less, more = sorted((start.draw.pick(seconds) for _ in range(2)), key=value.__getitem__)
        difference = float(value[more] - value[less])
        margin = max(SIGMAS * hypot(sigma[less], sigma[more]), floor)
        if difference >= margin and value[more] >= LEAST_TIMES * value[less]:
            return start.ask_later(more, (less, more), tell_margin(difference, margin, unit))
    raise Refused("alike")


TYPES = (
    MarkType("motion_ahead_choice", FAMILY, "label", "ahead", 0, False, "3d",
        reference=programs.tell_move(0, "forward", "backward"),
        definition="Whether the camera of the second picture is ahead of that of the first or behind it, in the "
        "level direction in which the first one looks.",
        pictures=2, find=partial(_find_part, part=AHEAD), has_twin=True,
        questions=(
            "Did the camera move forward or backward from the first picture to the second?",
            "Between the first picture and the second, did the camera go forward or backward?",
            "Seen from the first picture, was the second one taken farther forward or farther backward?",
            "To take the second picture after the first, did one have to step forward or backward?",
            "Compare the two pictures: has the camera moved forward or backward?",
        ),
        answers={"answer": ("{Truth}.", "It moved {truth}.", "The camera moved {truth}.", "It went {truth}.")}),
    MarkType("motion_side_choice", FAMILY, "label", "lateral", 0, False, "3d",
        reference=programs.tell_move(1, "right", "left"),
        definition="Whether the camera of the second picture is to the right of that of the first or to its left, in "
        "directions of the first picture.",
        pictures=2, find=partial(_find_part, part=SIDE), has_twin=True,
        questions=(
            "As seen in the first picture, did the camera move to its left or to its right to take the second?",
            "Facing as in the first picture, did the camera's position shift left or right by the second?",
            "Seen from the first picture, was the second one taken from farther left or farther right?",
            "Facing as in the first picture, did the camera step left or right before the second was taken?",
            "In terms of the first view, is the camera of the second picture on the left or on the right?",
        ),
        answers={"answer": ("{Truth}.", "To the {truth}.", "It moved to the {truth}.", "It went to its {truth}.")}),
    MarkType("motion_height_choice", FAMILY, "label", "vertical", 0, True, "3d_vertical",
        reference=programs.tell_move(2, "up", "down"),
        definition="Whether the camera of the second picture is higher or lower than that of the first.", pictures=2,
        find=partial(_find_part, part=HEIGHT), has_twin=True,
        questions=(
            "Did the camera move up or down from the first picture to the second?",
            "Between the first picture and the second, was the camera carried up or down?",
            "Has the height of the camera gone up or down in the second picture?",
            "Compared with the first picture, has the camera itself gone up or down in the second?",
        ),
        answers={"answer": ("{Truth}.", "It moved {truth}.", "The camera went {truth}.")}),
    MarkType("motion_turn_choice", FAMILY, "label", "lateral", 0, False, "3d",
        reference=lambda things, scene, given: "left" if programs.measure_turn_deg(scene) > 0 else "right",
        definition="Which way the camera's level direction turned from the first picture to the second.", pictures=2,
        find=partial(_find_part, part=TURN), has_twin=True,
        questions=(
            "Which way did the camera turn from the first picture to the second, left or right?",
            "Did the camera turn to the left or to the right between the two pictures?",
            "Has the view swung left or right in the second picture?",
            "To look as in the second picture, does the camera of the first have to turn left or right?",
            "From the first picture to the second, did the viewer rotate left or right?",
        ),
        answers={"answer": ("{Truth}.", "To the {truth}.", "It turned {truth}.", "The camera turned to the {truth}.")}),
    MarkType("motion_tilt_choice", FAMILY, "label", "vertical", 0, True, "3d_vertical",
        reference=lambda things, scene, given: (
            "up" if scene.cameras[1].forward[2] > scene.cameras[0].forward[2] else "down"),
        definition="Whether the optical axis points further up in the second picture or further down.", pictures=2,
        find=partial(_find_part, part=TILT), has_twin=True,
        questions=(
            "Did the camera tilt up or down from the first picture to the second?",
            "Does the second picture look further up or further down than the first?",
            "Between the first picture and the second, was the camera tipped up or down?",
            "Has the camera been tilted up or down in the second picture, compared with the first?",
        ),
        answers={"answer": ("{Truth}.", "It tilted {truth}.", "The camera was tilted {truth}.")}),
    MarkType("motion_turn_angle", FAMILY, "number", "lateral", 0, False, "3d",
        reference=lambda things, scene, given: abs(programs.measure_turn_deg(scene)),
        definition="Angle between the camera's level directions in the two pictures.", pictures=2, find=_find_angle,
        questions=(
            "By how many degrees did the camera turn {side} from the first picture to the second?",
            "The camera turned to the {side} between the two pictures. By how many degrees?",
            "How far did the camera turn to the {side}, in degrees, from the first picture to the second?",
            "How many degrees to the {side} did the camera turn from the first picture's direction to the second's?",
            "Estimate the angle in degrees by which the view swung {side} from the first picture to the second.",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "It turned by about {q}.", "Roughly {q} to the {side}.")}),
    MarkType("motion_distance", FAMILY, "number", "none", 0, False, "3d",
        reference=lambda things, scene, given: float(np.linalg.norm(programs.measure_move(scene))),
        definition="Length of the straight line between the eyes of the two pictures.", pictures=2, metric=True,
        find=_find_distance,
        questions=(
            "How far did the camera move from the first picture to the second?",
            "How far apart are the places from which the two pictures were taken?",
            "What is the straight distance between the camera's positions in the two pictures?",
            "Estimate how far the camera has moved between the first picture and the second.",
            "How long is the straight line from where the first picture was taken to where the second was?",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "It moved about {q}.", "The two places are around {q} apart.")}),
    MarkType("motion_description", FAMILY, "label", "ahead", 0, False, "3d",
        definition="The parts of the motion that are sure (ahead, aside, turn), in directions of the first picture.",
        pictures=2, find=_find_description,
        questions=(
            "Which describes how the camera moved from the first picture to the second? {choices}",
            "Seen from the first picture, how did the camera move to take the second? {choices}",
            "How did the camera move between the first picture and the second? {choices}",
            "Choose the motion of the camera from the first picture to the second. {choices}",
        ),
        answers={"answer": ("{Truth}.", "It moved {truth}.", "The camera went {truth}.")}),
    MarkType("motion_farther_choice", FAMILY, "label", "ahead", 0, False, "3d",
        definition="Which of two pictures was taken farther from the place of the first.", pictures=3,
        find=partial(_find_more, what="length"), has_twin=True,
        questions=(
            "Which was taken farther from where the first picture was taken, the second picture or the third picture?",
            "For which did the camera move farther from its first place: the second picture or the third picture?",
            "Is it the second picture or the third picture whose viewpoint is farther from that of the first?",
            "Whose camera stood farther away from that of the first picture, the second picture or the third picture?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} was taken farther away.")}),
    MarkType("motion_turned_more_choice", FAMILY, "label", "lateral", 0, False, "3d",
        definition="Which of two pictures looks in a level direction that is turned further from that of the first.",
        pictures=3,
        find=partial(_find_more, what="turn"), has_twin=True,
        questions=(
            "Which is turned further away from the first picture's direction, the second picture or the third picture?",
            "For which did the camera turn more from the first: the second picture or the third picture?",
            "Is it the second picture or the third picture that looks in a direction more unlike the first's?",
            "Compared with the first, where has the camera turned more, in the second picture or the third picture?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} is turned further.")}),
)  # fmt: skip
