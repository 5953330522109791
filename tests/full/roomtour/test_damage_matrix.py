"""Every kind of damage to a run, and to its rows of every kind of data, under every command that reads one.

An answer or one line, never a traceback, and nothing that is broken leaves as a dataset.
"""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.imports.write import import_run
from roomtour.run import Run
from roomtour.store import MANIFEST
from tests.support.hostile import NESTED, write_huge_png
from tests.support.imports.made_images import write_images

Damage = Callable[[Path], object]
FRAME, SCENE = "frames/000003.jpg", "scene/scene.json"
TRAJECTORIES, ROWS = "trajectories/trajectories.jsonl", "navigation/rows.jsonl"


def cut(name: str) -> Damage:
    def damage(run: Path) -> None:
        path = find(run, name)
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    return damage


def put(name: str, content: bytes) -> Damage:
    return lambda run: find(run, name).write_bytes(content)


def remove(name: str) -> Damage:
    def damage(run: Path) -> None:
        path = find(run, name)
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    return damage


def flip(name: str, at: int) -> Damage:
    def damage(run: Path) -> None:
        path = find(run, name)
        data = bytearray(path.read_bytes())
        data[at] ^= 0xFF
        path.write_bytes(data)

    return damage


def replace(name: str, before: bytes, after: bytes) -> Damage:
    def damage(run: Path) -> None:
        path = find(run, name)
        assert before in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(before, after, 1))

    return damage


def find(run: Path, name: str) -> Path:
    """A file of the run; of the models any."""
    return next(iter(sorted(run.glob(name))))


POINTS, IMAGES, CAMERAS = (f"scene/models/*/{stem}.bin" for stem in ("points3D", "images", "cameras"))
DAMAGES: dict[str, Damage] = {
    "manifest cut": cut(MANIFEST),
    "manifest empty": put(MANIFEST, b""),
    "manifest nested": put(MANIFEST, NESTED.encode()),
    "manifest a list": put(MANIFEST, b"[]\n"),
    "manifest of a later version": replace(MANIFEST, b'"format": 1', b'"format": 99'),
    "scene cut": cut(SCENE),
    "scene removed": remove(SCENE),
    "scene nested": put(SCENE, NESTED.encode()),
    "scene not UTF-8": put(SCENE, b"\xff\xfe{}"),
    "scene without frames": replace(SCENE, b'"frames"', b'"pictures"'),
    "points cut": cut(POINTS),
    "points removed": remove(POINTS),
    "points of an endless count": lambda run: put(POINTS, struct.pack("<Q", 2**62) + bytes(100))(run),
    "no points": put(POINTS, bytes(8)),
    "images cut": cut(IMAGES),
    "images flipped": flip(IMAGES, 0),
    "cameras of an unknown kind": flip(CAMERAS, 12),
    "trajectories cut": cut(TRAJECTORIES),
    "trajectories removed": remove(TRAJECTORIES),
    "trajectories empty": put(TRAJECTORIES, b""),
    "trajectories of numbers": put(TRAJECTORIES, b"1\n2\n"),
    "texts cut": cut(ROWS),
    "texts not UTF-8": put(ROWS, b"\xff\xfe\n"),
    "frame removed": remove(FRAME),
    "frame no picture": put(FRAME, b"x\n"),
    "frame cut": cut(FRAME),
    "frame huge": lambda run: write_huge_png(run / FRAME),
    "frames removed": remove("frames"),
}
COMMANDS: dict[str, list[str]] = {
    "show": ["show", "RUN"],
    "check": ["check", "RUN"],
    "report": ["report", "ABOVE"],
    "export jsonl": ["export", "RUN", "--format", "jsonl", "--out", "OUT"],
    "export nerfstudio": ["export", "RUN", "--format", "nerfstudio", "--out", "OUT"],
    "export gnm": ["export", "RUN", "--format", "gnm", "--out", "OUT"],
    "export colmap": ["export", "RUN", "--format", "colmap", "--out", "OUT"],
    "make": ["make", "RUN", "--data", "navigation"],
}
NEEDS_PICTURES = ("export nerfstudio", "export gnm")


