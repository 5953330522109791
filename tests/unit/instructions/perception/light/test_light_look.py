"""Light networks over the frames of a tour, with small doubles in the place of the networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.frames import light_look, upright
from instructions.perception.frames.light_look import Networks, look_at_frames_lightly
from instructions.perception.frames.results import FrameResults
from instructions.perception.interfaces import FoundBox, RgbImage, Segmenter
from instructions.perception.models.light.labels import network_names
from recon.records import Frame

ADE = {name: number for number, name in enumerate(network_names()["ade"])}


@dataclass
class ScriptedDetector:
    """Finds the same in every picture, as far as it is asked for."""

    boxes: list[FoundBox]

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        return [[one for one in self.boxes if one.label in wanted] for wanted in labels]


@dataclass
class HalfDoor:
    """Sees a door in the left of every picture but the white ones, which it cannot stand."""

    seen: list[int]

    def segment(self, images: Sequence[RgbImage]) -> list[np.ndarray]:
        if any(image.min() > 250 for image in images):
            raise ValueError("too bright")
        self.seen.append(len(images))
        classes = np.full((90, 120), ADE["wall"], dtype=np.uint8)
        classes[10:80, 5:40] = ADE["door"]
        return [classes for _ in images]


CHAIR, BED = FoundBox("chair", 0.5, (200.0, 100.0, 300.0, 220.0)), FoundBox("bed", 0.5, (210.0, 20.0, 310.0, 90.0))


ADE150 = {name: number for number, name in enumerate(network_names()["ade150"])}


class Fine:
    """Sees a trash can and a cabinet at the right of every picture, and a chair in the middle."""

    def segment(self, images: Sequence[RgbImage]) -> list[np.ndarray]:
        classes = np.zeros((45, 60), dtype=np.uint8)
        classes[5:15, 56:60], classes[25:40, 57:60] = ADE150["ashcan"], ADE150["cabinet"]
        classes[19:41, 38:56] = ADE150["chair"]
        return [classes for _ in images]


class Upright:
    """Sees floor everywhere."""

    def segment(self, images: Sequence[RgbImage]) -> list[np.ndarray]:
        return [np.full((90, 120), ADE["floor"], dtype=np.uint8) for _ in images]


def use(monkeypatch: pytest.MonkeyPatch, networks: Networks, upright_by: Segmenter = Upright()) -> None:
    """Put doubles in the place of what loads the networks."""
    upright_pair = (ScriptedDetector([]), upright_by)
    for module, found in ((light_look, networks), (upright, upright_pair)):
        monkeypatch.setattr(module, "_load_networks", lru_cache(lambda _, found=found: found))


@pytest.fixture
def segmenter(monkeypatch, tmp_path) -> HalfDoor:
    """The doubles in place of the networks; gives the one that counts its pictures."""
    double = HalfDoor([])
    use(monkeypatch, (ScriptedDetector([CHAIR, BED]), double, Fine()))
    monkeypatch.setattr(
        light_look, "find_light_files", lambda folder: dict.fromkeys(("yolox", "mosaic", "deeplab"), tmp_path)
    )
    return double


def frames_in(folder: Path, grays: Sequence[int]) -> list[Frame]:
    folder.mkdir()
    frames = []
    for number, gray in enumerate(grays, start=1):
        cv2.imwrite(str(folder / f"{number:06d}.png"), np.full((240, 320, 3), gray, dtype=np.uint8))
        frames.append(Frame(number, float(number), f"{number:06d}.png", 320, 240, 1.0, 0))
    return frames


def test_what_networks_say_is_kept_and_not_asked_for_again(segmenter: HalfDoor, tmp_path: Path):
    frames = frames_in(tmp_path / "frames", [80, 90, 100])
    told: list[float] = []
    made = look_at_frames_lightly(
        frames, tmp_path / "frames", tmp_path / "vision", frames_key="k", progress=told.append
    )
    assert made.findings == ()
    assert made.computed == {"segments": 3, "boxes": 3, "carried": 0}
    assert told[-1] == 1.0
    results = FrameResults(tmp_path / "vision", made.index)
    boxes = results.boxes(2)
    # A segmenter confirms the chair; the bed of the detector, and the cabinet of the fine segmenter, are alone.
    assert sorted(one.label for one in boxes) == ["chair", "door", "trash can"]
    assert CHAIR in boxes
    segments = results.segments(2, 320, 240)
    assert segments is not None
    assert segments.at(np.array([[50.0, 100.0], [300.0, 100.0]])).tolist() == [ADE["door"], ADE["wall"]]
    fine = results.fine_segments(2, 320, 240)
    assert fine is not None
    assert fine.at(np.array([[310.0, 60.0], [20.0, 100.0]])).tolist() == [ADE150["ashcan"], 0]
    source = results.source("boxes") or ""
    assert [one.partition("@")[0] for one in source.split(", ")] == [
        "detect-yolox-nano",
        "segment-mosaic-ade32",
        "segment-deeplab-ade150",
    ]
    again = look_at_frames_lightly(frames, tmp_path / "frames", tmp_path / "vision", frames_key="k")
    assert again.index == made.index
    assert not any(again.computed.values())
    assert sum(segmenter.seen) == 3


@dataclass
class FloorAtTheBright:
    """Sees floor where the picture is bright, and ceiling everywhere if that is above."""

    def segment(self, images: Sequence[RgbImage]) -> list[np.ndarray]:
        maps = []
        for image in images:
            bright = image[::2, ::2, 0] > 128
            is_upright = bright[-1].all() and not bright[0].any()
            maps.append(np.where(bright, ADE["floor"] if is_upright else ADE["wall"], ADE["wall"]).astype(np.uint8))
        return maps


class ChairInTheCorner:
    """Finds a chair at the top left of what it is shown."""

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        return [[FoundBox("chair", 0.9, (0.0, 0.0, 40.0, 30.0))] for _ in images]


def test_a_lying_tour_is_shown_upright_and_told_as_it_lies(segmenter: HalfDoor, monkeypatch, tmp_path: Path):
    corner = ChairInTheCorner()
    use(monkeypatch, (corner, FloorAtTheBright(), Upright()), FloorAtTheBright())
    frames = frames_in(tmp_path / "frames", [0] * 4)
    room = np.zeros((320, 240, 3), dtype=np.uint8)
    room[200:] = 255
    for frame in frames:
        cv2.imwrite(str(tmp_path / "frames" / frame.image), np.rot90(room))  # 320 wide, its floor at the right
    made = look_at_frames_lightly(frames, tmp_path / "frames", tmp_path / "vision", frames_key="k")
    (told,) = made.findings
    assert (told.code, told.where) == ("vision.turned", "tour")
    assert told.message.endswith("--input.rotate 90")
    results = FrameResults(tmp_path / "vision", made.index)
    (chair,) = results.boxes(1)
    assert chair.box_xyxy == (0.0, 200.0, 30.0, 240.0)  # top left upright is bottom left lying
    segments = results.segments(1, 320, 240)
    assert segments is not None
    assert segments.at(np.array([[300.0, 100.0], [100.0, 100.0]])).tolist() == [ADE["floor"], ADE["wall"]]
    again = look_at_frames_lightly(frames, tmp_path / "frames", tmp_path / "vision", frames_key="k")
    assert again.findings == made.findings


def test_frames_between_looks_get_boxes_from_both_sides_and_no_segments(
    segmenter: HalfDoor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(light_look, "LEAST_LOOKS", 1)  # as in a long tour
    picture = np.random.default_rng(3).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    frames = frames_in(tmp_path / "frames", [80, 80, 80, 80, 80])
    frames = [replace(frame, time_s=0.2 * frame.index) for frame in frames]
    for frame in frames:
        cv2.imwrite(str(tmp_path / "frames" / frame.image), cv2.resize(picture, (320, 240)))
    made = look_at_frames_lightly(frames, tmp_path / "frames", tmp_path / "vision", frames_key="k")
    assert made.computed == {"segments": 3, "boxes": 3, "carried": 2}
    results = FrameResults(tmp_path / "vision", made.index)
    looked, carried = results.boxes(1), results.boxes(2)
    assert [one.label for one in carried] == [one.label for one in looked]
    assert np.allclose([one.box_xyxy for one in carried], [one.box_xyxy for one in looked], atol=2.0)
    kept = [results.segments(frame, 320, 240) is not None for frame in (1, 2, 3, 4, 5)]
    assert kept == [True, False, False, True, True]
    again = look_at_frames_lightly(frames, tmp_path / "frames", tmp_path / "vision", frames_key="k")
    assert not any(again.computed.values())
