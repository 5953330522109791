"""What tells a doubt from none: one case on each side of each bar, one quantity at a time, by made steps and counts."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recon.audit import contradictions, revisits, torn
from recon.audit.audit import find_flung, find_leaps
from recon.audit.contradictions import PairCheck, doubtful_stretches, find_unexplained, judge_motions
from recon.audit.epipolar import Fit, apart_deg, fit_of
from recon.audit.epipolar import MatchedRays as Rays
from recon.audit.floor_height import scale_changes
from recon.audit.torn import TornOptions, find_torn_seams, frames_beside
from recon.audit.verdict import cut_at
from recon.geometry import Camera, Pose
from recon.merging.merge import MergeResult


def walk(centers: dict[int, float]) -> Any:
    """A model whose frames stand at these places along a line."""
    images = {k: SimpleNamespace(projection_center=lambda x=x: np.array([x, 0.0, 0.0])) for k, x in centers.items()}
    return SimpleNamespace(reg_image_ids=lambda: list(centers), image=images.__getitem__)


def walk_with_a_step_of(length: float, frames: int = 20, gap: int = 1) -> dict[int, float]:
    """Steps of 1, and one of this length behind the tenth frame, over so many frames."""
    places = {number: float(number) for number in range(1, min(frames, 10) + 1)}
    places.update({10 + gap + k: 10.0 + length + k for k in range(frames - 10)})
    return places


def test_a_leap_is_five_times_a_step_over_as_many_frames(subtests):
    """Where five steps on either side are as long, it is the pace there."""
    for length, leaps in [(4.9, 0), (5.1, 1)]:
        with subtests.test(length=length, leaps=leaps):
            found = find_leaps(walk(walk_with_a_step_of(length)))
            assert len(found) == leaps
            if leaps:
                assert (found[0].frames, found[0].evidence) == ((10, 11), "leap")
                assert found[0].value == pytest.approx(length)
                assert " 5 times " in found[0].words
    assert find_leaps(walk(walk_with_a_step_of(9.8, gap=2))) == []
    (found,) = find_leaps(walk(walk_with_a_step_of(10.2, gap=2)))
    assert found.frames == (10, 12)
    for frames, leaps in [(3, 0), (4, 1)]:
        with subtests.test(frames=frames, leaps=leaps):
            places = [0.0, 1.0, 2.0, 22.0][4 - frames :]
            assert len(find_leaps(walk(dict(enumerate(places, start=1))))) == leaps
    for fast, leaps in [(5, 0), (3, 1)]:
        with subtests.test(fast=fast, leaps=leaps):
            steps = [1.0] * 20 + [6.0] * fast + [7.0] + [6.0] * fast + [1.0] * 20
            if leaps:
                steps = [1.0] * 20 + [1.0] * fast + [7.0] + [6.0] * 2 + [1.0] * 20
            found = find_leaps(walk(dict(enumerate(np.cumsum([0.0, *steps]).tolist(), start=1))))
            assert (len(found) >= 1) is bool(leaps)


def test_a_frame_off_the_walk_is_flung_where_none_leaps_past_it():
    steps = {frame: float(frame) for frame in range(1, 21)}
    assert find_flung(walk(steps)) == []
    assert find_flung(walk(steps | {8: 40.0})) == [8]
    assert find_flung(walk({frame: place + 40.0 * (frame > 8) for frame, place in steps.items()})) == []
    assert find_flung(walk({f: place + 20.0 * (f > 7) + 20.0 * (f > 8) for f, place in steps.items()})) == []


def test_a_height_that_changes_tells_by_how_much(subtests):
    for factor, changes in [(1.79, 0), (1.81, 1), (1 / 1.79, 0), (1 / 1.81, 1)]:
        with subtests.test(factor=factor, changes=changes):
            found = scale_changes({frame: 1.0 if frame <= 20 else factor for frame in range(1, 41)})
            assert len(found) == changes
            if changes:
                assert found[0].value == pytest.approx(factor)
                assert found[0].frames[1] == found[0].frames[0] + 1
                assert abs(found[0].first - 20) <= 3


def test_heights_that_come_back_are_two_changes_and_short_ones_none():
    heights = dict.fromkeys(range(1, 61), 1.0)
    heights.update(dict.fromkeys(range(20, 41), 4.0))
    assert [round(change.value, 2) for change in scale_changes(heights)] == [4.0, 0.25]
    heights = dict.fromkeys(range(1, 61), 1.0)
    heights.update(dict.fromkeys(range(20, 23), 4.0))  # three frames are a slip of the floor
    assert scale_changes(heights) == []
    heights = dict.fromkeys(range(1, 41), 1.0) | dict.fromkeys(range(41, 53), 0.45)
    assert len(scale_changes(heights)) == 1


def test_a_short_height_between_longer_ones_as_high_as_before_is_a_table(subtests):
    for frames, after, changes in [(24, 1.0, 0), (25, 1.0, 2), (24, 1.24, 0), (24, 1.26, 2)]:
        with subtests.test(frames=frames, after=after, changes=changes):
            heights = dict.fromkeys(range(1, 101), 1.0)
            heights.update(dict.fromkeys(range(40, 40 + frames), 0.45))
            heights.update(dict.fromkeys(range(40 + frames, 101), after))
            assert len(scale_changes(heights)) == changes
    for before, after, changes in [(13, 40, 0), (12, 40, 2), (40, 13, 0), (40, 12, 2)]:
        with subtests.test(before=before, after=after, changes=changes):
            lengths = (1.0, before), (0.45, 12), (1.0, after)
            heights = dict(enumerate((height for height, count in lengths for _ in range(count)), start=1))
            assert len(scale_changes(heights)) == changes


def test_ten_pairs_and_a_tenth_of_all_are_look_alikes(subtests):
    for ambiguous, total, told in [(9, 20, 0), (10, 20, 1), (14, 150, 0), (15, 150, 1)]:
        with subtests.test(ambiguous=ambiguous, total=total, told=told):
            checks = [
                PairCheck(k, k + 2, 99, 1.0, 1.0, contradicts=False, ambiguous=k < ambiguous) for k in range(total)
            ]
            found = MergeResult((), (), (), look_alikes=judge_motions(checks)).findings
            assert [(one.severity, one.code) for one in found] == [("error", "merge.look_alikes")] * told
            assert all(f"{ambiguous} of {total}" in one.message for one in found)


def pair(first: int, second: int, contradicts: bool) -> PairCheck:
    return PairCheck(first, second, 100, 1.0, 0.1, contradicts=contradicts, ambiguous=False)


def test_three_pairs_and_half_of_all_must_be_against_a_place(subtests):
    for against, doubted in [(2, False), (3, True)]:
        with subtests.test(against=against, doubted=doubted):
            checks = [pair(5, 6 + k, True) for k in range(against)]
            found = doubtful_stretches(range(1, 21), checks)
            assert bool(found) is doubted
            if doubted:
                assert (found[0].frames, found[0].evidence, found[0].value) == ((5, 6), "contradicted", 1.0)
    for sound, doubted in [(200, False), (199, True)]:
        with subtests.test(sound=sound, doubted=doubted):
            checks = [*[pair(10, 11, True)] * 200, *[pair(10, 11, False)] * sound]
            assert bool(doubtful_stretches(range(1, 21), checks)) is doubted


def test_single_steps_are_judged_in_a_run_but_not_among_look_alikes(subtests):
    """Most pairs across each of nine steps contradict, by chance across all but the middle one."""
    for against, doubted in [(5, False), (6, True)]:
        with subtests.test(against=against, doubted=doubted):
            checks = [*[pair(6, 15, True)] * against, *[pair(10, 11, False)] * (7 - against)]
            checks += [pair(step, step + 1, False) for step in (6, 7, 8, 9, 11, 12, 13, 14) for _ in range(against - 1)]
            found = doubtful_stretches(range(1, 21), checks)
            assert [(doubt.frames, doubt.words) for doubt in found] == [
                ((10, 11), "6 of 7 pairs contradict it")
            ] * doubted
    for ambiguous, doubted in [(9, True), (10, False)]:
        with subtests.test(ambiguous=ambiguous, doubted=doubted):
            checks = [*[pair(6, 15, True)] * 6, pair(10, 11, False)]
            checks += [pair(step, step + 1, False) for step in (6, 7, 8, 9, 11, 12, 13, 14) for _ in range(5)]
            checks += [PairCheck(17, 18, 99, 1.0, 1.0, contradicts=False, ambiguous=True)] * ambiguous
            assert bool(doubtful_stretches(range(1, 21), checks)) is doubted


def test_a_run_is_doubted_as_a_whole_where_none_of_its_steps_is(subtests):
    """3 of 5 may be chance, 9 of 15 too, 12 of 20 are not."""
    for steps, doubted in [(3, False), (4, True)]:
        with subtests.test(steps=steps, doubted=doubted):
            checks = [pair(k, k + 1, place < 3) for k in range(5, 5 + steps) for place in range(5)]
            found = doubtful_stretches(range(1, 21), checks)
            assert [doubt.frames for doubt in found] == [(5, 5 + steps)] * doubted


def test_two_places_apart_are_two_stretches():
    checks = [pair(a, b, True) for at in (5, 15) for a in (at - 1, at) for b in (at + 1, at + 2)]
    checks += [pair(k, k + 1, False) for k in (7, 8, 9, 10, 11, 12) for _ in range(5)]
    found = doubtful_stretches(range(1, 21), checks)
    assert [doubt.frames for doubt in found] == [(5, 6), (15, 16)]


# Tears, by the points that matched keypoints lie on


def torn_model(monkeypatch, pairs: dict[tuple[int, int], tuple[int, int]]) -> Any:
    """Frames 1 to 40 of which each pair has so many matches on two points, and on one."""
    frames = range(1, 41)
    points: dict[int, list[int]] = {frame: [] for frame in frames}
    matches: dict[tuple[int, int], np.ndarray] = {}
    fresh = iter(range(10**6))
    for (one, other), (apart, together) in pairs.items():
        rows = []
        for number in range(apart + together):
            point = next(fresh)
            rows.append((len(points[one]), len(points[other])))
            points[one].append(point)
            points[other].append(next(fresh) if number < apart else point)
        rows.append((len(points[one]), len(points[other])))  # without points, so that it says nothing
        points[one].append(torn.NO_POINT)
        points[other].append(7)
        matches[one, other] = np.array(rows)
    ids = [pycolmap.image_pair_to_pair_id(*pair) for pair in pairs]

    @contextmanager
    def open_fake(_path):
        yield SimpleNamespace(
            read_two_view_geometry_num_inliers=lambda: (ids, [1] * len(ids)),
            read_two_view_geometry=lambda a, b: SimpleNamespace(inlier_matches=matches[a, b]),
        )

    keypoints = {frame: SimpleNamespace(points=np.array(found, np.int64)) for frame, found in points.items()}
    monkeypatch.setattr(torn, "open_database", open_fake)
    monkeypatch.setattr(torn, "keypoints_by_frame", lambda model: keypoints)
    return SimpleNamespace(reg_image_ids=lambda: list(frames))


def test_an_eighth_of_the_matches_and_eight_of_them_are_a_tear(subtests, monkeypatch, tmp_path):
    for apart, together, is_torn in [(7, 0, False), (8, 0, True), (13, 91, False), (13, 90, True), (125, 876, False)]:
        with subtests.test(apart=apart, together=together, is_torn=is_torn):
            found = find_torn_seams(torn_model(monkeypatch, {(5, 7): (apart, together)}), tmp_path)
            assert [tear.frames for tear in found] == ([(5, 6), (6, 7)] if is_torn else [])
            if is_torn:
                assert found[0].value == pytest.approx(apart / (apart + together))
                assert found[0].words == f"{apart} of {apart + together} matches across it join two different points"


def test_pairs_within_reach_add_up_over_the_steps_they_share(subtests, monkeypatch, tmp_path):
    for gap, tears in [(12, 12), (13, 0)]:
        with subtests.test(gap=gap, tears=tears):
            assert len(find_torn_seams(torn_model(monkeypatch, {(5, 5 + gap): (50, 0)}), tmp_path)) == tears
    found = find_torn_seams(torn_model(monkeypatch, {(3, 6): (6, 10), (5, 8): (6, 10)}), tmp_path)
    assert [(tear.frames, tear.value) for tear in found] == [((5, 6), 12 / 32)]
    assert len(find_torn_seams(torn_model(monkeypatch, {(3, 6): (6, 10)}), tmp_path, TornOptions(min_matches=6))) == 3


def test_a_walk_is_mapped_again_from_beside_a_place():
    assert frames_beside((20, 21), range(1, 41)) == [20, 21, 10, 31]
    assert frames_beside((5, 36), range(1, 41)) == [5, 36]
    assert frames_beside((5, 6), [6, 16]) == [6, 16]


# What matches explain, by their epipolar lines


def explained_model(monkeypatch, agreeing: dict[tuple[int, int], tuple[int, int]]) -> Any:
    """Frames 1 to 20, of whose pairs so many matches agree of so many."""
    ids = [pycolmap.image_pair_to_pair_id(*pair) for pair in agreeing]

    @contextmanager
    def open_fake(_path):
        yield SimpleNamespace(
            read_two_view_geometry_num_inliers=lambda: (ids, [1] * len(ids)),
            read_keypoints=lambda frame: np.ones((500, 2)),
            read_two_view_geometry=lambda a, b: SimpleNamespace(
                inlier_matches=np.zeros((agreeing[a, b][1], 2), np.int64)
            ),
        )

    def fit(_pose, matches):
        good, total = agreeing[matches.first, matches.second]
        return Fit(np.where(np.arange(total) < good, 4.4, 4.6), np.zeros(total, bool), 5.0)

    monkeypatch.setattr(contradictions, "open_database", open_fake)
    monkeypatch.setattr(contradictions, "fit_of", fit)
    image = SimpleNamespace(camera_id=1, cam_from_world=lambda: Pose.identity().to_rigid3d())
    camera = Camera("SIMPLE_RADIAL", 640, 360, (500.0, 320.0, 180.0, 0.0)).to_colmap(1)
    return SimpleNamespace(reg_image_ids=lambda: list(range(1, 21)), image=lambda _: image, camera=lambda _: camera)


def test_half_of_enough_matches_across_a_step_must_agree(subtests, monkeypatch, tmp_path):
    for good, doubted in [(50, False), (49, True)]:
        with subtests.test(good=good, doubted=doubted):
            found = find_unexplained(explained_model(monkeypatch, {(5, 6): (good, 100)}), tmp_path)
            assert [doubt.frames for doubt in found] == ([(5, 6)] if doubted else [])
            if doubted:
                assert found[0].value == pytest.approx(0.51)
                assert found[0].words == "only 49% of the matches across agree"
    for total, doubted in [(39, False), (40, True)]:
        with subtests.test(total=total, doubted=doubted):
            assert bool(find_unexplained(explained_model(monkeypatch, {(5, 6): (0, total)}), tmp_path)) is doubted


def test_further_pairs_do_not_say_where_a_fault_is(subtests, monkeypatch, tmp_path):
    for gap, steps in [(4, 4), (5, 0)]:
        with subtests.test(gap=gap, steps=steps):
            model = explained_model(monkeypatch, {(5, 5 + gap): (0, 100)})
            assert len(find_unexplained(model, tmp_path)) == steps
            monkeypatch.setattr(contradictions, "_REACH_FRAMES", 1)
            assert len(find_unexplained(model, tmp_path)) == 0


# Revisits


def test_a_revisit_is_twenty_frames_away_and_a_hundred_are_enough(subtests, monkeypatch, tmp_path):
    for gap, found in [(19, []), (20, [(3, 23)])]:
        with subtests.test(gap=gap, found=found):
            monkeypatch.setattr(revisits, "open_database", pairs_of([(3, 3 + gap), (3, 90)]))
            assert revisits.list_revisits(walk(dict.fromkeys(range(1, 60), 0.0)), tmp_path) == found
    for pairs, asked in [(100, 100), (101, 51), (300, 100)]:
        with subtests.test(pairs=pairs, asked=asked):
            found = revisits.spread_evenly([(k, k + 500) for k in range(1, pairs + 1)])
            assert len(found) == asked
            assert found[0] == (1, 501)
            assert revisits.residuals_px(walk({1: 0.0}), tmp_path, []) == {}


def pairs_of(pairs: list[tuple[int, int]]):
    @contextmanager
    def open_fake(_path):
        ids = [pycolmap.image_pair_to_pair_id(*pair) for pair in pairs]
        yield SimpleNamespace(read_two_view_geometry_num_inliers=lambda: (ids, [1] * len(ids)))

    return open_fake


def test_revisits_speak_from_three_places_and_a_twelfth_of_those_asked(subtests):
    for places, contradicting, asked, ok in [
        (2, 50, 50, True),
        (3, 3, 36, False),
        (3, 8, 100, True),
        (3, 9, 100, False),
    ]:
        with subtests.test(places=places, contradicting=contradicting, asked=asked, ok=ok):
            verdict = revisits.judge_revisits(contradicting, places, asked, (1, 90))
            assert (verdict.ok, verdict.value) == (ok, contradicting / asked)


@given(st.sets(st.tuples(st.integers(1, 60), st.integers(1, 60)), max_size=12))
def test_no_part_of_a_walk_holds_revisits_that_contradict_it(pairs):
    """Cut where most of them span it, so that a loop which does not close becomes two halves."""
    frames = list(range(1, 61))
    against = frozenset((a, b) for a, b in pairs if b - a >= 20)
    checks = revisits.RevisitChecks(dict.fromkeys(against, 50.0), against)
    doubts = revisits.find_open_revisits(frames, checks)
    for part in cut_at(frames, [doubt.frames for doubt in doubts]):
        assert revisits.find_open_revisits(part, checks) == []
    assert bool(doubts) is (revisits.count_places(against) >= 3)
    loop = frozenset((k, 60 - k) for k in (2, 5, 8))
    (cut,) = revisits.find_open_revisits(frames, revisits.RevisitChecks(dict.fromkeys(loop, 50.0), loop))
    assert 25 <= cut.first <= 35


# Fits


def test_costs_and_shares_of_a_fit():
    fit = Fit(np.array([0.0, 1.0, 2.9, 3.1]), np.array([False, False, True, False]), 5.0)
    assert fit.cost == pytest.approx((0 + np.log(2) + np.log(10) + np.log(1 + 3.1**2)) / 4)
    assert fit.unexplained == 0.5
    assert fit.explained(3.0) == 0.5
    assert fit.explained(0.5) == 0.25


def test_a_point_is_behind_a_camera_where_parallax_tells(subtests):
    """Both rays look ahead and part from each other."""
    for angle_deg, behind in [(0.4, False), (0.6, True)]:
        with subtests.test(angle_deg=angle_deg, behind=behind):
            rays = np.array([[0.0, 0.0, 1.0], [np.tan(np.radians(angle_deg)), 0.0, 1.0]])
            matches = Rays(1, 2, np.tile(rays[0], (3, 1)), np.tile(rays[1], (3, 1)), np.zeros((3, 3)), 500.0)
            fit = fit_of(Pose(np.eye(3), np.array([2.0, 0.0, 0.0])), matches)
            assert fit.parallax_deg == pytest.approx(angle_deg)
            assert not fit.behind.any()
            away = fit_of(Pose(np.eye(3), np.array([-2.0, 0.0, 0.0])), matches)
            assert away.behind.all() == behind
            assert away.error_px == pytest.approx(np.zeros(3), abs=1e-9)


def test_poses_are_apart_by_turn_and_by_direction():
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    one, other = Pose(np.eye(3), np.array([1.0, 0, 0])), Pose(turn, np.array([0.0, 5.0, 5.0]))
    assert apart_deg(one, other) == pytest.approx((90.0, 90.0))
    assert apart_deg(one, Pose(np.eye(3), np.array([2.0, 0, 2.0]))) == pytest.approx((0.0, 45.0), abs=1e-6)
