"""Shots that lie on their side or stand on their head, set upright for the networks."""

from __future__ import annotations

import numpy as np

from instructions.perception.frames.upright import (
    PROBES,
    find_quarter_turns,
    list_turned_shots,
    turn_box_back,
    turn_image,
    turn_map_back,
)
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
    assert np.array_equal(turn_map_back(turned[:, :, 0], quarter_turns), image[:, :, 0])


class Room:
    """Shows its floor only to who turns it `needed` times."""

    def __init__(self, needed: int, when_upright: np.ndarray = FLOOR) -> None:
        self.needed, self.when_upright = needed, when_upright
        self.looks = 0

    def __call__(self, frame: int, quarter_turns: int) -> np.ndarray:
        self.looks += 1
        if quarter_turns == self.needed:
            return self.when_upright
        return CEILING if (quarter_turns - self.needed) % 4 == 2 else WALL


def test_the_turn_that_shows_floor_is_found_and_an_upright_shot_is_looked_at_once():
    rooms = [Room(needed) for needed in range(4)]
    assert [find_quarter_turns(range(1, 40), room) for room in rooms] == [0, 1, 2, 3]
    assert rooms[0].looks == PROBES


def test_what_shows_no_floor_or_only_in_some_frames_turns_nothing():
    assert find_quarter_turns([1, 2], Room(1, WALL)) == 0
    assert find_quarter_turns([], Room(1)) == 0
    assert find_quarter_turns([1, 2], lambda frame, quarter_turns: None) == 0
    for floors, turns in ((5, 0), (7, 1)):  # of 12 that are looked at

        def segment(frame: int, quarter_turns: int, floors=floors) -> np.ndarray:
            return Room(1)(frame, quarter_turns) if frame <= floors else WALL

        assert find_quarter_turns(range(1, PROBES + 1), segment) == turns


def test_turned_shots_are_told_with_the_flag_that_mends_them():
    (lying, on_head) = list_turned_shots({0: 0, 1: 3, 2: 2})
    assert (lying.where, on_head.where) == ("shot 1", "shot 2")
    assert lying.message.endswith("--input.rotate 90")
    assert "on their head" in on_head.message
    assert on_head.message.endswith("--input.rotate 180")
