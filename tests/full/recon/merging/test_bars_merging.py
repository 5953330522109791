"""Joining, bridging and growing: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap
import pytest

from recon.audit.verdict import Verdict
from recon.merging import bridge, join, merge
from recon.merging.regrow import MergeJob
from tests.support.recon.made_models import cut

FIRST, SECOND = range(1, 13), range(13, 25)


@pytest.mark.parametrize(("against", "is_at_fault"), [(40, False), (41, True)])
def test_so_many_of_200_pairs_may_contradict_a_joined_model(against, is_at_fault):
    assert bool(join._find_fault(against, 200)) is is_at_fault


@pytest.mark.parametrize(("against", "is_at_fault"), [(2, False), (3, True)])
def test_fewer_than_three_pairs_say_nothing_of_a_link(against, is_at_fault):
    assert bool(join._find_fault(against, against)) is is_at_fault


@pytest.mark.parametrize(("beyond", "picked"), [(20, True), (21, False)])
def test_a_model_reaches_for_lost_frames_no_further_than_its_matches(beyond, picked, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(join, "grow", lambda model, path, wanted, *_: asked.append(wanted) or model)
    model: Any = SimpleNamespace(frames=(10, 11, 12), name="000/0")
    join.Joiner(MergeJob(tmp_path, 0), use_matches=True)._pick_up(model, [12 + beyond])
    assert asked == ([[10, 11, 12, 12 + beyond]] if picked else [])


@pytest.mark.parametrize(("alike", "models"), [(False, 1), (True, 2)])
def test_where_places_look_alike_matches_alone_join_nothing(alike, models, scene, database, monkeypatch):
    found = Verdict(not alike, "look-alikes", 0.4 if alike else 0.0, 0.1, (1, 24), "made")
    monkeypatch.setattr(merge, "judge_motions", lambda checks: found)
    parts = [cut(scene, FIRST, "000/0"), cut(scene, SECOND, "001/0")]
    assert len(merge.merge_sub_models(parts, database).models) == models


@pytest.mark.parametrize(("alike", "is_picked_up"), [(False, True), (True, False)])
def test_where_places_look_alike_nobody_looks_for_lost_frames(alike, is_picked_up, scene, database, monkeypatch):
    found = Verdict(not alike, "look-alikes", 0.4 if alike else 0.0, 0.1, (1, 24), "made")
    monkeypatch.setattr(merge, "judge_motions", lambda checks: found)
    parts = [cut(scene, [*range(1, 7), *range(9, 13)], "000/0"), cut(scene, range(9, 25), "001/0")]
    models = merge.merge_sub_models(parts, database).models
    assert (7 in {frame for model in models for frame in model.frames}) is is_picked_up


@pytest.mark.parametrize(("share", "is_found"), [(0.55, True), (0.45, False)])
def test_a_placed_frame_needs_half_of_its_matched_points(share, is_found, scene, database, monkeypatch):
    """The pose is right all the same, and the points that are left are more than enough."""
    estimate: Any = pycolmap.estimate_and_refine_absolute_pose
    kept = []

    def explain_less(*args):
        found = estimate(*args)
        mask = np.array(found["inlier_mask"])
        mask[int(share * len(mask)) :] = False
        kept.append(int(mask.sum()))
        return {**found, "inlier_mask": mask}

    monkeypatch.setattr(bridge.pycolmap, "estimate_and_refine_absolute_pose", explain_less)
    first, second = (bridge.Side(cut(scene, frames, name)) for frames, name in ((FIRST, "000/0"), (SECOND, "001/0")))
    assert (bridge.find_bridge(first, second, database) is not None) is is_found
    assert max(kept) > bridge.MIN_FRAME_INLIERS
