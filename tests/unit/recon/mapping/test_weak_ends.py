"""Frames at an end that see next to nothing of their model."""

import pycolmap

from recon.mapping.sfm import ClipResult
from recon.mapping.trims import count_points, find_weak_ends, trim_weak_ends
from recon.records import SubModel

FRAMES = 40


def test_an_end_is_weak_below_50_points_and_a_quarter_of_the_median(subtests):
    for seen, weak in [
        ([400, 300, 400, 400, 49, 49], [4, 5]),
        ([400, 300, 400, 400, 50, 49], [5]),
        ([400, 300, 400, 400, 49, 50], []),  # what lies behind is known
        ([49, 400, 300, 400, 400, 49], [0, 5]),
        ([100, 100, 100, 100, 25, 24], [5]),
        ([100, 100, 100, 100, 24, 24], [4, 5]),
    ]:
        with subtests.test(seen=seen, weak=weak):
            assert find_weak_ends(range(len(seen)), seen) == weak


def starve(model: pycolmap.Reconstruction, frames: range, left: int) -> ClipResult:
    """The clip, some of its frames with few of their points."""
    starved = pycolmap.Reconstruction(model)
    for frame in frames:
        seen = [number for number, point in enumerate(starved.image(frame).points2D) if point.has_point3D()]
        for number in seen[left:]:
            if starved.image(frame).points2D[number].has_point3D():
                starved.delete_observation(frame, number)
    return ClipResult("000", (SubModel("000/0", ("000",), starved),), "incremental", "", (), FRAMES)


def test_a_weak_end_loses_its_poses_and_is_told(walk):
    frames, seen = count_points(walk[0])
    assert not find_weak_ends(frames, seen)
    trimmed = trim_weak_ends(starve(walk[0], range(37, FRAMES + 1), 10), 3)
    assert trimmed.sub_models[0].frames == tuple(range(1, 37))
    assert trimmed.sound_frames == 36
    (finding,) = trimmed.findings
    assert finding.code == "sfm.weak_end"
    assert "frames 37, 38, 39, 40 " in finding.message
    assert " 10 to 10 points" in finding.message
    starved = starve(walk[0], range(20, 24), 10)
    assert trim_weak_ends(starved, 3) is starved


def test_a_model_is_not_trimmed_to_less_than_a_model(walk):
    starved = starve(walk[0], range(37, FRAMES + 1), 10)
    assert trim_weak_ends(starved, 37) is starved
    assert trim_weak_ends(starved, 36) is not starved
