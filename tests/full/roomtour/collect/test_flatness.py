from __future__ import annotations

from pathlib import Path

import numpy as np

from roomtour.artifacts import SOURCE
from roomtour.collect.flatness import measure_flatness
from roomtour.collect.records import CollectOptions, Judgement
from roomtour.collect.shots import judge_shots
from roomtour.config import Config
from roomtour.files.frames import read_source
from roomtour.pipeline import process_tour
from roomtour.sources import Tour
from tests.support.tour_videos import Picture, move_slides, read_pictures, write_video


def measure(video: Path, run: Path) -> tuple[float, int]:
    process_tour(Tour("one", video, run), Config(workers=1), until="sample")
    return measure_flatness(run, read_source(run / SOURCE.path).frames)


def test_a_walk_is_not_flat_and_its_own_pictures_moved_are(short_walk, tmp_path):
    flat, moving = measure(short_walk, tmp_path / "walk")
    assert moving >= 8
    assert flat < 0.3
    pictures = read_pictures(short_walk)
    slides = [light(pictures[place], by) for place, by in ((0, 1.0), (40, 0.4), (80, 1.0), (120, 0.4))]
    flat, moving = measure(write_video(tmp_path / "slides.mp4", move_slides(slides)), tmp_path / "slides")
    assert moving >= 8
    assert flat > 0.9


def light(picture: Picture, by: float) -> Picture:
    return (picture * by).astype(np.uint8)


def test_a_camera_that_turns_on_the_spot_is_not_taken_for_slides():
    """One shot without parallax says nothing; nor do a few pairs."""
    figures = {"shot_1_s": 60.0, "seconds": 60.0, "overlay_share": 0.0, "flat_share": 1.0, "moving_pairs": 50.0}
    judged = [
        judge_shots(Judgement("a", "sample", "", figures={**figures, **more}), CollectOptions()).code
        for more in ({"shots": 1.0}, {"shots": 5.0}, {"shots": 5.0, "moving_pairs": 4.0}, {})
    ]
    assert judged == ["", "moving-slides", "", ""]
