"""A point holds the scale of two sides only as well as the side that knows it worse."""

from types import SimpleNamespace

import numpy as np
import pytest

from recon.audit import scale_hold
from recon.audit.scale_hold import ScaleHoldOptions, _hold_across, _median_depths
from recon.colmap.observations import sightings
from recon.merging.regrow import MergeBars

OPTIONS = ScaleHoldOptions(point_sigma=1e-9)
SHARPNESS = 1000.0


def rays_over(*angles_deg: float) -> np.ndarray:
    """Rays in a plane."""
    radians = np.radians(angles_deg)
    return np.column_stack([np.sin(radians), np.zeros(len(radians)), np.cos(radians)])


def weigh(*angles_deg: float) -> np.ndarray:
    """Weight of each step between the views of one point."""
    views = len(angles_deg)
    return _hold_across(views, np.arange(views), rays_over(*angles_deg), np.array([views]), SHARPNESS, OPTIONS)


def variance_of(*angles_deg: float) -> float:
    """Of the log depth of a point that rays of one side see: two rays of an angle a know it with (1 - cos a) n^2."""
    spread = np.linalg.eigvalsh(rays_over(*angles_deg).T @ rays_over(*angles_deg))[-1]
    return 1.0 / ((len(angles_deg) - spread) * SHARPNESS**2)


def test_both_sides_count_and_the_worse_decides():
    held = weigh(0.0, 20.0, 40.0, 41.0)
    assert held[1] == pytest.approx(1.0 / (variance_of(0.0, 20.0) + variance_of(40.0, 41.0)), rel=1e-6)
    assert held[0] == held[2] == 0.0  # one view alone knows no depth
    wide, right_worse, left_worse = (weigh(*angles)[1] for angles in ((0, 20, 40, 60), (0, 20, 40, 41), (0, 1, 21, 41)))
    assert right_worse == pytest.approx(left_worse, rel=1e-6)
    assert right_worse < 0.02 * wide


def test_the_depth_of_a_frame_is_the_median_of_its_points(scene):
    medians = []
    for frame in scene.reg_image_ids():
        image = scene.image(frame)
        ids = [point.point3D_id for point in image.points2D if point.has_point3D()]
        medians.append(np.median([(image.cam_from_world() * scene.point3D(point).xyz)[2] for point in ids]))
    assert _median_depths(scene, sightings(scene)) == pytest.approx(np.array(medians))


def test_a_place_is_loose_if_what_lies_beyond_would_move_too_far(subtests, monkeypatch):
    for sigma, depth, is_loose in [
        (0.019, 1.0, False),
        (0.021, 1.0, True),
        (0.021, 1.1, False),
        (np.inf, 1.0, True),
        (np.inf, 51.0, False),
    ]:
        with subtests.test(sigma=sigma, depth=depth):
            found = _find_weak_scale(sigma, depth, ScaleHoldOptions(), monkeypatch)
            assert [place for place, _ in found] == ([(4, 7)] if is_loose else [])
            words = " 2 %" if np.isfinite(sigma) else "unknown"
            assert all(words in reason for _, reason in found)


def test_a_model_is_not_cut_where_its_scale_is_known(subtests, monkeypatch):
    """However far what lies beyond would move; other keypoints are asked there all the same."""
    for sigma, is_cut in [(0.029, False), (0.031, True)]:
        for depth in [0.5, 1.0]:
            with subtests.test(sigma=sigma, is_cut=is_cut, depth=depth):
                assert bool(_find_weak_scale(sigma, depth, MergeBars().hold, monkeypatch)) is is_cut
                assert _find_weak_scale(sigma, depth, ScaleHoldOptions(), monkeypatch)


def test_a_long_side_that_sees_all_too_near_is_judged_by_its_own_depth(subtests, monkeypatch):
    """The last of twenty frames, in small steps; the scale is known to a tenth. A frame that sees nothing is silent."""
    for near, step, frames, is_loose in [
        (0.16, 0.01, 8, False),
        (0.14, 0.01, 8, True),
        (0.14, 0.0002, 8, False),
        (0.14, 0.01, 7, False),
    ]:
        for order in [1, -1]:
            with subtests.test(near=near, step=step, frames=frames, is_loose=is_loose, order=order):
                side = np.arange(20) >= 20 - frames
                places = np.cumsum(np.where(side, step, 1.0))[::order]
                depths = np.where(side, near, 1.0)
                depths[5] = np.nan
                sigmas = np.where(np.diff(side), 0.1, 0.0)[::order]
                monkeypatch.setattr(scale_hold, "sightings", lambda model: SimpleNamespace(frames=np.arange(20)))
                monkeypatch.setattr(scale_hold, "_sigmas", lambda *_, told=sigmas: told)
                monkeypatch.setattr(scale_hold, "_median_depths", lambda *_, told=depths[::order]: told)
                monkeypatch.setattr(scale_hold, "_centers", lambda *_, told=places[:, None] * [1.0, 0.0, 0.0]: told)
                loose = scale_hold.find_weak_scale(None, MergeBars().hold)  # pyright: ignore[reportArgumentType]
                assert bool(loose) is is_loose


def _find_weak_scale(sigma, depth, options, monkeypatch):
    """Four frames in steps of 1: on either side of the middle lies one step, beyond its ends none."""
    monkeypatch.setattr(scale_hold, "sightings", lambda model: SimpleNamespace(frames=np.array([3, 4, 7, 8])))
    monkeypatch.setattr(scale_hold, "_sigmas", lambda *_: np.array([np.inf, sigma, np.inf]))
    monkeypatch.setattr(scale_hold, "_median_depths", lambda *_: np.full(4, depth))
    monkeypatch.setattr(scale_hold, "_centers", lambda *_: np.arange(4.0)[:, None] * [1.0, 0.0, 0.0])
    loose = scale_hold.find_weak_scale(None, options)  # pyright: ignore[reportArgumentType]
    return [(doubt.frames, doubt.words) for doubt in loose]
