from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from recon.audit.pose_uncertainty import assess
from recon.audit.revisits import count_places
from recon.geometry import Pose
from recon.records import MergeAttempt, SubModel
from tests.support.recon.made_models import centers, cut, set_poses, write_matches

TOUR = range(1, 31)


@pytest.fixture(scope="module")
def database(scene, tmp_path_factory):
    path = tmp_path_factory.mktemp("matches") / "database.db"
    write_matches(scene, path, reach=21)
    return path


def test_a_sound_model_has_sound_figures(scene, database):
    found = assess(SubModel("0", ("000",), scene), TOUR, database)
    health = found.health
    assert (health.frames, health.registered_share) == (24, 1.0)
    assert health.mean_track_length == pytest.approx(scene.compute_mean_track_length())
    assert health.checked_pairs > 40
    assert health.contradicting_pairs == 0
    assert health.loop_pairs > 0
    assert health.loop_residual_px is not None
    assert health.loop_residual_px < 1.0
    assert health.contradicting_loops == 0
    assert health.scale_sigma is not None
    assert health.scale_sigma < 0.05
    assert health.scale_drift is None
    assert set(found.pose_sigma) == set(range(1, 25))


def test_a_walk_that_drifts_between_two_visits_contradicts_its_revisits(scene, database):
    """From frame to frame the model fits its matches; what it saw 20 frames before lies elsewhere."""
    poses = centers(scene)
    drifted = {
        frame: Pose(pose.rotation, pose.translation + np.array([0.0, 0.0, 0.002 * (frame - 1) ** 2]))
        for frame, pose in poses.items()
    }
    health = assess(SubModel("0", ("000",), set_poses(scene, drifted)), TOUR, database).health
    assert health.loop_residual_px is not None
    assert health.loop_residual_px > 5.0
    assert health.contradicting_loops == health.loop_pairs


def test_revisits_count_where_both_visits_are_of_another_place():
    same_frame = [(10, 60), (10, 70), (10, 80), (10, 90), (10, 99)]
    assert count_places(same_frame) == 1
    assert count_places([(10, 60), (11, 70), (12, 61), (12, 62)]) == 2  # the last is two frames on at both visits
    assert count_places([]) == 0


def test_missing_frames_inside_the_walk_count_and_those_outside_do_not(scene):
    model = cut(scene, [k for k in range(3, 21) if k not in (8, 9)], "000/0")
    health = assess(model, TOUR, None).health
    assert health.registered_share == pytest.approx(16 / 18)
    assert (health.checked_pairs, health.loop_pairs, health.loop_residual_px) == (0, 0, None)


def attempt(shared, drift, verdict: Literal["accepted", "rolled back"] = "accepted"):
    return MergeAttempt(
        "000/0", "001/0", "join/0", shared, 0.5, 0.5, 0.5, 0.1, 0.1, 10, 10, verdict, "", 0.1, scale_disagreement=drift
    )


def test_the_scale_drift_is_the_worst_of_the_joins_inside_the_model(scene):
    inside = [attempt((4, 5, 6, 7), 0.02), attempt((9, 10, 11, 12), 0.05)]
    others = [
        attempt((4, 5, 6, 7), 0.4, "rolled back"),
        attempt((28, 29), 0.3),
        replace(inside[0], scale_disagreement=None),
    ]
    health = assess(SubModel("0", ("000",), scene), TOUR, None, [*inside, *others]).health
    assert health.scale_drift == 0.05
