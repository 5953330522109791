"""What one may say to walk towards or to face: judged by where the way leads, what is before it and what is shown."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from instructions.claims.walk_claims import check_claims
from instructions.navigation.grammar_writer import write_instructions
from instructions.records import Box, Claim, SceneObject
from instructions.tour import Tour
from tests.support.worlds.boxworld import World, make_world, true_objects

TOWARDS_BLUE = Claim("approach", "towards it", "", None, None, 36, 51)


@cache
def corridor() -> tuple[World, SceneObject]:
    """The walk ends with 3.6 m along +y, towards the blue box at (7, 5.6)."""
    world = make_world()
    return world, next(one for one in true_objects(world)[0] if one.color == "blue")


def put(thing: SceneObject, name: str, x: float, y: float, half: tuple[float, float, float]) -> SceneObject:
    obb = replace(thing.obb, center=(x, y, half[2]), half_extents=half)
    return replace(thing, id=name, category="sofa", alias="sofa", obb=obb)


def judge(claim: Claim, thing: SceneObject, *others: SceneObject, boxes: Mapping[int, Box] = {}) -> bool:
    world, _ = corridor()
    claims, shown = [replace(claim, object=thing.id)], {thing.id: boxes} if boxes else {}
    return check_claims(world.scene, world.trajectory, [thing, *others], claims, boxes=shown)[0].true


def test_one_walks_towards_the_nearer_of_two_things_on_the_line():
    _, blue = corridor()
    before = put(blue, "sofa", 7.0, 4.3, (0.8, 0.2, 0.4))
    beside = put(blue, "sofa", 9.0, 4.3, (0.8, 0.2, 0.4))
    flat = put(blue, "rug", 7.0, 4.3, (0.8, 0.2, 0.01))
    assert judge(TOWARDS_BLUE, blue)
    assert judge(TOWARDS_BLUE, blue, beside)
    assert judge(TOWARDS_BLUE, blue, flat), "a rug is walked over"
    assert not judge(TOWARDS_BLUE, blue, before)
    assert judge(TOWARDS_BLUE, blue, replace(before, category=None)), "it may be a piece of wall"


def test_what_is_lower_hides_nothing_from_who_faces_it_nor_what_hangs_over_it():
    _, blue = corridor()
    tall = replace(blue, obb=replace(blue.obb, center=(*blue.obb.center[:2], 1.4), half_extents=(0.6, 0.25, 0.6)))
    window = replace(tall, category="window", alias="window")
    facing = Claim("see", "facing it", "", None, None, 51, 51)
    low, high = (put(blue, "sofa", 7.0, 4.3, (0.8, 0.2, half)) for half in (0.3, 0.9))
    assert [judge(facing, tall, before) for before in (low, high)] == [True, False]
    assert [judge(TOWARDS_BLUE, window, before) for before in (low, high)] == [True, False]
    assert not judge(TOWARDS_BLUE, tall, low), "what stands on the floor is behind it"


def test_the_writer_names_no_goal_that_pictures_show_elsewhere():
    world, blue = corridor()
    objects, observations = true_objects(world)
    named = [replace(one, category="sofa" if one.id == blue.id else "chair") for one in objects]
    named = [replace(one, alias=one.category or "") for one in named]
    width = world.scene.models[0].camera.width

    def approaches(seen) -> set[str | None]:
        rows = write_instructions(Tour(world.scene, named, seen), [world.trajectory])
        return {check.claim.object for row in rows for check in row.claims if check.claim.kind == "approach"}

    aside = [
        replace(one, box_xyxy=(0.9 * width, one.box_xyxy[1], width, one.box_xyxy[3])) if one.object == blue.id else one
        for one in observations
    ]
    assert blue.id in approaches(observations)
    assert blue.id not in approaches(aside)
