"""Runs without their matches and unmerged models, as they are by default: what reads them makes them again."""

import shutil
from pathlib import Path

import pytest

import roomtour
from roomtour.cli import main
from roomtour.dropping import drop_intermediates
from roomtour.errors import RoomtourError
from roomtour.files.disk import count_bytes
from roomtour.plots import draw_matches
from roomtour.stages.table import STAGES
from roomtour.store import RunStore


def list_all_damage(run: Path) -> list[str]:
    store = RunStore(run)
    stages = [stage for stage in STAGES if stage.name in store.stages]
    return [one for stage in stages for one in store.list_damage(stage.name, stage.outputs, by_content=True)]


def process(video: Path, run: Path, *words: str) -> int:
    return main(["process", str(video), "--out", str(run), "--workers", "1", *words])


def test_what_reads_them_has_them_made_again_as_they_were(finished_run, kept_run):
    written, again = (roomtour.Run(run).stages for run in (finished_run, kept_run))
    assert not RunStore(kept_run).has_dropped
    for stage in ("features", "sfm"):
        assert written[stage].dropped
        assert again[stage].outputs == written[stage].outputs
    assert again["sample"].finished == written["sample"].finished
    assert list_all_damage(kept_run) == []
    frames = roomtour.Run(kept_run).scene.models[0].frames
    assert draw_matches(roomtour.Run(kept_run), frames[0], frames[1])
    with pytest.raises(RoomtourError, match="--keep all"):
        draw_matches(roomtour.Run(finished_run), frames[0], frames[1])


def test_most_of_a_run_goes_and_everything_that_is_exported_stays(kept_run, tmp_path):
    run = Path(shutil.copytree(kept_run, tmp_path / "run"))
    freed = drop_intermediates(run)
    assert count_bytes(kept_run) - count_bytes(run) == pytest.approx(freed, abs=4096)  # the manifest says what went
    assert freed > 0.5 * count_bytes(kept_run)
    assert list_all_damage(run) == []
    assert main(["check", str(run)]) == 0
    before, after = roomtour.Run(kept_run), roomtour.Run(run)
    assert after.data.rows == before.data.rows
    assert [one.name for one in after.sub_models] == [one.name for one in before.sub_models]
    assert drop_intermediates(run) == 0
