"""Names and files that are made to hang a command, end it or fill its memory: one clear line each, nothing lost."""

import os
import shutil
import socket
from pathlib import Path

import cv2
import numpy as np
import pytest

from recon.picture_faults import find_picture_fault
from roomtour.cli import main
from roomtour.store import MANIFEST
from tests.support.hostile import LONG_NAME, NESTED, NOT_UTF8, write_huge_png
from tests.support.one_line import one_line

pytestmark = pytest.mark.posix


@pytest.fixture
def named(tmp_path, monkeypatch):
    """A folder to work in, with a name of every kind that does not work."""
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
    Path("loop").symlink_to("loop")
    return {
        "pipe": "a named pipe",
        "socket": "a socket",
        "/dev/zero": "a device",
        "loop": "a link that leads back to itself",
        LONG_NAME: "too long: a part of 300 bytes",
        NOT_UTF8: "not valid UTF-8",
        "": "empty path",
    }


COMMANDS = {
    "process": ["process", "PATH", "--out", "new"],
    "process --out": ["process", "video.mp4", "--out", "PATH"],
    "process --config": ["process", "video.mp4", "--out", "new", "--config", "PATH"],
    "process --poses": ["process", "video.mp4", "--out", "new", "--poses", "PATH"],
    "export": ["export", "PATH", "--format", "tum", "--out", "new"],
    "export --out": ["export", "run", "--format", "tum", "--out", "PATH"],
    **{
        name: [name, "PATH"]
        for name in ("show", "check", "report", "validate", "browse", "view", "make", "explain", "review")
    },
    "import": ["import", "PATH", "--format", "images", "--out", "new"],
    "score": ["score", "PATH", "--data", "data"],
}


def test_every_command_refuses_a_path_that_cannot_work(subtests, named, capsys, short_walk):
    shutil.copy(short_walk, "video.mp4")
    before = sorted(os.listdir())
    for command, given in COMMANDS.items():
        for path, reason in named.items():
            with subtests.test(command, path=ascii(path)):
                words = [path if word == "PATH" else word for word in given]
                assert main(words) in (1, 2)
                said = capsys.readouterr().err
                assert "Traceback" not in said
                is_no_yaml = command == "process --poses" and path == NOT_UTF8
                assert ("not valid YAML" if is_no_yaml else reason) in said
                assert sorted(os.listdir()) == before


@pytest.fixture
def images(tmp_path) -> Path:
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(1, 6):
        picture = np.random.default_rng(number).integers(0, 255, (120, 160, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / f"{number}.png"), picture)
    return folder


def sample(folder: Path, run: Path) -> list[str]:
    return ["process", str(folder), "--out", str(run), "--input.fps", "5", "--sample.fps", "5", "--until", "sample"]


def test_an_image_whose_name_is_no_utf8_is_refused_and_other_things_are_passed_over(capsys, images, tmp_path):
    (images / f"{NOT_UTF8}.txt").touch()
    (images / "to-nothing.png").symlink_to("nothing")
    (images / "loop.png").symlink_to("loop.png")
    os.mkfifo(images / "pipe.png")
    assert main(sample(images, tmp_path / "run")) == 0
    assert len(list((tmp_path / "run" / "frames").glob("*.jpg"))) == 5
    (images / "1.png").rename(images / f"{NOT_UTF8}.png")
    line = one_line(capsys, *sample(images, tmp_path / "run2"))
    assert "1 images have names that are not valid UTF-8" in line


def test_a_small_file_of_a_huge_picture_is_not_decoded(capsys, images, tmp_path):
    huge = write_huge_png(images / "6.png")
    assert huge.stat().st_size < 100_000
    assert find_picture_fault(huge.read_bytes()) == "has 40000 x 20000 pixels, need at most 150 million"
    assert main(sample(images, tmp_path / "run")) == 0
    assert "1 file (6.png)" in (tmp_path / "run" / MANIFEST).read_text()
    for path in images.glob("[1-5].png"):
        path.unlink()
    assert "none of 1 images could be read (first: 6.png)" in one_line(capsys, *sample(images, tmp_path / "run2"))


OF_A_RUN = (MANIFEST, "frames/000003.jpg", "scene/scene.json", "navigation/rows.jsonl", "recon/merge_log.jsonl")
READERS = {
    "show": ["show", "RUN"],
    "check": ["check", "RUN"],
    "check --repair": ["check", "RUN", "--repair"],
    "process": ["process", "VIDEO", "--out", "RUN"],
    "make": ["make", "RUN", "--data", "spatial"],
    "export": ["export", "RUN", "--format", "jsonl", "--out", "OUT"],
    "explain": ["explain", "RUN", "--data", "navigation", "--out", "OUT"],
    "browse": ["browse", "RUN"],
    "view": ["view", "RUN", "--html", "OUT"],
    "review": ["review", "RUN"],
    "leaderboard": ["leaderboard", "RUN"],
    "ask": ["ask", "RUN", "How many chairs are there?"],
}


def put_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def put_socket(path: Path) -> None:
    path.unlink()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)


def put_device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def test_what_hangs_inside_a_run_is_one_line_in_every_command(
    subtests, capsys, finished_run, short_walk, tmp_path, monkeypatch
):
    puts = {"named pipe": put_pipe, "socket": put_socket, "device": put_device}
    kinds = [*puts, *list(puts)[:2]]
    for file, kind in zip(OF_A_RUN, kinds, strict=True):
        run = shutil.copytree(finished_run, tmp_path / "runs" / "run")
        monkeypatch.chdir((run / file).parent)  # the name of a socket has at most a hundred letters
        puts[kind](run / file)
        places = {"RUN": str(run), "OUT": str(tmp_path / "out"), "VIDEO": str(short_walk)}
        for command, words in READERS.items():
            with subtests.test(command, file=file, kind=kind):
                line = one_line(capsys, *(places.get(word, word) for word in words))
                assert f"{file}: is a {kind}" in line
                assert not (tmp_path / "out").exists()
        with subtests.test("report", file=file, kind=kind):
            assert main(["report", str(run.parent)]) == 0
            assert f"is a {kind}" in (run.parent / "index.html").read_text()
        monkeypatch.chdir(tmp_path)
        shutil.rmtree(run)


def test_a_nested_file_is_a_problem_of_a_dataset(subtests, capsys, finished_run, tmp_path):
    for format, file in (
        ("jsonl", "export.json"),
        ("nerfstudio", "*/transforms.json"),
        ("llava", "views_train.json"),
        ("jsonl", "instructions.jsonl"),
    ):
        with subtests.test(format, file=file):
            out = tmp_path / f"{format} {Path(file).name}"
            assert main(["export", str(finished_run), "--format", format, "--out", str(out)]) == 0
            (path, *_) = [path for path in out.rglob("*") if path.match(file)]
            path.write_text(NESTED + "\n")
            capsys.readouterr()
            assert main(["validate", str(out), "--format", format]) == 1
            said = capsys.readouterr()
            assert "Traceback" not in said.err
            assert path.name in said.out + said.err
