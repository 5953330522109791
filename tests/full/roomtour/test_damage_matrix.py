"""Every kind of damage to a finished run under every command that reads one: an answer or one line, never a traceback,
and nothing that is broken leaves as a dataset.
"""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.store import MANIFEST
from tests.support.hostile import NESTED, write_huge_png

pytestmark = pytest.mark.slow

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


@pytest.fixture
def damaged(request, finished_run, tmp_path):
    run = shutil.copytree(finished_run, tmp_path / "runs" / "run")
    DAMAGES[request.param](run)
    return request.param, run


@pytest.mark.parametrize("damaged", DAMAGES, indirect=True)
def test_damage_is_an_answer_or_one_line_in_every_command(damaged, tmp_path, capsys):
    name, run = damaged
    for command, words in COMMANDS.items():
        out = tmp_path / command
        places = {"RUN": str(run), "ABOVE": str(run.parent), "OUT": str(out)}
        code = main([places.get(word, word) for word in words])
        said = capsys.readouterr()
        where = f"{name}, {command}: {said.out}{said.err}"
        assert "Traceback" not in said.out + said.err, where
        errors = [line for line in said.err.splitlines() if line.startswith("roomtour: ")]
        assert code in (0, 1, 3), where
        assert len(errors) <= 1, where
        assert (code == 0) or errors or said.out, where
        if command == "check":
            assert code == 1, where
        if command in NEEDS_PICTURES and name.startswith("frame"):
            assert code == 1, where
            assert not out.exists()
        if code == 0 and words[0] == "export":
            assert main(["validate", str(out)]) == 0, where
            capsys.readouterr()
