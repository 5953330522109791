"""What is asked of a file or a path before it is used: fingerprints, nested JSON, clouds of points, usable names."""

import shutil
import sqlite3
from contextlib import closing

import numpy as np
import pytest

from roomtour.errors import RoomtourError
from roomtour.files.arrays import read_cloud_file
from roomtour.files.fingerprint import find_damage, fingerprint
from roomtour.files.records import parse_json, read_json, read_jsonl
from tests.support.hostile import NESTED


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


def test_json_nested_without_end_is_refused_as_other_bad_json_is(subtests, tmp_path):
    path = tmp_path / "x.json"
    for text in (NESTED, '{"a":' * 100_000, "[" * 100_000):
        with subtests.test(text[:10]):
            with pytest.raises(ValueError, match="nested too deeply"):
                parse_json(text)
            path.write_text(text)
            for read in (read_json, lambda path: read_jsonl(path, dict)):
                with pytest.raises(RoomtourError, match="not valid JSON: nested too deeply"):
                    read(path)


def test_a_cloud_is_read_whole_or_told_in_one_line(subtests, tmp_path):
    path = tmp_path / "cloud.npy"
    points = np.arange(30, dtype=np.float32).reshape(5, 6)
    np.save(path, points)
    assert read_cloud_file(path).tolist() == points.tolist()
    for name, damaged, reason in (
        ("empty", points[:0], "need float32 (N, 6)"),
        ("no colours", points[:, :3], "need float32 (N, 6)"),
        ("flat", points[0], "need float32 (N, 6)"),
        ("wide", points.astype(float), "is float64"),
        ("nan", points * np.nan, "not finite"),
        ("no array", None, "cannot be read as an array"),
    ):
        with subtests.test(name):
            path.write_bytes(b"") if damaged is None else np.save(path, damaged)
            with pytest.raises(RoomtourError) as told:
                read_cloud_file(path)
            assert reason in str(told.value)
            assert "\n" not in str(told.value)
