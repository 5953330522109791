"""Bad input: one clear line, exit code 1, nothing lost, no traceback."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

import roomtour
from recon.errors import ReconError
from roomtour.cli import main
from tests.support.one_line import one_line
from tests.support.tour_videos import make_textured, write_video


def write_sound(path: Path) -> None:
    """A file with a stream of sound and none of pictures."""
    with av.open(str(path), "w", format="ipod") as container:
        stream = container.add_stream("aac", rate=44100)
        for number in range(20):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 44100, number * 1024
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


VIDEOS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, "no such file"),
    "text": (lambda path: path.write_bytes(b"this is a text file\n" * 50), "tour.mp4"),
    "empty": (lambda path: path.write_bytes(b""), "tour.mp4"),
    "cut": (lambda path: write_video(path, [make_textured(0)] * 30) and os.truncate(path, 3000), "tour.mp4"),
    "sound": (write_sound, "video"),
    "one frame": (lambda path: write_video(path, [make_textured(0)]), "tour.mp4"),
    "black": (lambda path: write_video(path, [np.zeros((240, 320, 3), np.uint8)] * 30), "dark"),
}


def test_a_video_of_no_use_is_told_by_name(subtests, capsys, tmp_path):
    for name, (make, word) in VIDEOS.items():
        with subtests.test(name):
            video = tmp_path / name / "tour.mp4"
            video.parent.mkdir()
            make(video)
            said = one_line(capsys, "process", str(video), "--out", str(tmp_path / name / "run"))
            assert word in said.lower()
    assert not (tmp_path / "missing" / "run").exists()


def test_a_folder_needs_images_and_their_rate(capsys, tmp_path):
    for number in range(5):
        cv2.imwrite(str(tmp_path / f"{number}.png"), make_textured(number))
    assert "--input.fps" in one_line(capsys, "process", str(tmp_path), "--out", str(tmp_path / "run"))
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.txt").write_text("")
    command = ["process", str(tmp_path / "in"), "--out", str(tmp_path / "run"), "--input.fps", "5"]
    assert "image" in one_line(capsys, *command)


def test_a_stage_that_fails_says_what_it_and_earlier_ones_found(capsys, tmp_path, monkeypatch):
    for number in range(8):
        height, width = (240, 320) if number else (240, 316)
        cv2.imwrite(str(tmp_path / f"{number}.png"), make_textured(number)[:height, :width])

    def fail(*_: object, **__: object) -> None:
        raise ReconError("no clip")

    monkeypatch.setattr("roomtour.stages.clips.run", fail)
    command = ["process", str(tmp_path), "--out", str(tmp_path / "run"), "--input.fps", "3", "--until", "clips"]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.index("no clip") < said.index("[images.other_size]")


def test_an_output_folder_that_cannot_be_used_is_left_alone(capsys, tmp_path, short_walk):
    (tmp_path / "thesis.tex").write_text("mine")
    assert "thesis.tex" in one_line(capsys, "process", str(short_walk), "--out", str(tmp_path))
    below = tmp_path / "thesis.tex" / "run"
    assert "written" in one_line(capsys, "process", str(short_walk), "--out", str(below))
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_what_is_missing_is_told_before_anything_is_decoded(capsys, tmp_path, short_walk, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    command = ["process", str(short_walk), "--out", str(tmp_path / "run")]
    assert "--language.base-url" in one_line(capsys, *command, "--writer", "llm")
    light = [*command, "--perception", "light", "--vision.folder", str(tmp_path / "models")]
    assert f"6 of 6 light models not in {tmp_path / 'models'}: roomtour models pull light" in one_line(capsys, *light)
    assert not (tmp_path / "run").exists()


def test_an_unknown_key_or_a_wrong_value_of_the_configuration_is_named(subtests, capsys, tmp_path, short_walk):
    config = tmp_path / "c.yaml"
    for text, words in (
        ("sample: {fsp: 3}\n", ("'fsp'", "Did you mean sample.fps? Known: fps, ", "short_side")),
        ("sample: {fps: many}", ("fps",)),
        ("a: [", ("YAML",)),
        ("- 1", ("mapping",)),
        ("sample: {fps: -1}", ("fps",)),
        ("sample: {fps: 3}\nsample: {fps: 4}", ("'sample'", "twice", "line 2")),
        ("sample: {fps: 3, fps: 4}", ("'fps'", "twice")),
        ("sample: {short_side: 90, short-side: 91}", ("short_side", "twice")),
    ):
        with subtests.test(text):
            config.write_text(text)
            command = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--config", str(config)]
            said = one_line(capsys, *command)
            assert all(word in said for word in words)


def test_flags_win_over_the_configuration_file_and_what_is_not_there_yet_is_told(tmp_path, short_walk):
    config = tmp_path / "c.yaml"
    config.write_text("sample: {fps: 1, short-side: 180}\n")
    args = ["process", str(short_walk), "--out", str(tmp_path / "run"), "--config", str(config), "--sample.fps", "2"]
    assert main([*args, "--until", "clips"]) == 0
    run = roomtour.Run(tmp_path / "run")
    options = run.manifest["options"]["sample"]
    assert (options["fps"], options["short_side"]) == (2, 180)
    with pytest.raises(roomtour.RoomtourError, match="stage scene is not done"):
        _ = run.scene


def test_a_command_without_a_run_makes_no_sense(capsys, subtests):
    for command in ("check", "make", "export", "review", "leaderboard", "critic train", "dialogues pilot"):
        with subtests.test(command):
            assert main(command.split()) == 2
            assert "no run given: roomtour" in capsys.readouterr().err


def test_an_input_may_begin_with_a_dash(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert (
        one_line(capsys, "process", "--out", "run", "--", "-dash.mp4") == "roomtour: -dash.mp4: no such file or folder"
    )
    assert "an empty path" in one_line(capsys, "process", "--out", "run", "--", "", code=2)


def test_pictures_of_no_use_are_refused(capsys, tmp_path, subtests):
    for width, height, said in ((608, 32, "19 times"), (32, 608, "19 times"), (30, 64, "30 px"), (8, 8, "8 px")):
        with subtests.test(width=width, height=height):
            video = tmp_path / f"{width}x{height}.mp4"
            write_video(video, [np.asarray(cv2.resize(make_textured(0), (width, height)), np.uint8)] * 30)
            said_of = one_line(capsys, "process", str(video), "--out", str(tmp_path / "run"), "--until", "sample")
            assert all(words in said_of for words in (f"{width} x {height} px", said, "need at"))


@pytest.mark.posix
def test_a_full_disk_at_standard_output_is_one_line(capsys, monkeypatch):
    for buffering in (-1, 1):
        with open("/dev/full", "w", buffering=buffering) as full, monkeypatch.context() as patch:
            patch.setattr("sys.stdout", full)
            assert one_line(capsys, "--help").endswith("No space left on device")


def test_show_of_no_run(capsys, tmp_path):
    assert "no run folder" in one_line(capsys, "show", str(tmp_path))
    (tmp_path / "runs" / "home").mkdir(parents=True)
    (tmp_path / "runs" / "home" / "manifest.json").write_text("{}", encoding="utf-8")
    assert str(tmp_path / "runs" / "home") in one_line(capsys, "show", str(tmp_path))
