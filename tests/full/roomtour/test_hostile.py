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
from roomtour.errors import RoomtourError
from roomtour.files.json_text import parse_json
from roomtour.files.paths import require_usable_path
from roomtour.files.records import read_json, read_jsonl
from roomtour.store import MANIFEST
from tests.support.hostile import LONG_NAME, NESTED, NOT_UTF8, write_huge_png

pytestmark = pytest.mark.posix


def one_line(capsys, *args: str, code: int = 1) -> str:
    assert main(list(args)) == code
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    (line,) = [line for line in said.err.splitlines() if line.startswith("roomtour: ")]
    return line


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
    }


COMMANDS = {
    "process": ["process", "PATH", "--out", "new"],
    "process --out": ["process", "video.mp4", "--out", "PATH"],
    "process --config": ["process", "video.mp4", "--out", "new", "--config", "PATH"],
    "process --poses": ["process", "video.mp4", "--out", "new", "--poses", "PATH"],
    "export": ["export", "PATH", "--format", "tum", "--out", "new"],
    "export --out": ["export", "run", "--format", "tum", "--out", "PATH"],
    **{name: [name, "PATH"] for name in ("show", "check", "report", "validate", "view", "make", "explain", "review")},
    "import": ["import", "PATH", "--format", "images", "--out", "new"],
    "score": ["score", "PATH", "--data", "data"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_a_path_that_cannot_work(command, named, capsys, short_walk):
    shutil.copy(short_walk, "video.mp4")
    before = sorted(os.listdir())
    for path, reason in named.items():
        words = [path if word == "PATH" else word for word in COMMANDS[command]]
        assert main(words) in (1, 2), words
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        is_no_yaml = command == "process --poses" and path == NOT_UTF8
        assert ("not valid YAML" if is_no_yaml else reason) in said.err, (words, said.err)
        assert sorted(os.listdir()) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_refuses_an_empty_path(command, tmp_path, monkeypatch, capsys, short_walk):
    monkeypatch.chdir(tmp_path)
    shutil.copy(short_walk, "video.mp4")
    words = ["" if word == "PATH" else word for word in COMMANDS[command]]
    assert main(words) in (1, 2)
    assert "empty path" in capsys.readouterr().err
    assert os.listdir() == ["video.mp4"]


def test_an_empty_text_is_no_empty_path(capsys, finished_run, tmp_path):
    assert main(["export", str(finished_run), "--format", "tum", "--out", str(tmp_path / "x"), "--hide", ""]) == 0
    assert "empty path" not in capsys.readouterr().err


@pytest.mark.parametrize("path", ["there", "not-there", "below/file"])
def test_usable_paths_pass(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("there").touch()
    require_usable_path(Path(path))


def write_images(folder: Path) -> Path:
    folder.mkdir()
    for number in range(1, 6):
        picture = np.random.default_rng(number).integers(0, 255, (120, 160, 3), dtype=np.uint8)
        cv2.imwrite(str(folder / f"{number}.png"), picture)
    return folder


def test_an_image_whose_name_is_no_utf8_is_refused(capsys, tmp_path):
    folder = write_images(tmp_path / "images")
    (folder / "1.png").rename(folder / f"{NOT_UTF8}.png")
    line = one_line(capsys, "process", str(folder), "--out", str(tmp_path / "run"), "--input.fps", "5")
    assert "1 images have names that are not valid UTF-8" in line


def test_other_things_in_a_folder_of_images_are_passed_over(capsys, tmp_path):
    folder = write_images(tmp_path / "images")
    (folder / f"{NOT_UTF8}.txt").touch()
    (folder / "to-nothing.png").symlink_to("nothing")
    (folder / "loop.png").symlink_to("loop.png")
    os.mkfifo(folder / "pipe.png")
    command = ["process", str(folder), "--out", str(tmp_path / "run"), "--input.fps", "5", "--until", "sample"]
    assert main([*command, "--sample.fps", "5"]) == 0
    assert len(list((tmp_path / "run" / "frames").glob("*.jpg"))) == 5


def test_a_small_file_of_a_huge_picture_is_not_decoded(capsys, tmp_path):
    folder = write_images(tmp_path / "images")
    huge = write_huge_png(folder / "6.png")
    assert huge.stat().st_size < 100_000
    assert find_picture_fault(huge.read_bytes()) == "has 40000 x 20000 pixels, need at most 150 million"
    command = ["process", str(folder), "--out", str(tmp_path / "run"), "--input.fps", "5", "--until", "sample"]
    assert main(command) == 0
    assert "1 files (6.png)" in (tmp_path / "run" / MANIFEST).read_text()
    for path in folder.glob("[1-5].png"):
        path.unlink()
    line = one_line(capsys, "process", str(folder), "--out", str(tmp_path / "run2"), "--input.fps", "5")
    assert "none of 1 images could be read (first: 6.png)" in line


@pytest.mark.parametrize("text", [NESTED, '{"a":' * 100_000, "[" * 100_000])
def test_json_nested_without_end_is_refused_as_other_bad_json_is(text, tmp_path):
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(text)
    path = tmp_path / "x.json"
    path.write_text(text)
    for read in (read_json, lambda path: read_jsonl(path, dict)):
        with pytest.raises(RoomtourError, match="not valid JSON: nested too deeply"):
            read(path)


@pytest.mark.parametrize(
    "file", [MANIFEST, "scene/scene.json", "trajectories/trajectories.jsonl", "navigation/rows.jsonl"]
)
def test_nested_files_of_a_run_are_one_line_in_every_command(file, capsys, finished_run, tmp_path):
    run = shutil.copytree(finished_run, tmp_path / "run")
    (run / file).write_text(NESTED)
    for command in (["show", "RUN"], ["export", "RUN", "--format", "jsonl", "--out", "OUT"]):
        words = [word.replace("RUN", str(run)).replace("OUT", str(tmp_path / "out")) for word in command]
        line = one_line(capsys, *words)
        assert Path(file).name in line
        assert not (tmp_path / "out").exists()
    assert main(["report", str(tmp_path)]) == 0


OF_A_RUN = (MANIFEST, "frames/000003.jpg", "scene/scene.json", "navigation/rows.jsonl", "recon/database.db")
READERS = {
    "show": ["show", "RUN"],
    "check": ["check", "RUN"],
    "check --repair": ["check", "RUN", "--repair"],
    "process": ["process", "VIDEO", "--out", "RUN"],
    "make": ["make", "RUN", "--data", "spatial"],
    "export": ["export", "RUN", "--format", "jsonl", "--out", "OUT"],
    "explain": ["explain", "RUN", "--data", "navigation", "--out", "OUT"],
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


@pytest.mark.parametrize(("put", "kind"), [(put_pipe, "named pipe"), (put_socket, "socket"), (put_device, "device")])
@pytest.mark.parametrize("file", OF_A_RUN)
def test_what_hangs_inside_a_run_is_one_line_in_every_command(
    put, kind, file, capsys, finished_run, short_walk, tmp_path, monkeypatch
):
    run = shutil.copytree(finished_run, tmp_path / "runs" / "run")
    monkeypatch.chdir((run / file).parent)  # the name of a socket has at most a hundred letters
    put(run / file)
    for words in READERS.values():
        places = {"RUN": str(run), "OUT": str(tmp_path / "out"), "VIDEO": str(short_walk)}
        line = one_line(capsys, *(places.get(word, word) for word in words))
        assert f"{file}: is a {kind}" in line
        assert not (tmp_path / "out").exists()
    assert main(["report", str(run.parent)]) == 0
    assert f"is a {kind}" in (run.parent / "index.html").read_text()


def test_a_folder_in_place_of_a_file_is_one_line(capsys, finished_run, tmp_path):
    for number, file in enumerate(OF_A_RUN):
        run = shutil.copytree(finished_run, tmp_path / f"run{number}")
        (run / file).unlink()
        (run / file).mkdir()
        assert main(["check", str(run)]) == 1
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert said.out or said.err.startswith("roomtour: ")


@pytest.mark.parametrize("command", ["validate", "score"])
def test_what_hangs_inside_a_dataset_is_one_line(command, capsys, finished_run, tmp_path):
    out, answers = tmp_path / "out", tmp_path / "answers.jsonl"
    answers.write_text('{"id": "x", "answer": "yes"}\n')
    assert main(["export", str(finished_run), "--format", "llava", "--out", str(out)]) == 0
    capsys.readouterr()
    put_pipe(next(iter(sorted(out.rglob("*.json")))))
    words: list[str] = ["validate", str(out)] if command == "validate" else ["score", str(answers), "--data", str(out)]
    assert "is a named pipe" in one_line(capsys, *words)


@pytest.mark.parametrize(
    ("format", "file"),
    [
        ("jsonl", "export.json"),
        ("nerfstudio", "*/transforms.json"),
        ("llava", "views_train.json"),
        ("jsonl", "instructions.jsonl"),
    ],
)
def test_nested_files_of_a_dataset_are_a_problem(format, file, capsys, finished_run, tmp_path):
    out = tmp_path / "out"
    assert main(["export", str(finished_run), "--format", format, "--out", str(out)]) == 0
    (path, *_) = [path for path in out.rglob("*") if path.match(file)]
    path.write_text(NESTED + "\n")
    capsys.readouterr()
    assert main(["validate", str(out), "--format", format]) == 1
    said = capsys.readouterr()
    assert "Traceback" not in said.err
    assert path.name in said.out + said.err
