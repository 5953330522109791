"""Questions about the camera's motion, the way, matching points and overlap, in a room where all truths are known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.questions.core.options import MarkOptions
from instructions.questions.marks import correspondence, motion, overlap, way
from instructions.questions.marks.families import Found
from instructions.questions.marks.pairs import ViewPairs
from instructions.questions.marks.spots import SpotTour
from instructions.questions.quality.grades import Solution, grade_answer
from instructions.questions.registry import MARK_TYPES
from instructions.questions.writers.marks import write_mark_questions
from recon.geometry import Pose
from recon.records import PoseSigma
from tests.support.worlds.walked_room import find_all, look, make_walk

FAMILIES = (motion, correspondence, way, overlap)
NAMES = [one.name for family in FAMILIES for one in family.TYPES]
# 1 the start, 2 to 4 the start turned left, 5 the start raised, 6 ahead of it, 7 to its left and a little behind, and
# others beside it, from which the points between are seen as well.
STAND = (
    look(3, 4, 0),
    look(3, 4, 30),
    look(3, 4, 60),
    look(3, 4, 75),
    look(3, 4, 0, 1.9),
    look(5, 4, 0),
    look(2.5, 5.5, 0),
    look(3.5, 3.5, 40),
    look(2.7, 4.3, 40),
    look(3.2, 4.4, 40),
    look(3.3, 4.2, 75),
    look(2.8, 3.8, 75),
)
# Three meters along +x, a turn to the left by 90 on the spot, three meters along +y, and around by 180.
WALK = (
    *(look(3 + 0.5 * step, 2, 0) for step in range(7)),
    *(look(6, 2, 30 * step) for step in (1, 2, 3)),
    *(look(6, 2 + 0.5 * step, 90) for step in range(1, 7)),
    *(look(6, 5, 90 + 30 * step) for step in range(1, 7)),
)


def tilted(pose: Pose, up_deg: float) -> Pose:
    """The same camera with its axis raised."""
    c, s = np.cos(np.radians(up_deg)), np.sin(np.radians(up_deg))
    return Pose(pose.rotation @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), pose.center)


TOUR = (
    *WALK,
    *STAND,
    tilted(look(3, 4, 0), 20.0),
    *(look(3, 4 + 0.1 * step, 0, 1.5 + 0.1 * step) for step in range(4)),
)


def shake(poses: tuple[Pose, ...]) -> tuple[Pose, ...]:
    """The poses a little off, so that nothing lies on a bar, where rounding decides."""
    rng = np.random.default_rng(0)
    out = []
    for pose in poses:
        c, s = np.cos(turn := rng.uniform(-0.03, 0.03)), np.sin(turn)
        turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ pose.rotation
        out.append(Pose(turned, pose.center + rng.uniform(-0.03, 0.03, 3)))
    return tuple(out)


SHAKEN = shake(TOUR)


@cache
def asked(name: str, cameras: tuple[Pose, ...], draws: int = 10, **world: object) -> dict[tuple[object, ...], Found]:
    """Everything that a type asks."""
    return find_all(MARK_TYPES[name], make(cameras, **world), draws)


@cache
def make(cameras: tuple[Pose, ...], **world: object) -> SpotTour:
    """The tour, made once."""
    return make_walk(cameras, **world)  # pyright: ignore[reportArgumentType]


def by_views(name: str, cameras: tuple[Pose, ...] = STAND) -> dict[tuple[int, ...], Found]:
    """What a type asks, by its views."""
    return {one.views: one for one in asked(name, cameras, 60).values()}


@pytest.mark.parametrize(
    ("name", "views", "truth"),
    [
        ("motion_ahead_choice", (1, 6), "forward"),
        ("motion_ahead_choice", (6, 1), "backward"),
        ("motion_side_choice", (1, 7), "left"),
        ("motion_side_choice", (7, 1), "right"),
        ("motion_height_choice", (1, 5), "up"),
        ("motion_height_choice", (5, 1), "down"),
        ("motion_turn_choice", (1, 2), "left"),
        ("motion_turn_choice", (4, 3), "right"),
        ("motion_description", (6, 7), "backward and to the left"),
        ("motion_description", (6, 2), "backward, turning left"),
        ("motion_description", (3, 7), "forward and to the left, turning right"),
        ("motion_farther_choice", (1, 2, 6), "the third picture"),
        ("motion_turned_more_choice", (1, 4, 2), "the second picture"),
    ],
)
def test_the_motion_is_told_in_directions_of_the_first_picture(name, views, truth):
    assert by_views(name)[views].truth == truth


@pytest.mark.parametrize(
    ("name", "views", "value"), [("motion_distance", (6, 7), 8.5**0.5), ("motion_turn_angle", (2, 4), 45.0)]
)
def test_numbers_of_a_motion(name, views, value):
    assert float(by_views(name)[views].truth) == pytest.approx(value)


def test_whether_the_camera_rose_is_asked_where_the_floor_is_measured_or_no_model_bends():
    rising = tuple(look(3 + 0.5 * step, 4, 0, 1.0 + 0.25 * step) for step in range(6))
    asked_of = {}
    for floor_range in (0.0, 0.1):
        made = make_walk(rising)
        sure = dict.fromkeys(made.model.frames, PoseSigma(0.01, 0.1))
        tour = SpotTour(made.scene, replace(made.model, pose_sigma=sure, floor_range=floor_range), (), 0)
        asked_of[floor_range] = bool(find_all(MARK_TYPES["motion_height_choice"], tour, 20))
    assert asked_of == {0.0: False, 0.1: True}


def test_a_small_turn_or_step_is_not_asked_about():
    little = (look(3, 4, 0), look(3.1, 4, 10), look(3.05, 3.9, 5), look(3, 4.1, 0))
    for name in (
        "motion_ahead_choice",
        "motion_side_choice",
        "motion_turn_choice",
        "motion_turn_angle",
        "motion_distance",
    ):
        assert not asked(name, little)


def test_the_same_mark_is_the_same_point():
    for name, number in (("match_choice", None), ("match_predicate", 2)):
        for one in asked(name, TOUR).values():
            same = [at for at, spot in enumerate(one.marks[1:], start=2) if spot.point == one.marks[0].point]
            assert len(same) == (1 if number is None or one.truth == "yes" else 0)
            assert number is not None or one.truth == f"mark {same[0]}"


def test_what_is_out_of_the_picture_lies_where_the_camera_turned_away_from():
    counted = {(key[0], one.truth) for key, one in asked("match_outside_class", STAND, 40).items()}
    assert {truth for views, truth in counted if views == (1, 3)} == {"right of the picture"}
    assert {truth for views, truth in counted if views == (4, 1)} == {"left of the picture"}


def test_what_one_walked_past_is_behind():
    past = (look(2, 4, 0), look(2.5, 4, 0), look(3, 4, 0), look(3.5, 4, 0), look(8, 4, 0))
    truths = {key[0]: one.truth for key, one in asked("match_outside_class", past, 60).items() if key[0] == (1, 5)}
    assert truths == {(1, 5): "behind the camera"}


def test_a_point_is_in_view_where_its_ray_is():
    tour = make(TOUR)
    for key, one in asked("match_visible_predicate", TOUR).items():
        pose = tour.model.world_from_cam[one.views[1]]
        x, y, z = pose.rotation.T @ (one.marks[0].xyz - pose.center)
        assert (one.truth == "yes") == (z > 0 and max(abs(x), abs(y)) <= z * (1 + 1e-9)), key


def test_the_start_of_the_walk_lies_behind_and_after_the_turn_to_the_left():
    for key, one in asked("way_back_side_class", WALK).items():
        first, last = one.views[0], one.views[-1]
        if last <= 7:
            assert one.truth == "behind", key
        if first <= 5 and last == 10:
            assert one.truth == "to the left", key


def test_lengths_of_the_way():
    by_ends = {(one.views[0], one.views[-1]): one for one in asked("way_length", WALK).values()}
    straight = {(one.views[0], one.views[-1]): one for one in asked("way_back_distance", WALK).values()}
    for (first, last), one in by_ends.items():
        if first <= 7 <= last <= 10:
            assert float(one.truth) == pytest.approx(0.5 * (7 - first))
    for (first, last), one in straight.items():
        if first <= 7 and 10 <= last <= 16:
            assert float(one.truth) == pytest.approx(np.hypot(0.5 * (7 - first), 0.5 * (last - 10)))


def test_the_whole_turn_of_the_walk_is_to_the_left_and_backwards_to_the_right():
    found = asked("way_turn_choice", WALK)
    assert {one.truth for one in found.values() if one.views[0] < one.views[-1]} == {"left"}
    assert {one.truth for one in found.values() if one.views[0] > one.views[-1]} == {"right"}


def test_a_walk_returns_where_it_ends_at_its_start():
    there = [look(2 + 0.5 * step, 4, 0) for step in range(8)]
    found = asked("way_return_predicate", (*there, *there[::-1]))
    assert {"yes", "no"} == {one.truth for one in found.values()}
    for one in found.values():
        assert (one.truth == "yes") == (one.views[0] + one.views[-1] in (16, 17, 18))


def test_the_order_of_a_walk_away():
    for name, shown in (("way_order_class", 1), ("way_next_choice", 2)):
        found = asked(name, WALK)
        assert found
        for one in found.values():
            later = one.views[shown:]
            order = [f"{way.ORDINALS[later.index(frame) + shown]}" for frame in sorted(later)]
            assert one.truth in (", ".join(order), f"the {order[0]} picture")


def test_pictures_that_look_at_opposite_walls_do_not_overlap():
    east = [look(7, 4 + 0.4 * step, turn) for step in range(3) for turn in (0, 20)]
    west = [look(3, 4 + 0.4 * step, 180 + turn) for step in range(3) for turn in (0, 20)]
    truths = {views: one.truth for views, one in by_views("overlap_predicate", (*east, *west)).items()}
    assert set(truths.values()) == {"yes", "no"}
    for (one, other), truth in truths.items():
        assert (truth == "yes") == ((one <= 6) == (other <= 6))


def test_a_picture_turned_by_half_its_width_shows_half():
    tour = make_walk((look(5, 4, 0), look(5, 4, 45), look(5, 3.5, 20), look(5, 4.5, 40)))
    ((_, share),) = overlap.measure_shares(tour, 0, [1])
    assert 0.4 < share.least <= share.most <= 0.5
    assert overlap.classify_share(share) == "about half"


@pytest.mark.parametrize("name", NAMES)
def test_laws_of_motion_mirror_and_scale(name):
    here, relative = asked(name, SHAKEN, 4), asked(name, SHAKEN, 4, scale="relative")
    moved, mirrored = asked(name, SHAKEN, 4, turn_deg=70.0), asked(name, SHAKEN, 4, mirror=True)
    larger = asked(name, SHAKEN, 4, times=2.0, scale="relative")
    assert moved.keys() == here.keys()
    assert larger.keys() == relative.keys()
    if name.startswith(("overlap", "way")) and name != "way_back_side_class":
        assert mirrored.keys() == here.keys()  # the others choose by side, and may ask about other views
    swap = {"left": "right", "right": "left"}
    for key, one in here.items():
        assert _value(moved[key]) == pytest.approx(_value(one)), key
        other = mirrored.get(key)
        swapped = " ".join(swap.get(word.strip(","), word.strip(",")) for word in one.truth.split())
        if other is not None and one.measured is None:
            assert other.truth.replace(",", "") == swapped, key
    for key, one in relative.items():
        times = 2 if one.measured and one.measured.unit == "m" else 1
        value = _value(larger[key])
        assert value == (pytest.approx(times * one.measured.value) if one.measured else one.truth), key


def _value(found: Found) -> float | str:
    return found.measured.value if found.measured else found.truth


def test_twins_have_the_other_answer():
    for name in NAMES:
        for one in asked(name, SHAKEN, 4).values():
            assert one.twin is None or one.twin.truth != one.truth
            assert one.measured is not None or one.truth in one.choices


def test_every_answer_is_read_as_its_truth_and_no_row_is_told_twice():
    tour = make(TOUR)
    kinds = [MARK_TYPES[name] for name in NAMES]
    rows = write_mark_questions(tour.scene, (), MarkOptions(rows_per_view=200), not_asked=Counter(), types=kinds)
    assert len({row.id for row in rows}) == len(rows)
    assert len({row.type for row in rows}) >= len(NAMES) - 5
    for row in rows:
        grade = grade_answer(Solution.of(row), row.answer)
        right = grade.right if row.measured is None else abs((grade.share or 0.0) - 1.0) <= 0.25
        assert right, (row.question, row.answer, row.truth)


def test_views_are_told_apart_by_what_would_lie_in_both():
    tour = make_walk((look(9, 4, 0), look(9, 4.4, 0), look(1, 4, 180), look(5, 4, 0)))
    pairs: ViewPairs = tour.pairs
    assert pairs.are_apart(0, 2)
    assert not pairs.are_apart(0, 3)
