"""What texts call things: the category, and a word more only where it tells two apart."""

import random
from dataclasses import replace

from instructions.navigation.grammar import compose
from instructions.navigation.moves.legs import Event
from instructions.navigation.way.names import Name, name_things
from instructions.records import SceneObject
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world, true_objects

BASE = true_objects(make_world())[0][0]


def thing(number: int, category: str | None, color: str | None = None, size: str | None = None, **how) -> SceneObject:
    half = how.pop("half", (0.4, 0.3, 0.4))
    alias = " ".join(word for word in (size, color, category or "object") if word)
    obb = replace(BASE.obb, center=how.pop("center", (3.0 * number, 0.0, 0.4)), half_extents=half)
    return replace(BASE, id=f"0_{number}", category=category, color=color, size_word=size, alias=alias, obb=obb, **how)


def words(*things: SceneObject) -> list[str]:
    return [f"{'the' if name.is_alone else 'a'} {name.words}" for name in name_things(things).values()]


@each_case(
    ("things", "told"),
    [
        ([("sofa", "beige", "wide")], ["the sofa"]),
        ([("chair", "black", None), ("chair", "red", None)], ["the black chair", "the red chair"]),
        ([("chair", "black", None), ("chair", "black", None)], ["a chair", "a chair"]),
        ([("plant", "black", None), ("plant", "green", None)], ["a plant", "a plant"]),  # leaves have many colours
        ([("sofa", "red", None), ("chair", "red", None)], ["the sofa", "the chair"]),
        ([(None, "red", "tall"), (None, "blue", None)], ["the tall red object", "the blue object"]),
        ([(None, "red", "tall"), (None, "red", None)], ["the tall red object", "a red object"]),
    ],
)
def test_a_word_more_only_where_it_tells_two_apart(things, told):
    assert words(*(thing(number, *one) for number, one in enumerate(things))) == told


def test_a_thing_of_unsure_kind_may_have_the_name_too():
    """As many of its kind as are to be expected among such things count, if they are not the thing found twice."""
    chair = thing(0, "chair")
    for share, beside, is_open in ((0.6, 1, True), (0.3, 1, False), (0.3, 2, True)):
        unsure = [thing(number, None, categories=(("chair", share),)) for number in range(1, beside + 1)]
        assert name_things([chair, *unsure])[chair.id].is_open == is_open
    twice = thing(1, None, categories=(("chair", 0.6),), center=chair.obb.center)
    assert not name_things([chair, twice])[chair.id].is_open


def test_a_size_tells_apart_what_is_clearly_larger():
    """Nobody can tell a larger thing that is not named, nor sizes that hang on how much of a thing was seen."""
    large = thing(0, "cabinet", size="wide", half=(0.8, 0.3, 0.4))
    assert words(large, thing(1, "cabinet", half=(0.4, 0.3, 0.4))) == ["the long cabinet", "a cabinet"]
    assert words(large, thing(1, "cabinet", half=(0.65, 0.3, 0.4))) == ["a cabinet", "a cabinet"]
    assert words(thing(0, "cabinet", half=(0.8, 0.3, 0.4)), thing(1, "cabinet")) == ["a cabinet", "a cabinet"]


def test_a_colour_tells_apart_only_where_light_cannot_make_it_the_other():
    for other in ("dark brown", "dark gray", None, "black", "red"):
        told = words(thing(0, "chair", "black"), thing(1, "chair", other))[0]
        assert told == ("the black chair" if other == "red" else "a chair")


def test_one_thing_found_twice_needs_no_word_more():
    whole = thing(0, "curtain", "beige", "wide", half=(1.5, 0.2, 0.8), center=(0.0, 0.0, 0.8))
    part = thing(1, "curtain", "black", None, half=(0.2, 0.2, 0.8), center=(1.2, 0.1, 0.8))
    assert words(whole, part) == ["the curtain", "the curtain"]
    beside = replace(part, obb=replace(part.obb, center=(1.9, 0.1, 0.8)))
    assert words(whole, beside) == ["the beige curtain", "the black curtain"], "a box does not tell how wide cloth is"


def test_plants_in_a_box_that_holds_several_are_told_as_several():
    group, single = thing(0, "plant", half=(1.3, 0.8, 0.6)), thing(1, "plant", half=(0.4, 0.4, 0.6))
    assert name_things([group, single]) == {"0_0": Name("plants", True, is_plural=True), "0_1": Name("plant", False)}
    other = thing(2, "plant", half=(1.4, 0.8, 0.6))
    assert not name_things([group, other])["0_0"].is_alone
    assert name_things([thing(0, "sofa", half=(1.3, 0.8, 0.4))])["0_0"] == Name("sofa", True)


def row_of_tables(step: float = 0.0, aside: float = 0.0) -> list[SceneObject]:
    """A long table found in two parts, the second higher or further aside than the first, and another apart."""
    near = thing(0, "table", size="wide", half=(1.0, 0.5, 0.4), center=(0.0, 0.0, 0.4), frames=(1, 2, 3))
    far = thing(1, "table", half=(0.6, 0.4, 0.4 + step), center=(1.7, aside, 0.4 + step), frames=(1,))
    return [near, far, thing(2, "table", size="wide", half=(0.8, 0.5, 0.4), center=(0.0, 4.0, 0.4))]


def test_parts_of_one_table_are_one_long_table():
    names = name_things(row_of_tables())
    assert names["0_0"] == Name("long table", True)
    assert names["0_1"] == Name("long table", True, is_part=True), "the one that was seen more often is meant"
    assert names["0_2"] == Name("table", False)
    near, far, apart = row_of_tables()
    assert name_things([near, apart], unseen=[far])["0_0"] == Name("long table", True), "its other end is not in view"


def test_what_makes_no_row_is_not_one_table():
    for row in (row_of_tables(step=0.2), row_of_tables(aside=0.85)):
        assert [name.is_alone for name in name_things(row).values()] == [False, False, False]


def test_several_are_told_in_the_plural():
    walk = Event("walk", 1, 5, angle_deg=0.0)
    names, plural = {"d": "door", "p": "plants"}, ["p"]
    towards = [walk, Event("approach", 1, 5, "d", is_many=True), Event("stop_at", 5, 5, "d", part="end")]
    told = compose(towards, names, "instruction", random.Random(0), ["d"], plural).text
    assert told.endswith("towards the doors and stop in front of one of them."), told
    beside = [walk, Event("side", 5, 5, "p", "left", part="leg"), Event("turn", 5, 9, side="left", angle_deg=90.0)]
    told = compose(beside, names, "description", random.Random(0), [], plural).text
    assert "until some plants are on the left" in told, told
    again = [*beside, Event("side", 9, 9, "p", "left", part="end")]
    assert "with the plants on your left" in compose(again, names, "instruction", random.Random(0), [], plural).text
