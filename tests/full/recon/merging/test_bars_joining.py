"""Parts of bridging, joining and merging by worked examples, and their bars one quantity at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pycolmap
import pytest
from scipy.spatial.transform import Rotation

from recon.audit.verdict import Verdict
from recon.colmap.database import open_database
from recon.colmap.fuse import SharedView
from recon.geometry import Pose
from recon.merging import bridge, join, merge
from recon.merging.bridge import Side, find_bridge
from recon.merging.links import Link, measure_step
from recon.merging.regrow import MergeJob
from recon.records import MergeAttempt
from tests.support.recon.made_models import cut

JOB = MergeJob(None, 0)


def model(*frames: int, name: str = "000/0") -> Any:
    """As far as what is asked of frames goes."""
    return SimpleNamespace(frames=tuple(frames), name=name, clips=(name.split("/")[0],))


def link(first: Any, second: Any) -> Link:
    """Between two models, as far as what is asked across it goes."""
    return Link(first, second, "shared frames", (), None)


def view(frame: int = 1, move=(0.0, 0.0, 0.0), turn_deg: float = 0.0, ratios=(1.0,) * 10) -> SharedView:
    """A frame that the second model has aside of where the first has it, at a median depth of 1."""
    turned = Pose(Rotation.from_rotvec([0.0, np.radians(turn_deg), 0.0]).as_matrix(), np.array(move))
    depths = np.array([(1.0, ratio) for ratio in ratios])
    return SharedView(frame, Pose(np.eye(3), np.zeros(3)), turned, depths)


@pytest.fixture
def bridged(monkeypatch):
    """Finds the bridge that placed frames give, whatever placed them."""

    def find(views: list[SharedView]):
        monkeypatch.setattr(bridge, "_find_matched_frames", lambda *_: {one.frame: [1] for one in views})
        placed = {one.frame: [one] for one in views}
        monkeypatch.setattr(bridge, "_place_frame", lambda frame, *_: placed[frame])
        monkeypatch.setattr(bridge, "open_database", fake_database([]))
        side: Any = Side(model(1))
        return find_bridge(side, side, None)  # pyright: ignore[reportArgumentType]

    return find


def fake_database(pairs: list[tuple[int, int, int]]):
    """Opens a database that has these pairs: two frames and their verified matches."""
    ids = [pycolmap.image_pair_to_pair_id(a, b) for a, b, _ in pairs]
    counts = [count for _, _, count in pairs]

    @contextmanager
    def open_fake(_path) -> Iterator[Any]:
        yield SimpleNamespace(read_two_view_geometry_num_inliers=lambda: (ids, counts))

    return open_fake


@pytest.mark.parametrize(("count", "is_found"), [(3, False), (4, True)])
def test_four_placed_frames_make_a_bridge(count, is_found, bridged):
    found = bridged([view(frame) for frame in range(1, count + 1)])
    assert (found is not None) is is_found
    if found is not None:
        assert found.frames == (1, 2, 3, 4)


@pytest.mark.parametrize(("off", "is_found"), [(4, True), (5, False)])
def test_six_of_ten_placed_frames_must_agree(off, is_found, bridged):
    """Those that do not are left out; the frames that are left agree."""
    found = bridged([view(frame, move=(float(frame <= off) * (5.0 + frame), 0.0, 0.0)) for frame in range(1, 11)])
    assert (found is not None) is is_found
    if found is not None:
        assert found.frames == tuple(range(off + 1, 11))
        assert found.alignment.center_disagreement < 1e-9


@pytest.mark.parametrize(("kind", "inside", "outside"), [("move", 0.049, 0.051), ("turn", 2.9, 3.1)])
def test_a_frame_agrees_up_to_a_bar(kind, inside, outside, bridged):
    rest = [view(frame) for frame in range(1, 9)]
    for off, agrees in ((inside, True), (outside, False)):
        other = view(9, move=(off, 0.0, 0.0)) if kind == "move" else view(9, turn_deg=off)
        found = bridged([*rest, other])
        assert found is not None
        assert (9 in found.frames) is agrees


@pytest.mark.parametrize(("spread", "is_found"), [(0.13, True), (0.15, False)])
def test_depths_of_common_points_may_differ_so_much(spread, is_found, bridged):
    """1.48 times the median deviation, so that 0.2 is reached from 0.135 on."""
    ratios = np.exp(spread * np.array([-1.0, 1.0] * 10))
    assert (bridged([view(frame, ratios=ratios) for frame in range(1, 6)]) is not None) is is_found


@pytest.mark.parametrize(("matches", "counts"), [(29, False), (30, True)])
def test_a_pair_needs_thirty_matches(matches, counts):
    with fake_database([(1, 11, matches), (2, 3, 500)])(None) as opened:
        found = bridge._find_matched_frames(Side(model(1, 2)), Side(model(3, 11)), opened, 24)
    assert found == ({1: [11], 2: [3], 3: [2], 11: [1]} if counts else {2: [3], 3: [2]})


def test_the_best_matched_frames_are_placed_and_those_in_both_models_are_not():
    pairs = [(1, 101 + place, 30 + place) for place in range(40)] + [(2, 50, 999), (1, 3, 999)]
    first, second = Side(model(1, 2, 3, 50)), Side(model(50, *range(101, 141)))
    with fake_database(pairs)(None) as opened:
        found = bridge._find_matched_frames(first, second, opened, 24)
    assert sorted(found) == [1, *range(118, 141)]  # frame 1 has all matches; then the best of the others, 24 in all


@pytest.mark.parametrize(("points", "is_placed"), [(29, False), (30, True)])
def test_a_placed_frame_agrees_with_thirty_points(points, is_placed, scene, database, monkeypatch):
    first, second = Side(cut(scene, range(1, 13), "000/0")), Side(cut(scene, range(13, 25), "001/0"))
    read = bridge._points_by_keypoint
    monkeypatch.setattr(bridge, "_points_by_keypoint", lambda *given: dict(list(read(*given).items())[:points]))
    with open_database(database) as opened:
        monkeypatch.setattr(bridge, "_MIN_FRAME_INLIER_RATIO", 0.0)
        monkeypatch.setattr(bridge, "_MAX_ERROR_PX", 1000.0)
        placed = bridge._place_frame(13, [11, 12], first, second, opened, 0)
    assert bool(placed) is is_placed


# Joining


@pytest.mark.parametrize(("pairs", "asked"), [(399, 399), (400, 200), (1000, 200)])
def test_two_hundred_pairs_across_are_enough(pairs, asked, monkeypatch, tmp_path):
    given: list[list] = []
    across = [(k, 2000 + k, 9) for k in range(1, pairs + 1)]
    monkeypatch.setattr(join, "open_database", fake_database(across))
    monkeypatch.setattr(join, "check_pairs", lambda model, path, options, within: given.append(within) or [])
    first, second = model(*range(1, pairs + 1)), model(*range(2001, 2001 + pairs))
    joined: Any = None
    join._check_link(joined, link(first, second), [], tmp_path, JOB)
    assert len(given[0]) == asked


@pytest.mark.parametrize(("place", "is_at_fault"), [((4, 5), True), ((2, 3), False), ((7, 8), False)])
def test_a_link_is_at_fault_where_the_scale_is_open_between_its_two_sides(place, is_at_fault, monkeypatch, tmp_path):
    monkeypatch.setattr(join, "open_database", fake_database([]))
    monkeypatch.setattr(join, "check_pairs", lambda *_, within: [])
    weak = [Verdict(False, "open scale", 0.1, 0.02, place, "", 0.1)]
    joined: Any = None
    check = join._check_link(joined, link(model(1, 2, 3, 4), model(5, 6, 7, 8)), weak, tmp_path, JOB)
    assert bool(check.fault) is is_at_fault


def test_the_usual_step_is_the_median_distance(scene):
    walk = cut(scene, range(1, 13), "000/0")
    centers = np.array([walk.reconstruction.image(frame).projection_center() for frame in range(1, 13)])
    assert measure_step(walk) == pytest.approx(np.median(np.linalg.norm(np.diff(centers, axis=0), axis=1)))
    assert measure_step(cut(scene, [4], "000/0")) == 0.0


# Merging


def attempt(first: str, second: str, verdict: str, result: str = "", **more: Any) -> MergeAttempt:
    made = MergeAttempt(first, second, result, (1,), 0.5, 0.5, None, None, None, 9, None, "rolled back", "why", 0.0)
    return replace(made, verdict=verdict, **more)


def tell(models, nodes, attempts) -> list[str]:
    """Codes of what is told of joins once `nodes` were left and `models` kept."""
    undone = merge._find_undone(models, nodes, attempts)
    return [one.code for one in merge.MergeResult(tuple(models), tuple(attempts), (), tuple(undone)).findings]


def test_a_join_that_was_undone_is_told_unless_the_two_met_later():
    first, second, third = model(1, 2, name="a"), model(3, 4, name="b"), model(5, 6, name="join/1")
    undone = attempt("a", "b", "rolled back")
    assert tell([first, second], [first, second], [undone]) == ["merge.undone", "merge.apart"]
    met = [undone, attempt("a", "c", "accepted", "join/0"), attempt("join/0", "b", "accepted", "join/1")]
    assert tell([third], [third], met) == []
    assert tell([first], [first, second], [undone]) == []  # b had nothing to add


def test_joins_by_matches_are_told():
    done = [
        attempt("a", "b", "accepted", "c", joined_by="matches"),
        attempt("c", "d", "accepted", "e"),
        attempt("e", "f", "accepted", "g"),
    ]
    (whole,) = models = [model(1, 2, name="g")]
    assert tell(models, [whole], done) == ["merge.by_matches"]


def test_a_tour_in_parts_is_told_with_their_sizes():
    assert merge._tell_of_parts([model(1)]) == merge._tell_of_parts([]) == []
    (told,) = merge._tell_of_parts([model(1, 2, 3), model(4)])
    assert "2 models of 3, 1 frames" in told.message
