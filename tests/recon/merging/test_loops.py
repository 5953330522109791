from dataclasses import replace

import numpy as np
import pytest
from made_models import begin_at_another_scale, centers, scene_from_poses, write_matches
from scipy.spatial.transform import Rotation

from recon.adjust.refine import RefineOptions
from recon.diagnosis.contradictions import ContradictionOptions
from recon.diagnosis.scale_hold import ScaleHoldOptions
from recon.diagnosis.torn import TornOptions
from recon.evaluate import pose_error
from recon.geometry import Pose, Sim3
from recon.merging.bridge import find_bridge
from recon.merging.loops import LoopOptions, close_loop
from recon.merging.merge import MergeOptions, merge_sub_models
from recon.merging.regrow import StraightenOptions
from recon.records import SubModel

FRAMES, STEP = 60, 31


@pytest.fixture(scope="module")
def ring():
    """A walk round a room that ends where it began; the last frames see what the first ones saw."""
    poses = []
    for k in range(FRAMES):
        around = 2.0 * np.pi * k / 50
        forward = np.array([-np.sin(around), np.cos(around), 0.0])
        right = np.array([np.cos(around), np.sin(around), 0.0])
        center = np.array([1.8 * np.cos(around), 1.8 * np.sin(around), 1.5])
        poses.append(Pose(np.column_stack([right, [0.0, 0.0, -1.0], forward]), center))
    box = np.array([[-4.0, -4.0, 0.0], [4.0, 4.0, 3.0]])
    return scene_from_poses(poses, 2500, 0.3, 0, box, reach_m=4.0)


@pytest.fixture(scope="module")
def matches(ring, tmp_path_factory):
    path = tmp_path_factory.mktemp("ring") / "database.db"
    write_matches(ring, path, reach=FRAMES)
    return path


@pytest.fixture(scope="module")
def drifted(ring):
    """From the step on all is larger by a quarter, and no point is seen from both sides of it."""
    return begin_at_another_scale(SubModel("000/0", ("000",), ring), STEP, 0.8)


def error(model, ring):
    return pose_error(centers(model.reconstruction), centers(ring)).rmse


def test_a_drift_between_two_visits_is_taken_back(ring, drifted, matches):
    before = centers(drifted.reconstruction)

    closed = close_loop(drifted, matches, RefineOptions())

    assert closed is not None
    assert error(drifted, ring) > 0.2
    assert error(closed.model, ring) < 0.02
    assert closed.scale == pytest.approx(1.25, rel=0.05)
    assert closed.first_visit[1] < STEP < closed.second_visit[0]
    assert all(np.array_equal(pose.center, before[k].center) for k, pose in centers(drifted.reconstruction).items())


def test_the_drift_is_put_where_the_scale_is_held_least(ring, drifted, matches):
    """Without any adjustment the frames already lie right: the drift goes to the step, not to all frames alike."""
    unadjusted = RefineOptions(search_rounds=0, max_iterations=0)

    closed = close_loop(drifted, matches, unadjusted)

    assert closed is not None
    assert error(closed.model, ring) < 0.01


def test_a_sound_walk_has_no_open_loop(ring, matches):
    assert close_loop(SubModel("000/0", ("000",), ring), matches, RefineOptions()) is None


def test_visits_further_apart_than_a_walk_drifts_are_not_pulled_together(drifted, matches):
    assert close_loop(drifted, matches, RefineOptions(), LoopOptions(max_shift=0.01)) is None


def test_a_loop_that_does_not_close_is_left_open(drifted, matches, monkeypatch):
    """The second visit is placed wrongly, as look-alikes would place it: no adjustment makes the matches agree."""

    def misplace(*args):
        found = find_bridge(*args)
        assert found is not None
        away = Sim3(0.9, Rotation.from_euler("z", 12, degrees=True).as_matrix(), np.array([0.1, 0.1, 0.0]))
        return replace(found, alignment=replace(found.alignment, first_from_second=away))

    monkeypatch.setattr("recon.merging.loops.find_bridge", misplace)

    assert close_loop(drifted, matches, RefineOptions(), LoopOptions(max_shift=1.0)) is None


def test_merging_closes_it_and_says_so(ring, drifted, matches):
    trusting = StraightenOptions(
        check=ContradictionOptions(max_share=1.0),
        torn=TornOptions(max_share=1.0),
        hold=ScaleHoldOptions(max_drift=np.inf),
    )

    result = merge_sub_models([drifted], matches, MergeOptions(straighten=trusting))

    (model,) = result.models
    assert error(model, ring) < 0.02
    (finding,) = result.findings
    assert (finding.severity, finding.code, finding.where) == ("info", "merge.loop_closed", "model merged/0")
    assert "1.25 times its size" in finding.message or "1.24 times its size" in finding.message
