"""What is not told of measured things, and what a view with few facts is asked besides."""

from dataclasses import replace

import pytest

from instructions.regions.choose import number_regions
from instructions.regions.facts_qar import LEAST_ROWS, write_facts
from instructions.regions.measured.facts import find_facts, find_more_facts
from instructions.regions.question_types import find_type
from tests.support.cases import each_case
from tests.support.worlds.made_view import change, thing, view


def tasks(*things):
    numbered = view(*things, numbered=True)
    return {fact.task for fact in find_facts(numbered)}


def box(name, category, low, high, *, x=4.0, y=0.0, sigma=0.02, **more):
    half = (high - low) / 2
    return change(thing(name, (x, y, (low + high) / 2), (0.2, 0.2, half), category=category, sigma=sigma), **more)


FAR = box("b", "table", 0.0, 0.7, x=6.0, y=-1.2)
SIDES, KINDS = (("a", 0.4), ("b", -0.05)), (("ceiling lamp", True), ("wall cabinet", True), ("wall", False))
HEIGHT, NEARER = {"height", "height_floor"}, {"nearer", "first"}
TOLD = {
    "a height, seen from top to foot": (True, HEIGHT, box("a", "refrigerator", 0.0, 1.6)),
    "a height, its foot hidden": (False, HEIGHT, box("a", "refrigerator", 0.5, 1.6)),
    "a height, its foot hidden, of a known box": (True, HEIGHT, box("a", "refrigerator", 0.5, 1.6, sigma=0.0)),
    "a height on a thing": (True, HEIGHT, box("a", "vase", 0.8, 1.4, rests_on="t")),
    "a height of a picture": (True, HEIGHT, box("a", "picture", 1.2, 1.8)),
    "a height of a curtain": (False, HEIGHT, box("a", "curtain", 0.0, 1.8)),
    "a height of a door": (True, HEIGHT, box("a", "door", 0.0, 2.0, x=6.0)),
    "the nearest point of a rug": (False, NEARER, box("a", "rug", 0.0, 0.3, x=3.5, y=0.9), FAR),
    "the nearest point of a known rug": (True, NEARER, box("a", "rug", 0.0, 0.3, x=3.5, y=0.9, sigma=0.0), FAR),
    "the nearest point of a chair": (True, NEARER, box("a", "chair", 0.0, 0.3, x=3.5, y=0.9), FAR),
    "who is reached first, of a chair": (True, {"first"}, box("a", "chair", 0.0, 0.3, x=3.5, y=0.9), FAR),
    # two errors of 7 cm add up to 9.9 cm, of 7.5 cm to 10.6
    "next to, as well known": (True, {"next_close"}, *(box(n, "cabinet", 0.0, 0.9, y=y, sigma=0.07) for n, y in SIDES)),
    "next to, less known": (False, {"next_close"}, *(box(n, "cabinet", 0.0, 0.9, y=y, sigma=0.075) for n, y in SIDES)),
    **{f"a {kind}": (is_asked, set(), box("a", kind, 1.2, 1.8, y=1.0)) for kind, is_asked in KINDS},
}


@each_case("name", TOLD)
def test_what_is_told_of_measured_things_and_what_is_not(name: str):
    is_told, kinds, *things = TOLD[name]
    found = tasks(*things)
    assert bool(found & kinds if kinds else found) == is_told


def test_a_view_of_one_thing_is_asked_enough_and_all_of_it_is_true():
    one = box("a", "refrigerator", 0.0, 0.9, y=2.6, frames=2)  # neither its kind nor its height is sure
    numbered, record = number_regions(view(one), "1.jpg", {})
    rows = [told.row for told in write_facts(numbered, record, "made", seed=2)]
    assert all(row.accepted for row in rows)
    assert len(rows) == LEAST_ROWS
    placed = [row for row in rows if row.task.startswith("placed")]
    assert {row.task for row in placed} == {"placed_yes", "placed_no"}
    for row in placed:
        assert find_type(row.question) == "Factual"
        assert "on the left" in row.answer
        assert ("on the left" in row.question) == (row.task == "placed_yes") == row.answer.startswith("Yes")
        assert any(one.claim.kind == "side" and one.state == "true" for one in row.verdicts)
    assert len({row.question for row in rows}) == len(rows)


@pytest.mark.parametrize(("y", "denied"), [(1.6, "on the right"), (-1.6, "on the left")])
def test_a_thing_between_two_sides_is_surely_not_on_the_third(y, denied):
    numbered, record = number_regions(view(box("a", None, 0.0, 0.9, y=y)), "1.jpg", {})
    x0, _, x1, _ = numbered.things[0].box
    assert min(abs((x0 + x1) / 2 / numbered.size[0] - border) for border in (0.3, 0.7)) < 0.02
    assert [(one.task, one.words["other"]) for one in find_more_facts(numbered)] == [("placed_not", denied)]
    told = [one.row for one in write_facts(numbered, record, "made", seed=2) if one.fact.task == "placed_not"]
    assert told
    for row in told:
        assert row.accepted
        assert row.answer.endswith(f"not {denied}.")
        assert [(one.claim.value, one.state) for one in row.verdicts if one.claim.kind == "side" and one.claim.denied]


def test_of_a_view_with_few_facts_it_is_asked_whether_a_thing_is_of_this_or_that_kind():
    kinds = frozenset({"cabinet", "bed", "picture", "wall cabinet", "cupboard"})
    numbered = view(box("a", "cabinet", 0.0, 0.9, y=2.6), numbered=True, looked_for=kinds)
    found = {one.task: one for one in find_more_facts(numbered)}
    assert found["kind_yes"].words["noun"] == "a cabinet"
    # A wall cabinet is a cabinet, a cupboard may be one, and `picture` is a word about the photograph.
    assert found["kind_no"].words["other"] == "a bed"
    for changed in ({"frames": 2}, {"visible_fraction": 0.24}):
        one = change(numbered.things[0], **changed)
        less = replace(numbered, things=(one,))
        assert not {"kind_yes", "kind_no"} & {fact.task for fact in find_more_facts(less)}
    hidden = replace(numbered, things=(change(numbered.things[0], visible_fraction=0.26),))
    assert "kind" in {fact.task for fact in find_more_facts(hidden)}


def test_a_thing_without_a_name_is_asked_about_where_nothing_has_one():
    cabinet, unnamed = box("a", "cabinet", 0.0, 0.9, y=2.2), box("b", None, 0.2, 0.6, y=-1.0, color="gray")
    both, alone = view(cabinet, unnamed, numbered=True), view(unnamed, numbered=True)
    for find in (find_facts, find_more_facts):
        assert {number for fact in find(both) for number in fact.numbers} == {0}
    assert {fact.task for fact in find_facts(alone)} >= {"colour"}
    assert find_more_facts(alone)
