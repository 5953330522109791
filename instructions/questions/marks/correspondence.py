"""Which points of two pictures are the same, and where a point of one picture is for the other.

That a point is in view is known where it was tracked there. That it is not is known from where it would lie, clearly
outside the picture; what hides a point is never asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import hypot

import numpy as np
from numpy.typing import NDArray

from instructions.facts.verdict import SIGMAS, Measured
from instructions.questions.core.view_sets import Refused
from instructions.questions.marks.families import Found, MarkType, Start, ask_whether, tell_margin
from instructions.questions.marks.pairs import LEAST_SHARED
from instructions.questions.marks.spots import Spot, SpotTour, SpotView

FAMILY = "correspondence"
APART_M = 0.3
"""(Nominal) metres between the right mark and a wrong one."""
APART_SHARE = 1.0 / 6.0
"""Of the shorter side of the picture, between the right mark and a wrong one."""
OUTSIDE_SHARE = 0.10
"""Of the picture's size: what lies so far outside is not in it."""
INSIDE_SHARE = 0.05
"""Of the picture's height or width that a point beside the picture keeps from its corners."""
LEAST_BEHIND_DEG = 115.0
"""From the optical axis: what is further round is behind. Up to `MOST_BESIDE_DEG` it is beside the picture."""
MOST_BESIDE_DEG = 70.0
BEYOND_CORNER_DEG = 8.0
"""From the direction of the picture's farthest corner: what is turned away further is not in it."""
LEAST_TIMES = 1.3
"""How many times as far one of two cameras must be from a point."""
_TRIES = 5
OPTIONS = ("left of the picture", "right of the picture", "above the picture", "below the picture", "behind the camera")
_PICTURES = ("the first picture", "the second picture")
_LIST = "mark 2, mark 3, mark 4 or mark 5"


def _views_by_lot(start: Start) -> Iterable[SpotView]:
    """Some other views from elsewhere, or turned elsewhere, that share enough points with one."""
    seconds = start.pairs.find_changed(start.at) & (start.pairs.count_shared(start.at) >= LEAST_SHARED)
    for _ in range(min(_TRIES, np.count_nonzero(seconds))):
        second = start.pick_row(seconds)
        seconds[second] = False
        yield start.tour.views[int(start.pairs.frames[second])]


def _match(start: Start, second: SpotView) -> tuple[Spot, Spot] | None:
    """A spot of one view and the same point as a spot of another."""
    for spot in start.shuffle(start.tour.find_seen(second, start.view.spots))[:3]:
        same = start.tour.place(second, spot.point)
        if same is not None:
            return spot, same
    return None


def _match_among(start: Start, least: int) -> tuple[Spot, Spot, list[Spot], tuple[Measured, ...]]:
    """The same point in a view and another, wrong marks in the other that nobody takes for it, and what decided."""
    tour, reason = start.tour, "no_view"
    camera = tour.model.camera
    far_px, far = APART_SHARE * min(camera.width, camera.height), APART_M * tour.metre
    for second in _views_by_lot(start):
        reason = "few_spots"
        if (pair := _match(start, second)) is None:
            continue
        first, same = pair
        apart = {
            spot: (float(np.linalg.norm(spot.xyz - same.xyz)), max(far, SIGMAS * hypot(spot.sigma, same.sigma)))
            for spot in second.spots
            if hypot(spot.xy[0] - same.xy[0], spot.xy[1] - same.xy[1]) >= far_px
        }
        others = [spot for spot, (length, margin) in apart.items() if length >= margin]
        if len(others) >= least:
            wrong = start.shuffle(others)[:least]
            return first, same, wrong, tell_margin(*min(apart[spot] for spot in wrong), tour.unit)
    raise Refused(reason)


def _find_match(start: Start) -> Found:
    """One mark in the first picture and four in the second, of which one is the same point."""
    first, same, wrong, evidence = _match_among(start, 3)
    marks, choices = start.shuffle([same, *wrong]), tuple(f"mark {number}" for number in range(2, 6))
    truth, views = choices[marks.index(same)], (first.frame, same.frame)
    return Found(views=views, marks=(first, *marks), truth=truth, choices=choices, evidence=evidence)


def _find_same(start: Start) -> Found:
    """Whether two marks are one point; the twin has a mark elsewhere."""
    first, same, (wrong,), evidence = _match_among(start, 1)
    views = first.frame, same.frame
    return start.pair(*(ask_whether(one is same, views, (first, one), evidence) for one in (same, wrong)))


