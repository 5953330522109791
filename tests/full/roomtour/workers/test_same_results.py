"""The number of workers changes how long a run takes, and nothing else: poses, matches, texts, byte for byte."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from roomtour.cli import main

TABLES = {
    "cameras": "camera_id",
    "keypoints": "image_id",
    "descriptors": "image_id",
    "matches": "pair_id",
    "two_view_geometries": "pair_id",
}
TIMES = {"manifest.json", "log.jsonl", "report.html", "recon/merge_log.jsonl"}
"""Files that say when something was done, or how long it took."""
DATABASE = "recon/database.db"
"""Compared row by row; SQLite leaves files beside it where it was read."""


def files(run):
    found = {path.relative_to(run).as_posix(): path for path in sorted(run.rglob("*")) if path.is_file()}
    return {
        name: path.read_bytes() for name, path in found.items() if name not in TIMES and not name.startswith(DATABASE)
    }


def rows(run):
    with closing(sqlite3.connect(f"file:{run / DATABASE}?mode=ro", uri=True)) as database:
        return {
            table: database.execute(f"SELECT * FROM {table} ORDER BY {order}").fetchall()
            for table, order in TABLES.items()
        }


def merge_attempts(run):
    lines = (run / "recon" / "merge_log.jsonl").read_text().splitlines()
    return [{key: value for key, value in json.loads(line).items() if key != "seconds"} for line in lines]


def stages(run):
    """What the manifest says but for the time it took."""
    entries = json.loads((run / "manifest.json").read_text())["stages"]
    timing = {"seconds", "cpu_seconds", "peak_mb", "finished", "outputs"}  # the merge log and the report tell seconds
    return {name: {key: value for key, value in entry.items() if key not in timing} for name, entry in entries.items()}


def require_same(one: Path, other: Path):
    expected, found = files(one), files(other)
    assert list(found) == list(expected)
    assert [name for name, content in found.items() if content != expected[name]] == []
    assert {"scene/scene.json", "trajectories/trajectories.jsonl", "navigation/rows.jsonl"} <= set(found)
    assert rows(other) == rows(one)
    assert merge_attempts(other) == merge_attempts(one)
    assert stages(other) == stages(one)


def test_clips_come_out_and_are_merged_the_same_with_one_and_with_three_workers(short_walk, tmp_path):
    runs = [tmp_path / workers for workers in ("1", "3")]
    for run in runs:
        flags = ["--workers", run.name, "--clips.length-s", "6", "--clips.overlap-s", "2", "--keep", "all"]
        assert main(["process", str(short_walk), "--out", str(run), *flags]) == 0
    assert len(list((runs[0] / "recon" / "clips").glob("*/*/points3D.bin"))) >= 2
    assert "accepted" in (runs[0] / "recon" / "merge_log.jsonl").read_text()
    require_same(*runs)
