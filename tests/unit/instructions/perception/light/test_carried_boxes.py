"""Boxes between two looks: which frames are looked at, how a view moved, and what is taken over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from instructions.perception.frames import light_look
from instructions.perception.frames.carry import CarryTask, Gap, LookedFrame, blend_boxes
from instructions.perception.frames.light_look import LEAST_LOOKS, plan_looks
from instructions.perception.frames.view_flow import ViewFlow, measure_flow, read_thumbnail
from instructions.perception.interfaces import FoundBox
from recon.records import Frame

WIDE, HIGH = 480, 360
BED = FoundBox("bed", 0.8, (100.0, 80.0, 300.0, 240.0))


def frames_at(*times_s: float) -> list[Frame]:
    return [Frame(n, time_s, f"{n:06d}.png", WIDE, HIGH, 1.0, 0) for n, time_s in enumerate(times_s, start=1)]


def wallpaper() -> np.ndarray:
    noise = np.random.default_rng(7).integers(0, 255, (60, 80, 3), dtype=np.uint8)
    return cv2.resize(noise, (960, 720), interpolation=cv2.INTER_CUBIC)


def view(folder: Path, name: str, left: int, top: int) -> Path:
    path = folder / name
    cv2.imwrite(str(path), wallpaper()[top : top + HIGH, left : left + WIDE])
    return path


@pytest.mark.parametrize(("step_s", "looked"), [(0.59, (1, 3, 5)), (0.61, (1, 2, 3, 4, 5, 6))])
def test_looks_are_apart_in_time(step_s: float, looked: tuple[int, ...]):
    """Of a long tour; the last frame has one, too."""
    frames = frames_at(*(step_s * n for n in range(6)), 60.0)
    assert plan_looks(frames).looked == (*looked, 7)


def test_a_short_tour_is_looked_at_more_often():
    assert plan_looks(frames_at(*(0.1 * n for n in range(20)))).looked == tuple(range(1, 21))
    often = plan_looks(frames_at(*(0.01 * n for n in range(1000)))).looked
    assert len(often) in range(LEAST_LOOKS - 2, LEAST_LOOKS + 3)


def test_each_shot_has_looks_of_its_own(monkeypatch):
    monkeypatch.setattr(light_look, "LEAST_LOOKS", 1)
    frames = frames_at(0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
    frames[3:] = [replace(frame, shot=1) for frame in frames[3:]]
    plan = plan_looks(frames)
    assert plan.looked == (1, 3, 4, 6)
    assert plan.shots == ((1, 2, 3), (4, 5, 6))
    assert plan_looks([]).looked == ()


def follow(folder: Path, shift: tuple[int, int]) -> ViewFlow:
    first = read_thumbnail(view(folder, "a.png", 200, 150), WIDE, HIGH)
    second = read_thumbnail(view(folder, "b.png", 200 - shift[0], 150 - shift[1]), WIDE, HIGH)
    assert first is not None
    assert second is not None
    flow = measure_flow(first, second)
    assert flow is not None
    return flow


@pytest.mark.parametrize("size", [(540, 360), (518, 294), (500, 375), (333, 477)])
def test_a_box_never_leaves_its_picture(size: tuple[int, int], tmp_path: Path):
    cv2.imwrite(str(tmp_path / "a.png"), wallpaper()[100 : 100 + size[1], 100 : 100 + size[0]])
    shown = read_thumbnail(tmp_path / "a.png", *size)
    assert shown is not None
    flow = measure_flow(shown, shown)
    assert flow is not None
    assert flow.move((40.0, 60.0, float(size[0]), float(size[1]))) == pytest.approx((40.0, 60.0, *size), abs=0.5)
    moved = flow.move((40.0, 60.0, size[0] + 9.0, size[1] + 9.0))
    assert moved is not None
    assert moved[2:] == size


def test_a_box_goes_where_the_picture_goes_and_is_gone_where_it_left_it(subtests, tmp_path: Path):
    for shift in ((24, 0), (0, -18), (-30, 12)):
        with subtests.test(shift=shift):
            moved = follow(tmp_path, shift).move(BED.box_xyxy)
            assert moved == pytest.approx([value + shift[n % 2] for n, value in enumerate(BED.box_xyxy)], abs=2.5)
    flow = follow(tmp_path, (30, 0))
    assert flow.move((455.0, 100.0, 479.0, 140.0)) is None
    assert flow.move((405.0, 100.0, 475.0, 140.0)) is not None


def test_what_cannot_be_followed_moves_nothing(tmp_path: Path):
    cv2.imwrite(str(tmp_path / "blank.png"), np.zeros((HIGH, WIDE, 3), dtype=np.uint8))
    textured = read_thumbnail(view(tmp_path, "a.png", 0, 0), WIDE, HIGH)
    blank = read_thumbnail(tmp_path / "blank.png", WIDE, HIGH)
    assert textured is not None
    assert blank is not None
    assert measure_flow(textured, blank) is None
    assert read_thumbnail(tmp_path / "missing.png", WIDE, HIGH) is None


@pytest.mark.parametrize(("score", "count"), [(0.38, 1), (0.37, 0)])
def test_one_look_alone_counts_less(score: float, count: int):
    one = replace(BED, score=score)
    assert len(blend_boxes([one], [], 0.5, 0.3)) == count
    assert len(blend_boxes([], [one], 0.5, 0.3)) == count


def test_a_gap_is_filled_and_a_missing_picture_is_told(tmp_path: Path):
    def looked(number: int, left: int, *boxes: FoundBox) -> LookedFrame:
        return LookedFrame(number, view(tmp_path, f"{number}.png", left, 150), WIDE, HIGH, boxes)

    after = replace(BED, box_xyxy=(60.0, 80.0, 260.0, 240.0))
    missing = LookedFrame(3, tmp_path / "missing.png", WIDE, HIGH)
    gap = Gap(looked(1, 200, BED), (looked(2, 220), missing), looked(4, 240, after))
    (number, boxes), (failed, none) = CarryTask(0.3)(gap)
    assert (number, failed, none) == (2, 3, None)
    assert boxes is not None
    assert len(boxes) == 1
    assert boxes[0].box_xyxy == pytest.approx((80.0, 80.0, 280.0, 240.0), abs=2.5)
