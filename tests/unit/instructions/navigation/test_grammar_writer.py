import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from instructions.claims.walk_bars import ClaimBars
from instructions.errors import InstructionError
from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.records import Instruction
from instructions.tour import Tour
from tests.support.worlds.boxworld import CORRIDOR, Box, World, make_world, mirror, move_scene, true_objects
from tests.support.worlds.made_walks import random_world


def write(world: World, seed: int = 0, bars: ClaimBars = ClaimBars(), **options) -> list[Instruction]:
    told = WriterOptions(**options)
    return write_instructions(Tour(world.scene, *true_objects(world), seed=seed), [world.trajectory], told, bars=bars)


@cache
def corridor() -> World:
    return make_world()


def swap_sides(text: str) -> str:
    return re.sub(r"left|right", lambda found: {"left": "right", "right": "left"}[found[0]], text)


def test_a_mirrored_world_swaps_left_and_right():
    legs = tuple((kind, -amount if kind == "turn" else amount) for kind, amount in (("walk", 6.8), ("turn", 90.0)))
    legs += (("walk", 3.6),)
    other = make_world(mirror(CORRIDOR), legs, walls=())
    here = make_world(CORRIDOR, (("walk", 6.8), ("turn", 90.0), ("walk", 3.6)), walls=())
    assert [swap_sides(row.text) for row in write(other)] == [row.text for row in write(here)]


def test_texts_do_not_depend_on_where_north_is_and_tell_no_length_without_scale():
    here = [row.text for row in write(corridor())]
    for turn_deg, shift in ((90.0, (0.0, 0.0)), (-143.0, (5.0, -3.0))):
        assert [row.text for row in write(move_scene(corridor(), turn_deg, shift))] == here
    small = write(move_scene(corridor(), 0.0, (0.0, 0.0), 0.2))
    assert small
    assert not any(re.search(r"\d|metre|meter", row.text) for row in small)


def test_texts_are_made_by_the_seed():
    assert write(corridor(), seed=3) == write(corridor(), seed=3)
    assert len({row.text for seed in range(4) for row in write(corridor(), seed=seed)}) > 4


def test_wordings_of_a_way_differ_in_what_they_name():
    """Never in synonyms of a verb alone, however many are asked for."""
    by_way: dict[tuple[object, ...], list[frozenset[tuple[object, ...]]]] = {}
    for seed in range(4):
        for row in write(random_world(seed), wordings=5):
            named = ((c.claim.kind, c.claim.object, c.claim.side) for c in row.claims if c.claim.object is not None)
            by_way.setdefault((seed, row.views, row.kind), []).append(frozenset(named))
    assert max(map(len, by_way.values())) == 2
    for named in by_way.values():
        assert len(set(named)) == len(named)
        assert all(one - named[0] for one in named[1:])


def test_views_are_what_the_reference_loader_needs_and_cover_the_walk():
    for seed in range(4):
        world = random_world(seed)
        ways = sorted({row.views for row in write(world)})
        assert ways[0][0] == world.model.frames[0]
        assert ways[-1][-1] == world.model.frames[-1]
        for before, after in pairwise(ways):
            assert before[-1] == after[0]
        for frames in ways:
            assert 4 <= len(frames) <= 15
            assert list(frames) == sorted(set(frames))


def test_a_walk_without_a_landmark_is_told_only_where_that_is_asked_for():
    world = corridor()
    objects, observations = true_objects(world)
    elsewhere = replace(objects[0], id="x", model="other", category="chair")
    for things, is_told in (([], False), (objects, True), ([*objects, elsewhere], False)):
        tour = Tour(world.scene, things, observations if things else ())
        rows = write_instructions(tour, [world.trajectory])
        assert {row.rejected_because for row in rows} == {None if is_told else "no_landmark"}
    rows = write_instructions(Tour(world.scene), [world.trajectory], WriterOptions(nameless=True))
    texts = {row.text for row in rows if row.kind == "instruction"}
    assert texts
    assert all(row.accepted for row in rows)
    for text in texts:
        assert re.fullmatch(r"(Walk|Move|Go) forward, (turn left|make a left turn), (.* forward), and stop\.", text)


def test_things_of_one_name_are_not_named():
    boxes = (Box("red", 2.5, 1.0, (0.9, 0.6, 0.9)), Box("red", 4.5, -1.0, (0.9, 0.6, 0.9)), CORRIDOR[2])
    rows = write(make_world(boxes, walls=()))
    assert rows
    assert not any("red" in row.text for row in rows)


def test_what_the_judge_finds_false_leaves_the_text_and_a_false_turn_rejects_the_row():
    """The judge is stricter than the writer: no pass is near enough, no turn as large as is told."""
    rows = write(corridor(), bars=ClaimBars(pass_within_m=0.1))
    assert all(row.accepted and " past " not in row.text for row in rows)
    assert {"pass"} == {one.claim.kind for row in rows for one in row.dropped}
    assert all(one.true for row in rows for one in row.claims)
    wrong = write(corridor(), bars=ClaimBars(turn_deg=170.0))
    assert wrong
    assert not any(row.accepted for row in wrong)
    assert all("not as described" in (row.rejection or "") for row in wrong)


def test_too_few_frames_give_nothing_and_a_foreign_model_is_an_error():
    world = corridor()
    short = replace(world.trajectory, points=world.trajectory.points[:3])
    assert write_instructions(Tour(world.scene), [short]) == []
    assert write_instructions(Tour(world.scene), [replace(world.trajectory, points=())]) == []
    with pytest.raises(InstructionError, match="model 7 is not in scene boxes"):
        write_instructions(Tour(world.scene), [replace(world.trajectory, model="7")])


def test_most_random_walks_are_told_and_no_text_breaks_the_rules_of_english():
    rows = [row for seed in range(8) for row in write(random_world(seed))]
    assert sum(row.accepted for row in rows) > 0.9 * len(rows)
    for row in rows:
        if not row.text:
            continue
        assert row.text[0].isupper()
        assert row.text.endswith(".")
        assert not re.search(r" {2}|,,|\ba [aeiou]|\ban [^aeiou]|\b(\w+) \1\b", row.text), row.text
        assert not re.search(r"turns? left,? (and )?turns? left|turns? right,? (and )?turns? right", row.text), row.text
        assert len({check.claim.object for check in row.claims if check.claim.object is not None}) <= 6
