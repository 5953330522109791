"""Where marks are from another place: where a second picture was taken, or at a mark with a second one ahead.

Sides, hours and what is behind are those of a person who stands upright there. Whatever its height, a mark is as far to
the right as the place on the floor below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import atan2, degrees, hypot

import numpy as np

from instructions.facts.facing import clock_direction, off_half_hour_deg
from instructions.facts.verdict import SIGMAS, Measured
from instructions.facts.viewer import Viewer
from instructions.questions.marks.families import Found, MarkType, Start, tell_margin
from instructions.questions.marks.pairs import Motion
from instructions.questions.marks.spots import Slope, Spot, SpotTour, SpotView, find_sigma
from recon.geometry import Array

FAMILY = "perspective"
LEAST_SHARED = 24
"""Points that both pictures show: from what both show one finds out how the second stands to the first."""
MOST_PLACES = 16
"""Second pictures among which one is looked for."""
MOST_TRIED = 12
"""Marks, each as it lies at one place, that are tried for one question."""
ABOUT_DEG = 60.0
"""Degrees about a bearing within which marks are tried first, so that no answer is much rarer than another."""
OUTSIDE_SHARE = 0.10
"""Of a side of the second picture: how far outside of it a mark must lie, not to be seen there."""
LEAST_AWAY_M = 0.70
"""(Nominal) metres on the floor to what one looks for or faces: nearer, a small step changes its direction."""
MOST_STEEP = 1.0
"""Height of a mark over or under the eye by its distance on the floor: one does not point aside at what is overhead."""
MOST_OVER_EYE_M = 0.5
"""(Nominal) metres of a mark over the camera to stand at: nobody thinks of standing at the ceiling."""
LEAST_SIDE_DEG = 20.0
"""Degrees from straight ahead and straight back for a side: nearer, people call it ahead or behind."""
BACK_DEG = 135.0
"""Degrees from straight ahead to the border of a quarter that is behind."""
LEAST_OFF_DEG = 20.0
"""Degrees from a border between two answers."""
OFF_HALF_HOUR_DEG = 5.0
"""Degrees from a half hour for a clock direction, besides its error."""
LEAST_SHARE = 0.20
"""Relative difference of two distances from where one does not stand."""


@dataclass(frozen=True, eq=False)
class Sight:
    """A mark as it lies to a person who stands somewhere else."""

    views: tuple[int, ...]
    marks: tuple[Spot, ...]
    bearing_deg: float
    """From straight ahead, to the right positive."""
    sigma_deg: float

    @property
    def aside_deg(self) -> float:
        """From straight ahead, to whichever side."""
        return abs(self.bearing_deg)


def _bear(viewer: Viewer, spot: Spot) -> tuple[float, Array]:
    """Bearing of a spot in degrees, and its gradient by the spot's place in radians."""
    right, ahead = viewer.lateral(spot.xyz), viewer.distance_ahead(spot.xyz)
    gradient = (ahead * viewer.right - right * viewer.ahead) / max(right**2 + ahead**2, 1e-12)
    return degrees(atan2(right, ahead)), gradient


def _order(start: Start, viewers: Sequence[Viewer], near_deg: float | None) -> list[tuple[int, Spot]]:
    """Places of viewers with spots that have a direction from there, as they are far enough away on the floor and not
    overhead: some by chance, those first that lie about a bearing.
    """
    spots = start.view.spots
    if not viewers or not spots:
        return []
    eye, right, ahead = (np.array([getattr(viewer, name) for viewer in viewers]) for name in ("eye", "right", "ahead"))
    step = np.array([spot.xyz for spot in spots])[None] - eye[:, None]
    away = np.hypot(step[..., 0], step[..., 1])
    fit = (away >= LEAST_AWAY_M * start.tour.metre) & (np.abs(step[..., 2]) <= MOST_STEEP * away)
    lots = np.random.default_rng(int(start.draw.uniform() * 2**53)).random(fit.shape) + 2.0 * ~fit
    if near_deg is not None:
        bearings = np.degrees(np.arctan2((step @ right[..., None])[..., 0], (step @ ahead[..., None])[..., 0]))
        lots += np.abs((bearings - near_deg + 180.0) % 360.0 - 180.0) > ABOUT_DEG
    found = np.argsort(lots, axis=None)[: min(MOST_TRIED, int(fit.sum()))]
    return [(int(at), spots[int(one)]) for at, one in zip(*np.unravel_index(found, fit.shape), strict=True)]


