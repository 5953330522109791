from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from roomtour.export import export_runs, validate_export
from roomtour.export.core.streams import ParquetShards
from roomtour.export.formats.talks import hf
from roomtour.export.formats.talks.hf import HfOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run

VIEWS, TEXTS = "views/train-00000.parquet", "instructions/train-00000.parquet"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run(frames_dir=frames_on_disk(tmp_path / "frames"))], "hf", tmp_path / "made")
    return tmp_path / "made"


def rows(folder: Path, config: str) -> list[dict[str, Any]]:
    return [row for file in sorted(folder.glob(f"{config}/*.parquet")) for row in pq.read_table(file).to_pylist()]


def test_images_are_the_frames_themselves(made: Path) -> None:
    row = rows(made, "views")[4]
    assert row["image"]["bytes"] == (made.parent / "frames" / "000005.jpg").read_bytes()
    assert row["image"]["path"] == "flat/000005.jpg"
    assert row["heading_deg"] == pytest.approx(0.0)


def test_shards_are_bounded_and_nothing_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = make_run(frames_dir=frames_on_disk(tmp_path / "frames"))
    monkeypatch.setattr(hf, "ParquetShards", partial(ParquetShards, max_mb=0.02))
    export_runs([run], "hf", tmp_path / "out")
    files = sorted((tmp_path / "out").glob("views/*.parquet"))
    assert len(files) > 2
    assert all(file.stat().st_size < 40_000 for file in files)
    assert [row["frame"] for row in rows(tmp_path / "out", "views")] == list(range(1, 31))
    assert validate_export(tmp_path / "out") == []


def test_the_card_names_configs_and_splits_that_have_rows_and_no_others(made: Path, tmp_path: Path) -> None:
    def named(folder: Path) -> dict[str, list[str]]:
        header = yaml.safe_load((folder / "README.md").read_text().split("---\n")[1])
        return {one["config_name"]: [file["split"] for file in one["data_files"]] for one in header["configs"]}

    assert named(made) == {"instructions": ["train"], "views": ["train"]}
    assert sorted(path.name for path in made.iterdir() if path.is_dir()) == ["instructions", "views"]
    quiet = replace(make_run("quiet"), rows={})
    export_runs([quiet], "hf", tmp_path / "quiet", HfOptions(images=False, val_share=1.0))
    assert named(tmp_path / "quiet") == {"views": ["val"]}
    assert validate_export(tmp_path / "quiet") == []
    pq.write_table(pq.read_table(made / VIEWS).slice(0, 0), made / VIEWS)
    assert "configs" in {problem.field for problem in validate_export(made)}
