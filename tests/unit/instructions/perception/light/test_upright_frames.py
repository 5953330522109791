"""Tours that lie on their side or stand on their head, set upright for the networks."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.frames.upright import (
    ALL_TURNS,
    PROBES,
    count_votes,
    decide_turn,
    find_level_turns,
    list_turned,
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


PICTURES = [Path(f"{number:02d}.jpg") for number in range(PROBES)]


def look_at_room(needed: int, *, telling: int = PROBES, by: float = 1.0):
    """Looks like a room only after `needed` turns, by so much, and only in the first pictures."""
    looked: list[Path] = []

    def look(picture: Path) -> list[float]:
        looked.append(picture)
        return [by if turns == needed and picture in PICTURES[:telling] else 0.0 for turns in range(4)]

    return look, looked


@each_case("needed", range(4))
def test_the_turn_that_shows_a_room_gets_the_votes_and_an_upright_tour_is_soon_done(needed: int):
    look, looked = look_at_room(needed)
    assert decide_turn(count_votes(PICTURES, look)) == needed
    assert len(looked) == (3 if needed == 0 else PROBES)


def film(folder: Path, shifts_px: list[tuple[int, int]]) -> list[Path]:
    """Pictures, 160 x 120, of a painted wall past which the camera pans by so much, right and down, before each."""
    wall = cv2.GaussianBlur(np.random.default_rng(1).uniform(0, 255, (600, 900)), (0, 0), 3.0)
    wall = cv2.normalize(wall, np.zeros_like(wall), 0, 255, cv2.NORM_MINMAX).astype(np.uint8)
    pictures = []
    for number, (x, y) in enumerate(np.cumsum([(300, 200), *shifts_px], axis=0).tolist()):
        pictures.append(folder / f"{number:02d}.png")
        cv2.imwrite(str(pictures[-1]), wall[y : y + 120, x : x + 160])
    return pictures


def turn_film(pictures: list[Path], quarter_turns: int) -> list[Path]:
    for picture in pictures:
        image = cv2.imread(str(picture))
        assert image is not None
        cv2.imwrite(str(picture), np.rot90(image, quarter_turns))
    return pictures


PAN, NOD = [(20, 3), (16, -4), (-12, 4), (24, -2)], [(12, 10), (-9, 12), (11, -10), (10, 9)]


@pytest.mark.parametrize("quarter_turns", range(4))
def test_a_pan_says_whether_a_film_stands_or_lies(tmp_path: Path, quarter_turns: int):
    assert find_level_turns(turn_film(film(tmp_path, PAN), quarter_turns)) == ((0, 2), (1, 3))[quarter_turns % 2]


@pytest.mark.parametrize("shifts_px", [NOD, [(2, 0), (-2, 0), (2, 0), (-2, 0)], []])
def test_who_nods_as_much_as_pans_stands_still_or_takes_one_picture_says_neither(tmp_path: Path, shifts_px):
    pictures = film(tmp_path, shifts_px)
    assert find_level_turns(pictures) == ALL_TURNS
    for picture in pictures:
        cv2.imwrite(str(picture), np.zeros((120, 160), np.uint8))  # nor do black pictures, nor none
    assert find_level_turns(pictures) == find_level_turns([]) == ALL_TURNS


def test_turns_that_are_not_asked_about_get_no_votes():
    def look(picture: Path) -> list[float]:
        return [0.0, 0.3]

    assert count_votes(PICTURES, look, (1, 3)) == (0, 0, 0, PROBES)


def test_pictures_that_tell_nothing_do_not_vote():
    assert count_votes(PICTURES, look_at_room(1, by=0.19)[0]) == (0, 0, 0, 0)
    assert count_votes(PICTURES, look_at_room(1, telling=4, by=0.2)[0]) == (0, 4, 0, 0)
    assert count_votes([], look_at_room(1)[0]) == count_votes(PICTURES, lambda picture: None) == (0, 0, 0, 0)


def test_things_and_floor_make_a_room_and_weak_boxes_and_a_ceiling_do_not():
    chair, guess = (FoundBox("chair", score, (0.0, 0.0, 4.0, 4.0)) for score in (0.5, 0.34))
    half_floor = np.vstack([WALL, FLOOR])
    assert measure_room(half_floor, [chair, guess]) == 1.5
    assert measure_room(CEILING, [chair] * 9) == 0.0  # a row of chairs counts no more than four


@each_case(
    ("votes", "turn"),
    [((0, 4, 0, 0), 1), ((0, 3, 0, 0), 0), ((2, 9, 0, 0), 1), ((3, 9, 0, 0), 0), ((1, 0, 0, 7), 3), ((9, 0, 0, 0), 0)],
)
def test_a_turn_leads_by_more_than_chance(votes, turn):
    assert decide_turn(votes) == turn


def test_a_turned_tour_is_told_with_the_flag_that_mends_it_and_how_sure_it_is():
    assert list_turned((3, 0, 0, 0)) == ()
    (lying,), (on_head,) = list_turned((1, 0, 0, 20)), list_turned((0, 0, 19, 0))
    assert lying.message.endswith("--input.rotate 90")
    assert "20 of the 21" in lying.message
    assert "on their head" in on_head.message
    assert on_head.message.endswith("--input.rotate 180")
