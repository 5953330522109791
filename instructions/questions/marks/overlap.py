"""Which pictures show the same place, and how much of one is in another.

What two pictures share is told by points that were tracked in both, which are some of all that they share; what they do
not share by where everything that one shows would lie for the other, whatever hides it. An answer fits both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from instructions.facts.verdict import Measured
from instructions.questions.core.view_sets import Refused, require
from instructions.questions.marks.families import Found, MarkType, Start, tell_margin
from instructions.questions.marks.pairs import ViewPairs, find_held
from instructions.questions.marks.spots import SpotTour
from recon.geometry import Array
from recon.records import MEDIAN_INDOOR_DEPTH_M

FAMILY = "overlap"
LEAST_POINTS, LEAST_SHARE = 15, 0.2
"""Points that two pictures share, in number and of the fewer that one has, for anybody to see that they overlap."""
CELLS = 8
"""Along either side of a picture: so fine is it compared."""
_GUESSES = np.array([0.7, 1.0, 1.4])[:, None, None]
"""Times the depth of the nearest point: where a part of a picture may lie."""
LEAST_TRACKED = 0.5
"""Of what should be in another picture, the share of points tracked there: with fewer, things hide it."""
LESS_THAN_QUARTER = 0.18
HALF = (0.40, 0.62)
NEARLY_ALL = 0.88
"""Of the picture: at most this is in the other for less than a quarter; between for about half; at least for nearly
all."""
LEAST_LEAD = 0.2
"""Of the picture, which one of two others shows more of it than the other may."""
_TRIES = 6
ORDINALS = ("first", "second", "third", "fourth")
SHARES = ("less than a quarter", "about half", "nearly all")
_TWO_OF_FOUR = tuple(f"the {one} and the {other}" for one, other in combinations(ORDINALS, 2))
_PICTURES = tuple(f"the {one} picture" for one in ORDINALS)


@dataclass(frozen=True)
class Share:
    """How much of one picture is in another, by area."""

    least: float
    most: float


def measure_shares(tour: SpotTour, at: int, others: Iterable[int]) -> list[tuple[int, Share]]:
    """How much of what one view shows others show; bounds, for its depth between points is not known.

    Every part of the first picture is taken to be as far as the point nearest to it in the picture, or nearer or
    farther. Something may hide it from the other view: where few of the points are tracked there, no more than their
    share is sure.
    """
    pairs = tour.pairs
    places, cells = _fill_picture(tour, at)
    points = pairs.points[int(pairs.frames[at])]
    weight = 1.0 / np.bincount(cells)[cells]
    out = []
    for other in others:
        inside = pairs.falls_inside(other, places.reshape(-1, 3)).reshape(places.shape[:-1])
        shares = inside.mean(axis=1)
        held = find_held(pairs.points[int(pairs.frames[other])], points)
        tracked = float(weight @ held / weight.sum()) if len(points) else 0.0
        least = float(shares.min())
        share = Share(least if tracked >= LEAST_TRACKED * least else tracked, float(shares.max()))
        out.append((other, share))
    return out


def _pick_some(start: Start, mask: NDArray[np.bool_]) -> list[int]:
    """Some of the places that are true, by lot."""
    return start.draw.take(np.flatnonzero(mask).tolist(), _TRIES)


def _fill_picture(tour: SpotTour, at: int) -> tuple[Array, NDArray[np.int64]]:
    """Places in the world (D, N, 3) that fill a picture evenly at D guesses of their depth, and cells of its points."""
    pairs, tracks, camera = tour.pairs, tour.model.tracks, tour.model.camera
    frame = int(pairs.frames[at])
    pose = tour.model.world_from_cam[frame]
    rows = tracks.rows_of_frame(frame)
    points, first = np.unique(tracks.obs_point[rows], return_index=True)
    kept = find_held(pairs.points[frame], points)
    points, pixels = points[kept], tracks.obs_xy[rows][first[kept]]
    depths = pose.depths(tracks.xyz[points]) if len(points) else np.array([MEDIAN_INDOOR_DEPTH_M * tour.metre])
    size = np.array([camera.width, camera.height])
    cells = np.clip((pixels / size * CELLS).astype(np.int64), 0, CELLS - 1) @ np.array([1, CELLS])
    spread = (np.arange(CELLS) + 0.5) / CELLS
    filled = np.stack(np.meshgrid(spread, spread), axis=-1).reshape(-1, 2) * size
    nearest = KDTree(pixels).query(filled)[1] if len(points) else np.zeros(len(filled), dtype=np.int64)
    local = camera.rays(filled) * depths[nearest][:, None]
    return (pose @ (_GUESSES * local).reshape(-1, 3)).reshape(len(_GUESSES), -1, 3), cells


def _find_overlapping(pairs: ViewPairs, at: int) -> NDArray[np.bool_]:
    """Views from elsewhere that clearly show some of the same: (F,)."""
    fewer = np.minimum(pairs.point_counts, pairs.point_counts[at])
    return pairs.find_changed(at) & (pairs.count_shared(at) >= np.maximum(LEAST_POINTS, LEAST_SHARE * fewer))


def _find_apart(start: Start, *near: int) -> int:
    """A view that surely shows nothing of what some views show.

    Raises:
        Refused: If none was found.
    """
    pairs = start.pairs
    open_ = pairs.point_counts >= LEAST_POINTS
    for at in near:
        open_ &= pairs.count_shared(at) == 0
    for _ in range(_TRIES):
        other = start.pick_row(open_)
        if all(pairs.are_apart(at, other) for at in near):
            return other
        open_[other] = False
    raise Refused("no_view")


def _tell_shared(pairs: ViewPairs, at: int, other: int) -> tuple[Measured]:
    return (Measured("shared points", float(pairs.share_points(at, other)), "", 0.0),)


def _find_same(start: Start) -> Found:
    """Whether two pictures overlap; the twin has another second picture."""
    pairs, at = start.pairs, start.at
    near, far = start.pick_row(_find_overlapping(pairs, at)), _find_apart(start, at)

    def ask(second: int, truth: str) -> Found:
        return start.ask_pictures((at, second), truth, ("yes", "no"), _tell_shared(pairs, at, second))

    return start.pair(ask(near, "yes"), ask(far, "no"))


def _find_pair(start: Start) -> Found:
    """Which two of four pictures overlap; all other pairs of them do not."""
    pairs, at = start.pairs, start.at
    near = start.pick_row(_find_overlapping(pairs, at))
    far = _find_apart(start, at, near)
    # The picture that begins the row is not always one of the two.
    order = start.shuffle((at, near, far, _find_apart(start, at, near, far)))
    one, other = sorted((order.index(at), order.index(near)))
    truth = f"the {ORDINALS[one]} and the {ORDINALS[other]}"
    return start.ask_pictures(order, truth, _TWO_OF_FOUR, _tell_shared(pairs, at, near))


def _find_odd(start: Start) -> Found:
    """Which of four pictures shows another place than the other three, which overlap."""
    pairs, at = start.pairs, start.at
    near = _find_overlapping(pairs, at)
    second = start.pick_row(near)
    third = start.pick_row(near & _find_overlapping(pairs, second))
    odd = _find_apart(start, at, second, third)
    order = start.shuffle((at, second, third, odd))
    least = min(combinations((at, second, third), 2), key=lambda pair: pairs.share_points(*pair))
    return start.ask_pictures(order, _PICTURES[order.index(odd)], _PICTURES, _tell_shared(pairs, *least))


def classify_share(share: Share) -> str | None:
    """Which of `SHARES` is true, by a wide margin; None where none is."""
    if share.most <= LESS_THAN_QUARTER:
        return SHARES[0]
    if HALF[0] <= share.least and share.most <= HALF[1]:
        return SHARES[1]
    return SHARES[2] if share.least >= NEARLY_ALL else None


def _find_share(start: Start) -> Found:
    """How much of the first picture is in the second; rare answers first."""
    pairs, at = start.pairs, start.at
    seconds = _find_overlapping(pairs, at) | (pairs.count_shared(at) >= LEAST_POINTS)
    seconds[at] = False
    found: dict[str, tuple[int, Share]] = {}
    for second, share in measure_shares(start.tour, at, _pick_some(start, seconds)):
        truth = classify_share(share)
        if truth is not None:
            found[truth] = second, share
    require(bool(found), "alike")
    truth = start.shuffle(found)[0]
    second, share = found[truth]
    bounds = ("least share", share.least), ("largest share", share.most)
    evidence = tuple(Measured(name, value, "ratio", 0.0) for name, value in bounds)
    return start.ask_pictures((at, second), truth, SHARES, evidence)


def _find_more(start: Start) -> Found:
    """Which of two pictures shows more of the first; the twin has them the other way round."""
    shares = measure_shares(start.tour, start.at, _pick_some(start, _find_overlapping(start.pairs, start.at)))
    leads = [(more.least - less.most, one, other) for one, more in shares for other, less in shares]
    lead, one, other = next((found for found in leads if found[0] >= LEAST_LEAD), (0.0, 0, 0))
    require(lead > 0.0, "alike" if len(shares) > 1 else "no_view")
    return start.ask_later(one, (one, other), tell_margin(lead, LEAST_LEAD, "ratio"))


TYPES = (
    MarkType("overlap_predicate", FAMILY, "yes_no", "none", 0, False, "3d",
        definition="Whether two pictures show some of the same surfaces. Yes where many points were tracked in both, "
        "no where nothing that one shows would lie in the other.",
        pictures=2, find=_find_same, has_twin=True,
        questions=(
            "Do the two pictures show some of the same place?",
            "Do the two pictures overlap?",
            "Is part of the place in the first picture also in the second?",
            "Does the second picture show again some of what is in the first?",
            "Do these pictures have a part of the place in common?",
        ),
        answers={
            "yes": ("Yes.", "Yes, they overlap.", "Yes, part of the place is in both."),
            "no": ("No.", "No, they do not overlap.", "No, they show different parts of the place."),
        }),
    MarkType("overlap_pair_choice", FAMILY, "label", "none", 0, False, "3d",
        definition="The only two of four pictures that show some of the same surfaces.", pictures=4, find=_find_pair,
        questions=(
            "Which two of the four pictures show the same place? {choices}",
            "Two of these pictures overlap. Which? {choices}",
            "Only two of the pictures have a part of the place in common. Which two? {choices}",
            "Find the two pictures that show the same part of the place. {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} show the same place.")}),
    MarkType("overlap_odd_choice", FAMILY, "label", "none", 0, False, "3d",
        definition="The only one of four pictures that shows nothing of what the other three share.", pictures=4,
        find=_find_odd,
        questions=(
            "Three of the pictures overlap. Which one shows another place? {choices}",
            "Which picture has nothing in common with the other three? {choices}",
            "One of the four pictures does not belong to the place that the others show. Which? {choices}",
            "Which of the pictures shows a different part of the place than the other three? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} shows another place.")}),
    MarkType("overlap_share_class", FAMILY, "label", "none", 0, False, "3d",
        definition="How much of what the first picture shows is in the second, by area: surely less than 0.18, "
        "between 0.40 and 0.62, or more than 0.88.",
        pictures=2, find=_find_share,
        questions=(
            "How much of what the first picture shows can be seen in the second? {choices}",
            "What share of the first picture's content is in the second? {choices}",
            "How much of the first picture is also in the second one? {choices}",
            "How large a part of the first picture's view is in the second? {choices}",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} of it.")}),
    MarkType("overlap_more_choice", FAMILY, "label", "none", 0, False, "3d",
        definition="Which of two pictures shows more of what the first one shows.", pictures=3, find=_find_more,
        has_twin=True,
        questions=(
            "Which shows more of what the first picture shows, the second picture or the third picture?",
            "Which overlaps more with the first picture: the second picture or the third picture?",
            "Is it the second picture or the third picture that contains more of the first one's view?",
            "Where can more of the first picture be seen again, in the second picture or the third picture?",
        ),
        answers={"answer": ("{Truth}.", "It is {truth}.", "{Truth} shows more of it.")}),
)  # fmt: skip
