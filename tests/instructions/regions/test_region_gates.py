"""What is not told of measured things, and what a view with few facts is asked besides."""

from dataclasses import replace

import pytest

from instructions.regions.facts import find_facts, find_more_facts
from instructions.regions.facts_qar import LEAST_ROWS, write_facts
from instructions.regions.question_types import find_type
from instructions.regions.regions_of_view import number_regions
from tests.instructions.made_view import thing, view


def tasks(*things):
    numbered = view(*things, numbered=True)
    return {fact.task.removesuffix("_plain") for fact in find_facts(numbered)}


def box(name, category, low, high, *, x=4.0, y=0.0, sigma=0.02, **more):
    half = (high - low) / 2
    return replace(thing(name, (x, y, (low + high) / 2), (0.2, 0.2, half), category=category, sigma=sigma), **more)


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (box("a", "refrigerator", 0.0, 1.6), True),
        (box("a", "refrigerator", 0.5, 1.6), False),  # its foot is hidden
        (box("a", "refrigerator", 0.5, 1.6, sigma=0.0), True),  # a known box
        (box("a", "vase", 0.8, 1.4, rests_on="t"), True),
        (box("a", "picture", 1.2, 1.8), True),
        (box("a", "curtain", 0.0, 1.8), False),
    ],
)
def test_heights_are_told_of_what_was_seen_from_top_to_foot(made, told):
    assert bool({"height", "height_floor"} & tasks(made)) == told


@pytest.mark.parametrize(
    ("category", "sigma", "told"), [("rug", 0.02, False), ("rug", 0.0, True), ("chair", 0.02, True)]
)
def test_the_nearest_point_of_what_is_seen_in_part_is_not_told(category, sigma, told):
    near = box("a", category, 0.0, 0.3, x=3.5, y=0.9, sigma=sigma)
    far = box("b", "table", 0.0, 0.7, x=6.0, y=-1.2)
    found = tasks(near, far)
    assert ("nearer" in found) == told
    assert ("first" in found) == told


def test_a_view_of_one_thing_is_asked_enough_and_all_of_it_is_true():
    one = box("a", "cabinet", 0.0, 0.9, y=2.6)
    numbered, record = number_regions(view(one), "1.jpg", {})
    rows = [told.row for told in write_facts(numbered, record, "made", seed=2)]
    assert all(row.accepted for row in rows)
    assert len(rows) >= LEAST_ROWS
    placed = [row for row in rows if row.task.startswith("placed")]
    assert {row.task for row in placed} == {"placed_yes", "placed_no"}
    for row in placed:
        assert find_type(row.question) == "Factual"
        assert "on the left" in row.answer
        assert ("on the left" in row.question) == (row.task == "placed_yes") == row.answer.startswith("Yes")
        assert any(one.claim.kind == "side" and one.state == "true" for one in row.verdicts)
    assert len({row.question for row in rows}) == len(rows)


def test_nothing_more_is_asked_of_a_thing_between_two_sides():
    numbered = view(box("a", "cabinet", 0.0, 0.9, y=1.6), numbered=True)
    x0, _, x1, _ = numbered.things[0].box_xyxy
    assert abs((x0 + x1) / 2 / numbered.size[0] - 0.3) < 0.02
    assert find_more_facts(numbered) == []


def test_where_little_is_seen_of_a_thing_its_side_is_asked_and_nothing_else():
    one = replace(box("a", "bed", 0.0, 0.9, y=2.6), visible_fraction=0.2)
    assert tasks(one) == set()
    numbered, record = number_regions(view(one), "1.jpg", {})
    rows = [told.row for told in write_facts(numbered, record, "made", seed=2)]
    assert {row.task for row in rows} == {"side_only", "placed_yes", "placed_no"}
    assert all(row.accepted and "on the left" in row.answer for row in rows)
    hidden = view(replace(one, visible_fraction=0.09), numbered=True)
    assert find_more_facts(hidden) == []
