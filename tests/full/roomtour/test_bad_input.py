"""Bad input: one clear line, exit code 1 or 3, nothing lost, no traceback."""

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from roomtour.cli import main


def write_video(path: Path, images, fps: int = 15) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=fps)
        stream.width, stream.height, stream.pix_fmt = 320, 240, "yuv420p"
        for number, image_rgb in enumerate(images):
            frame = av.VideoFrame.from_ndarray(image_rgb, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, fps)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def make_textured(seed: int) -> np.ndarray:
    """An image full of blobs: many features, unlike any other seed's."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 255, (48, 64, 3), dtype=np.uint8)
    return cv2.resize(small, (320, 240), interpolation=cv2.INTER_CUBIC)


def one_line(capsys: pytest.CaptureFixture[str], *args: str, code: int = 1) -> str:
    """Run the command; it must fail with that exit code and a last line for people."""
    assert main(list(args)) == code
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err + captured.out
    last = captured.err.strip().splitlines()[-1]
    assert last.startswith("roomtour: ")
    return last


def test_missing_file(capsys, tmp_path):
    assert "no such file" in one_line(capsys, "process", str(tmp_path / "no.mp4"), "--out", str(tmp_path / "run"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("name", "content"), [("text.mp4", b"this is a text file\n" * 50), ("empty.mp4", b"")])
def test_not_a_video(capsys, tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    line = one_line(capsys, "process", str(tmp_path / name), "--out", str(tmp_path / "run"))
    assert name in line


def test_truncated_to_its_header(capsys, tmp_path, short_walk):
    path = tmp_path / "cut.mp4"
    path.write_bytes(short_walk.read_bytes()[:3000])
    assert "cut.mp4" in one_line(capsys, "process", str(path), "--out", str(tmp_path / "run"))


def test_audio_only(capsys, tmp_path):
    path = tmp_path / "sound.m4a"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=44100)
        for number in range(20):
            samples = np.zeros((1, 1024), dtype=np.float32)
            frame = av.AudioFrame.from_ndarray(samples, format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 44100, number * 1024
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    assert "video" in one_line(capsys, "process", str(path), "--out", str(tmp_path / "run"))


def test_one_frame(capsys, tmp_path):
    path = write_video(tmp_path / "one.mp4", [make_textured(0)])
    assert "one.mp4" in one_line(capsys, "process", str(path), "--out", str(tmp_path / "run"))


def test_two_seconds_that_do_not_move(capsys, tmp_path):
    path = write_video(tmp_path / "two.mp4", [make_textured(0)] * 30)
    line = one_line(capsys, "process", str(path), "--out", str(tmp_path / "run"), code=3)
    assert "try" in line.lower()
    assert (tmp_path / "run" / "report.html").is_file()


def test_all_black(capsys, tmp_path):
    path = write_video(tmp_path / "black.mp4", [np.zeros((240, 320, 3), np.uint8)] * 60)
    assert "dark" in one_line(capsys, "process", str(path), "--out", str(tmp_path / "run")).lower()


def test_a_slideshow_of_unrelated_images(capsys, tmp_path):
    path = write_video(tmp_path / "slides.mp4", [make_textured(number // 30) for number in range(300)])
    line = one_line(capsys, "process", str(path), "--out", str(tmp_path / "run"), code=3)
    assert "try" in line.lower()


def test_a_folder_without_a_rate(capsys, tmp_path):
    for number in range(5):
        cv2.imwrite(str(tmp_path / f"{number}.png"), make_textured(number))
    assert "--input.fps" in one_line(capsys, "process", str(tmp_path), "--out", str(tmp_path / "run"))


def test_a_folder_without_images(capsys, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "notes.txt").write_text("")
    line = one_line(capsys, "process", str(tmp_path / "in"), "--out", str(tmp_path / "run"), "--input.fps", "5")
    assert "image" in line


def test_a_foreign_output_folder(capsys, tmp_path, short_walk):
    (tmp_path / "thesis.tex").write_text("mine")
    assert "thesis.tex" in one_line(capsys, "process", str(short_walk), "--out", str(tmp_path))
    assert (tmp_path / "thesis.tex").read_text() == "mine"


@pytest.mark.posix
def test_an_unwritable_output_folder(capsys, tmp_path, short_walk):
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.geteuid() != 0:
        assert "written" in one_line(capsys, "process", str(short_walk), "--out", str(folder / "run"))
        return
    mount_command = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder]  # root heeds no permission bits
    if subprocess.run(mount_command, capture_output=True, check=False).returncode != 0:
        pytest.skip("root may write anywhere, and mounting a read-only tmpfs is not allowed here")
    try:
        assert "written" in one_line(capsys, "process", str(short_walk), "--out", str(folder / "run"))
    finally:
        subprocess.run(["umount", folder], check=True)


def test_an_output_folder_below_a_file(capsys, tmp_path, short_walk):
    (tmp_path / "file").write_text("")
    assert "written" in one_line(capsys, "process", str(short_walk), "--out", str(tmp_path / "file" / "run"))


def test_an_unknown_key_lists_the_known_ones(capsys, tmp_path, short_walk):
    config = tmp_path / "c.yaml"
    config.write_text("sample: {fsp: 3}\n")
    line = one_line(capsys, "process", str(short_walk), "--out", str(tmp_path / "run"), "--config", str(config))
    assert "'fsp'" in line
    assert "Did you mean sample.fps? Known: fps, " in line
    assert "short_side" in line


@pytest.mark.parametrize(
    ("text", "word"),
    [("sample: {fps: many}", "fps"), ("a: [", "YAML"), ("- 1", "mapping"), ("sample: {fps: -1}", "fps")],
)
def test_a_wrong_value_in_the_configuration(capsys, tmp_path, short_walk, text, word):
    config = tmp_path / "c.yaml"
    config.write_text(text)
    assert word in one_line(capsys, "process", str(short_walk), "--out", str(tmp_path / "run"), "--config", str(config))


def test_flags_win_over_the_configuration_file(tmp_path, short_walk):
    config = tmp_path / "c.yaml"
    config.write_text("sample: {fps: 1, short-side: 180}\n")
    run = tmp_path / "run"
    args = ["process", str(short_walk), "--out", str(run), "--config", str(config), "--sample.fps", "2"]
    assert main([*args, "--until", "clips"]) == 0
    import roomtour

    options = roomtour.Run(run).manifest["options"]["sample"]
    assert (options["fps"], options["short_side"]) == (2, 180)


def test_models_that_are_not_here_are_one_line_before_anything_is_decoded(capsys, tmp_path, short_walk, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "cache"))
    line = one_line(capsys, "process", str(short_walk), "--out", str(tmp_path / "run"), "--perception", "models")
    assert "roomtour models pull" in line
    assert not (tmp_path / "run" / "frames").exists()


def test_a_writer_without_a_server_is_one_line_before_anything_is_decoded(capsys, tmp_path, short_walk, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    line = one_line(capsys, "process", str(short_walk), "--out", str(tmp_path / "run"), "--writer", "llm")
    assert "--language.base-url" in line
    assert not (tmp_path / "run" / "frames").exists()


@pytest.mark.slow
@pytest.mark.posix
def test_a_full_disk_is_one_line_and_the_run_goes_on_later(tmp_path, short_walk):
    mount = tmp_path / "small"
    mount.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2500k", "tmpfs", mount], capture_output=True, check=False
    )
    if made.returncode != 0:
        pytest.skip("mounting a small tmpfs needs root")
    command = [
        sys.executable,
        "-m",
        "roomtour",
        "process",
        str(short_walk),
        "--out",
        str(mount / "run"),
        "--workers",
        "1",
    ]
    try:
        full = subprocess.run(command, capture_output=True, text=True, check=False)
        assert full.returncode == 1, full.stderr
        assert "disk is full" in full.stderr
        assert "Traceback" not in full.stderr
        subprocess.run(["mount", "-o", "remount,size=200m", mount], check=True)
        again = subprocess.run(command, capture_output=True, text=True, check=False)
        assert again.returncode == 0, again.stderr
    finally:
        subprocess.run(["umount", mount], check=True)


@pytest.mark.slow
@pytest.mark.posix
@pytest.mark.parametrize("most_kib", [400, 3000])
def test_a_limit_on_files_that_features_would_meet_is_one_line_before_colmap_meets_it(tmp_path, short_walk, most_kib):
    """A quota shows in no figure of what is free, and COLMAP ends the process where SQLite cannot write."""
    import resource  # of POSIX systems

    command = [sys.executable, "-m", "roomtour", "process", str(short_walk), "--out", str(tmp_path / "run")]
    command += ["--workers", "1", "--until", "features"]

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_kib << 10, most_kib << 10))

    limited = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert limited.returncode == 1, limited.stderr
    assert limited.stderr.count("roomtour: ") == 1
    assert "file too large. What was finished is kept" in limited.stderr
    assert "Traceback" not in limited.stderr
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "kept" in again.stderr


def test_show_of_no_run(capsys, tmp_path):
    assert "no run folder" in one_line(capsys, "show", str(tmp_path))


def test_export_to_an_unknown_format(capsys, finished_run, tmp_path):
    line = one_line(capsys, "export", str(finished_run), "--format", "csv", "--out", str(tmp_path / "x"))
    assert "tum" in line


def test_a_changed_frame_folder_is_told(capsys, finished_run, tmp_path):
    copy = tmp_path / "run"
    shutil.copytree(finished_run, copy)
    (copy / "navigation" / "rows.jsonl").unlink()
    assert "navigation/rows.jsonl" in one_line(capsys, "show", str(copy))
