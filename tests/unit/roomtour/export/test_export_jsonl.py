from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from roomtour.export import export_runs
from roomtour.export.formats.scenes.jsonl import ROW_TYPES
from tests.support.export.made_run import make_run


def test_classes_of_a_row_share_no_field() -> None:
    for kinds in ROW_TYPES.values():
        names = [field.name for kind in kinds for field in fields(kind)]
        twice = {name for name in names if names.count(name) > 1}
        assert twice <= {"tour"}  # a row of a kind of data names its tour itself, and so does its source


def test_every_row_says_where_it_comes_from(tmp_path: Path) -> None:
    export_runs([make_run()], "jsonl", tmp_path / "out")
    for name in ("scenes", "trajectories", "training", "objects", "instructions"):
        for line in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines():
            row = json.loads(line)
            assert list(row)[:6] == ["tour", "split", "source_file", "source_sha256", "licence", "software"]
            assert (row["tour"], row["licence"], row["software"]) == ("flat", "CC-BY-4.0", "roomtour 0.1.0")
            assert row["scale_status"] == "assumed"
    first = json.loads((tmp_path / "out" / "instructions.jsonl").read_text().splitlines()[0])
    assert first["frame_times_s"] == [f / 3 for f in first["views"]]
    assert (first["writer"], first["perception"], first["seed"]) == ("embedded", "embedded", 7)
    assert first["images"][0] == "000009.jpg"
