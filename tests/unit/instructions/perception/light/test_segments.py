"""Boxes of segments: what hangs together, how big and solid it is, and what a detector told already."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.frames.segments import SegmentMap, boxes_of_segments
from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import network_names
from tests.support.cases import each_case

ADE = {name: number for number, name in enumerate(network_names()["ade"])}


def blank() -> np.ndarray:
    """A wall over a floor, 90x160 for a picture of 360x640."""
    classes = np.full((90, 160), ADE["wall"], dtype=np.uint8)
    classes[60:] = ADE["floor"]
    return classes


def boxes(classes: np.ndarray, found: list[FoundBox] | None = None) -> list[FoundBox]:
    return boxes_of_segments(SegmentMap(classes, 640, 360), found or [], 0.012)


def test_two_doors_are_two_boxes_in_pixels_of_the_picture():
    classes = blank()
    classes[10:70, 20:45] = ADE["door"]
    classes[10:70, 100:125] = ADE["door"]
    found = boxes(classes)
    assert [one.label for one in found] == ["door", "door"]
    assert sorted(one.box_xyxy for one in found) == [(80, 40, 180, 280), (400, 40, 500, 280)]
    assert all(one.score == pytest.approx(0.7) for one in found)


@pytest.mark.parametrize(("side", "count"), [(13, 0), (14, 1)])
def test_a_segment_needs_area(side: int, count: int):
    classes = blank()
    classes[10 : 10 + side, 20 : 20 + side] = ADE["painting"]
    assert len(boxes(classes)) == count


def test_a_ragged_segment_scores_less_and_a_rim_next_to_nothing():
    solid, ragged, rim = blank(), blank(), blank()
    solid[10:50, 20:60] = ADE["cabinet"]
    ragged[10:50, 20:60] = np.where(np.tri(40) > 0, ADE["cabinet"], ADE["wall"])
    ragged[10:14, 20:60] = ADE["cabinet"]
    rim[10:50, 20:60] = ADE["cabinet"]
    rim[12:50, 22:58] = ADE["wall"]
    assert boxes(ragged)[0].score < 0.85 * boxes(solid)[0].score
    assert boxes(rim)[0].score < 0.3  # what boxes need at least


@each_case(
    ("detected", "count"),
    [
        (FoundBox("chair", 0.9, (80.0, 40.0, 240.0, 200.0)), 0),
        (FoundBox("chair", 0.9, (80.0, 40.0, 140.0, 200.0)), 1),
        (FoundBox("table", 0.9, (80.0, 40.0, 240.0, 200.0)), 1),
        (FoundBox("sofa", 0.9, (80.0, 40.0, 240.0, 200.0)), 0),  # solid: what is seen in it is a part of it
    ],
)
def test_a_segment_that_a_box_of_its_kind_covers_is_not_told_twice(detected: FoundBox, count: int):
    classes = blank()
    classes[10:50, 20:60] = ADE["armchair"]  # its head is the chair
    assert len(boxes(classes, [detected])) == count


def test_people_are_no_boxes():
    classes = blank()
    classes[10:70, 20:45] = ADE["person"]
    classes[10:40, 60:110] = ADE["sky"]
    assert boxes(classes) == []


def test_classes_are_looked_up_by_pixels():
    classes = blank()
    classes[0, 0] = ADE["door"]
    at = SegmentMap(classes, 640, 360).at(np.array([[0.5, 0.5], [3.9, 3.9], [4.1, 0.5], [700.0, 400.0]]))
    assert at.tolist() == [ADE["door"], ADE["door"], ADE["wall"], ADE["floor"]]
