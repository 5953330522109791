"""One pair of frames on each side of the bars by which its matches contradict a model."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from recon.audit.contradictions import ContradictionOptions, _check
from recon.audit.epipolar import MatchedRays
from recon.geometry import Pose

OPTIONS = ContradictionOptions()
FOCAL_PX = 500.0


def cross(vector):
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def match(second_from_first: Pose, depth: float) -> MatchedRays:
    """Exact matches of 200 points around this depth under a pose."""
    rng = np.random.default_rng(0)
    xyz = np.column_stack([rng.uniform(-0.5, 0.5, (200, 2)), np.ones(200)]) * (depth * rng.uniform(0.8, 1.2, (200, 1)))
    seen = second_from_first @ xyz
    essential = cross(second_from_first.translation) @ second_from_first.rotation
    return MatchedRays(1, 3, xyz / xyz[:, 2:], seen / seen[:, 2:], essential, FOCAL_PX)


def turned(deg: float) -> np.ndarray:
    return Rotation.from_euler("x", deg, degrees=True).as_matrix()


TRUE = Pose(np.eye(3), np.array([1.0, 0.0, 0.0]))


def test_a_pair_contradicts_only_a_pose_that_is_elsewhere(subtests):
    """Its matches fit a turn by so much far better than none, and still that is no other place."""
    for share, contradicts in [(0.9, False), (1.2, True)]:
        with subtests.test(share=share, contradicts=contradicts):
            pair = match(TRUE, depth=4.0)
            model = Pose(turned(share * OPTIONS.min_turn_deg), TRUE.translation)
            check = _check(pair, model, replace(OPTIONS, min_swing_deg=180.0))
            assert check.model_cost - check.own_cost > OPTIONS.min_gain
            assert check.contradicts is contradicts


def test_a_pair_contradicts_only_a_step_that_leads_elsewhere(subtests):
    for share, contradicts in [(0.9, False), (1.2, True)]:
        with subtests.test(share=share, contradicts=contradicts):
            pair = match(TRUE, depth=4.0)
            swung = Rotation.from_euler("y", share * OPTIONS.min_swing_deg, degrees=True).as_matrix() @ TRUE.translation
            check = _check(pair, Pose(TRUE.rotation, swung), replace(OPTIONS, min_turn_deg=180.0, max_explained=1.0))
            assert check.contradicts is contradicts


def test_a_pair_with_too_little_parallax_is_not_asked(subtests):
    """The model steps the wrong way; at this distance of the points that shows, and says nothing below the bar."""
    for share, asked in [(0.8, False), (1.3, True)]:
        with subtests.test(share=share, asked=asked):
            depth = 1.0 / np.tan(np.radians(share * OPTIONS.min_parallax_deg))
            pair = match(TRUE, depth)
            check = _check(pair, Pose(np.eye(3), np.array([0.0, 1.0, 0.0])), replace(OPTIONS, content_cost=0.0))
            assert check.contradicts is asked