def _find_places(start: Start) -> list[SpotView]:
    """Some views that show much of what a view shows, from far enough away or turned enough."""
    tour, pairs, at = start.tour, start.pairs, start.at
    fit = np.flatnonzero(pairs.find_changed(at) & (pairs.count_shared(at) >= LEAST_SHARED))
    lots = np.random.default_rng(int(start.draw.uniform() * 2**53)).permutation(fit)
    views = [tour.views[tour.frames[place]] for place in lots[:MOST_PLACES]]
    return [one for one in views if one.viewer.has_sides]


def _is_unseen(tour: SpotTour, place: SpotView, spot: Spot) -> bool:
    """Whether a spot lies surely outside the picture of a view."""
    camera = tour.model.camera
    (x, y), depth = tour.project(place, spot.xyz)
    wide, high = OUTSIDE_SHARE * camera.width, OUTSIDE_SHARE * camera.height
    inside = -wide <= x <= camera.width + wide and -high <= y <= camera.height + high
    return depth <= 0 or not inside


def _find_unseen(start: Start, near_deg: float | None) -> Iterator[tuple[SpotView, Spot, Motion[float]]]:
    """Other views with marks that they do not show, those first that lie about a bearing there; with the motion."""
    places = _find_places(start)
    for at, spot in _order(start, [place.viewer for place in places], near_deg):
        if _is_unseen(start.tour, places[at], spot):
            yield places[at], spot, start.motions[start.pairs.place[places[at].frame]]


def _stand_there(start: Start, near_deg: float | None) -> Iterator[Sight]:
    """Marks of a view that other views do not show, as they lie to who stands there."""
    for place, spot, motion in _find_unseen(start, near_deg):
        bearing, gradient = _bear(place.viewer, spot)
        away = float(np.linalg.norm((spot.xyz - place.viewer.eye)[:2]))
        sigma = hypot(find_sigma(start.tour, (Slope(spot, gradient),)), motion.sigma / away)
        yield Sight((start.view.frame, place.frame), (spot,), bearing, hypot(degrees(sigma), motion.turn_sigma_deg))


def _find_view_distance(start: Start) -> Found:
    for place, spot, motion in _find_unseen(start, None):
        length, gradient = _measure_range(place, spot)
        sigma = hypot(find_sigma(start.tour, (Slope(spot, gradient),)), motion.sigma)
        views = start.view.frame, place.frame
        if found := start.ask_length("view_distance", length, sigma, marks=(spot,), views=views):
            return found
    raise start.lack(1, "no_view")


def _measure_range(place: SpotView, spot: Spot) -> tuple[float, Array]:
    """Distance of a spot from the eye of another view, and its gradient by the spot's place."""
    step = spot.xyz - place.viewer.eye
    length = float(np.linalg.norm(step))
    return length, step / length


def _find_view_nearer(start: Start) -> Found:
    """Which of two marks is nearer to where the second picture was taken; in half of the tries it is the one that is
    farther from the first.
    """
    other: Found | None = None
    swaps = start.draw.uniform() < 0.5
    for place in _find_places(start):
        motion = start.motions[start.pairs.place[place.frame]]
        for pair in start.pick_groups(2, tries=8):
            (near, by_near), (far, by_far) = sorted(
                ((spot, _measure_range(place, spot)) for spot in pair), key=lambda one: one[1][0]
            )
            slopes = (Slope(near, -by_near[1]), Slope(far, by_far[1]))
            moved = motion.sigma * float(np.linalg.norm(by_near[1] - by_far[1]))
            difference = by_far[0] - by_near[0]
            margin = max(SIGMAS * hypot(find_sigma(start.tour, slopes), moved), LEAST_SHARE * by_near[0])
            if difference < margin:
                continue
            evidence, views = tell_margin(difference, margin, start.tour.unit), (start.view.frame, place.frame)
            other = start.ask_which(near, (near, far), evidence, views=views)
            if (near.range > far.range) == swaps:
                return other
    if other is None:
        raise start.lack(2, "no_view")
    return other


def _turn_to(at: Spot, faced: Spot) -> Viewer:
    """Who stands at one mark and faces another."""
    x, y = (float(d) for d in (faced.xyz - at.xyz)[:2])
    length = max(hypot(x, y), 1e-12)
    return Viewer(at.xyz, np.array([x, y, 0.0]) / length, np.array([y, -x, 0.0]) / length, 0.0)


