"""Boxes as words in the picture that an encoder sees, and back."""

import random
from typing import get_args

import pytest

from instructions.dialogues.spots import BoxSpace, BoxText, inside_square, place_spot, retell, say_spot
from instructions.facts.overlap import box_iou
from tests.support.cases import each_case

SIZE = (640, 360)


def read_back(said: str, space: BoxSpace, text: BoxText) -> list[float]:
    """Numbers of a text as pixels of the picture: the way back from the encoder's picture to ours."""
    size = place_spot((0, 0), SIZE, space)[1]
    unit = {"thousand": 1000.0, "pixels": 0.0}.get(text, 1.0)
    shift = [0.0 if space == "picture" else (size[axis] - SIZE[axis]) / 2 for axis in range(2)]
    numbers = [float(one) for one in said[1:-1].split(",")]
    scaled = [value * size[at % 2] / unit if unit else value for at, value in enumerate(numbers)]
    return [value - shift[at % 2] for at, value in enumerate(scaled)]


@each_case("space", get_args(BoxSpace))
@each_case("text", get_args(BoxText))
def test_boxes_come_back(space, text):
    lot = random.Random(5)
    for _ in range(200):
        x, y = lot.uniform(150, 380), lot.uniform(10, 200)
        box = (x, y, x + lot.uniform(60, 100), y + lot.uniform(60, 140))
        x0, y0, x1, y1 = read_back(say_spot(box, SIZE, space, text), space, text)
        assert box_iou(box, (x0, y0, x1, y1)) > (0.85 if text == "unit2" else 0.95)


def test_known_places():
    assert say_spot((0, 0, 640, 360), SIZE) == "[0.00, 0.00, 1.00, 1.00]"
    assert say_spot((0, 0, 640, 360), SIZE, "padded") == "[0.00, 0.22, 1.00, 0.78]"
    assert say_spot((140, 0, 500, 360), SIZE, "cropped") == "[0.00, 0.00, 1.00, 1.00]"
    assert say_spot((320, 180), SIZE, "cropped", "thousand") == "[500, 500]"
    assert say_spot((10, 20, 30, 40), SIZE, "padded", "pixels") == "[10, 160, 30, 180]"


def test_a_box_keeps_a_width():
    assert say_spot((0, 0, 1, 1), SIZE) == "[0.00, 0.00, 0.01, 0.01]"
    assert say_spot((639.9, 359.9, 640, 360), SIZE) == "[0.99, 0.99, 1.00, 1.00]"


def test_what_an_encoder_does_not_see_is_not_told():
    assert inside_square((0, 0, 140, 360), SIZE) == 0
    assert inside_square((0, 0, 280, 360), SIZE) == pytest.approx(0.5)
    assert retell(["at [0.00, 0.00, 0.20, 1.00]"], [(0, 0, 128, 360)], SIZE, "cropped", "unit2") is None
    told = retell(["in [a] and [b]", "it is [c]"], [(0, 0), (640, 360), (320, 180)], SIZE, "picture", "unit3")
    assert told == ["in [0.000, 0.000] and [1.000, 1.000]", "it is [0.500, 0.500]"]
    with pytest.raises(ValueError, match="1 brackets for 2"):
        retell(["[a]"], [(0, 0), (1, 1)], SIZE, "picture", "unit2")
