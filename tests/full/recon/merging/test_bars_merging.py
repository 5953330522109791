"""Joining, bridging and growing: one case on each side of each bar, one quantity at a time."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap
import pytest

from recon.audit.contradictions import PairCheck
from recon.audit.verdict import Verdict
from recon.colmap.align import Alignment
from recon.geometry import Sim3
from recon.merging import bridge, merge
from recon.merging.join import JoinJob, MergeOptions, _damage, _too_many
from recon.records import MergeAttempt
from tests.support.recon.made_models import cut

FIRST, SECOND = range(1, 13), range(13, 25)
OPTIONS = MergeOptions()


def aligned(**more) -> Alignment:
    same = Sim3(1.0, np.eye(3), np.zeros(3))
    return replace(Alignment(same, 0.0, 0.0, 50, 1.0, 0.0, 0.0), **more)


@pytest.mark.parametrize(
    ("in_steps", "over_depth", "disagrees"),
    [(1.1, 0.06, True), (0.9, 0.06, False), (1.1, 0.04, False), (0.9, 0.04, False)],
)
def test_shared_cameras_must_be_far_apart_in_steps_and_over_the_depth(in_steps, over_depth, disagrees):
    off = 0.3
    alignment = aligned(center_disagreement=off, depth=off / over_depth)
    assert bool(OPTIONS.agreement.find_disagreement(alignment, off / in_steps)) is disagrees


@pytest.mark.parametrize(("turned_deg", "disagrees"), [(2.9, False), (3.1, True)])
def test_shared_cameras_may_be_turned_by_so_much(turned_deg, disagrees):
    assert bool(OPTIONS.agreement.find_disagreement(aligned(rotation_disagreement_deg=turned_deg), 1.0)) is disagrees


def attempt(before: int) -> MergeAttempt:
    return MergeAttempt("a", "b", "", (1, 2, 3, 4), 0.6, 0.5, None, None, None, before, None, "rolled back", "", 0.0)


def joined(error_px: float, observations: int) -> Any:
    """As far as the verdict on a joined model looks into it."""
    reconstruction = SimpleNamespace(compute_num_observations=lambda: observations)
    return SimpleNamespace(mean_reprojection_error_px=error_px, reconstruction=reconstruction)


@pytest.mark.parametrize(("error_px", "damaged"), [(1.09, False), (1.11, True)])
def test_the_error_of_a_joined_model_stays_below_the_sum_of_both(error_px, damaged):
    assert bool(_damage(joined(error_px, 1000), attempt(1000), OPTIONS)) is damaged


@pytest.mark.parametrize(("left", "damaged"), [(801, False), (799, True)])
def test_a_join_may_lose_a_fifth_of_the_observations(left, damaged):
    assert bool(_damage(joined(0.5, left), attempt(1000), OPTIONS)) is damaged


@pytest.mark.parametrize(
    ("against", "joined_by", "too_many"),
    [(100, "shared frames", False), (101, "shared frames", True), (40, "matches", False), (41, "matches", True)],
)
def test_so_many_of_200_pairs_may_contradict_a_join(against, joined_by, too_many):
    assert _too_many(against, 200, OPTIONS, joined_by) is too_many


@pytest.mark.parametrize(("beyond", "picked"), [(20, True), (21, False)])
def test_a_model_reaches_for_lost_frames_no_further_than_its_matches(beyond, picked, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(merge, "grow", lambda model, path, wanted, *_: asked.append(wanted) or model)
    model = SimpleNamespace(frames=(10, 11, 12), name="000/0")
    merge._grow(model, [12 + beyond], tmp_path, JoinJob(OPTIONS, tmp_path, 0))  # pyright: ignore[reportArgumentType]
    assert asked == ([[10, 11, 12, 12 + beyond]] if picked else [])


@pytest.mark.parametrize(("alike", "models"), [(False, 1), (True, 2)])
def test_where_places_look_alike_matches_alone_join_nothing(alike, models, scene, database, monkeypatch):
    found = Verdict(not alike, "look-alikes", 0.4 if alike else 0.0, 0.1, (1, 24), "made")
    monkeypatch.setattr(merge, "judge_motions", lambda checks: found)
    parts = [cut(scene, FIRST, "000/0"), cut(scene, SECOND, "001/0")]
    assert len(merge.merge_sub_models(parts, database).models) == models


@pytest.mark.parametrize(("alike", "searches"), [(False, 2), (True, 0)])
def test_where_places_look_alike_nobody_looks_for_lost_frames(alike, searches, scene, database, monkeypatch):
    found = Verdict(not alike, "look-alikes", 0.4 if alike else 0.0, 0.1, (1, 24), "made")
    monkeypatch.setattr(merge, "judge_motions", lambda checks: found)
    asked = []
    pick_up: Any = merge._pick_up_and_join
    monkeypatch.setattr(merge, "_pick_up_and_join", lambda *given: asked.append(given) or pick_up(*given))
    merge.merge_sub_models([cut(scene, FIRST, "000/0"), cut(scene, SECOND, "001/0")], database)
    assert len(asked) == searches


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
    assert max(kept) > bridge.BridgeOptions().min_frame_inliers


def checks(against: int, count: int = 200) -> list[PairCheck]:
    return [PairCheck(k, k + 2, 100, 1.0, 0.1, contradicts=k < against, ambiguous=False) for k in range(count)]


@pytest.mark.parametrize(("against", "too_many"), [(2, False), (3, True)])
def test_fewer_than_three_pairs_say_nothing_of_a_join(against, too_many):
    assert _too_many(against, against, OPTIONS, "matches") is too_many