def find_outside(tour: SpotTour, second: SpotView, spots: Sequence[Spot]) -> tuple[list[str | None], NDArray[np.bool_]]:
    """Where points lie for a view that may not show them.

    Args:
        tour: Of the views.
        second: The view.
        spots: The points, as one other view shows them; at least one.

    Returns:
        By point which of `OPTIONS` is true, None where none or more than one may be; and whether the view surely does
        not show it: (N,).
    """
    local = second.pose.inverse() @ np.array([spot.xyz for spot in spots])
    away = np.maximum(np.linalg.norm(local, axis=1), 1e-9)
    angle = np.degrees(np.arccos(np.clip(local[:, 2] / away, -1, 1)))
    motion = tour.pairs.measure(tour.pairs.place[spots[0].frame], tour.pairs.place[second.frame])
    place = np.hypot([spot.sigma for spot in spots], motion.sigma)
    off = SIGMAS * np.hypot(motion.turn_sigma_deg, np.degrees(np.arctan2(place, away)))
    x0, y0, x1, y1 = tour.pairs.window
    wide, high = x1 - x0, y1 - y0
    depth = np.where(angle <= MOST_BESIDE_DEG, local[:, 2], away)
    x, y = local[:, 0] / depth, local[:, 1] / depth
    slack = np.radians(off) * (1.0 + x**2 + y**2)
    beyond = np.array(
        [(x0 - x - slack) / wide, (x - x1 - slack) / wide, (y0 - y - slack) / high, (y - y1 - slack) / high]
    )
    beyond = (beyond >= OUTSIDE_SHARE) & (angle + off <= MOST_BESIDE_DEG)
    within_x = (x >= x0 + INSIDE_SHARE * wide + slack) & (x <= x1 - INSIDE_SHARE * wide - slack)
    within_y = (y >= y0 + INSIDE_SHARE * high + slack) & (y <= y1 - INSIDE_SHARE * high - slack)
    behind = angle - off >= LEAST_BEHIND_DEG
    clear = np.array([*(beyond & [within_y, within_y, within_x, within_x]), behind])
    places = [OPTIONS[int(np.argmax(one))] if one.sum() == 1 else None for one in clear.T]
    corner = float(np.degrees(np.arctan(np.hypot(max(-x0, x1), max(-y0, y1)))))
    return places, beyond.any(axis=0) | (angle - off >= corner + BEYOND_CORNER_DEG)


def _find_visible(start: Start) -> Found:
    """Whether a second picture shows a point; the twin asks it of another point, with the other answer."""
    tour, view, reason = start.tour, start.view, "no_view"
    for second in _views_by_lot(start):
        reason = "alike"
        seen = tour.find_seen(second, view.spots)
        is_out = find_outside(tour, second, view.spots)[1] if view.spots else []
        hidden = [spot for spot, out in zip(view.spots, is_out, strict=True) if out and spot not in seen]
        if seen and hidden:
            views = view.frame, second.frame
            return start.pair(
                *(ask_whether(spots is seen, views, (start.shuffle(spots)[0],)) for spots in (seen, hidden))
            )  # fmt: skip
    raise Refused(reason)


def _find_where(start: Start) -> Found:
    """Where a point is that the second picture does not show; rare answers first."""
    tour, view = start.tour, start.view
    places: dict[str, list[tuple[SpotView, Spot]]] = {}
    for second in _views_by_lot(start) if view.spots else ():
        seen = {spot.point for spot in tour.find_seen(second, view.spots)}
        for spot, place in zip(view.spots, find_outside(tour, second, view.spots)[0], strict=True):
            if place is not None and spot.point not in seen:
                places.setdefault(place, []).append((second, spot))
    if not places:
        raise start.lack(1, "no_view")
    truth = start.shuffle(places)[0]
    second, spot = start.shuffle(places[truth])[0]
    return Found(views=(view.frame, second.frame), marks=(spot,), truth=truth, choices=tuple(start.shuffle(OPTIONS)))


