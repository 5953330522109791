"""Boxes of the light detectors: letterbox, decoding by hand, doubles, agreement; then the real networks."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.frames.segments import ALONE, SegmentMap, weigh_boxes
from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.boxes_of_classes import name_boxes, suppress_doubles
from instructions.perception.models.light.labels import ade150_words, network_names
from instructions.perception.models.light.letterbox import letterbox
from instructions.perception.models.light.yolox import decode_yolox

CHAIR = network_names()["coco"].index("chair")


def test_a_letterbox_keeps_proportions_and_fills_the_rest():
    image = np.full((360, 640, 3), 200, dtype=np.uint8)
    boxed = letterbox(image, 416, 416, 114)
    assert boxed.image.shape == (416, 416, 3)
    assert boxed.content == (234, 416)
    assert boxed.scale == pytest.approx(0.65)
    assert (boxed.image[:234] == 200).all()
    assert (boxed.image[234:] == 114).all()
    upright = letterbox(image.transpose(1, 0, 2), 416, 416, 114)
    assert upright.content == (416, 234)


def test_yolox_output_decoded_by_hand():
    """64x64 input: 64 + 16 + 4 cells. One chair in the second cell of stride 16, one weak thing in the last of 32."""
    raw = np.zeros((84, 85), dtype=np.float32)
    raw[65, :5] = (0.5, 0.25, np.log(2.0), np.log(1.0), 0.9)  # cell (1, 0) of stride 16
    raw[65, 5 + CHAIR] = 0.8
    raw[83, 4], raw[83, 5] = 0.4, 0.5
    boxes, scores, classes = decode_yolox(raw, 64, 64, 0.25)
    np.testing.assert_allclose(boxes, [[24 - 16, 4 - 8, 24 + 16, 4 + 8]], atol=1e-4)
    np.testing.assert_allclose(scores, [0.72], atol=1e-6)
    assert classes.tolist() == [CHAIR]
    weak, _, _ = decode_yolox(raw, 64, 64, 0.19)
    np.testing.assert_allclose(weak[1], [32 - 16, 32 - 16, 32 + 16, 32 + 16], atol=1e-4)


@pytest.mark.parametrize(("shift", "kept"), [(2.0, [0, 2]), (6.0, [0, 1, 2])])
def test_doubles_of_one_class_are_suppressed(shift: float, kept: list[int]):
    boxes = np.array([[0, 0, 10, 10], [shift, 0, 10 + shift, 10], [0, 0, 10, 10]], dtype=np.float64)
    assert suppress_doubles(boxes, np.array([0.9, 0.8, 0.7]), np.array([1, 1, 2]), 0.5) == kept


def test_boxes_are_clipped_named_and_chosen():
    boxes = np.array([[-5, -5, 20, 20], [0, 0, 20, 20], [0, 0, 20, 20], [30, 30, 40, 40]], dtype=np.float64)
    person, sofa = 0, network_names()["coco"].index("sofa")
    found = name_boxes(boxes, np.full(4, 0.5), np.array([CHAIR, person, sofa, CHAIR]), (25, 25, 3), ["chair"])
    assert found == [FoundBox("chair", 0.5, (0.0, 0.0, 20.0, 20.0))]


def box(label: str, score: float, left: float, width: float = 10.0) -> FoundBox:
    return FoundBox(label, score, (left, 0.0, left + width, 10.0))


@pytest.mark.parametrize(("columns", "is_confirmed"), [(3, True), (2, False)])
def test_a_box_that_a_segmenter_sees_too_keeps_its_score_and_another_gets_less(columns: int, is_confirmed: bool):
    nothing = SegmentMap(np.zeros((10, 100), np.uint8), 100, 10)
    seen = np.zeros((10, 100), np.uint8)
    seen[:, :columns] = ade150_words().index("armchair")  # a kind of chair
    fine = SegmentMap(seen, 100, 10, ade150_words())
    found = weigh_boxes([box("chair", 0.6, 0), box("sofa", 0.9, 0)], (nothing, fine))
    chair = box("chair", 0.6 if is_confirmed else 0.6 * ALONE, 0)
    assert found == sorted([chair, box("sofa", 0.9 * ALONE, 0)], key=lambda one: -one.score)
