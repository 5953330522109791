"""What a thing is called: evidence of boxes and segments, weighed by what its measures allow."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import network_names
from instructions.perception.things.categories import choose_category, weigh_words
from instructions.perception.things.lift import Lifted
from instructions.perception.things.plausible import Measures
from instructions.records import Box, Detection

ADE = {name: number for number, name in enumerate(network_names()["ade"])}
BOX = (10.0, 10.0, 50.0, 50.0)
UNKNOWN = Measures(None, None, None, None)


def said(frame: int, label: str, score: float, *also: tuple[str, float], box: Box = BOX) -> Detection:
    return Detection(frame, label, score, box, (), (), None, also=also)


def members_of(detections: list[Detection]) -> list[Lifted]:
    return [Lifted(row, one.frame, one.label, one.score, np.zeros((1, 3)), 2.0) for row, one in enumerate(detections)]


def segments_of(left: str, right: str) -> SegmentMap:
    """The box's left half is one class, its right half another."""
    classes = np.full((60, 60), ADE[left], dtype=np.uint8)
    classes[:, 30:] = ADE[right]
    return SegmentMap(classes, 60, 60)


def test_a_word_counts_once_per_frame_with_its_best_score():
    rows = [said(1, "chair", 0.6), said(1, "chair", 0.4), said(2, "chair", 0.5, ("table", 0.3))]
    assert weigh_words(members_of(rows), rows, lambda frame: None) == pytest.approx({"chair": 1.1, "table": 0.3})


def test_segments_weigh_the_words_that_boxes_said_and_bring_none_of_their_own():
    rows = [said(1, "chair", 0.6, ("table", 0.5))]
    shown = segments_of("table", "plant")
    assert weigh_words(members_of(rows), rows, lambda frame: shown) == pytest.approx({"chair": 0.6, "table": 0.75})


def test_wall_and_floor_in_a_box_say_nothing():
    rows = [said(1, "chair", 0.6)]
    shown = segments_of("wall", "floor")
    assert weigh_words(members_of(rows), rows, lambda frame: shown) == {"chair": 0.6}
    thin = SegmentMap(np.full((60, 60), ADE["wall"], dtype=np.uint8), 60, 60)
    thin.classes[10:13, 10:50] = ADE["chair"]  # a twelfth of the box
    assert weigh_words(members_of(rows), rows, lambda frame: thin) == {"chair": 0.6}


def test_the_word_that_fits_wins_over_the_one_said_more():
    wide = Measures(3.1, 1.6, 1.0, 2.6, 1.9, "wall")
    verdict = choose_category({"screen": 5.0, "picture": 3.0}, wide, 0.05)
    assert verdict.categories[0][0] == "picture"
    assert sum(share for _, share in verdict.categories) == pytest.approx(1.0)
    assert verdict.support == "wall"


def test_what_fits_no_word_is_refused_with_the_reason_of_the_word_said_most():
    verdict = choose_category({"chair": 1.0, "armchair": 1.2, "sofa": 1.5}, UNKNOWN, 0.1)
    assert [word for word, _ in verdict.categories] == ["armchair", "sofa", "chair"]  # kinds of one stand together
    verdict = choose_category({"refrigerator": 3.0, "oven": 0.2}, Measures(4.0, None, None, None), 0.05)
    assert verdict.categories == ()
    assert verdict.refused == "4.00 m long"
