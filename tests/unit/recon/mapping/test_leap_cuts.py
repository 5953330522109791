"""A walk whose second half was moved on: no pair crosses the place, so only the walk tells."""

import numpy as np
import pycolmap

from recon.colmap.poses import read_pose
from recon.geometry import Pose
from recon.mapping.leap_cuts import cut_leaps
from recon.mapping.sfm import ClipResult
from recon.records import SubModel

FRAMES = 40
TIMES_S = {frame: frame / 3 for frame in range(1, FRAMES + 1)}


def leap(model: pycolmap.Reconstruction, behind: int, times: float) -> ClipResult:
    """The clip, everything behind a frame moved on by some usual steps."""
    poses = {frame: read_pose(model, frame) for frame in TIMES_S}
    usual = np.median([np.linalg.norm(poses[frame + 1].center - poses[frame].center) for frame in range(1, FRAMES)])
    ahead = poses[behind + 1].center - poses[behind].center
    ahead *= times * usual / np.linalg.norm(ahead)
    leaping = pycolmap.Reconstruction(model)
    for frame in range(behind + 1, FRAMES + 1):
        image = leaping.image(frame)
        assert image.frame is not None
        image.frame.rig_from_world = Pose(poses[frame].rotation, poses[frame].center + ahead).inverse().to_rigid3d()
    return ClipResult("000", (SubModel("000/0", ("000",), leaping),), "incremental", "", (), FRAMES)


def test_a_model_is_cut_where_its_walk_leaps(subtests, walk):
    for times, sizes in [(3.0, [FRAMES]), (12.0, [25, 15])]:
        with subtests.test(times=times):
            result = leap(walk[0], 15, times)
            cut = cut_leaps(result, TIMES_S, 3)
            assert [len(model.frames) for model in cut.sub_models] == sizes
            assert [model.name for model in cut.sub_models] == [f"000/{place}" for place in range(len(sizes))]
            assert cut.sound_frames == sizes[0]
            assert [finding.code for finding in cut.findings] == ["sfm.scale_lost"] * (len(sizes) - 1)
            assert all("cut at frames 15-16 (" in finding.message for finding in cut.findings)


def test_pieces_too_short_are_left_out_and_told(subtests, walk):
    for least, kept in [(5, 2), (6, 1)]:
        with subtests.test(least=least, kept=kept):
            cut = cut_leaps(leap(walk[0], 5, 12.0), TIMES_S, least)
            assert len(cut.sub_models) == kept
            assert ("5 frames in short pieces" in cut.findings[0].message) is (kept == 1)


def test_a_walk_that_does_not_leap_stays_as_it_is(walk):
    result = ClipResult("000", (SubModel("000/0", ("000",), walk[0]),), "incremental", "", (), FRAMES)
    assert cut_leaps(result, TIMES_S, 3) is result
