"""What holds a thing, by its height and by what pictures show under it."""

from __future__ import annotations

import numpy as np

from instructions.perception.frames.segments import SegmentMap
from instructions.perception.models.light.labels import network_names
from instructions.perception.things.lift import Lifted
from instructions.perception.things.plausible import Measures
from instructions.perception.things.support import find_support, find_what_it_rests_on
from instructions.records import Detection, Obb, SceneObject, Support
from tests.support.cases import each_case

ADE = {name: number for number, name in enumerate(network_names()["ade"])}


def views(over: str, under: str, count: int = 3) -> tuple[list[Lifted], list[Detection], SegmentMap]:
    """A box in the middle of pictures that are one class above and another below it."""
    classes = np.full((60, 60), ADE["cabinet"], dtype=np.uint8)
    classes[:20], classes[40:] = ADE[over], ADE[under]
    rows = [Detection(frame, "cabinet", 0.8, (20.0, 20.0, 40.0, 40.0), (), (), None) for frame in range(count)]
    members = [Lifted(n, n, "cabinet", 0.8, np.zeros((1, 3)), 2.0) for n in range(count)]
    return members, rows, SegmentMap(classes, 60, 60)


@each_case(
    ("over", "under", "bottom_m", "held"),
    [
        ("wall", "floor", None, "floor"),
        ("wall", "wall", 0.1, "floor"),  # so low it stands, whatever the pictures say
        ("wall", "floor", 0.8, None),  # the floor is far behind
        ("wall", "wall", 0.8, "wall"),
        ("wall", "wall", None, "wall"),
        ("wall", "wall", 0.25, None),
        ("ceiling", "wall", 2.0, "ceiling"),
        ("ceiling", "wall", 1.5, "wall"),
        ("wall", "table", 0.8, None),  # on it or behind it
    ],
)
def test_pictures_and_height_tell_what_holds_a_thing(over: str, under: str, bottom_m: float | None, held: str | None):
    members, rows, segments = views(over, under)
    found = Measures(None, None, bottom_m, None)
    assert find_support(members, rows, found, lambda frame: segments) == held


def test_one_view_and_none_with_segments_tell_nothing():
    members, rows, segments = views("wall", "wall", count=1)
    assert find_support(members, rows, Measures(None, None, 0.8, None), lambda frame: segments) is None
    members, rows, _ = views("wall", "wall")
    assert find_support(members, rows, Measures(None, None, 0.8, None), lambda frame: None) is None


def test_a_box_that_is_cut_by_the_picture_shows_nothing_under_it():
    members, rows, segments = views("wall", "wall")
    cut = [Detection(one.frame, one.label, one.score, (20.0, 20.0, 40.0, 60.0), (), (), None) for one in rows]
    assert find_support(members, cut, Measures(None, None, 0.8, None), lambda frame: segments) is None


def thing(
    name: str, category: str, center: tuple[float, float, float], half: tuple[float, float, float], held: Support | None
) -> SceneObject:
    box = Obb(center, half, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    return SceneObject(name, "0", category, category, None, None, box, (), (1,), False, "made", support=held)


TABLE = thing("0_0", "table", (0.0, 0.0, 0.375), (0.8, 0.4, 0.375), "floor")


@each_case(
    ("center", "held", "rests_on"),
    [
        ((0.3, 0.1, 0.9), None, "0_0"),
        ((0.3, 0.1, 1.2), None, None),  # a third of a metre above its top
        ((1.2, 0.1, 0.9), None, None),  # beside it
        ((0.3, 0.1, 0.9), "wall", None),
    ],
)
def test_a_thing_over_the_top_of_another_rests_on_it(center, held: Support | None, rests_on: str | None):
    laptop = thing("0_1", "laptop", center, (0.15, 0.1, 0.1), held)
    table, found = find_what_it_rests_on([TABLE, laptop], 1.0)
    assert table == TABLE
    assert found.rests_on == rests_on
    assert found.support == ("thing" if rests_on else held)
