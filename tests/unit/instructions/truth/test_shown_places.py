"""What pictures say of a place: what one walks towards, what is on a side, and what one walks between."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from instructions.facts.picture_bearing import measure_shown_span
from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Box, Claim, ClaimCheck, Obb, SceneObject, Side
from instructions.truth.check import check_text
from instructions.truth.claims import check_claims
from tests.support.worlds.boxworld import World, make_world, true_objects

TOWARDS_BLUE = Claim("approach", "towards it", "", None, None, 36, 51)
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@cache
def corridor() -> tuple[World, SceneObject]:
    """The walk ends with 3.6 m along +y, towards the blue box at (7, 5.6)."""
    world = make_world()
    return world, next(one for one in true_objects(world)[0] if one.color == "blue")


def boxes_at(middle: float, width: float = 0.2) -> dict[int, Box]:
    """The same box in every frame of the last leg: middle and width as shares of the picture."""
    world, _ = corridor()
    camera = world.scene.models[0].camera
    x0, x1 = ((middle + side * width / 2.0) * camera.width for side in (-1.0, 1.0))
    return dict.fromkeys(range(36, 52), (x0, 0.3 * camera.height, x1, 0.7 * camera.height))


def judge(claim: Claim, boxes: dict[int, Box]) -> bool:
    world, blue = corridor()
    claims = [replace(claim, object=blue.id)]
    return check_claims(world.scene, world.trajectory, [blue], claims, boxes={blue.id: boxes})[0].true


@pytest.mark.parametrize(("middle", "is_true"), [(0.5, True), (0.58, True), (0.85, False), (0.15, False)])
def test_one_walks_towards_what_pictures_show_where_the_way_leads(middle: float, is_true: bool):
    assert judge(TOWARDS_BLUE, boxes_at(middle)) == is_true


def test_without_pictures_the_box_in_the_world_decides():
    assert judge(TOWARDS_BLUE, {})


def test_the_writer_names_no_goal_that_pictures_show_elsewhere():
    world, blue = corridor()
    objects, observations = true_objects(world)
    named = [replace(one, category="sofa" if one.id == blue.id else "chair") for one in objects]
    named = [replace(one, alias=one.category or "") for one in named]
    width = world.scene.models[0].camera.width

    def approaches(seen) -> set[str | None]:
        rows = write_instructions(world.scene, [world.trajectory], named, seen)
        return {check.claim.object for row in rows for check in row.claims if check.claim.kind == "approach"}

    aside = [
        replace(one, box_xyxy=(0.9 * width, one.box_xyxy[1], width, one.box_xyxy[3])) if one.object == blue.id else one
        for one in observations
    ]
    assert blue.id in approaches(observations)
    assert blue.id not in approaches(aside)


@pytest.mark.parametrize(("middle", "is_true"), [(0.2, True), (0.8, False)])
def test_a_side_is_where_some_picture_shows_the_thing(middle: float, is_true: bool):
    world, blue = corridor()
    moved = replace(blue, obb=replace(blue.obb, center=(5.5, 5.6, 0.4)))  # left of the end
    side = Claim("side", "with it on the left", moved.id, "left", None, 51, 51)
    checks = check_claims(world.scene, world.trajectory, [moved], [side], boxes={moved.id: boxes_at(middle)})
    assert checks[0].true == is_true, checks[0].reason


def test_a_span_is_that_of_the_box_in_the_picture():
    world, _ = corridor()
    model = world.scene.models[0]
    pose = model.world_from_cam[51]
    width, height = model.camera.width, model.camera.height
    span = measure_shown_span((0.25 * width, 0.0, 0.75 * width, height), model.camera, pose)
    heading = float(np.degrees(np.arctan2(*np.asarray(pose.rotation)[1::-1, 2])))
    assert span.measure_turn_deg(heading) == pytest.approx(0.0, abs=1.0)
    assert span.measure_off_deg(heading) == 0.0
    half = 0.5 * float((span.left_deg - span.right_deg) % 360.0)
    assert span.measure_off_deg(heading + half + 10.0) == pytest.approx(10.0, abs=1.5)


def gap(y_left: float, y_right: float, along: float = 2.0) -> tuple[WayGeometry, list[SceneObject]]:
    """4 m along +x, with a sofa and a lamp on two sides of it."""
    frames = tuple(range(1, 18))
    xy = np.column_stack([np.linspace(0.0, 4.0, 17), np.zeros(17)])
    walk = Walk(frames, np.arange(17) / 3.0, xy, np.zeros(17))
    made = [
        SceneObject(
            name, "0", name, name, None, None, Obb((*at, 0.5), (0.3, 0.2, 0.5), AXES), (), frames, False, "made"
        )
        for name, at in (("sofa", (2.0, y_left)), ("lamp", (along, y_right)))
    ]
    return WayGeometry(walk, 0, 16, 1.0, {one.id: one for one in made}), made


@pytest.mark.parametrize(
    ("y_left", "y_right", "along", "is_true"),
    [(0.9, -0.9, 2.0, True), (0.9, -0.9, 2.6, True), (0.9, 1.9, 2.0, False), (0.9, -6.0, 2.0, False)],
)
def test_between_is_with_one_on_either_hand(y_left: float, y_right: float, along: float, is_true: bool):
    way, _ = gap(y_left, y_right, along)
    verdict = check_text("Walk between the sofa and the lamp.", way)
    assert (verdict.false_because is None) == is_true, verdict.false_because


def judge_gap(*sides: tuple[str, Side], green_m: float = 0.0) -> list[ClaimCheck]:
    """Passes of the corridor's first leg told in the same words, with the green object so far away from the way."""
    world, _ = corridor()
    objects = {one.color: one for one in true_objects(world)[0]}
    x, y, z = objects["green"].obb.center
    objects["green"] = replace(objects["green"], obb=replace(objects["green"].obb, center=(x, y - green_m, z)))
    claims = [Claim("pass", "between the two", objects[color].id, side, None, 1, 34) for color, side in sides]
    return list(check_claims(world.scene, world.trajectory, list(objects.values()), claims))


def test_between_is_two_passes_of_the_same_words():
    (alone,) = judge_gap(("red", "left"))
    assert not alone.true
    assert "one thing only" in alone.reason
    assert [one.true for one in judge_gap(("red", "left"), ("green", "right"))] == [True, True]


def test_two_things_far_apart_leave_no_gap():
    told = judge_gap(("red", "left"), ("green", "right"), green_m=1.6)
    assert [one.true for one in told] == [False, False]
    assert "deg apart" in told[0].reason


@pytest.mark.parametrize(
    ("text", "sigma", "is_true"),
    [
        ("Walk forward for four metres.", 0.05, True),
        ("Walk about thirteen feet ahead.", 0.05, True),
        ("Walk forward for nine metres.", 0.05, False),
        ("Walk forward for four metres.", None, False),  # nobody measured the scale
        ("Walk past the two metres long sofa on your left.", 0.05, False),  # of a thing, and none of this walk
    ],
)
def test_a_length_is_that_of_a_stretch_between_turns(text: str, sigma: float | None, is_true: bool):
    way, _ = gap(0.9, -0.9)
    verdict = check_text(text, replace(way, length_sigma=sigma))
    assert (verdict.false_because is None) == is_true, verdict.false_because
