"""A run whose files are not as they were written: found, told, and made anew by the command that made it."""

import json
import shutil
from pathlib import Path

import pytest

from roomtour.cli import main
from roomtour.stages.table import STAGE_NAMES
from roomtour.store import MANIFEST
from tests.support.one_line import one_line

SCENE, PATHS, ROWS = "scene/scene.json", "trajectories/trajectories.jsonl", "navigation/rows.jsonl"


def stages(run: Path) -> dict:
    return json.loads((run / MANIFEST).read_text())["stages"]


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.fixture
def copy(finished_run, tmp_path) -> Path:
    return shutil.copytree(finished_run, tmp_path / "run")


@pytest.mark.parametrize(
    ("stage", "damage"),
    [
        ("sample", lambda run: (run / "frames" / "000003.jpg").unlink()),
        ("scene", lambda run: cut(run / SCENE)),
        ("trajectories", lambda run: cut(run / PATHS)),
        ("report", lambda run: (run / "report.html").unlink()),
    ],
    ids=["sample", "scene", "trajectories", "report"],
)
def test_the_same_command_makes_anew_what_is_damaged_and_only_that(
    stage, damage, copy, finished_run, short_walk, capsys
):
    damage(copy)
    assert main(["process", str(short_walk), "--out", str(copy), "--workers", "1"]) == 0
    assert "made anew" in capsys.readouterr().err
    old, new = stages(finished_run), stages(copy)
    assert {each for each in STAGE_NAMES if old.get(each) != new.get(each)} == {stage}
    assert not (copy / "recon" / "database.db").exists()
    for each in new.keys() - {"report"}:
        assert new[each]["outputs"] == old[each]["outputs"]


def test_check_reads_contents_and_repairs(finished_run, copy, capsys):
    assert all(entry["outputs"] for entry in stages(finished_run).values())
    assert main(["check", str(finished_run)]) == 0
    flip(copy / "frames" / "000003.jpg")
    capsys.readouterr()
    assert main(["check", str(copy)]) == 1
    said = capsys.readouterr()
    assert f"{copy}: sample: frames: changed since it was written" in said.out
    assert "--repair" in said.err
    assert main(["check", str(copy), "--repair"]) == 0
    assert f"{copy}: sound" in capsys.readouterr().out


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x01
    path.write_bytes(data)


def exchange(first: Path, second: Path) -> None:
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


FRAMES = ("frames/000003.jpg", "frames/000004.jpg")
ROT = {
    "a frame": (FRAMES[:1], flip),
    "two frames exchanged": (FRAMES, exchange),
    "a depth map": (("perception/depth/000003.npz",), flip),
    "points of the scene": (("scene/models/0/points3D.bin",), flip),
    "a row": ((ROWS,), flip),
}


def test_nothing_that_changed_since_it_was_written_leaves_or_is_built_on(subtests, copy, capsys, tmp_path):
    """The size stays, so that only the contents tell."""
    export = ["export", str(copy), "--format", "nerfstudio", "--out", str(tmp_path / "out")]
    for name, (files, damage) in ROT.items():
        with subtests.test(name):
            paths = [copy / file for file in files]
            before = [path.read_bytes() for path in paths]
            damage(*paths)
            assert one_line(capsys, *export).endswith("--repair")
            assert not (tmp_path / "out").exists()
            if files != (ROWS,):  # which are made anew
                assert "is damaged" in one_line(capsys, "make", str(copy), "--data", "navigation")
            for path, content in zip(paths, before, strict=True):
                path.write_bytes(content)
    assert main(export) == 0


def test_what_was_lost_does_not_leave_as_a_smaller_dataset(subtests, copy, capsys, tmp_path):
    export = ["export", str(copy), "--format", "jsonl", "--out", str(tmp_path / "out")]
    for name in (ROWS, PATHS):
        with subtests.test(name):
            content = (copy / name).read_bytes()
            (copy / name).write_text("")
            assert "is damaged" in one_line(capsys, *export)
            assert not (tmp_path / "out").exists()
            (copy / name).write_bytes(content)
    (copy / ROWS).unlink()
    assert ROWS in one_line(capsys, "show", str(copy))
    cut(copy / SCENE)
    assert "roomtour check" in one_line(capsys, "make", str(copy), "--data", "navigation")
    cut(copy / MANIFEST)
    assert "into a new folder" in one_line(capsys, "show", str(copy))
