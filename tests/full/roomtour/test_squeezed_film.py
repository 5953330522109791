"""A film squeezed sideways without saying so gets its width back, whatever ends the command meanwhile."""

import json
from pathlib import Path

import pytest
from av.video.reformatter import VideoReformatter

import roomtour
from recon.video.decode import VideoSource
from roomtour.config import Config, InputOptions
from tests.support.recon.made_videos import Made, write_video

SQUEEZED = 1.5


@pytest.fixture(scope="module")
def squeezed_walk(short_walk: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    scaler = VideoReformatter()
    with VideoSource(short_walk, 360) as source:
        pictures = [
            (
                one.time_s,
                scaler.reformat(one.frame, round(one.frame.width / SQUEEZED / 2) * 2, one.frame.height, "rgb24"),
            )
            for one in source.pictures()
        ][::5]
    path = tmp_path_factory.mktemp("squeezed") / "walk.mp4"
    made = Made(times_s=[time_s for time_s, _ in pictures], options={"crf": "12"})
    return write_video(path, [frame.to_ndarray() for _, frame in pictures], made)


def test_a_squeezed_film_is_read_again_with_square_pixels(squeezed_walk, short_walk, tmp_path):
    true = json.loads((short_walk.with_suffix("") / "truth.json").read_text())
    run = roomtour.process(squeezed_walk, tmp_path / "run", until="scene")
    found = run.scene.models[0].camera
    assert found.width / found.height == pytest.approx(true["width"] / true["height"], rel=0.02)
    assert found.fx / found.width == pytest.approx(true["camera"]["fx"] / true["width"], rel=0.03)
    assert "sample.stretched" in {finding.code for finding in run.findings}
    assert len(run.scene.models[0].frames) >= 0.9 * len(run.scene.frames)
    before = json.loads((tmp_path / "run" / "manifest.json").read_text())["stages"]
    roomtour.process(squeezed_walk, tmp_path / "run", until="scene")
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["stages"] == before


def test_what_the_user_says_of_the_width_is_taken(squeezed_walk, tmp_path):
    config = Config(input=InputOptions(stretch=1.0))
    run = roomtour.process(squeezed_walk, tmp_path / "run", config, until="sfm")
    codes = {finding.code for finding in run.findings}
    assert "sample.stretched" not in codes
    assert "camera.squeezed" in codes
