"""Side, range and depth of boxes and masks, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instructions.errors import InstructionError
from instructions.facts.placing import DepthMap, FramePlaces
from instructions.perception.frames.overlap import drop_doubles
from instructions.perception.interfaces import FoundBox
from instructions.perception.masks import decode_mask, encode_mask
from instructions.records import MaskRle
from tests.support.cases import each_case

# Ten columns of depth 1 to 10 m over a 40 x 40 frame, every fourth pixel. Of the 100 samples the nearest 30 % are
# columns 1 to 3 (x = 0.5, 4.5, 8.5), the next 40 % columns 4 to 7, the furthest 30 % columns 8 to 10.
STEPS = DepthMap(np.tile(np.arange(1.0, 11.0, dtype=np.float32), (10, 1)), step_px=4)
PLACES = FramePlaces(40, STEPS)


BOXES = (
    ((0, 0, 12, 40), "left", ("near",)),  # columns 1, 2, 3; centre 6 < 12
    ((12, 0, 28, 40), "middle", ("closer",)),  # columns 4 to 7; centre 20
    ((28, 0, 40, 40), "right", ("further",)),  # columns 8, 9, 10; centre 34 > 28
    ((4, 0, 20, 40), "middle", ("near", "closer")),  # columns 2, 3 | 4, 5: half each; centre 12 is the border
    ((8, 0, 28, 40), "middle", ("closer",)),  # column 3 | 4 to 7: only 20 % are near
    ((4, 0, 40, 40), "middle", ("closer", "further")),  # 2 | 4 | 3 of 9: 22 % near, 44 %, 33 %
    ((0, 0, 40, 40), "middle", ("closer",)),  # 30 % near and 30 % further are not MORE than 30 %
    ((16, 0, 40, 40), "middle", ("closer", "further")),  # 3 | 3 of 6; centre 28 is the border
    ((17, 0, 40, 40), "right", ("closer", "further")),  # 2 | 3 of 5; centre 28.5
    ((37, 10, 39, 12), "right", ("further",)),  # smaller than the grid: the nearest sample
)


@each_case(("box", "side", "ranges"), BOXES)
def test_boxes(box, side, ranges):
    place = PLACES.place(box)
    assert (place.sides, place.ranges) == ((side,), ranges)


def test_a_mask_decides_the_ranges_and_the_box_the_side():
    def place(first: int, last: int, box):
        mask = np.zeros((40, 40), dtype=bool)
        mask[:, first:last] = True
        placed = PLACES.place(box, mask)
        return placed.sides, placed.ranges

    assert place(0, 8, (0, 0, 40, 40)) == (("middle",), ("near",))  # a chair whose box is half wall: columns 1 and 2
    assert place(8, 32, (8, 0, 32, 40))[1] == ("closer",)  # 1 near, 4 closer, 1 further of 6
    assert place(0, 32, (0, 0, 32, 40))[1] == ("near", "closer")  # 37.5 %, 50 %, 12.5 %
    assert place(2, 3, (2, 0, 3, 40))[1] == ("near",)  # thinner than the grid: as its box


def test_unknown_depth_is_left_out_and_told():
    depth = STEPS.depth.copy()
    depth[:, :2] = np.nan
    stats = FramePlaces(40, DepthMap(depth, 4)).place((0, 0, 16, 40)).depth_stats
    assert stats is not None
    assert stats.known == pytest.approx(0.5)
    assert stats.near >= 3.0
    nothing = FramePlaces(40, DepthMap(np.full((10, 10), np.nan, np.float32), 4)).place((0, 0, 16, 40))
    assert (nothing.ranges, nothing.depth_stats) == ((), None)


def test_without_depth_there_are_sides_only_and_without_scale_no_lengths():
    place = FramePlaces(40, None).place((0, 0, 4, 4))
    assert (place.sides, place.ranges, place.depth_stats) == (("left",), (), None)
    order_only = FramePlaces(40, DepthMap(STEPS.depth * -3.0 + 100.0, 4, is_length=False)).place((0, 0, 12, 40))
    assert (order_only.ranges, order_only.depth_stats) == (("further",), None)


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_masks_survive_run_lengths(height, width, seed):
    mask = np.random.default_rng(seed).random((height, width)) < 0.5
    rle = encode_mask(mask)
    assert np.array_equal(decode_mask(rle), mask)
    assert sum(rle.counts) == height * width


def test_run_lengths_are_those_of_coco_and_damaged_ones_are_refused():
    """Column by column, beginning with zeros: 0 1 | 1 1 -> one 0, three 1."""
    assert encode_mask([[0, 1], [1, 1]]) == MaskRle(2, 2, (1, 3))
    assert encode_mask([[1, 0], [1, 0]]) == MaskRle(2, 2, (0, 2, 2))
    with pytest.raises(InstructionError, match="runs cover 3 pixels"):
        decode_mask(MaskRle(2, 2, (1, 2)))


def test_the_surer_of_two_names_for_one_box_stays():
    chair, armchair, table = (
        FoundBox("chair", 0.5, (0, 0, 10, 10)),
        FoundBox("armchair", 0.6, (0, 0, 10, 9.5)),
        FoundBox("table", 0.4, (5, 0, 15, 10)),
    )
    found = drop_doubles([chair, armchair, table], 0.8)
    assert found == [FoundBox("armchair", 0.6, (0, 0, 10, 9.5), (("chair", 0.5),)), table]
    again = FoundBox("stool", 0.3, (0, 0, 10, 9.5), (("chair", 0.2), ("bench", 0.1)))
    assert drop_doubles([*found, again], 0.8)[0].also == (("chair", 0.5), ("stool", 0.3), ("bench", 0.1))
