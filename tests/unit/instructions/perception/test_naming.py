"""Names that tell things of one kind apart, and honesty where nothing does."""

from __future__ import annotations

from instructions.perception.things.naming import name_objects
from instructions.records import Obb, SceneObject

BOX = Obb((0.0, 0.0, 0.5), (0.5, 0.5, 0.5), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))


def thing(category: str, color: str | None = None, size: str | None = None, room: str | None = None) -> SceneObject:
    return SceneObject("x", "0", category, "", color, size, BOX, (), (1, 2, 3), False, "m@1", room)


def aliases(*things: SceneObject) -> list[tuple[str, bool]]:
    return [(one.alias, one.ambiguous) for one in name_objects(things)]


def test_colour_then_size_then_room_tell_apart_what_is_not_one_of_its_kind():
    assert aliases(thing("sofa", "red", "wide", "living room")) == [("sofa", False)]
    assert aliases(
        thing("chair", "red", None, "study"),
        thing("chair", "blue", "tall", "study"),
        thing("chair", "blue", None, "kitchen"),
    ) == [("red chair", False), ("tall chair", False), ("chair in the kitchen", False)]
    assert aliases(thing("lamp", "white"), thing("lamp", "white")) == [("white lamp", True), ("white lamp", True)]
    assert aliases(thing("lamp"), thing("lamp", "white")) == [("lamp", True), ("white lamp", False)]


def test_no_two_sure_names_are_the_same():
    colors, rooms = ("red", "blue", None), ("study", "kitchen")
    named = name_objects([thing("chair", color, None, room) for color in colors for room in rooms])
    sure = [one.alias for one in named if not one.ambiguous]
    assert len(set(sure)) == len(sure) == 4
