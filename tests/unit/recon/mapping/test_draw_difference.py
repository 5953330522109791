"""Reconstructions by other random numbers tell how exact one is."""

import numpy as np
import pycolmap
import pytest

from recon.colmap.fuse import subset
from recon.evaluate import pose_error
from recon.geometry import Pose, path_length
from recon.mapping.judge import add_exactness_finding, measure_difference
from recon.mapping.sfm import ClipResult
from recon.records import SubModel

FRAMES = 40


def result_of(*models: pycolmap.Reconstruction, held: bool = False) -> ClipResult:
    subs = tuple(SubModel(f"000/{place}", ("000",), model, held) for place, model in enumerate(models))
    return ClipResult("000", subs, (), FRAMES)


def bend(model: pycolmap.Reconstruction, share: float) -> pycolmap.Reconstruction:
    """A copy whose frames are moved upwards and back, by so much of its path at most."""
    bent = pycolmap.Reconstruction(model)
    frames = sorted(bent.reg_image_ids())
    poses = {frame: Pose.from_rigid3d(bent.image(frame).cam_from_world()).inverse() for frame in frames}
    length = path_length([poses[frame].center for frame in frames])
    for frame, off in zip(frames, np.sin(np.linspace(0, 4 * np.pi, len(frames))), strict=True):
        pose = Pose(poses[frame].rotation, poses[frame].center + share * length * off * np.array([0.0, 0.0, 1.0]))
        bent.frame(bent.image(frame).frame_id).rig_from_world = pose.inverse().to_rigid3d()
    return bent


def test_the_difference_is_that_of_the_paths_over_their_length(walk):
    poses = [
        {n: Pose.from_rigid3d(one.image(n).cam_from_world()).inverse() for n in one.reg_image_ids()}
        for one in (walk[0], bend(walk[0], 0.05))
    ]
    length = path_length([poses[0][frame].center for frame in sorted(poses[0])])
    expected = pose_error(poses[1], poses[0]).rmse / length
    found = measure_difference(result_of(walk[0]), [result_of(bend(walk[0], 0.01)), result_of(bend(walk[0], 0.05))])
    assert found == pytest.approx(expected)
    assert 0.02 < expected < 0.05


def test_only_what_holds_half_and_eight_frames_is_compared(subtests, walk):
    for common, is_compared in [(20, True), (19, False)]:
        with subtests.test(common=common, is_compared=is_compared):
            frames = sorted(walk[0].reg_image_ids())
            assert len(frames) == FRAMES
            part = subset(bend(walk[0], 0.02), frames[:common])
            assert (measure_difference(result_of(walk[0]), [result_of(part)]) is not None) == is_compared
    for common, is_compared in [(8, True), (7, False)]:
        with subtests.test(common=common, is_compared=is_compared):
            frames = sorted(walk[0].reg_image_ids())
            short, bent = (subset(model, frames[5 : 5 + common]) for model in (walk[0], bend(walk[0], 0.02)))
            assert (measure_difference(result_of(short), [result_of(bent)]) is not None) == is_compared


def test_who_only_turned_and_the_same_again_tell_nothing(walk):
    standing = pycolmap.Reconstruction(walk[0])
    for frame in standing.reg_image_ids():
        turn = Pose.from_rigid3d(standing.image(frame).cam_from_world()).rotation
        standing.frame(standing.image(frame).frame_id).rig_from_world = Pose(turn, np.zeros(3)).to_rigid3d()
    assert measure_difference(result_of(walk[0]), [result_of(standing)]) is None
    assert measure_difference(result_of(standing), [result_of(walk[0])]) is None
    assert measure_difference(result_of(walk[0]), [result_of(walk[0])]) is None
    assert measure_difference(result_of(walk[0]), []) is None


def test_a_path_says_how_exact_it_is(subtests, walk):
    for difference, severity, words in [
        (0.031, "error", "by 3.1%"),
        (0.029, "warning", "by 2.9%"),
        (None, "warning", "unknown"),
    ]:
        for held in [False, True]:
            with subtests.test(difference=difference, severity=severity, words=words, held=held):
                (finding,) = add_exactness_finding(result_of(walk[0], held=held), difference, 1.0).findings
                assert (finding.code, finding.severity) == ("sfm.less_exact", severity)
                assert words in finding.message
                assert ("above the floor" in finding.message) == held
                assert ("do not rely" in finding.message) == (severity == "error")


def test_it_is_an_error_where_a_hundredth_of_the_whole_path_is_wrong(subtests, walk):
    for difference, share in [(0.031, 0.32), (0.12, 0.08)]:
        with subtests.test(difference=difference, share=share):
            (finding,) = add_exactness_finding(result_of(walk[0]), difference, share).findings
            assert finding.severity == "warning"
            assert "do not rely" in finding.message
    for difference, share in [(0.031, 0.33), (0.13, 0.08)]:
        with subtests.test(difference=difference, share=share):
            (finding,) = add_exactness_finding(result_of(walk[0]), difference, share).findings
            assert finding.severity == "error"
