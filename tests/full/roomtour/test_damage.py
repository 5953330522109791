"""A run whose files are not as they were written: found, told, and made anew by the command that made it."""

import json
import shutil
import sqlite3
from contextlib import closing

import pytest

from roomtour.cli.app import main
from roomtour.errors import RoomtourError
from roomtour.files.fingerprint import find_damage, fingerprint
from roomtour.stages.table import STAGE_NAMES
from roomtour.store import MANIFEST, RunStore


def stages(run):
    return json.loads((run / MANIFEST).read_text())["stages"]


@pytest.fixture
def copy(finished_run, tmp_path):
    return shutil.copytree(finished_run, tmp_path / "run")


def test_a_fingerprint_is_of_names_sizes_and_contents(tmp_path):
    folder = tmp_path / "a"
    (folder / "b").mkdir(parents=True)
    (folder / "b" / "x").write_text("one")
    (folder / "y").write_text("three")
    written = fingerprint(folder)
    assert (written.files, written.bytes) == (2, 8)
    assert find_damage(folder, written, by_content=True) is None
    (folder / "y").write_text("eerht")
    assert find_damage(folder, written, by_content=False) is None
    assert find_damage(folder, written, by_content=True) == "changed since it was written"
    (folder / "y").rename(folder / "z")
    (folder / "z").write_text("three")
    assert find_damage(folder, written, by_content=True) == "changed since it was written"
    (folder / "z").write_text("thre")
    assert find_damage(folder, written, by_content=False) == "7 bytes instead of 8"
    (folder / "z").unlink()
    assert find_damage(folder, written, by_content=False) == "1 files instead of 2"
    shutil.rmtree(folder)
    assert find_damage(folder, written, by_content=False) == "missing"


def test_what_a_finished_run_holds_is_what_was_written(finished_run):
    assert all(entry["outputs"] for entry in stages(finished_run).values())
    assert main(["check", str(finished_run)]) == 0


def _delete_frame(run):
    (run / "frames" / "000003.jpg").unlink()


def _cut(name):
    def damage(run):
        path = run / name
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    return damage


def _flip_byte(run):
    path = run / "frames" / "000003.jpg"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


DAMAGES = {
    "frame deleted": ("sample", _delete_frame),
    "scene cut": ("scene", _cut("scene/scene.json")),
    "trajectories cut": ("trajectories", _cut("trajectories/trajectories.jsonl")),
    "rows cut": ("navigation", _cut("navigation/rows.jsonl")),
    "report deleted": ("report", lambda run: (run / "report.html").unlink()),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_the_same_command_makes_anew_what_is_damaged_and_only_that(name, copy, finished_run, short_walk, capsys):
    stage, damage = DAMAGES[name]
    damage(copy)
    assert main(["process", str(short_walk), "--out", str(copy), "--workers", "1"]) == 0
    assert "made anew" in capsys.readouterr().err
    old, new = stages(finished_run), stages(copy)
    assert {each for each in STAGE_NAMES if old.get(each) != new.get(each)} == {stage}
    assert {each: entry["outputs"] for each, entry in new.items() if each != "report"} == {
        each: entry["outputs"] for each, entry in old.items() if each != "report"
    }


def test_check_reads_contents_and_repairs(copy, capsys):
    _flip_byte(copy)
    assert main(["check", str(copy)]) == 1
    said = capsys.readouterr()
    assert f"{copy}: sample: frames: changed since it was written" in said.out
    assert "--repair" in said.err
    assert main(["check", str(copy), "--repair"]) == 0
    assert f"{copy}: sound" in capsys.readouterr().out


def test_data_is_not_made_from_damaged_stages(copy, capsys):
    _cut("scene/scene.json")(copy)
    assert main(["make", str(copy), "--data", "navigation"]) == 1
    assert "roomtour check" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["trajectories/trajectories.jsonl", "navigation/rows.jsonl"])
def test_rows_that_were_lost_do_not_leave_as_a_smaller_dataset(name, copy, capsys, tmp_path):
    (copy / name).write_text("")
    assert main(["export", str(copy), "--format", "jsonl", "--out", str(tmp_path / "out")]) == 1
    assert "is damaged" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_cut_manifest_says_what_to_do(copy):
    _cut(MANIFEST)(copy)
    with pytest.raises(RoomtourError, match="into a new folder"):
        RunStore(copy)


def test_a_database_that_was_only_opened_is_as_it_was_written(tmp_path):
    path = tmp_path / "x.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table t(a)")
        database.commit()
    written = fingerprint(path)
    header = bytearray(path.read_bytes())
    header[27] += 1  # as COLMAP leaves it after reading
    header[95] += 1
    path.write_bytes(header)
    assert fingerprint(path) == written
    with closing(sqlite3.connect(path)) as database:
        database.execute("insert into t values (1)")
        database.commit()
    assert fingerprint(path) != written