def _find_nearer(start: Start) -> Found:
    """From which of two pictures one point is nearer; the twin shows them the other way round."""
    tour, view, reason = start.tour, start.view, "no_view"
    for second in _views_by_lot(start):
        if (pair := _match(start, second)) is None:
            reason = "few_spots"
            continue
        reason = "alike"
        near, far = sorted(pair, key=lambda spot: spot.range)
        sigma = hypot(near.sigma, far.sigma, tour.drift(view.frame, second.frame))
        difference, margin = far.range - near.range, max(SIGMAS * sigma, (LEAST_TIMES - 1.0) * near.range)
        if difference >= margin and far.depth >= LEAST_TIMES * near.depth:
            found = Found(
                views=(near.frame, far.frame), marks=(near, far), truth=_PICTURES[0], choices=_PICTURES,
                evidence=tell_margin(difference, margin, tour.unit),
            )  # fmt: skip
            turned = replace(found, views=found.views[::-1], marks=(far, near), truth=_PICTURES[1])
            return start.pair(found, turned)
    raise Refused(reason)


TYPES = (
    MarkType("match_choice", FAMILY, "label", "ahead", 5, False, "3d",
        definition="Which mark of the second picture is the same point as mark 1 of the first.", pictures=2,
        find=_find_match,
        questions=(
            f"Mark 1 is in the first picture. Which mark in the second is the same point, {_LIST}?",
            f"Which mark in the second picture shows the same point as mark 1 in the first: {_LIST}?",
            f"The point at mark 1 of the first picture appears again in the second. Is it {_LIST}?",
            f"Find the place of mark 1 in the second picture: {_LIST}?",
            f"Which corresponds to mark 1 of the first picture, {_LIST}?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} is the same point.")}),
    MarkType("match_predicate", FAMILY, "yes_no", "ahead", 2, False, "3d",
        definition="Whether mark 2 of the second picture is the same point as mark 1 of the first.", pictures=2,
        find=_find_same, has_twin=True,
        questions=(
            "Is mark 2 in the second picture the same point as mark 1 in the first?",
            "Do mark 1 in the first picture and mark 2 in the second show the same point?",
            "Does mark 2 in the second picture lie on the very spot that mark 1 shows in the first?",
            "Mark 1 is in the first picture and mark 2 in the second. Are they one and the same point?",
            "Are mark 1 of the first picture and mark 2 of the second the same place in the room?",
        ),
        answers={
            "yes": ("Yes.", "Yes, they are the same point.", "Yes, both marks show one point."),
            "no": ("No.", "No, they are two different points.", "No, mark 2 is somewhere else."),
        }),
    MarkType("match_visible_predicate", FAMILY, "yes_no", "ahead", 1, False, "3d",
        definition="Whether the second picture shows the point of mark 1. Yes where it was tracked there, no where "
        "it lies outside the second picture by a tenth of its size and more, or behind its camera.",
        pictures=2, find=_find_visible, has_twin=True,
        questions=(
            "Can the place of mark 1 in the first picture be seen in the second?",
            "Does the second picture also show the point at mark 1 of the first?",
            "Is the spot marked 1 in the first picture visible in the second picture?",
            "Is the marked point of the first picture still in view in the second?",
            "Look for the point of mark 1 in the second picture. Is it there?",
        ),
        answers={
            "yes": ("Yes.", "Yes, the second picture shows it.", "Yes, it is in view there too."),
            "no": ("No.", "No, it is out of view in the second picture.", "No, the second picture does not show it."),
        }),
    MarkType("match_outside_class", FAMILY, "label", "lateral", 1, False, "3d",
        definition="Where the point of mark 1 lies for the camera of the second picture, which does not show it: "
        "beyond one border of the picture, or behind the camera.",
        pictures=2, offers_what_occurs=True, find=_find_where,
        questions=(
            "The point at mark 1 of the first picture is not in the second. Where would it be? {choices}",
            "Mark 1 is in the first picture. Where is its point for the camera of the second picture? {choices}",
            "Where does the point of mark 1 lie when the second picture is taken? {choices}",
            "The second picture does not show the point of mark 1. Where is it, seen from there? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "It would be {truth}.", "The point lies {truth}.")}),
    MarkType("match_nearer_choice", FAMILY, "label", "ahead", 2, False, "3d",
        definition="From which picture's eye the point is nearer that both marks show.", pictures=2, find=_find_nearer,
        has_twin=True,
        questions=(
            "Mark 1 in the first picture and mark 2 in the second are one point. In which is the camera nearer to it, "
            "the first picture or the second picture?",
            "Both marks show one point. Was the first picture or the second picture taken closer to it?",
            "Marks 1 and 2 are one point, seen twice. Is it the first picture or the second picture that is taken from "
            "less far away?",
            "One point is marked in both. Which was taken nearer to it, the first picture or the second picture?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} was taken nearer to it.")}),
)  # fmt: skip
