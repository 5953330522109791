"""Runs without their matches and sub-models: everything else is as it was, and what reads them makes them again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import roomtour
from roomtour.cli import main
from roomtour.dropping import drop_intermediates
from roomtour.files.fingerprint import fingerprint
from roomtour.snapshot import snapshot_run
from roomtour.stages.table import STAGES
from roomtour.store import RunStore


@pytest.fixture
def lean_run(finished_run, tmp_path) -> tuple[Path, int]:
    """A copy of the finished run that was dropped from, and the bytes that this freed."""
    shutil.copytree(finished_run, tmp_path / "run")
    return tmp_path / "run", drop_intermediates(tmp_path / "run")


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def list_all_damage(run: Path) -> list[str]:
    store = RunStore(run)
    stages = [stage for stage in STAGES if stage.name in store.stages]
    return [one for stage in stages for one in store.list_damage(stage.name, stage.outputs, by_content=True)]


def test_most_of_a_run_goes_and_everything_that_is_exported_stays(finished_run, lean_run, capfd):
    run, freed = lean_run
    assert size_of(finished_run) - size_of(run) == pytest.approx(freed, abs=4096)  # the manifest says what went
    assert freed > 0.4 * size_of(finished_run)
    assert not (run / "recon" / "database.db").exists()
    assert RunStore(run).stages["features"].dropped == ("recon/database.db",)
    assert list_all_damage(run) == []
    assert main(["check", str(run)]) == 0
    before, after = roomtour.Run(finished_run), roomtour.Run(run)
    assert after.data.rows == before.data.rows
    assert [one.name for one in after.sub_models] == [one.name for one in before.sub_models]
    assert drop_intermediates(run) == 0


def test_the_same_command_again_makes_nothing(finished_run, lean_run, short_walk, capfd):
    run, _ = lean_run
    finished = {name: entry.finished for name, entry in roomtour.Run(run).stages.items()}
    assert main(["process", str(short_walk), "--out", str(run), "--workers", "1"]) == 0
    assert {name: entry.finished for name, entry in roomtour.Run(run).stages.items()} == finished
    assert not (run / "recon" / "database.db").exists()


def test_a_stage_that_reads_them_has_them_made_again_and_the_rest_stays(finished_run, lean_run, short_walk):
    run, _ = lean_run
    before = roomtour.Run(run).stages
    assert main(["process", str(short_walk), "--out", str(run), "--workers", "1", "--force", "merge"]) == 0
    after = roomtour.Run(run).stages
    assert after["features"].dropped == after["sfm"].dropped == ()
    assert fingerprint(run / "recon" / "database.db") == fingerprint(finished_run / "recon" / "database.db")
    assert after["sample"].finished == before["sample"].finished
    assert list_all_damage(run) == []


def test_a_later_stage_needs_them_not(lean_run, short_walk):
    run, _ = lean_run
    before = roomtour.Run(run).stages
    assert main(["process", str(short_walk), "--out", str(run), "--workers", "1", "--force", "plan"]) == 0
    after = roomtour.Run(run).stages
    assert after["features"] == before["features"]
    assert after["plan"].finished >= before["plan"].finished


def test_a_run_that_is_not_finished_keeps_all(finished_run, tmp_path):
    shutil.copytree(finished_run, tmp_path / "run")
    with RunStore(tmp_path / "run").opened() as store:
        store.forget(["report"])
    assert drop_intermediates(tmp_path / "run") == 0
    assert (tmp_path / "run" / "recon" / "database.db").is_file()


def test_a_snapshot_takes_over_what_was_dropped_as_it_is(lean_run, tmp_path):
    run, _ = lean_run
    stages = snapshot_run(run, tmp_path / "copy")
    assert set(stages) == set(roomtour.Run(run).stages)
    assert list_all_damage(tmp_path / "copy") == []
