"""A takedown names the datasets that hold a tour."""

import json
import shutil
from pathlib import Path

import pytest

from roomtour.batch.again import EXPORTS, find_exports, note_export
from roomtour.batch.ledger import add_row
from roomtour.batch.records import LedgerRow
from roomtour.cli import main
from roomtour.collect.gather import collect
from roomtour.collect.records import CollectOptions
from roomtour.errors import RoomtourError
from roomtour.export.core.folder import fresh_folder, write_marker
from tests.support.tour_videos import pan_over, write_video


def make_job(folder: Path, names: list[str]) -> list[Path]:
    tours = {name: {"source": f"{name}.mp4", "key": "k", "seconds": 30.0} for name in names}
    folder.mkdir()
    (folder / "job.json").write_text(json.dumps({"options": {}, "job": {}, "tours": tours}))
    for name in names:
        add_row(folder, LedgerRow("2026-01-01T00:00:00+00:00", name, 1, "n", "ended", "done"))
        (folder / "runs" / name).mkdir(parents=True)
    return [folder / "runs" / name for name in names]


def export(out: Path, runs: list[Path]) -> None:
    with fresh_folder(out) as folder:
        write_marker(folder, {"tours": [{"tour": run.name} for run in runs]}, [])
    note_export(runs, out)


def test_those_that_hold_it_are_named_and_no_others(tmp_path, capfd):
    runs = make_job(tmp_path / "job", ["a", "b"])
    export(tmp_path / "both", runs)
    export(tmp_path / "only_b", runs[1:])
    export(tmp_path / "moved", runs[:1])
    (tmp_path / "moved").rename(tmp_path / "elsewhere")
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "a"]) == 0
    said = capfd.readouterr().out
    assert f"{tmp_path / 'both'} holds it: export it again" in said
    assert "only_b" not in said
    assert f"{tmp_path / 'moved'} is on record as an export of this job and is not there" in said
    export(tmp_path / "both", runs[1:])  # again, without it
    shutil.rmtree(tmp_path / "elsewhere")
    assert find_exports([tmp_path / "job"], "a") == ([], [tmp_path / "moved"])


def test_what_is_not_on_record_is_said(tmp_path, capfd):
    make_job(tmp_path / "job", ["a"])
    (tmp_path / "runs" / "a").mkdir(parents=True)
    note_export([tmp_path / "runs" / "a"], tmp_path / "out")  # a run of no job
    assert not (tmp_path / EXPORTS).exists()
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "a"]) == 0
    assert "no dataset on record holds it" in capfd.readouterr().out
    (tmp_path / "job" / EXPORTS).write_text("no json\n")
    with pytest.raises(RoomtourError, match=r"exports\.jsonl:1: not valid JSON"):
        find_exports([tmp_path / "job"], "a")


def test_a_run_is_known_by_its_place_however_it_was_named(tmp_path, monkeypatch):
    (run,) = make_job(tmp_path / "job", ["a"])
    (tmp_path / "link").symlink_to(run)
    monkeypatch.chdir(run)
    for number, named in enumerate([tmp_path / "link", Path(), run / ".." / "a"]):
        note_export([named], tmp_path / f"out{number}")
    _, gone = find_exports([tmp_path / "job"], "a")
    assert [path.name for path in gone] == ["out0", "out1", "out2"]


def name_sources(job: Path, videos: Path, names: str) -> None:
    facts = json.loads((job / "job.json").read_text())
    for name in names:
        facts["tours"][name]["source"] = str(videos / f"{name}.mp4")
    (job / "job.json").write_text(json.dumps(facts))


def test_a_takedown_removes_the_video_and_what_lies_beside_it(tmp_path, capfd):
    make_job(tmp_path / "job", ["a", "b"])
    name_sources(tmp_path / "job", tmp_path, "ab")
    for name in "ab":
        for end in (".mp4", ".info.json", ".tour.json"):
            (tmp_path / f"{name}{end}").write_text("{}")
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "b"]) == 0
    assert "b.mp4 is still there" in capfd.readouterr().out
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "a", "--video"]) == 0
    assert sorted(path.name for path in tmp_path.glob("?.*")) == ["b.info.json", "b.mp4", "b.tour.json"]


def test_a_takedown_removes_what_was_collected_of_a_fetched_video(tmp_path, capfd):
    """Its pictures, hashes and vectors lie in the collection; those of other videos stay."""
    out = tmp_path / "set"
    (out / "videos").mkdir(parents=True)
    for name in "ab":
        write_video(out / "videos" / f"{name}.mp4", pan_over(ord(name), 3.0, (90, 160)))
    loose = CollectOptions(min_seconds=0.0, min_short_side=50.0)
    collect([out / "videos"], out, loose, until="duplicates")
    for name in "ab":
        (out / "runs" / name).mkdir(parents=True, exist_ok=True)
        (out / "vectors").mkdir(exist_ok=True)
        (out / "vectors" / f"{name}.npz").touch()
    make_job(tmp_path / "job", ["a", "b"])
    name_sources(tmp_path / "job", out / "videos", "ab")
    assert (out / "hashes" / "a.npz").is_file()
    assert main(["batch", "forget", str(tmp_path / "job"), "--tour", "a", "--video"]) == 0
    left = {str(path.relative_to(out)) for path in out.rglob("*") if path.stem in "ab" and path.stem}
    assert left == {"videos/b.mp4", "vectors/b.npz", "hashes/b.npz", "runs/b"}
