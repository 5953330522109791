"""The way between several pictures of one walk: where it began, how long it was, how it turned, and what comes next.

Each picture overlaps with the one shown before it, so that the way can be followed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import hypot
from typing import Literal

import numpy as np

from instructions.facts.verdict import SIGMAS, Measured, Unit
from instructions.questions.core.view_sets import Refused, require
from instructions.questions.marks.families import Found, MarkType, Start, tell_margin
from instructions.questions.marks.pairs import LEAST_SHARED, MOST_STEP_M, Motion, ViewPairs
from instructions.questions.marks.spots import SpotTour

FAMILY = "way"
LEAST_BACK_M = 0.8
"""(Nominal) metres to a place that lies on some side."""
MOST_RISE = 0.5
"""Of the level distance: what is higher or lower than that is above or below, on no side."""
SECTOR_DEG = 45.0
SECTOR_MARGIN_DEG = 15.0
"""From the middle of a side to its border, and how far from the border a place must lie for two people to agree."""
LEAST_WAY_M = 3.0
"""(Nominal) metres of a walk that may come back."""
SAME_PLACE_M, ELSEWHERE_M = 0.5, 1.5
"""(Nominal) metres up to which one is back, and from which on one is not."""
MOST_RETURN_TURN_DEG = 60.0
"""Between two pictures of one place: turned further, they do not show that they were taken there."""
MOST_WINDING = 1.1
"""Times the line through the pictures: a way that is longer winds where no picture shows it."""
LEAST_TURN_DEG, MOST_TURN_DEG = 40.0, 170.0
"""Of a whole turn that is to one side."""
MOST_SWING = 0.2
"""Of the whole turn, which the view may have turned the other way meanwhile."""
LEAST_TIMES, LEAST_LEAD_DEG, LEAST_LEAD_M = 1.5, 20.0, 0.4
"""What the largest of several must be ahead of the second: times it, and by that much."""
LEAST_FARTHER = 1.25
"""Times as far from the first picture as the one before: what leads away."""
_SOON = 4
"""One of so many pictures that fit is taken next, so that the walk has room for more."""
ORDINALS = ("first", "second", "third", "fourth", "fifth")
SIDES = ("ahead", "to the right", "behind", "to the left")
"""Clockwise."""
_RETURNS = 0.8
"""How often a walk that may be asked as one that returns is: there are fewer of these."""
_GAPS = tuple(f"between the {one} and the {other} picture" for one, other in pairwise(ORDINALS[:4]))
_THREE = tuple(f"the {one} picture" for one in ORDINALS[2:])


def _walks(start: Start, *, least: int = 3) -> list[list[int]]:
    """Walks that begin with a view, of so many pictures at least."""
    return start.shuffle([walk for walk in start.pairs.list_walks(start.at) if len(walk) >= least])


def find_side(motion: Motion[float], metre: float) -> tuple[str, float] | None:
    """On which side a place lies, and how many degrees from the border of that side; None near a border."""
    flat = hypot(motion.ahead, motion.right)
    if flat < max(LEAST_BACK_M * metre, SIGMAS * motion.sigma) or abs(motion.up) > MOST_RISE * flat:
        return None
    bearing = motion.bearing_deg
    quarter = round(bearing / 90.0)
    inside = SECTOR_DEG - abs(bearing - 90.0 * quarter)
    return (SIDES[quarter % 4], inside) if inside >= _side_margin(motion) else None


def _side_margin(motion: Motion[float]) -> float:
    return max(SIGMAS * motion.bearing_sigma_deg, SECTOR_MARGIN_DEG)


def _find_back_side(start: Start) -> Found:
    """On which side of the last view the first was taken; rare answers first."""
    tour, pairs = start.tour, start.pairs
    by_side: dict[str, tuple[list[int], float, Motion[float]]] = {}
    reason = "no_view"
    for walk in _walks(start):
        motion = pairs.measure(walk[-1], walk[0])
        side = find_side(motion, tour.metre)
        reason = "alike"
        if side is not None and tour.views[int(pairs.frames[walk[-1]])].viewer.has_sides:
            by_side[side[0]] = walk, side[1], motion
    require(bool(by_side), reason)
    truth = next((side for side in start.shuffle(by_side) if side != "behind"), "behind")
    walk, inside, motion = by_side[truth]
    evidence = (
        Measured("bearing to the right", motion.bearing_deg, "deg", motion.bearing_sigma_deg),
        *tell_margin(inside, _side_margin(motion), "deg"),
    )
    return start.ask_pictures(walk, truth, SIDES, evidence)


def _find_number(start: Start, *, what: Literal["back", "length"]) -> Found:
    """The straight distance back to the start, or the length of the way."""
    tour, pairs, reason = start.tour, start.pairs, "no_view"
    for walk in _walks(start):
        motion = pairs.measure(walk[-1], walk[0])
        if what == "back":
            value, name, fits = motion.length, "way_back_distance", motion.length >= LEAST_BACK_M * tour.metre
        else:
            value, name = float(pairs.way[walk[-1]] - pairs.way[walk[0]]), "way_length"
            line = pairs.measure_each(np.array(walk[:-1]), np.array(walk[1:])).length.sum()
            fits = LEAST_BACK_M * tour.metre <= value <= MOST_WINDING * line
        if not fits:
            reason = "out_of_range"
        elif found := start.ask_length(name, value, motion.sigma, views=pairs.list_frames(*walk)):
            return found
        else:
            reason = "uncertain"
    raise Refused(reason)


def _find_return(start: Start) -> Found:
    """Whether the last picture was taken where the first was, after a walk that had left that place."""
    tour, pairs, at, motion = start.tour, start.pairs, start.at, start.motions
    length, sigma = motion.length / tour.metre, SIGMAS * motion.sigma / tour.metre
    far = np.zeros(len(length))
    far[at:] = np.maximum.accumulate(length[at:])
    walked = ((pairs.way - pairs.way[at]) / tour.metre >= LEAST_WAY_M) & (far >= ELSEWHERE_M)
    walked &= np.arange(len(length)) > at + 3
    alike = np.abs(motion.turn_deg) <= MOST_RETURN_TURN_DEG
    back = walked & alike & (length + sigma <= SAME_PLACE_M) & (pairs.count_shared(at) >= LEAST_SHARED)
    gone = walked & (length - sigma >= np.maximum(ELSEWHERE_M, far / 2)) & (far <= 3 * LEAST_WAY_M)
    truth = "yes" if back.any() and start.draw.uniform() < _RETURNS else "no"
    last = start.pick_row(back if truth == "yes" else gone)
    walked_to = np.searchsorted(pairs.way, np.linspace(pairs.way[at], pairs.way[last], 5)[1:-1])
    walk = [at, *(int(one) for one in walked_to), last]
    require(len(set(walk)) == len(walk), "no_view")
    bar = SAME_PLACE_M if truth == "yes" else max(ELSEWHERE_M, float(far[last]) / 2)
    evidence = (
        Measured("distance from the start", float(motion.length[last]), tour.unit, float(motion.sigma[last])),
        *tell_margin(abs(float(length[last]) - bar) * tour.metre, float(motion.sigma[last]) * SIGMAS, tour.unit),
    )
    return start.ask_pictures(walk, truth, ("yes", "no"), evidence)


def _find_turn(start: Start) -> Found:
    """To which side the whole turn along the pictures is; the twin goes through them the other way."""
    pairs, reason = start.pairs, "no_view"
    for walk in _walks(start):
        turns = _gap_turns(pairs, walk)
        whole = sum(turns)
        sigma = pairs.measure(walk[0], walk[-1]).turn_sigma_deg
        margin = max(SIGMAS * sigma, LEAST_TURN_DEG)
        against = sum(abs(turn) for turn in turns if turn * whole < 0)
        reason = "alike"
        if not margin <= abs(whole) <= MOST_TURN_DEG or against > MOST_SWING * abs(whole):
            continue
        ways = []
        for turn, places in ((whole, walk), (-whole, walk[::-1])):
            evidence = Measured("turn to the left", turn, "deg", sigma), *tell_margin(abs(whole), margin, "deg")
            ways.append(start.ask_pictures(places, "left" if turn > 0 else "right", ("left", "right"), evidence))
        return start.pair(*ways)
    raise Refused(reason)


def _gap_turns(pairs: ViewPairs, walk: Sequence[int]) -> list[float]:
    """How far the camera turned from each picture to the next, to the left positive; over all frames between."""
    return [float(pairs.headings_deg[other] - pairs.headings_deg[one]) for one, other in pairwise(walk)]


def _find_largest(start: Start, *, what: Literal["turn", "step"]) -> Found:
    """Between which two neighboring pictures the camera turned most, or went farthest."""
    tour, pairs = start.tour, start.pairs
    found: dict[str, Found] = {}
    unit: Unit = "deg" if what == "turn" else tour.unit
    for longer in _walks(start, least=4):
        walk = longer[:4]
        motion = pairs.measure_each(np.array(walk[:-1]), np.array(walk[1:]))
        if what == "turn":
            sizes, sigmas, lead = np.abs(motion.turn_deg), motion.turn_sigma_deg, LEAST_LEAD_DEG
            if any(abs(turn) > MOST_TURN_DEG for turn in _gap_turns(pairs, walk)):
                continue
        else:
            sizes, sigmas, lead = motion.length, motion.sigma, LEAST_LEAD_M * tour.metre
        second, first = np.argsort(sizes)[-2:]
        margin = max(SIGMAS * hypot(sigmas[first], sigmas[second]), lead)
        difference = float(sizes[first] - sizes[second])
        if difference >= margin and sizes[first] >= LEAST_TIMES * sizes[second]:
            truth, evidence = _GAPS[first], tell_margin(difference, margin, unit)
            found[truth] = start.ask_pictures(walk, truth, _GAPS, evidence)
    require(bool(found), "alike")
    return found[start.shuffle(found)[0]]


def _walk_away(start: Start, count: int) -> list[int]:
    """A walk of which each picture is clearly farther from the first, and shares less with it, than the one before."""
    tour, pairs = start.tour, start.pairs
    out, length, shared = [start.at], start.motions.length, pairs.count_shared(start.at)
    for _ in range(count - 1):
        before = out[-1]
        least = max(LEAST_FARTHER * float(length[before]), float(length[before]) + LEAST_LEAD_M * tour.metre)
        fewer = (shared < shared[before]) | (shared == 0)
        steps = fewer & (length >= least) & (pairs.count_shared(before) >= LEAST_SHARED)
        steps &= pairs.way <= pairs.way[before] + MOST_STEP_M * tour.metre
        steps[: before + 1] = False
        following = np.flatnonzero(steps)[:_SOON]
        require(len(following) > 0, "no_view")
        out.append(start.draw.pick(following.tolist()))
    return out


def _lead_away(tour: SpotTour, walk: Sequence[int]) -> tuple[Measured, ...]:
    motions = [tour.pairs.measure(walk[0], at) for at in walk[1:]]
    lead, sigma = min((other.length - one.length, hypot(one.sigma, other.sigma)) for one, other in pairwise(motions))
    return tell_margin(lead, max(LEAST_LEAD_M * tour.metre, SIGMAS * sigma), tour.unit)


def _find_next(start: Start) -> Found:
    """Which of three later pictures comes after the first two of a walk that leads away."""
    walk = _walk_away(start, 5)
    later = start.shuffle(walk[2:])
    truth, evidence = _THREE[later.index(walk[2])], _lead_away(start.tour, walk[1:])
    return start.ask_pictures((*walk[:2], *later), truth, _THREE, evidence)


def _find_order(start: Start) -> Found:
    """In which order three pictures were taken on a walk that leads away from the first."""
    walk = _walk_away(start, 4)
    later = start.shuffle(walk[1:])
    right, views = [later.index(at) + 2 for at in walk[1:]], start.pairs.list_frames(walk[0], *later)
    return start.ask_order(right, _lead_away(start.tour, walk), views=views, say=lambda at: ORDINALS[at - 1])


_YES_NO: Mapping[str, tuple[str, ...]] = {
    "yes": ("Yes.", "Yes, it ends where it began.", "Yes, it comes back to its start."),
    "no": ("No.", "No, it ends somewhere else.", "No, it does not come back to its start."),
}
TYPES = (
    MarkType("way_back_side_class", FAMILY, "label", "lateral", 0, False, "3d",
        definition="On which side of the last picture's level direction of view the place lies from which the first "
        "was taken, by sides of 90 degrees; none within 15 degrees of a border.",
        pictures=3, find=_find_back_side,
        questions=(
            "You stand where the last picture was taken and look its way. Where is the place of the first? {choices}",
            "Seen from the last picture, where is the place from which the first was taken? {choices}",
            "The pictures are in the order of a walk. At its end, in which direction is its start? {choices}",
            "For the camera of the last picture, where does the first one's place lie? {choices}",
            "Facing as in the last picture, where did the walk begin? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "The start is {truth}.", "The walk began {truth}.")}),
    MarkType("way_back_distance", FAMILY, "number", "none", 0, False, "3d",
        definition="Straight distance between the eyes of the first and the last picture.", pictures=3, metric=True,
        find=partial(_find_number, what="back"),
        questions=(
            "The pictures are in the order of a walk. How far is the last one's place from the first one's, in a "
            "straight line?",
            "How far away from the place of the first picture was the last one taken?",
            "What is the straight distance between where the walk began and where the last picture was taken?",
            "At the last picture, how far is it back to where the first was taken, as the crow flies?",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "It is about {q} away.", "The start is around {q} away.")}),
    MarkType("way_length", FAMILY, "number", "none", 0, False, "3d",
        definition="Sum of the steps of all frames from the first picture to the last.", pictures=3, metric=True,
        find=partial(_find_number, what="length"),
        questions=(
            "The pictures are in the order of a walk. How long is the way from the first to the last?",
            "How far did the camera walk from the first picture to the last?",
            "What is the length of the path along which these pictures were taken?",
            "Estimate how far one has to walk past all these pictures' places, from the first to the last.",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "The way is about {q} long.", "It walked around {q}.")}),
    MarkType("way_return_predicate", FAMILY, "yes_no", "none", 0, False, "3d",
        definition="Whether the last picture was taken within half a metre of the first, after leaving it by 1.5 m; "
        "no where it was taken 1.5 m away and half of the farthest distance.",
        pictures=5, find=_find_return,
        questions=(
            "The pictures are in the order of a walk. Does it come back to where it began?",
            "Does the walk that these pictures show end where it started?",
            "Was the last of these pictures taken at the same place as the first?",
            "Following the pictures in order, does the camera return to its starting point?",
        ),
        answers=_YES_NO),
    MarkType("way_turn_choice", FAMILY, "label", "lateral", 0, False, "3d",
        definition="Side of the sum of all turns from the first picture to the last, of which a fifth at most is to "
        "the other side.",
        pictures=3, find=_find_turn, has_twin=True,
        questions=(
            "Going through the pictures in order, does the camera turn to the left or to the right overall?",
            "From the first picture to the last, is the whole turn to the left or to the right?",
            "Which way has the view turned in the end, left or right, if you follow the pictures from first to last?",
            "In the order shown, do these pictures turn left or right overall?",
        ),
        answers={"answer": ("{Truth}.", "To the {truth}.", "It turns {truth} overall.", "It turns to the {truth}.")}),
    MarkType("way_sharpest_turn_class", FAMILY, "label", "lateral", 0, False, "3d",
        definition="Between which two neighboring pictures of four the level direction of view changes most.",
        pictures=4, find=partial(_find_largest, what="turn"),
        questions=(
            "Between which two pictures does the camera turn most? {choices}",
            "The pictures are in the order of a walk. Where is the sharpest turn of the view? {choices}",
            "Where does the direction of view change most? {choices}",
            "Between which neighboring pictures is the largest turn of the camera? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "The camera turns most {truth}.")}),
    MarkType("way_longest_step_class", FAMILY, "label", "ahead", 0, False, "3d",
        definition="Between which two neighboring pictures of four the places of the camera are farthest apart.",
        pictures=4, find=partial(_find_largest, what="step"),
        questions=(
            "Between which two pictures does the camera move farthest? {choices}",
            "The pictures are in the order of a walk. Where is the largest step? {choices}",
            "Which neighboring pictures were taken farthest apart? {choices}",
            "Where does the camera's place change most? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "The camera moves farthest {truth}.")}),
    MarkType("way_next_choice", FAMILY, "label", "ahead", 0, False, "3d",
        definition="Which of the last three pictures is the nearest along a walk that leads away from the first two.",
        pictures=5, find=_find_next,
        questions=(
            "A walk leads away from the first picture past the second. Which picture comes next? {choices}",
            "The first two pictures begin a walk that leads away from the first one's place. Which of the others is "
            "next? {choices}",
            "The walk goes from the first picture to the second and farther away. Which is reached next? {choices}",
            "The last three pictures were taken later on the same walk away from the first, but are shuffled. Which "
            "was taken soonest after the second? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "Next comes {truth}.")}),
    MarkType("way_order_class", FAMILY, "label", "ahead", 0, False, "3d",
        definition="Order of three pictures along a walk that leads away from the first picture.", pictures=4,
        find=_find_order,
        questions=(
            "A walk leads away from where the first picture was taken. In which order were the others taken? {choices}",
            "A walk starts at the first picture and leads away from it. Put the other pictures in order. {choices}",
            "Walking away from the place of the first picture, in which order are the other pictures taken? {choices}",
            "The first picture starts a walk that leads away; the others are shuffled. What is their order? {choices}",
        ),
        answers={"answer": ("{Truth}.", "The order is {truth}.", "They were taken in the order {truth}.")}),
)  # fmt: skip
