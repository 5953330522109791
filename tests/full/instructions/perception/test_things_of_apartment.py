"""Detections of many frames become the things of the made apartment, whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from instructions.perception.frames.model_depth import depth_in_model
from instructions.perception.frames.results import DEPTH_STEP_PX
from instructions.perception.things.objects import ObjectOptions, find_objects
from roomtour.trial.rendered import RenderedTour
from tests.support.judges.truth_score import score_objects
from tests.support.worlds.noisy_detector import Noise, Seen, frames_of, look, model_of

TOUR = RenderedTour()


@pytest.fixture(scope="module")
def views():
    return TOUR.views(np.arange(0.0, 74.0, 1.0))


def find_in(model, seen: Seen, views):
    def depth_of(frame):
        raw = seen.results.raw_depth(frame)
        return None if raw is None else depth_in_model(model, frame, raw, DEPTH_STEP_PX, is_metric=True)

    return find_objects(model, seen.results, depth_of, None, frames_of(TOUR, views), ObjectOptions())


def test_things_of_the_apartment_are_found_where_they_are(views, tmp_path):
    seen = look(TOUR, views, tmp_path, Noise())
    score = score_objects(TOUR, find_in(model_of(TOUR, views), seen, views).objects, seen.shown)
    assert score.wanted > 40
    assert score.recall >= 0.9, score
    assert score.precision >= 0.85, score
    assert score.center_error_m <= 0.3, score


def test_a_model_without_scale_gives_the_same_things(views, tmp_path):
    """Depth is tied to the tracks, so the unit of the model does not matter."""
    seen = look(TOUR, views[:40], tmp_path, Noise())
    in_metres = find_in(model_of(TOUR, views[:40]), seen, views[:40])
    in_units = find_in(model_of(TOUR, views[:40], unit_m=2.0), seen, views[:40])
    assert len(in_units.objects) == pytest.approx(len(in_metres.objects), rel=0.15)
    assert in_units.observations[0].depth == pytest.approx(in_metres.observations[0].depth / 2.0, rel=0.02)


def test_observations_keep_what_the_detector_said(views, tmp_path):
    seen = look(TOUR, views[:30], tmp_path, Noise(), masks=True)
    found = find_in(model_of(TOUR, views[:30]), seen, views[:30])
    by_id = {thing.id: thing for thing in found.objects}
    assert len({(one.frame, one.object) for one in found.observations}) == len(found.observations)
    for one in found.observations:
        assert one.frame in by_id[one.object].frames
        assert one.box_xyxy in [box.box_xyxy for box in seen.results.boxes(one.frame)]
        assert one.mask is not None
        assert one.depth_stats is not None
        assert one.depth_stats.near <= one.depth_stats.median <= one.depth_stats.far
        assert 0.0 <= one.visible_fraction <= 1.0
        assert one.label
    assert {thing.source for thing in found.objects} == {"noisy-boxes@1"}


def test_without_depth_nothing_is_joined_and_that_is_told(views, tmp_path):
    seen = look(TOUR, views[:5], tmp_path, Noise())
    frames = frames_of(TOUR, views[:5])
    found = find_objects(model_of(TOUR, views[:5]), seen.results, lambda frame: None, None, frames)
    assert found.objects == ()
    assert {finding.code for finding in found.findings} == {"objects.no_depth", "objects.none"}
