from __future__ import annotations

import numpy as np

from instructions.perception.colors import name_color, pixels_between
from instructions.wording.colors import WORDS, base_color
from tests.support.cases import each_case

NAMED = [
    ((15, 15, 15), "black"), ((245, 245, 245), "white"), ((128, 128, 128), "gray"), ((70, 70, 72), "dark gray"),
    ((185, 185, 185), "light gray"), ((200, 30, 30), "red"), ((90, 15, 15), "dark red"), ((240, 130, 20), "orange"),
    ((120, 75, 40), "brown"), ((60, 38, 22), "dark brown"), ((215, 195, 160), "beige"), ((235, 210, 40), "yellow"),
    ((40, 140, 50), "green"), ((15, 60, 25), "dark green"), ((30, 60, 180), "blue"), ((15, 25, 80), "dark blue"),
    ((160, 190, 235), "light blue"), ((120, 40, 150), "purple"), ((240, 150, 175), "pink"),
    ((40, 170, 170), "turquoise"), ((140, 124, 102), "beige"), ((24, 20, 17), "black"),
]  # fmt: skip


def test_a_color_has_two_spellings_in_texts_and_one_in_ours():
    assert {"gray", "grey"} <= WORDS
    assert [base_color(word) for word in ("Grey", "dark grey", "gray")] == ["gray"] * 3


@each_case(("rgb", "name"), NAMED)
def test_plain_colours_get_their_everyday_name_under_noise_too(rgb, name):
    assert name_color([rgb] * 20, 0.3) == name
    noisy = np.clip(np.array(rgb) + np.random.default_rng(0).normal(0, 6, (500, 3)), 0, 255)
    assert (rgb, name) in NAMED[len(NAMED) - 2 :] or name_color(noisy, 0.3) == name


def test_a_thing_without_main_colour_has_no_name():
    assert name_color([rgb for rgb, _ in NAMED], 0.3) is None
    assert name_color(np.zeros((0, 3)), 0.3) is None


def test_pixels_come_from_inside_the_hull():
    image = np.zeros((60, 80, 3), dtype=np.uint8)
    image[20:41, 20:61] = (200, 30, 30)
    taken = pixels_between(image, [[20, 20], [60, 20], [20, 40], [60, 40]], 0.2, 100)
    assert 50 < len(taken) < 300
    assert (taken == (200, 30, 30)).all()
    assert len(pixels_between(image, [[20, 20], [60, 20]], 0.2, 100)) == 0


def test_what_shines_through_is_not_the_colour_of_a_thing():
    """A black chair of thin tubes before a wooden floor, whose pixels fill more of its box than its own."""
    chair, floor = [(12, 12, 12)] * 40, [(150, 95, 50)] * 55
    assert name_color([*chair, *floor], 0.3) == "brown"
    assert name_color([*chair, *floor], 0.3, around=floor) == "black"
    assert name_color(floor, 0.3, around=floor) == "brown", "a thing may have the colour of its floor"
