"""Files of bounded size: nothing is lost between them, and the checks look into every one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomtour.errors import RoomtourError
from roomtour.export import export_runs, validate_export
from roomtour.export.core.streams import JsonLines, shards
from roomtour.export.formats.actions.write import ActionsOptions
from roomtour.export.formats.jsonl.write import JsonlOptions, read_export
from roomtour.export.options import parse_options
from roomtour.export.registry import get_format
from tests.support.export.made_run import make_run


@given(rows=st.lists(st.text(max_size=40), max_size=40), limit=st.integers(1, 200))
def test_every_row_is_in_one_file_and_no_file_is_too_large(tmp_path_factory, rows: list[str], limit: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "rows.jsonl"
    with JsonLines(path, limit / 2**20) as lines:
        assert lines.add_all(rows) == len(rows)
    files = shards(path)
    read = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert read == rows
    for file in files:
        content = file.read_bytes()
        assert len(content) <= limit or content.count(b"\n") == 1
    assert len(files) == len(list(path.parent.iterdir()))


def test_the_open_format_reads_back_from_its_shards(tmp_path: Path) -> None:
    runs = [make_run(f"home{k}") for k in range(4)]
    export_runs(runs, "jsonl", tmp_path / "small", JsonlOptions(max_shard_mb=0.005))
    export_runs(runs, "jsonl", tmp_path / "large")
    assert len(list((tmp_path / "small").glob("instructions*.jsonl"))) > 1
    assert validate_export(tmp_path / "small") == []
    assert read_export(tmp_path / "small").instructions == read_export(tmp_path / "large").instructions
    assert read_export(tmp_path / "small").observations == read_export(tmp_path / "large").observations


def test_problems_name_the_shard(tmp_path: Path) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out", JsonlOptions(max_shard_mb=0.002))
    file = tmp_path / "out" / "instructions-00001.jsonl"
    file.write_text("no json\n" + file.read_text())
    assert ("instructions-00001.jsonl", 1, "json") in {
        (p.file, p.row, p.field) for p in validate_export(tmp_path / "out")
    }


def test_samples_are_checked_across_shards(tmp_path: Path) -> None:
    export_runs([make_run()], "actions", tmp_path / "out", ActionsOptions(copy_images=False, max_shard_mb=0.005))
    parts = shards(tmp_path / "out" / "samples_train.jsonl")
    assert len(parts) > 2
    assert validate_export(tmp_path / "out") == []
    lines = parts[1].read_text().splitlines()
    parts[1].write_text("\n".join(lines[1:]) + "\n")
    assert "rows" in {problem.field for problem in validate_export(tmp_path / "out")}
    parts[2].unlink()
    assert "files" in {problem.field for problem in validate_export(tmp_path / "out")}


@pytest.mark.parametrize("format", ["jsonl", "actions", "hf"])
def test_a_size_of_nothing_is_refused(format: str) -> None:
    with pytest.raises(RoomtourError, match="max_shard_mb=0: input should be greater than 0"):
        parse_options(get_format(format), ["max_shard_mb=0"])
