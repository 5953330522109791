"""How far a text says that things are: by the frames' ranges where they are known, by the floor plan where not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import Obb, Observation, SceneObject
from instructions.truth.check import check_text
from instructions.truth.ranges import RangeBars, find_in_range, ranges_by_thing
from tests.support.cases import each_case

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
FRAMES = tuple(range(1, 8))


def way(ranges=None, **places):
    """A walk of 3 m along +x at 0.5 m per frame; every frame sees everything. Places are x, y of boxes of 0.4 m."""
    xy = np.zeros((7, 2))
    xy[:, 0] = np.arange(7) * 0.5
    walk = Walk(FRAMES, np.arange(7) / 3.0, xy, np.zeros(7))
    things = {
        name: SceneObject(
            name, "0", name, name, None, None, Obb((*at, 0.5), (0.2, 0.2, 0.5), AXES), (), FRAMES, False, "made"
        )
        for name, at in places.items()
    }
    return WayGeometry(walk, 0, 6, 1.0, things, (), ranges or {})


HOME = {"sofa": (4.0, -1.0), "bookcase": (9.0, 2.0)}


@each_case(
    ("text", "is_true"),
    [
        ("Walk forward; a sofa is in the near distance to the right.", True),
        ("Walk forward; a sofa is in a further distance to the right.", True),  # at first
        ("Walk forward; a bookcase is in the near distance.", False),
        ("Walk forward with the distant bookcase on the left.", True),
        ("Walk forward with the nearby bookcase on the left.", False),
        ("In the distance, to the left, there is a bookcase.", True),
        ("In the distance, to the right, there is a bookcase.", False),
        ("Walk forward; the bookcase is further away than the sofa.", True),
        ("Walk forward; the bookcase is closer than the sofa.", False),
        ("Walk forward; the sofa is nearer than the bookcase.", True),
    ],
)
def test_words_for_how_far_are_measured(text, is_true):
    verdict = check_text(text, way(**HOME))
    assert (verdict.false_because is None) == is_true, verdict.false_because


def test_what_frames_know_comes_before_metres():
    known = {"sofa": {1: ("further",), 2: ("closer", "further")}}
    at = way(known, **HOME)
    assert find_in_range(at, "sofa", "near") == []
    assert [(span.first, span.last) for span in find_in_range(at, "sofa", "further")] == [(0, 1)]
    assert [(span.first, span.last) for span in find_in_range(at, "sofa", "closer")] == [(1, 1)]


@pytest.mark.parametrize("off", [-0.05, 0.05])
def test_near_ends_at_its_bar(off):
    bars = RangeBars()
    at = way(lamp=(3.0 + bars.near_m + 0.2 + off, 0.0))  # the side of the box, from the end of the walk
    assert bool(find_in_range(at, "lamp", "near")) == (off < 0)


@pytest.mark.parametrize("off", [-0.05, 0.05])
def test_further_begins_at_its_bar(off):
    at = way(lamp=(RangeBars().further_m + 0.2 + off, 0.0))  # from the start of the walk
    assert bool(find_in_range(at, "lamp", "further")) == (off > 0)


def test_frames_that_know_no_range_are_no_evidence():
    box = (0.0, 0.0, 9.0, 9.0)
    unknown = Observation(1, "a", box, 1.0, 1.0, 2.0, ("left",), ())
    seen = [unknown, replace(unknown, frame=2, ranges=("near",))]
    assert ranges_by_thing(seen) == {"a": {2: ("near",)}}
