"""Snapshots of a run whose writer goes on, is killed or wakes up: whatever the order, what they hold is whole."""

import random
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

from roomtour.batch.results.parcels import snapshot_run
from roomtour.errors import RoomtourError
from roomtour.store import RunStore, StageEntry

STAGES = {
    "sample": ("frames", "source.json", "mask.png"),
    "clips": ("frames.parquet", "clips.json"),
    "features": ("recon/database.db",),
    "vision": ("vision/index.json",),
}
REST_ON_IT = {"sample": ("clips", "features", "vision"), "clips": ("features",), "features": (), "vision": ()}


def begin_stage(store: RunStore, stage: str, mark: str) -> None:
    part = store.begin()
    for output in STAGES[stage]:
        path = part / output
        path.parent.mkdir(parents=True, exist_ok=True)
        if output == "frames":
            path.mkdir()
            for number in range(3):
                (path / f"{number}.jpg").write_text(f"{mark} {number}")
        else:
            path.write_text(f"{mark} {output}")


def commit_stage(store: RunStore, stage: str, mark: str) -> None:
    begin_stage(store, stage, mark)
    store.commit(stage, StageEntry(mark, 0.0, 0.0, ""), STAGES[stage], REST_ON_IT[stage])


def require_whole(folder: Path) -> None:
    """Each stage of a run holds what its key says, and nothing of another; read without the code under test."""
    for stage, entry in RunStore(folder).stages.items():
        for output in STAGES[stage]:
            path = folder / output
            texts = [file.read_text() for file in sorted(path.iterdir())] if path.is_dir() else [path.read_text()]
            assert len(texts) == (3 if output == "frames" else 1)
            assert all(text.split()[0] == entry.key for text in texts), (stage, entry.key, texts)


@contextmanager
def interrupted(act, monkeypatch):
    """Call `act` before every rename and every copy, as another process may come in between."""
    rename, copy, busy = Path.replace, shutil.copy2, []

    def come_between() -> None:
        if not busy:
            busy.append(1)
            act()
            busy.pop()

    def replace_later(self, target):
        come_between()
        return rename(self, target)

    def copy_later(source, target):
        come_between()
        return copy(source, target)

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", lambda handle: None)  # no plug is pulled here; it takes minutes
        patch.setattr(Path, "replace", replace_later)
        patch.setattr("roomtour.batch.results.parcels.shutil.copy2", copy_later)
        yield


def test_a_snapshot_holds_what_is_finished_and_nothing_else(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        commit_stage(store, "sample", "a")
        commit_stage(store, "clips", "b")
        (tmp_path / "run" / "vision").mkdir()
        (tmp_path / "run" / "vision" / "0.json").write_text("kept from frame to frame")
        (tmp_path / "run" / "recon").mkdir()
        (tmp_path / "run" / "recon" / "database.db").write_text("of a stage that was struck out")
        begin_stage(store, "features", "c")
        assert snapshot_run(tmp_path / "run", tmp_path / "to") == ("sample", "clips")
    require_whole(tmp_path / "to")
    held = {str(path.relative_to(tmp_path / "to")) for path in (tmp_path / "to").rglob("*") if path.is_file()}
    frames = {f"frames/{number}.jpg" for number in range(3)}
    assert held == frames | {
        "manifest.json",
        "source.json",
        "mask.png",
        "frames.parquet",
        "clips.json",
        "vision/0.json",
    }
    with RunStore(tmp_path / "to").opened() as copy:  # its writer is a new one
        commit_stage(copy, "features", "d")


def test_snapshots_of_a_run_that_is_written_are_whole(tmp_path, monkeypatch):
    rng = random.Random(0)
    run, taken, stages = tmp_path / "run", [0, 0], list(STAGES)

    def take() -> None:
        if rng.random() < 0.5:
            return
        to = tmp_path / "to"
        shutil.rmtree(to, ignore_errors=True)
        taken[1] += len(snapshot_run(run, to))
        taken[0] += 1
        if to.exists():
            require_whole(to)

    with RunStore(run).opened() as store, interrupted(take, monkeypatch):
        number = 0
        while taken[0] < 100:
            number += 1
            commit_stage(store, rng.choice(stages), f"m{number}")
    assert taken[1] > 100  # they held something


def test_what_did_not_come_over_whole_is_left_out_with_all_that_rests_on_it(tmp_path):
    with RunStore(tmp_path / "run").opened() as store:
        for stage in STAGES:
            commit_stage(store, stage, "a")
    (tmp_path / "run" / "clips.json").write_text("cut")
    assert snapshot_run(tmp_path / "run", tmp_path / "to") == ("sample", "vision")
    assert set(RunStore(tmp_path / "to").stages) == {"sample", "vision"}


def test_a_folder_without_a_manifest_gives_nothing_and_one_that_is_there_is_not_written_into(tmp_path):
    assert snapshot_run(tmp_path, tmp_path / "to") == ()
    assert not (tmp_path / "to").exists()
    with pytest.raises(RoomtourError, match="is there already"):
        snapshot_run(tmp_path, tmp_path)
