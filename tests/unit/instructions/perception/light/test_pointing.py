"""The pixel that stands for a thing in an unclear box: a chair three meters ahead, and what is before or beside it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from instructions.facts.placing import DepthMap
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import ade150_words, ade_words
from instructions.perception.things.pointing import LEAST_MARGIN, Pixel, Pointer
from instructions.records import Box, Detection
from tests.support.worlds.box_rooms import Block, make_room

ROOM = make_room((Block("chair", (3.2, 0.0, 1.5), (0.4, 1.2, 1.2)),))
STEP = 4
BODY: Box = (240.0, 160.0, 400.0, 320.0)
"""Pixels of its front, 3 m away."""


def cells(box: Box) -> tuple[slice, slice]:
    x0, y0, x1, y1 = (int(value) // STEP for value in box)
    return slice(y0, y1), slice(x0, x1)


def make_depth(near: Box | None = None) -> NDArray[np.float32]:
    """A wall at 6 m, the chair at 3 m, and something at 1.5 m before it."""
    depth = np.full((120, 160), 6.0, dtype=np.float32)
    depth[cells(BODY)] = 3.0
    if near is not None:
        depth[cells(near)] = 1.5
    return depth


def make_segments(box: Box, vocabulary: tuple[str, ...]) -> SegmentMap:
    classes = np.full((120, 160), vocabulary.index("wall"), dtype=np.uint8)
    classes[cells(box)] = vocabulary.index("chair")
    return SegmentMap(classes, 640, 480, vocabulary)


def find(
    *,
    near: Box | None = None,
    coarse: Box | None = BODY,
    fine: Box | None = BODY,
    others: tuple[Detection, ...] = (),
    depth: NDArray[np.float32] | None = None,
    **seen,
) -> Pixel | None:
    maps = [
        None if box is None else make_segments(box, words)
        for box, words in ((coarse, ade_words()), (fine, ade150_words()))
    ]
    depth_map = DepthMap(make_depth(near) if depth is None else depth, STEP)
    pointer = Pointer(ROOM.model, [lambda _, one=one: one for one in maps], lambda _: depth_map)
    observation = replace(ROOM.observations[0], **({"is_clear": False} | seen))
    return pointer.find(ROOM.objects[0], [observation], {1: others}).get(1)


def lies_in(pixel: Pixel | None, box: Box) -> bool:
    return pixel is not None and box[0] <= pixel[0] <= box[2] and box[1] <= pixel[1] <= box[3]


def test_it_lies_well_inside_of_the_thing():
    assert lies_in(find(), (300.0, 220.0, 340.0, 260.0))
    assert find(is_clear=True) is None, "its box points at it"


def test_what_a_nearer_thing_hides_is_not_pointed_at():
    left = (240.0, 160.0, 330.0, 320.0)
    assert lies_in(find(near=left), (340.0, 170.0, 390.0, 310.0))
    assert find(near=BODY) is None
    assert find(depth=np.full((120, 160), np.nan, dtype=np.float32)) is None, "nobody knows how deep it is"


def test_where_segmenters_differ_it_is_not():
    right = (320.0, 160.0, 400.0, 320.0)
    for pixel in (find(coarse=right), find(fine=right)):
        assert lies_in(pixel, (330.0, 170.0, 390.0, 310.0))
    assert lies_in(find(coarse=None), BODY)
    assert find(coarse=None, fine=None) is None, "no segmenter looked"


def test_boxes_of_others_are_kept_free():
    def other(label: str, box: Box, **more) -> tuple[Detection, ...]:
        return (Detection(1, label, 0.9, box, (), (), None, **more),)

    left = (200.0, 160.0, 330.0, 320.0)
    for label in ("chair", "cup"):
        assert lies_in(find(others=other(label, left)), (340.0, 170.0, 390.0, 310.0))
    middle = (300.0, 220.0, 340.0, 260.0)
    around = (0.0, 0.0, 640.0, 480.0)
    assert lies_in(find(others=other("table", around)), middle), "segmenters tell a larger thing of another kind apart"
    assert lies_in(find(others=other("chair", around, is_region=True)), middle), "a region holds the chair itself"


@pytest.mark.parametrize(("cells_wide", "is_found"), [(2, False), (3, True)])
def test_it_keeps_a_sixtieth_of_the_shorter_side_from_all_else(cells_wide: int, is_found: bool):
    """8 px of 480: of three cells of 4 px the middle one is two cells away from all else."""
    assert LEAST_MARGIN * 480 == 8.0
    narrow = (320.0, 200.0, 320.0 + STEP * cells_wide, 280.0)
    assert (find(fine=narrow) is not None) is is_found


@pytest.mark.parametrize(("depth_m", "is_found"), [(2.9, True), (2.6, False), (3.5, True), (3.8, False)])
def test_what_it_shows_lies_in_the_box_of_the_thing_to_its_error(depth_m: float, is_found: bool):
    """The body is 3.0 to 3.4 m away, and its faces are known to some 0.1 m."""
    assert (find(depth=np.full((120, 160), depth_m, dtype=np.float32)) is not None) is is_found