def _face(tour: SpotTour, at: Spot, faced: Spot, spot: Spot) -> Sight:
    """A third mark as it lies to who stands at the first and faces the second."""
    viewer = _turn_to(at, faced)
    (bearing, by_spot), (_, by_faced) = _bear(viewer, spot), _bear(viewer, faced)
    slopes = (Slope(spot, by_spot), Slope(faced, -by_faced), Slope(at, by_faced - by_spot))
    return Sight((at.frame,), (at, faced, spot), bearing, degrees(find_sigma(tour, slopes)))


def _stand_at_marks(start: Start, near_deg: float | None) -> Iterator[Sight]:
    """Three marks, as the third lies to who stands at the first and faces the second; those first of which the third
    lies about a bearing.
    """
    low = start.view.viewer.eye[2] + MOST_OVER_EYE_M * start.tour.metre
    pairs = (pair for pair in start.pick_groups(2) if pair[0].xyz[2] <= low)
    stands = [(at, faced) for at, faced in pairs if _is_level(at, faced, start.tour.metre)]
    for place, spot in _order(start, [_turn_to(at, faced) for at, faced in stands], near_deg):
        at, faced = stands[place]
        if spot is not faced:
            yield _face(start.tour, at, faced, spot)


def _is_level(one: Spot, other: Spot, metre: float) -> bool:
    """Whether a mark has a direction from another: far enough away on the floor, and not overhead."""
    x, y, z = (float(d) for d in other.xyz - one.xyz)
    return hypot(x, y) >= LEAST_AWAY_M * metre and abs(z) <= MOST_STEEP * hypot(x, y)


def _find_facing_side(start: Start) -> Found:
    """Left or right; the twin stands at the mark that was faced, and faces the first one."""
    for sight in _stand_at_marks(start, 90.0 if start.draw.uniform() < 0.5 else -90.0):
        at, faced, spot = sight.marks
        decide = partial(_decide_side, before="on your ")
        found = _ask(sight, decide)
        twin = _ask(_face(start.tour, faced, at, spot), decide) if found else None
        if found and twin:
            sides = "on your left", "on your right"
            return replace(found, choices=sides, twin=replace(twin, choices=sides))
    raise start.lack(3)


Decide = Callable[[Sight], tuple[str, float, float]]
"""The answer, how many degrees the border to another one is off, and how many it must be besides three sigmas."""
Stand = Callable[[Start, float | None], Iterator[Sight]]


def _ask(sight: Sight, decide: Decide) -> Found | None:
    """The answer where its border is far enough away."""
    truth, off_deg, least_deg = decide(sight)
    margin = max(SIGMAS * sight.sigma_deg, least_deg)
    if off_deg < margin:
        return None
    bearing = Measured("bearing", sight.bearing_deg, "deg", sight.sigma_deg)
    evidence = (bearing, *tell_margin(off_deg, margin, "deg"))
    return Found(views=sight.views, marks=sight.marks, truth=truth, evidence=evidence)


def _decide_side(sight: Sight, before: str = "") -> tuple[str, float, float]:
    """Left or right, by halves, after other words."""
    side = "right" if sight.bearing_deg > 0 else "left"
    return f"{before}{side}", min(sight.aside_deg, 180.0 - sight.aside_deg), LEAST_SIDE_DEG


def _decide_quarter(sight: Sight) -> tuple[str, float, float]:
    """Left, right, or behind: the quarter of the circle at the back."""
    if sight.aside_deg > BACK_DEG:
        return "behind you", sight.aside_deg - BACK_DEG, LEAST_OFF_DEG
    truth = "to your right" if sight.bearing_deg > 0 else "to your left"
    return truth, min(sight.aside_deg, BACK_DEG - sight.aside_deg), LEAST_OFF_DEG


def _decide_behind(sight: Sight) -> tuple[str, float, float]:
    """Yes for the quarter at the back, no for the half in front; between the two people differ."""
    if sight.aside_deg > BACK_DEG:
        return "yes", sight.aside_deg - BACK_DEG, LEAST_OFF_DEG / 2
    return "no", 90.0 - sight.aside_deg, LEAST_OFF_DEG / 2


def _decide_front(sight: Sight) -> tuple[str, float, float]:
    truth = "in front of you" if sight.aside_deg < 90.0 else "behind you"
    return truth, abs(90.0 - sight.aside_deg), 1.5 * LEAST_OFF_DEG


