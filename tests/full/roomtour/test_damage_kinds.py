"""Damage to the files of every kind of data under the commands that read them: an answer or one line, no traceback,
and nothing that is damaged leaves as a dataset.
"""

import shutil
from pathlib import Path

import numpy as np
import pytest

from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.files.clouds import read_cloud_file
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.hostile import NESTED
from tests.support.imports.made_images import write_images

KINDS = ("spatial", "regions", "dialogues")
FILES = [
    *(f"{kind}/{name}" for kind in KINDS for name in ("rows.jsonl", "rejected.jsonl")),
    *("spatial/thinking.jsonl", "regions/views.jsonl", "regions/pairs.jsonl", "regions/verbalizations.jsonl"),
    *("dialogues/contexts.jsonl", "dialogues/clouds.jsonl"),
]
FORMAT_OF = {"spatial": "vlmeval", "regions": "swift", "dialogues": "llava"}


def cut(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] if len(data) > 2 else b"{")


def put(content: bytes):
    return lambda path: path.write_bytes(content)


DAMAGES = {
    "cut": cut,
    "removed": Path.unlink,
    "not UTF-8": put(b"\xff\xfe\n"),
    "numbers": put(b"1\n2\n"),
    "nested": put(NESTED.encode() + b"\n"),
    "other fields": put(b'{"id": "x", "accepted": true}\n'),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Single images with rows of every kind that is about single views."""
    folder = tmp_path_factory.mktemp("kinds")
    write_images(folder / "pictures", rolls=(0.0, 4.0, -4.0))
    run = import_run(folder / "pictures", "images", folder / "run").path
    assert main(["make", str(run), "--data", *KINDS, "--set", "dialogues.gates.min_views=1"]) == 0
    assert all(Run(run).rows(kind) for kind in KINDS)
    return run


def test_the_files_are_those_of_a_run(made: Path):
    there = {path.relative_to(made).as_posix() for kind in KINDS for path in (made / kind).glob("*.jsonl")}
    assert there == set(FILES)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", FILES)
def test_damage_to_a_kind_is_an_answer_or_one_line(file: str, damage: str, made: Path, tmp_path: Path, capsys):
    run, kind = shutil.copytree(made, tmp_path / "runs" / "run"), file.split("/")[0]
    DAMAGES[damage](run / file)
    out = tmp_path / "out"
    commands = {
        "show": ["show", str(run)],
        "check": ["check", str(run)],
        "report": ["report", str(run.parent)],
        "explain": ["explain", str(run), "--data", kind, "--sample", "2", "--out", str(tmp_path / "drawn")],
        "export": ["export", str(run), "--data", kind, "--format", FORMAT_OF[kind], "--out", str(out)],
        "export jsonl": ["export", str(run), "--format", "jsonl", "--out", str(out)],
    }
    for name, words in commands.items():
        code = main(words)
        said = capsys.readouterr()
        assert "Traceback" not in said.out + said.err
        errors = [line for line in said.err.splitlines() if line.startswith("roomtour: ")]
        assert code in (0, 1, 3), (name, said.err)
        assert len(errors) <= 1, (name, said.err)
        assert code == 0 or errors or said.out, name
        if name == "check" or name.startswith("export"):
            assert code == 1, (name, said.out)
            assert not out.exists()


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (np.zeros((0, 6), np.float32), "need float32 (N, 6)"),
        (np.zeros((5, 3), np.float32), "need float32 (N, 6)"),
        (np.zeros(6, np.float32), "need float32 (N, 6)"),
        (np.zeros((5, 6)), "is float64"),
        (np.full((5, 6), np.nan, np.float32), "not finite"),
        (None, "cannot be read as an array"),
    ],
    ids=["empty", "no colours", "flat", "wide", "nan", "no array"],
)
def test_a_damaged_cloud_is_one_line(points: np.ndarray | None, reason: str, tmp_path: Path):
    path = tmp_path / "cloud.npy"
    path.write_bytes(b"")
    if points is not None:
        np.save(path, points)
    with pytest.raises(RoomtourError) as told:
        read_cloud_file(path)
    assert reason in str(told.value)
    assert "\n" not in str(told.value)


def test_a_sound_cloud_is_read(tmp_path: Path):
    points = np.arange(30, dtype=np.float32).reshape(5, 6)
    np.save(tmp_path / "cloud.npy", points)
    assert read_cloud_file(tmp_path / "cloud.npy").tolist() == points.tolist()
