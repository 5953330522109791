"""Where marks lie in the picture itself: asked of pictures of which nothing tells how far anything is."""

from __future__ import annotations

from functools import partial
from itertools import combinations, pairwise

import numpy as np

from instructions.asking.draws import Draw
from instructions.questions.marks.families import Found, MarkType, Start, tell_margin
from instructions.questions.marks.spots import Spot, SpotTour
from recon.geometry import Camera, Pose
from recon.records import Frame, Scale, Scene, SceneModel, Tracks

FAMILY = "mark_picture"
LEAST_APART = 0.10
"""Of the picture's width or height: less is not seen without measuring."""
LEAST_FARTHER = 1.3
"""Ratio of two lengths in the picture that are compared."""
_GRID = 14
"""Places for marks along the shorter side."""
_QUARTERS = ("upper left", "upper right", "lower left", "lower right")
_BOTH = "mark 1 or mark 2"
_SIDES = (
    ("left", 0, -1, "further to the left", "to the left of"),
    ("right", 0, 1, "further to the right", "to the right of"),
    ("up", 1, -1, "higher up", "above"),
    ("down", 1, 1, "further down", "below"),
)
"""Each with its axis (0 along the width, 1 down the height) and its sense along it."""


def lay_flat(scene: Scene, frame: Frame, seed: int) -> SceneModel:
    """A picture as a plane at distance 1 with places for marks on it: nothing of its depth is known."""
    camera = Camera("PINHOLE", frame.width, frame.height, (frame.width, frame.width, frame.width / 2, frame.height / 2))
    step = min(frame.width, frame.height) / _GRID
    rows, columns = np.mgrid[step / 2 : frame.height : step, step / 2 : frame.width : step]
    pixels = np.column_stack([columns.ravel(), rows.ravel()])
    draw = Draw(seed, scene.id, "places", frame.index)
    pixels = pixels + (np.random.default_rng(int(draw.uniform() * 2**53)).random(pixels.shape) - 0.5) * step
    tracks = Tracks(
        xyz=camera.rays(pixels),
        rgb=np.full((len(pixels), 3), 128, dtype=np.uint8),
        error_px=np.zeros(len(pixels)),
        obs_point=np.arange(len(pixels)),
        obs_frame=np.full(len(pixels), frame.index),
        obs_xy=pixels,
    )
    scale = Scale("relative", 1.0, 0.0, "none: a picture without depth")
    return SceneModel(
        str(frame.index),
        camera,
        {frame.index: Pose.identity()},
        tracks,
        scale,
        None,
        "the image's own up",
        0.0,
        is_upright=False,
        has_clouds=True,
    )


def _place(spot: Spot, tour: SpotTour, axis: int) -> float:
    """Where a mark lies along the width (0) or the height (1), as a share of it."""
    return spot.xy[axis] / (tour.model.camera.width, tour.model.camera.height)[axis]


def _find_further(start: Start, *, axis: int, sense: int, choice: bool) -> Found:
    for pair in start.pick_groups(2):
        step = sense * (_place(pair[1], start.tour, axis) - _place(pair[0], start.tour, axis))
        if abs(step) >= LEAST_APART:
            evidence = tell_margin(abs(step), LEAST_APART, "ratio")
            return start.ask_which(pair[step > 0], pair, evidence, choice=choice)
    raise start.lack(2)


def _find_order(start: Start, *, axis: int) -> Found:
    for marks in start.pick_groups(3):
        order = sorted(marks, key=lambda spot: _place(spot, start.tour, axis))
        least = min(_place(b, start.tour, axis) - _place(a, start.tour, axis) for a, b in pairwise(order))
        if least >= LEAST_APART:
            right, evidence = [marks.index(spot) + 1 for spot in order], tell_margin(least, LEAST_APART, "ratio")
            return start.ask_order(right, evidence, marks=marks)
    raise start.lack(3)


