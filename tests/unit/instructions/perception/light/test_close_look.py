"""A close look shows a thing's part of the picture, upright, and tells what fills its box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import ade150_words
from instructions.perception.things.close_look import CloseLook, count_turns_up, list_askable
from recon.geometry import Pose

SOFA, WALL = ade150_words().index("sofa"), ade150_words().index("wall")
BOX = (200.0, 150.0, 320.0, 250.0)


@dataclass
class RedIsSofa:
    """Calls what is red a sofa; remembers what it was shown."""

    shown: list[RgbImage] = field(default_factory=list)

    def segment(self, images: Sequence[RgbImage]) -> list[np.ndarray]:
        self.shown += images
        return [np.where(image[..., 0] > image[..., 1], SOFA, WALL).astype(np.uint8) for image in images]

    def tag(self, images: Sequence[RgbImage]) -> list[dict[str, float]]:
        self.shown += images
        return [{"sofa": 0.9} for _ in images]


def picture() -> RgbImage:
    """A thing that is red but for its upper fifth, on white."""
    image = np.full((480, 640, 3), 200, dtype=np.uint8)
    image[170:250, 200:320] = (220, 20, 20)
    return image


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_what_fills_a_box_does_not_depend_on_how_the_picture_is_held(turns: int):
    eyes = RedIsSofa()
    look = CloseLook(eyes, eyes)
    assert look.segment(picture(), BOX, turns)["sofa"] == pytest.approx(0.8, abs=0.03)
    assert look.tag(picture(), BOX, turns) == {"sofa": 0.9}
    around, tight = eyes.shown
    assert around.shape[0] == around.shape[1] == pytest.approx(180, abs=2)
    is_upright = np.rot90(tight, -turns)[:5].min() == 200
    assert is_upright, "the white fifth is on top once the turn is taken back"


def test_a_thing_at_the_corner_is_seen_as_far_as_the_picture_goes():
    eyes = RedIsSofa()
    image = np.full((480, 640, 3), (220, 20, 20), dtype=np.uint8)
    assert CloseLook(eyes, eyes).segment(image, (560.0, 400.0, 640.0, 480.0), 0)["sofa"] > 0.95


@pytest.mark.parametrize(("right", "down", "turns"), [(0, -1, 0), (1, 0, 1), (0, 1, 2), (-1, 0, 3)])
def test_pictures_are_turned_until_up_is_up(right: int, down: int, turns: int):
    """`right` and `down` say how far each axis of the picture points up in the world."""
    x, y = np.array([abs(down), 0.0, right]), np.array([abs(right), 0.0, down])
    assert count_turns_up(Pose(np.column_stack([x, y, np.cross(x, y)]), np.zeros(3))) == turns


def test_networks_without_a_word_for_a_thing_are_not_asked():
    assert list_askable("sofa") == ("tag", "close")
    assert list_askable("curious object") == ()