def judge(words: list[str], capsys: pytest.CaptureFixture[str]) -> int:
    """Run the command: it answers, or says in one line why not."""
    capsys.readouterr()
    code = main(words)
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err
    errors = [line for line in said.err.splitlines() if line.startswith("roomtour: ")]
    assert code in (0, 1, 3), said.err
    assert len(errors) <= 1, said.err
    assert code == 0 or errors or said.out
    return code


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_an_answer_or_one_line_in_every_command(name, subtests, finished_run, tmp_path, capsys):
    run = shutil.copytree(finished_run, tmp_path / "runs" / "run")
    DAMAGES[name](run)
    for command, words in COMMANDS.items():
        with subtests.test(command):
            out = tmp_path / command
            places = {"RUN": str(run), "ABOVE": str(run.parent), "OUT": str(out)}
            code = judge([places.get(word, word) for word in words], capsys)
            assert code == 1 or command != "check"
            if command in NEEDS_PICTURES and name.startswith("frame"):
                assert code == 1
                assert not out.exists()
            if code == 0 and words[0] == "export":
                assert main(["validate", str(out)]) == 0


KINDS = {"spatial": "vlmeval", "regions": "swift", "dialogues": "llava"}
"""With a format that holds them."""
FILES = [
    *(f"{kind}/{name}" for kind in KINDS for name in ("rows.jsonl", "rejected.jsonl")),
    *("spatial/thinking.jsonl", "regions/views.jsonl", "regions/pairs.jsonl", "regions/verbalizations.jsonl"),
    *("dialogues/contexts.jsonl", "dialogues/clouds.jsonl"),
]
OF_A_FILE: list[Callable[[str], Damage]] = [
    cut,
    remove,
    lambda file: put(file, b"\xff\xfe\n"),
    lambda file: put(file, b"1\n2\n"),
    lambda file: put(file, NESTED.encode() + b"\n"),
    lambda file: put(file, b'{"id": "x", "accepted": true}\n'),
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Single images with rows of every kind that is about single views."""
    folder = tmp_path_factory.mktemp("kinds")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0))
    run = import_run(folder / "pictures", "images", folder / "run").path
    assert main(["make", str(run), "--data", *KINDS, "--set", "dialogues.gates.min_views=1"]) == 0
    assert all(Run(run).rows(kind) for kind in KINDS)
    there = {path.relative_to(run).as_posix() for kind in KINDS for path in (run / kind).glob("*.jsonl")}
    assert there == set(FILES)
    return run


@pytest.mark.parametrize("number", range(len(FILES)), ids=FILES)
def test_damage_to_a_kind_is_an_answer_or_one_line(number, subtests, made, tmp_path, capsys):
    """Two damages of each file, all of them by turns."""
    file, kind, out = FILES[number], FILES[number].split("/")[0], tmp_path / "out"
    for which in (number % len(OF_A_FILE), (number + 2) % len(OF_A_FILE)):
        run = shutil.copytree(made, tmp_path / str(which) / "run")
        content = (run / file).read_bytes()
        if which or len(content) > 2:
            OF_A_FILE[which](file)(run)
        else:  # half of nothing is nothing
            (run / file).write_bytes(b"{")
        drawn = str(tmp_path / "drawn")
        commands = {
            "show": ["show", str(run)],
            "check": ["check", str(run)],
            "report": ["report", str(run.parent)],
            "explain": ["explain", str(run), "--data", kind, "--sample", "2", "--out", drawn],
            "export": ["export", str(run), "--data", kind, "--format", KINDS[kind], "--out", str(out)],
            "export jsonl": ["export", str(run), "--format", "jsonl", "--out", str(out)],
        }
        for command, words in commands.items():
            with subtests.test(command, which=which):
                code = judge(words, capsys)
                assert code == 1 or command not in ("check", "export", "export jsonl")
                assert not out.exists()