def _find_pair(start: Start, *, farthest: bool) -> Found:
    for marks in start.pick_groups(3):
        lines = sorted((float(np.hypot(*np.subtract(a.xy, b.xy))), (a, b)) for a, b in combinations(marks, 2))
        long, short = (lines[2], lines[1]) if farthest else (lines[1], lines[0])
        if long[0] >= LEAST_FARTHER * short[0]:
            evidence = tell_margin(long[0] / short[0], LEAST_FARTHER, "ratio")
            return start.ask_two_of_three(marks, lines[2 if farthest else 0][1], evidence)
    raise start.lack(3)


def _find_quarter(start: Start) -> Found:
    for spot in start.shuffle(start.view.spots):
        across, down = (_place(spot, start.tour, axis) - 0.5 for axis in (0, 1))
        if (off := min(abs(across), abs(down))) >= LEAST_APART:
            truth, evidence = _QUARTERS[2 * (down > 0) + (across > 0)], tell_margin(off, LEAST_APART, "ratio")
            views = (start.view.frame,)
            return Found(views=views, marks=(spot,), truth=truth, choices=_QUARTERS, evidence=evidence)
    raise start.lack(1)


def _compare(word: str, axis: int, sense: int, more: str, beside: str) -> tuple[MarkType, MarkType]:
    """The choice and the predicate of one direction."""
    find = partial(_find_further, axis=axis, sense=sense)
    return (
        MarkType(f"picture_{word}_choice", FAMILY, "label", "none", 2, False, "2d",
            definition=f"Which of two marks lies {more} in the picture.", find=partial(find, choice=True),
            has_twin=True,
            questions=(
                f"Which lies {more} in the picture, {_BOTH}?",
                f"In the image, is it {_BOTH} that is {more}?",
                f"Looking at the picture as it is, which mark is {more}: {_BOTH}?",
            ),
            answers={"answer": ("{Truth}.", f"{{Truth}} is {more}.", "It is {truth}.")}),
        MarkType(f"picture_{word}_predicate", FAMILY, "yes_no", "none", 2, False, "2d",
            definition=f"Whether mark 1 lies {more} in the picture than mark 2.", find=partial(find, choice=False),
            has_twin=True,
            questions=(
                f"Is mark 1 {beside} mark 2 in the picture?",
                f"In the image, does mark 1 lie {more} than mark 2?",
                f"Is mark 1 the one of the two that is {more} in the picture?",
            ),
            answers={"yes": ("Yes.", f"Yes, mark 1 is {more}."), "no": ("No.", f"No, mark 2 is {more}.")}),
    )  # fmt: skip


def _order(name: str, axis: int, start: str, end: str) -> MarkType:
    return MarkType(name, FAMILY, "label", "none", 3, False, "2d",
        definition=f"The three marks from {start} to {end} in the picture.", find=partial(_find_order, axis=axis),
        questions=(
            f"Put the three marks in order from {start} to {end} in the picture. {{choices}}",
            f"In the image, which order of the marks goes from {start} to {end}? {{choices}}",
        ),
        answers={"answer": ("{Truth}.", "The order is {truth}.")})  # fmt: skip


def _pair(name: str, how: str, *, farthest: bool) -> MarkType:
    return MarkType(name, FAMILY, "label", "none", 3, False, "2d",
        definition=f"Which two of three marks are {how} in the picture.", find=partial(_find_pair, farthest=farthest),
        questions=(
            f"Which two marks are {how} in the picture? {{choices}}",
            f"Measured on the image itself, which two of the marks are {how}? {{choices}}",
        ),
        answers={"answer": ("{Truth}.", f"{{Truth}} are {how}.")})  # fmt: skip


TYPES = (
    *(kind for side in _SIDES for kind in _compare(*side)),
    _order("picture_across_order", 0, "left", "right"),
    _order("picture_down_order", 1, "top", "bottom"),
    _pair("picture_closest_pair", "closest together", farthest=False),
    _pair("picture_farthest_pair", "farthest apart", farthest=True),
    MarkType("picture_quarter_class", FAMILY, "label", "none", 1, False, "2d",
        definition="In which quarter of the picture a mark lies.", find=_find_quarter,
        questions=("In which quarter of the picture is mark 1? {choices}", "Where in the image is mark 1? {choices}"),
        answers={"answer": ("{Truth}.", "Mark 1 is in the {truth} quarter.")}),
)  # fmt: skip
