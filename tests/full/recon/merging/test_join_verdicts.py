"""What an attempt to join two models records, and when matches have a say, with given fusion and pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from recon.colmap.align import Alignment
from recon.geometry import Pose, Sim3
from recon.merging import bridge, join
from recon.merging.join import JoinJob, MergeOptions
from recon.records import MergeAttempt
from tests.support.recon.made_models import cut

SAME = Sim3(1.0, np.eye(3), np.zeros(3))
JOB = JoinJob(MergeOptions(), None, 0)


def test_what_is_known_of_a_pair_before_anything_was_tried(scene):
    one, other = cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")
    begun = join.begin_attempt(one, other, [9, 10, 11, 12], "matches")
    seen = [part.reconstruction.compute_num_observations() for part in (one, other)]
    assert (begun.first, begun.second, begun.shared_frames) == ("000/0", "001/0", (9, 10, 11, 12))
    assert (begun.observations_before, begun.seconds, begun.joined_by) == (sum(seen), 0.0, "matches")
    errors = [part.mean_reprojection_error_px for part in (one, other)]
    assert [begun.error_first_px, begun.error_second_px] == errors
    assert (begun.verdict, begun.result, begun.reason) == ("not aligned", "", "")


@pytest.mark.parametrize("is_found", [True, False])
def test_an_attempt_says_how_long_it_took(is_found, scene, monkeypatch):
    clock = iter([10.0, 12.5])
    monkeypatch.setattr(join, "perf_counter", lambda: next(clock))
    one, other = cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")
    if not is_found:
        monkeypatch.setattr(join, "align", lambda *_: None)
    joined, tried = join.join_by_frames(one, other, [9, 10, 11, 12], "join/0", JOB)
    assert (joined is not None) is is_found
    assert tried.seconds == 2.5


def test_an_attempt_by_matches_says_how_long_it_took(scene, monkeypatch):
    clock = iter([10.0, 12.5])
    monkeypatch.setattr(join, "perf_counter", lambda: next(clock))
    one, other = cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")
    found = bridge.Bridge(Alignment(SAME, 0.0, 0.0, 50, 1.0, 0.0, 0.0), (9, 10))
    _, tried = join.join_by_matches(one, other, found, "join/0", JOB)
    assert (tried.seconds, tried.joined_by, tried.first) == (2.5, "matches", "001/0")


class Judged:
    """A join whose fusion and pairs are given: how often its pairs were asked, and how often it was connected."""

    def __init__(self, monkeypatch, scene, pairs: list[tuple[int, int]], with_database: bool = True) -> None:
        self.connected, asked = 0, iter(pairs)
        one, other = cut(scene, range(1, 13), "000/0"), cut(scene, range(9, 25), "001/0")
        self.whole = cut(scene, range(1, 25), "join/0").reconstruction
        self.pairs_asked = 0

        def across(*_):
            self.pairs_asked += 1
            return next(asked)

        def connect(*_):
            self.connected += 1

        monkeypatch.setattr(join, "_fuse_and_adjust", self.fuse)
        monkeypatch.setattr(join, "_pairs_across", across)
        monkeypatch.setattr(join, "_connect", connect)
        monkeypatch.setattr(join, "_scale_doubt", lambda *_: "")
        self.job = replace(JOB, database_path=join.Path("made.db") if with_database else None)
        self.one, self.other, self.scene = one, other, scene

    def fuse(self, *_: Any) -> tuple[Any, int]:
        return self.whole, self.whole.compute_num_observations()

    def join(self, joined_by: Any, **more: float) -> tuple[Any, MergeAttempt]:
        alignment = replace(Alignment(SAME, 0.0, 0.0, 50, 1.0, 0.0, 0.0), **more)
        begun = replace(join.begin_attempt(self.one, self.other, [9, 10, 11, 12], joined_by), result="join/0")
        return join._fuse_and_judge(self.one, self.other, alignment, [9, 10, 11, 12], begun, self.job)


def test_matches_have_a_say_before_a_join_over_frames_is_undone(scene, monkeypatch):
    judged = Judged(monkeypatch, scene, [(200, 150), (200, 90)])
    joined, tried = judged.join("shared frames")
    assert joined is not None
    assert (judged.connected, judged.pairs_asked) == (1, 2)
    assert (tried.asked_pairs, tried.contradicting_pairs, tried.verdict) == (200, 90, "accepted")


def test_a_join_by_matches_was_connected_already(scene, monkeypatch):
    judged = Judged(monkeypatch, scene, [(200, 150)])
    joined, tried = judged.join("matches")
    assert joined is None
    assert (judged.connected, judged.pairs_asked) == (0, 1)
    assert tried.reason == "150 of 200 matched pairs across the join contradict the joined model"
    assert tried.verdict == "rolled back"
    assert tried.result == ""


def test_a_join_whose_pairs_agree_is_not_touched_again(scene, monkeypatch):
    judged = Judged(monkeypatch, scene, [(200, 3)])
    joined, tried = judged.join("shared frames", center_disagreement=0.01, rotation_disagreement_deg=0.2)
    assert (judged.connected, judged.pairs_asked) == (0, 1)
    assert joined.name == tried.result == "join/0"
    assert joined.clips == ("000", "001")
    step = join._median_step(judged.one)
    assert tried.center_disagreement == pytest.approx(0.01 / step)
    assert tried.rotation_disagreement_deg == 0.2
    assert tried.reason == "4 shared frames agree over 50 common keypoints"


def test_without_a_database_no_pair_was_asked(scene, monkeypatch):
    _, tried = Judged(monkeypatch, scene, [(0, 0)], with_database=False).join("shared frames")
    assert (tried.asked_pairs, tried.contradicting_pairs, tried.verdict) == (None, None, "accepted")


@pytest.mark.parametrize(
    ("more", "verdict"),
    [({"rotation_disagreement_deg": 4.0}, "rolled back"), ({"scale_disagreement": 0.1}, "accepted")],
)
def test_models_that_disagree_are_not_fused(more, verdict, scene, monkeypatch):
    _, tried = Judged(monkeypatch, scene, [(200, 0)]).join("shared frames", **more)
    assert tried.verdict == verdict
    assert tried.scale_disagreement == more.get("scale_disagreement", 0.0)


def bend(scene, frames: range, at: int, deg: float):
    """A model whose frames behind `at`, and all they see, are turned about the camera there."""
    bent = cut(scene, frames, "001/0")
    model, center = bent.reconstruction, scene.image(at).projection_center()
    turn = Rotation.from_rotvec([0.0, 0.0, np.radians(deg)]).as_matrix()
    move = Sim3(1.0, turn, center - turn @ center)
    behind = range(at + 1, frames[-1] + 1)
    for frame in behind:
        pose = move.move_camera(Pose.from_rigid3d(model.image(frame).cam_from_world()).inverse())
        model.frame(model.image(frame).frame_id).rig_from_world = pose.inverse().to_rigid3d()
    for point in model.points3D.values():
        if any(element.image_id in behind for element in point.track.elements):
            point.xyz = move @ point.xyz
    return bent


def join_torn(judged: Judged, deg: float, joined_by: Any = "matches", held: int = 4) -> MergeAttempt:
    """Two true models of which the first frames held are 9 on, joined to one that is bent behind the last of them."""
    last = 8 + held
    one, other = cut(judged.scene, range(1, last + 1), "000/0"), cut(judged.scene, range(9, 25), "001/0")
    judged.whole = bend(judged.scene, range(1, 25), last, deg).reconstruction
    begun = replace(join.begin_attempt(one, other, [3, 4, 20, 21], joined_by), result="join/0")
    alignment = Alignment(SAME, 0.0, 0.0, 50, 1.0, 0.0, 0.0)
    return join._fuse_and_judge(one, other, alignment, [3, 4, 20, 21], begun, judged.job)[1]


@pytest.mark.parametrize(("deg", "verdict"), [(2.96, "accepted"), (3.04, "rolled back")])
def test_matches_may_turn_the_frames_that_both_hold_by_three_degrees(deg, verdict, scene, monkeypatch):
    tried = join_torn(Judged(monkeypatch, scene, [(0, 0)]), deg)
    assert tried.verdict == verdict
    assert tried.bent == (None if verdict == "accepted" else (3, 21))
    if tried.bent:
        assert "would be turned by 3.0 deg against those beside them, allowed 3.0" in tried.reason
        assert tried.reason.endswith("one of the two is bent in frames 3-21")


@pytest.mark.parametrize(("held", "verdict"), [(3, "accepted"), (4, "rolled back")])
def test_fewer_than_four_frames_that_both_hold_say_nothing(held, verdict, scene, monkeypatch):
    assert join_torn(Judged(monkeypatch, scene, [(0, 0)]), 20.0, held=held).verdict == verdict


def test_shared_frames_are_not_asked_against_themselves(scene, monkeypatch):
    tried = join_torn(Judged(monkeypatch, scene, [(0, 0)]), 20.0, "shared frames")
    assert (tried.verdict, tried.bent) == ("accepted", None)


def test_a_model_without_a_frame_of_its_own_cannot_be_torn(scene, monkeypatch):
    judged = Judged(monkeypatch, scene, [])
    part = cut(scene, range(9, 13), "001/0")
    assert join._find_bend(cut(scene, range(1, 25), "join/0"), [part], [9, 10, 11, 12], judged.job.options) == ""


@pytest.mark.parametrize(("deg", "is_joined"), [(1.0, True), (12.0, False)])
def test_a_model_that_is_bent_behind_its_shared_frames_is_not_joined_by_what_lies_there(
    deg, is_joined, scene, database
):
    """The matches of frames 13 to 18 tell how the bent end lies, the shared frames 9 to 12 how the model begins."""
    first, second = cut(scene, range(1, 13), "000/0"), bend(scene, range(9, 25), 12, deg)
    found = bridge.find_bridge(
        bridge.Side(second, frozenset(range(13, 25))), bridge.Side(first, frozenset(range(1, 9))), database
    )
    assert found is not None
    joined, tried = join.join_by_matches(first, second, found, "join/0", replace(JOB, database_path=database))
    assert (joined is not None) is is_joined
    assert tried.bent == (None if is_joined else (min(*found.frames, 9), max(*found.frames, 12)))


def test_a_disagreement_is_told_in_steps():
    far = Alignment(SAME, 3.0, 0.0, 50, 1.0, 0.0, 0.0)
    told = MergeOptions().agreement.find_disagreement(far, 0.5)
    assert told == "shared cameras lie 6.0 steps apart after alignment, allowed 1.0"
    assert "inf steps" in MergeOptions().agreement.find_disagreement(far, 0.0)
    askew = replace(far, rotation_disagreement_deg=4.04)
    assert MergeOptions().agreement.find_disagreement(askew, 0.5) == "shared cameras differ by 4.0 deg, allowed 3.0"
