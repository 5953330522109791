"""Frames that models share, whether they agree there, and the pairs across, by worked examples."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap

from recon.colmap.fuse import Alignment, find_shared_frames, read_pairs_across
from recon.geometry import Sim3
from recon.merging import links

ALIGNED = Alignment(Sim3(1.0, np.eye(3), np.zeros(3)), 0.0, 0.0, 50, 2.0, 0.0, 0.0)


def model(name: str, *frames: int) -> Any:
    return SimpleNamespace(name=name, frames=frames)


def test_shared_frames_are_in_time_order():
    assert find_shared_frames(model("here", 1, 2, 3, 4), model("d", 9, 3, 1)) == (1, 3)


def test_the_scale_may_drift_up_to_the_bar(subtests):
    for drift, is_told in [(0.15, False), (0.16, True)]:
        with subtests.test(drift=drift, is_told=is_told):
            told = links._find_drift(replace(ALIGNED, scale_disagreement=drift))
            assert bool(told) is is_told
            if is_told:
                assert "drifts by 16% along the shared frames, allowed 15%" in told


def test_cameras_may_be_off_up_to_the_bars(subtests):
    for more, step, is_told in [
        ({"rotation_disagreement_deg": 3.0}, 1.0, False),
        ({"rotation_disagreement_deg": 3.01}, 1.0, True),
        ({"center_disagreement": 0.11}, 0.1, True),
        ({"center_disagreement": 0.11}, 0.11, False),
        ({"center_disagreement": 0.1}, 0.01, False),
        ({"center_disagreement": 0.11}, 0.0, True),
    ]:
        with subtests.test(more=more, step=step, is_told=is_told):
            assert bool(links._find_disagreement(replace(ALIGNED, **more), step)) is is_told


def test_pairs_across_have_a_frame_of_each_side_only():
    pairs = [(6, 2, 12), (1, 5, 9), (1, 3, 9), (3, 5, 9), (5, 6, 9), (1, 2, 9)]
    ids = [pycolmap.image_pair_to_pair_id(a, b) for a, b, _ in pairs]
    database: Any = SimpleNamespace(read_two_view_geometry_num_inliers=lambda: (ids, [count for *_, count in pairs]))
    assert read_pairs_across(database, {1, 2, 3}, {3, 5, 6}) == [(1, 5, 9), (2, 6, 12)]
    assert read_pairs_across(database, {3, 5, 6}, {1, 2, 3}) == [(1, 5, 9), (2, 6, 12)]
    assert read_pairs_across(database, {3}, {3}) == []
