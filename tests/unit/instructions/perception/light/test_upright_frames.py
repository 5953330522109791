"""Shots that lie on their side or stand on their head, set upright for the networks."""

from __future__ import annotations

import numpy as np

from instructions.perception.frames.upright import (
    PROBES,
    count_votes,
    decide_turns,
    list_turned_shots,
    measure_room,
    turn_box_back,
    turn_image,
)
from instructions.perception.interfaces import FoundBox
from instructions.perception.models.light.labels import network_names
from tests.support.cases import each_case

ADE = {name: number for number, name in enumerate(network_names()["ade"])}
FLOOR, WALL, CEILING = (np.full((8, 8), ADE[name], dtype=np.uint8) for name in ("floor", "wall", "ceiling"))


@each_case("quarter_turns", range(4))
def test_what_is_seen_in_a_turned_picture_is_turned_back(quarter_turns: int):
    image = np.zeros((60, 100, 3), dtype=np.uint8)
    image[10:20, 70:95] = 255
    turned = turn_image(image, quarter_turns)
    rows, columns = np.nonzero(turned[:, :, 0])
    seen = (float(columns.min()), float(rows.min()), float(columns.max() + 1), float(rows.max() + 1))
    assert turn_box_back(seen, quarter_turns, width=100, height=60) == (70.0, 10.0, 95.0, 20.0)
    assert np.array_equal(turn_image(turned[:, :, 0], -quarter_turns), image[:, :, 0])


def look_at_room(needed: int, *, telling: int = PROBES, by: float = 1.0):
    """Looks like a room only after `needed` turns, by so much, and only in the first frames."""
    looked: list[int] = []

    def look(frame: int) -> list[float]:
        looked.append(frame)
        return [by if turns == needed and frame < telling else 0.0 for turns in range(4)]

    return look, looked


@each_case("needed", range(4))
def test_the_turn_that_shows_a_room_gets_the_votes_and_an_upright_shot_is_soon_done(needed: int):
    look, looked = look_at_room(needed)
    votes = count_votes(range(PROBES), look)
    assert decide_turns({0: votes}) == {0: needed}
    assert len(looked) == (3 if needed == 0 else PROBES)


def test_pictures_that_tell_nothing_do_not_vote():
    assert count_votes(range(PROBES), look_at_room(1, by=0.19)[0]) == (0, 0, 0, 0)
    assert count_votes(range(PROBES), look_at_room(1, telling=4, by=0.2)[0]) == (0, 4, 0, 0)
    assert count_votes([], look_at_room(1)[0]) == count_votes([1, 2], lambda frame: None) == (0, 0, 0, 0)


def test_things_and_floor_make_a_room_and_weak_boxes_and_a_ceiling_do_not():
    chair, guess = (FoundBox("chair", score, (0.0, 0.0, 4.0, 4.0)) for score in (0.5, 0.34))
    half_floor = np.vstack([WALL, FLOOR])
    assert measure_room(half_floor, [chair, guess]) == 1.5
    assert measure_room(CEILING, [chair] * 9) == 0.0  # a row of chairs counts no more than four


@each_case(
    ("votes", "turns"),
    [
        (((0, 4, 0, 0),), (1,)),  # more than chance
        (((0, 3, 0, 0),), (0,)),
        (((2, 9, 0, 0),), (1,)),
        (((3, 9, 0, 0),), (0,)),
        (((0, 0, 0, 5), (1, 0, 0, 2)), (3, 3)),  # the shots of a file vote together
        (((3, 0, 0, 0), (0, 8, 0, 0)), (0, 0)),  # a shot needs more against its file
        (((3, 0, 0, 0), (0, 9, 0, 0)), (0, 1)),
        (((3, 0, 0, 0), (0, 24, 0, 0)), (0, 1)),  # plainly upright stays so
    ],
)
def test_a_file_has_one_orientation_unless_a_shot_plainly_has_its_own(votes, turns):
    assert tuple(decide_turns(dict(enumerate(votes))).values()) == turns


def test_turned_shots_are_told_with_the_flag_that_mends_them_and_how_sure_it_is():
    (lying, on_head) = list_turned_shots({0: (3, 0, 0, 0), 1: (1, 0, 0, 20), 2: (0, 0, 19, 0)})
    assert (lying.where, on_head.where) == ("shot 1", "shot 2")
    assert lying.message.endswith("--input.rotate 90")
    assert "20 of the 21" in lying.message
    assert "on their head" in on_head.message
    assert on_head.message.endswith("--input.rotate 180")