def _decide_hour(sight: Sight) -> tuple[str, float, float]:
    margin = OFF_HALF_HOUR_DEG + SIGMAS * sight.sigma_deg
    return str(clock_direction(sight.bearing_deg)), off_half_hour_deg(sight.bearing_deg), margin


def _find(start: Start, *, stand: Stand, decide: Decide, answers: Mapping[str, float | None]) -> Found:
    """Something to ask of which the answer is one that was drawn, if there is such; else whatever was found first.

    Args:
        start: The view with which the question begins.
        stand: Where one stands, and what one looks for from there.
        decide: The answer.
        answers: What may be answered, with a bearing in degrees about which it is right, if there is one.
    """
    wanted, near_deg = start.shuffle(answers.items())[0]
    found: Found | None = None
    for sight in stand(start, near_deg):
        asked = _ask(sight, decide)
        found = found or asked
        if asked is not None and asked.truth == wanted:
            found = asked
            break
    if found is None:
        raise start.lack(3) if stand is _stand_at_marks else start.lack(1, "no_view")
    if decide is _decide_hour:
        return replace(found, measured=Measured("clock", int(found.truth), "hour", 0.0))
    return replace(found, choices=tuple(answers))


_there, _at_marks = partial(_find, stand=_stand_there), partial(_find, stand=_stand_at_marks)
_HOURS = {str(hour): 30.0 * hour for hour in range(1, 13)}
_SAY_HOUR = ("At {truth} o'clock.", "{truth} o'clock.", "It is at {truth} o'clock.", "Towards {truth} o'clock.")
_THERE = "where the second picture was taken"
_SAME_WAY = f"Stand {_THERE} and look the same way"
_FACE = "Imagine that you stand at mark 1 and face mark 2"
TYPES = (
    MarkType("view_side", FAMILY, "label", "lateral", 1, True, "3d_vertical",
        definition="On which side a mark of the first picture is to who stands where the second was taken and looks "
        "the same way; behind is the quarter at the back. The second picture does not show it.",
        pictures=2,
        find=partial(_there, decide=_decide_quarter,
            answers={"to your left": -70.0, "to your right": 70.0, "behind you": 180.0}),
        questions=(
            f"{_SAME_WAY} as in it. Where is mark 1 of the first picture? {{choices}}",
            f"If you stood {_THERE}, looking the way it looks, where would mark 1 be? {{choices}}",
            "The second picture does not show mark 1 of the first. Where is it from there, looking the way the second "
            "picture does? {choices}",
            "You see what the second picture shows. On which side of you is the point at mark 1? {choices}",
            f"Imagine being {_THERE}, with its view before you. Where do you find mark 1? {{choices}}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "Mark 1 is {truth}.", "From there it is {truth}.")}),
    MarkType("view_behind", FAMILY, "yes_no", "ahead", 1, True, "3d_vertical",
        definition="Whether a mark of the first picture is behind who stands where the second was taken and looks "
        "the same way: yes for the quarter at the back, no for the half in front.",
        pictures=2, find=partial(_there, decide=_decide_behind, answers={"yes": 180.0, "no": None}),
        questions=(
            f"{_SAME_WAY} as in it. Is mark 1 of the first picture behind you?",
            f"If you stood {_THERE}, looking the way it looks, would mark 1 be behind you?",
            "With the view of the second picture before you, is the point at mark 1 at your back?",
            "When the second picture was taken, was mark 1 of the first behind the camera?",
        ),
        answers={
            "yes": ("Yes.", "Yes, it is behind you.", "Yes, mark 1 is at your back."),
            "no": ("No.", "No, it is not behind you.", "No, mark 1 is off to the side."),
        }),
    MarkType("view_turn", FAMILY, "label", "lateral", 1, True, "3d_vertical",
        definition="Which way one turns, the shorter way, to face a mark of the first picture from where the second "
        "was taken.",
        pictures=2, find=partial(_there, decide=_decide_side, answers={"left": -90.0, "right": 90.0}),
        questions=(
            f"{_SAME_WAY} as in it. Which is the shorter way to turn to face mark 1, left or right?",
            f"From {_THERE}, should the camera turn left or right to bring mark 1 into view the sooner?",
            "You see what the second picture shows. Would you turn to your left or to your right to face mark 1?",
            "From the place and view of the second picture, does one turn left or right to look at mark 1?",
        ),
        answers={"answer": ("{Truth}.", "To the {truth}.", "You would turn {truth}.", "By a turn to the {truth}.")}),
    MarkType("view_clock", FAMILY, "label", "lateral", 1, True, "3d_vertical",
        definition="Hour of the clock at which a mark of the first picture is to who stands where the second was "
        "taken; 12 is where that looks, 3 is to the right.",
        pictures=2, find=partial(_there, decide=_decide_hour, answers=_HOURS),
        questions=(
            f"{_SAME_WAY} as in it, towards 12 o'clock. At which hour is mark 1?",
            f"From {_THERE}, with its view at 12 o'clock, in which clock direction is mark 1?",
            "If the second picture looks towards 12 o'clock, at which hour does mark 1 lie from there?",
            "Straight ahead in the second picture is 12 o'clock. Which hour points to mark 1 of the first picture?",
        ),
        answers={"answer": _SAY_HOUR}),
    MarkType("view_distance", FAMILY, "number", "none", 1, True, "3d_vertical",
        definition="Distance of a mark of the first picture from where the second was taken, which does not show it.",
        pictures=2, find=_find_view_distance, metric=True,
        questions=(
            f"How far is mark 1 of the first picture from {_THERE}?",
            f"If you stood {_THERE}, how far away would mark 1 be?",
            "What is the distance between the camera of the second picture and the point at mark 1?",
            f"Estimate how far it is from {_THERE} to mark 1 of the first picture.",
        ),
        answers={"answer": ("{Q}.", "About {q}.", "It is about {q} away.", "Roughly {q} from there.")}),
    MarkType("view_nearer_choice", FAMILY, "label", "none", 2, True, "3d_vertical",
        definition="Which of two marks of the first picture is nearer to where the second was taken.", pictures=2,
        find=_find_view_nearer, has_twin=True,
        questions=(
            f"Which is nearer to {_THERE}, mark 1 or mark 2 of the first picture?",
            f"If you stood {_THERE}, which would be closer to you, mark 1 or mark 2?",
            "To which of the two marked points is the camera of the second picture closer, mark 1 or mark 2?",
            f"From {_THERE}, is it mark 1 or mark 2 that is less far away?",
        ),
        answers={"answer": ("{Truth}.", "{Truth} is nearer.", "It is {truth}.", "The nearer one is {truth}.")}),
    MarkType("facing_side", FAMILY, "label", "lateral", 3, True, "3d_vertical",
        definition="On which side mark 3 is to who stands at mark 1 and faces mark 2.", find=_find_facing_side,
        has_twin=True,
        questions=(
            f"{_FACE}. Is mark 3 on your left or on your right?",
            "Standing at mark 1 and looking towards mark 2, on which side of you is mark 3, left or right?",
            "If you were at mark 1 and faced mark 2, would mark 3 be on your left or on your right?",
            "You walk from mark 1 straight towards mark 2. As you set out, is mark 3 on your left or on your right?",
            "For somebody at mark 1 who faces mark 2, which side is mark 3 on, left or right?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "Mark 3 is {truth}.", "It would be {truth}.")}),
    MarkType("facing_front", FAMILY, "label", "ahead", 3, True, "3d_vertical",
        definition="Whether mark 3 is in front of or behind who stands at mark 1 and faces mark 2.",
        find=partial(_at_marks, decide=_decide_front, answers={"in front of you": 0.0, "behind you": 180.0}),
        questions=(
            f"{_FACE}. Is mark 3 in front of you or behind you?",
            "Standing at mark 1 and looking towards mark 2, do you have mark 3 in front of you or behind you?",
            "If you were at mark 1 and faced mark 2, would mark 3 be in front of you or behind you?",
            "You set out from mark 1 straight towards mark 2. Is mark 3 in front of you or behind you at that moment?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "Mark 3 is {truth}.", "It would be {truth}.")}),
    MarkType("facing_clock", FAMILY, "label", "lateral", 3, True, "3d_vertical",
        definition="Hour of the clock at which mark 3 is to who stands at mark 1; mark 2 is at 12, 3 is to the right.",
        find=partial(_at_marks, decide=_decide_hour, answers=_HOURS),
        questions=(
            f"{_FACE}, which is at 12 o'clock. At which hour is mark 3?",
            "Standing at mark 1 with mark 2 at 12 o'clock, in which clock direction is mark 3?",
            "If you were at mark 1 and faced mark 2 as 12 o'clock, which hour would point to mark 3?",
            "From mark 1, mark 2 is straight ahead at 12 o'clock. At which hour does mark 3 lie?",
        ),
        answers={"answer": _SAY_HOUR}),
)  # fmt: skip
