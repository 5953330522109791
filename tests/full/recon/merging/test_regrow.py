from dataclasses import replace

import numpy as np
import pycolmap
import pytest
from scipy.spatial.transform import Rotation

from recon.audit.contradictions import ContradictionOptions
from recon.audit.scale_hold import ScaleHoldOptions
from recon.audit.torn import TornOptions
from recon.evaluate import pose_error
from recon.geometry import Pose, Sim3
from recon.merging.merge import merge_sub_models
from recon.merging.regrow import MergeBars, grow, straighten
from recon.records import SubModel
from tests.support.recon.made_models import centers, random_similarity, set_poses

OPTIONS = MergeBars(check=ContradictionOptions(gaps=(2, 4, 6)), min_part_frames=4)


def error(model, scene):
    return pose_error(centers(model.reconstruction), centers(scene)).rmse


def bend(scene):
    """The walk with frames 12 to 16 walking backwards and looking aside, and the rest carried along."""
    poses = centers(scene)
    start = poses[11].translation
    moved = {}
    for place, frame in enumerate(range(12, 17), start=1):
        turn = Rotation.from_euler("y", 5.0 * place, degrees=True).as_matrix()
        moved[frame] = Pose(poses[frame].rotation @ turn, 2 * start - poses[frame].translation)
    carried = moved[16].translation - poses[16].translation
    for frame in range(17, 25):
        moved[frame] = Pose(poses[frame].rotation, poses[frame].translation + carried)
    return SubModel("000/0", ("000",), set_poses(scene, moved))


def test_a_sound_model_is_returned_as_it_is(scene, database):
    model = SubModel("000/0", ("000",), scene)

    result = straighten(model, database, OPTIONS)

    assert result.models is None
    assert result.findings == ()
    assert len(result.checks) > 40


def test_a_model_that_the_floor_holds_is_left_whole_by_merging(scene, database):
    """Pictures alone would cut it again where they hold no scale."""
    model = replace(bend(scene), held_by_floor=True)

    result = straighten(model, database, OPTIONS)
    merged = merge_sub_models([model], database)

    assert result.models is None
    (whole,) = merged.models
    assert whole.held_by_floor
    assert pose_error(centers(whole.reconstruction), centers(model.reconstruction)).rmse < 1e-9


@pytest.mark.parametrize("seed", [None, 1])
def test_a_bent_model_is_cut_and_grown_straight(scene, database, seed):
    model = bend(scene)
    if seed is not None:
        model.reconstruction.transform(random_similarity(np.random.default_rng(seed)).to_sim3d())
    before = error(model, scene)

    result = straighten(model, database, OPTIONS)

    assert before > 0.3
    assert result.models
    assert result.models[0].name == "000/0.0"
    assert all(error(part, scene) < 0.03 for part in result.models)
    assert {frame for part in result.models for frame in part.frames} >= set(range(1, 12))
    (finding,) = result.findings
    assert finding.code == "merge.bent"
    assert finding.where == "model 000/0"
    assert "pairs contradict it" in finding.message


def test_a_walk_that_leaps_is_cut_though_nothing_else_speaks_against_it(scene, database):
    poses = centers(scene)
    away = np.array([40.0, 0.0, 0.0])
    far = {frame: Pose(poses[frame].rotation, poses[frame].translation + away) for frame in range(13, 25)}
    trusting = MergeBars(
        check=ContradictionOptions(max_share=1.0),
        torn=TornOptions(max_share=1.0),
        hold=ScaleHoldOptions(max_drift=1e6),
        min_part_frames=4,
    )

    result = straighten(SubModel("000/0", ("000",), set_poses(scene, far)), database, trusting)

    assert result.models
    assert all(error(part, scene) < 0.03 for part in result.models)
    (finding,) = result.findings
    assert "frames 12-13" in finding.message


def test_the_input_is_not_modified(scene, database):
    model = bend(scene)
    before = centers(model.reconstruction)

    straighten(model, database, OPTIONS)

    after = centers(model.reconstruction)
    assert all(np.array_equal(before[frame].matrix(), after[frame].matrix()) for frame in before)


def test_a_model_picks_up_frames_it_lost(scene, database):
    part = pycolmap.Reconstruction(scene)
    for frame in range(15, 25):
        part.deregister_frame(frame)
    model = SubModel("000/0", ("000",), part)

    grown = grow(model, database, range(1, 25), OPTIONS)

    assert set(grown.frames) > set(model.frames)
    assert error(grown, scene) < 0.03
    assert grow(grown, database, grown.frames, OPTIONS) is grown


def test_a_similarity_of_the_whole_model_is_no_bend(scene, database):
    moved = pycolmap.Reconstruction(scene)
    moved.transform(Sim3(3.0, np.eye(3), np.array([5.0, 0.0, 0.0])).to_sim3d())

    assert straighten(SubModel("000/0", ("000",), moved), database, OPTIONS).findings == ()
