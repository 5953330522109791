"""Pictures in which people are coarse squares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.perception.hiding.find import find_boxes, make_task
from instructions.perception.hiding.pixelate import copy_hidden, pixelate
from instructions.perception.hiding.words import split_words
from instructions.perception.models.light.labels import network_names
from instructions.records import Box
from recon.records import Frame

WIDE, HIGH = 320, 240
PERSON: Box = (120.0, 60.0, 200.0, 220.0)
INSIDE = (slice(70, 210), slice(130, 190))


def noise(seed: int) -> np.ndarray:
    small = np.random.default_rng(seed).integers(0, 255, (60, 80, 3), dtype=np.uint8)
    return cv2.resize(small, (WIDE, HIGH), interpolation=cv2.INTER_CUBIC)


def frames_in(folder: Path, shots: tuple[int, ...]) -> list[Frame]:
    folder.mkdir()
    frames = [Frame(n, n / 3, f"{n:06d}.png", WIDE, HIGH, 1.0, shot) for n, shot in enumerate(shots, start=1)]
    for frame in frames:
        cv2.imwrite(str(folder / frame.image), noise(5))
    return frames


def hide(tmp_path: Path, shots: tuple[int, ...], seen_in: int) -> list[bool]:
    """Whether each picture is changed inside the person, who is found in one picture only."""
    frames = frames_in(tmp_path / "frames", shots)
    out = tmp_path / "out"
    out.mkdir()
    done = copy_hidden(frames, tmp_path / "frames", out, lambda path: [PERSON] if int(path.stem) == seen_in else [])
    pictures = [image for frame in frames if (image := cv2.imread(str(out / frame.image))) is not None]
    assert len(pictures) == len(frames)
    changed = [not np.array_equal(picture[INSIDE], noise(5)[INSIDE]) for picture in pictures]
    assert (done.pictures, done.changed) == (len(frames), sum(changed))
    assert all(np.array_equal(picture[:, :60], noise(5)[:, :60]) for picture in pictures)  # the rest is as it was
    return changed


def test_who_is_missed_in_the_next_picture_is_hidden_there_too(tmp_path: Path):
    assert hide(tmp_path, (0, 0, 0, 0, 0), seen_in=3) == [False, True, True, True, False]


def test_nothing_is_carried_over_a_cut(tmp_path: Path):
    assert hide(tmp_path, (0, 0, 1), seen_in=2) == [True, True, False]


def test_a_box_has_few_colours_left():
    image = noise(1)
    pixelate(image, PERSON)
    assert len(np.unique(image[60:220, 120:200].reshape(-1, 3), axis=0)) <= 18
    assert np.array_equal(image[:60], noise(1)[:60])
    before = image.copy()
    pixelate(image, (-50.0, -50.0, -1.0, -1.0))
    assert np.array_equal(image, before)  # outside the picture there is nothing to do


def test_a_picture_that_cannot_be_read_goes_nowhere(tmp_path: Path):
    frames = frames_in(tmp_path / "frames", (0,))
    (tmp_path / "frames" / frames[0].image).write_bytes(b"no picture")
    with pytest.raises(InstructionError, match="cannot be decoded"):
        copy_hidden(frames, tmp_path / "frames", tmp_path, lambda path: [PERSON])


class Found:
    """A detector that finds one box of each of some classes."""

    def __init__(self, *names: str) -> None:
        self.classes = np.array([network_names()["coco"].index(name) for name in names], dtype=np.int64)

    def find(self, image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        count = len(self.classes)
        return np.array([PERSON] * count).reshape(-1, 4), np.full(count, 0.2), self.classes


class PersonLeft:
    """A segmenter that sees a person in the left eighth."""

    def segment(self, images: Sequence[np.ndarray]) -> list[np.ndarray]:
        classes = np.zeros((120, 160), dtype=np.uint8)
        classes[20:100, :20] = network_names()["ade"].index("person")
        return [classes]


def test_any_network_is_believed():
    both = [Found("person", "chair", "laptop").find, Found("tvmonitor").find]
    people = find_boxes(noise(2), ["person"], both, PersonLeft())
    assert people == [PERSON, (0.0, 40.0, 40.0, 200.0)]
    assert find_boxes(noise(2), ["screen"], both, PersonLeft()) == [PERSON, PERSON]


def test_words_are_checked():
    assert split_words("screen, person,") == ("person", "screen")
    assert split_words("") == ()
    with pytest.raises(InstructionError, match="--hide cat: nothing finds that; known: person, screen"):
        split_words("person,cat")


def test_without_networks_nothing_is_written(tmp_path: Path):
    with pytest.raises(InstructionError, match="--hide person: nothing here can find them, so no picture is written"):
        make_task(["person"], tmp_path)
