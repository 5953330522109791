"""Rows of every kind about pictures in the formats that hold them all: valid, complete, loaded by a client."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import cv2
import pytest

from roomtour.cli import main
from roomtour.export import export_runs, validate_export
from roomtour.export.core.talks.sources import SOURCES, TALK_KINDS
from roomtour.export.registry import FORMATS
from roomtour.kinds import KINDS
from roomtour.run import Run
from tests.support.export.client_stubs import client

TALKS = ("llava", "messages", "hf", "vlmeval")
OTHERS = sorted(name for name, one in FORMATS.items() if one.kinds and "navigation" not in one.kinds)


@pytest.fixture(scope="module")
def run(finished_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The short walk with every kind."""
    folder = tmp_path_factory.mktemp("talks") / "run"
    shutil.copytree(finished_run, folder)
    assert main(["make", str(folder), "--data", *TALK_KINDS]) == 0
    return Run(folder)


def test_every_kind_but_the_texts_has_a_source():
    assert {kind.name for kind in KINDS} == {"navigation", *TALK_KINDS}
    assert len({source.file for source in SOURCES}) == len(SOURCES)


@pytest.mark.parametrize("name", TALKS)
def test_a_dataset_of_all_kinds_is_valid(run: Run, tmp_path: Path, name: str):
    report = export_runs([run.data], name, tmp_path / "out", kinds=TALK_KINDS)
    assert validate_export(tmp_path / "out") == []
    assert report.counts["regions"] == len(run.rows("regions")) > 0


@pytest.mark.parametrize("name", OTHERS)
def test_formats_of_other_kinds_are_valid_and_the_same_twice(run: Run, tmp_path: Path, name: str):
    if not any(run.rows(kind) for kind in FORMATS[name].kinds):
        assert FORMATS[name].kinds == ("spatial",)  # of which the short walk has none; its formats have their own tests
        return
    for out in ("one", "two"):
        export_runs([run.data], name, tmp_path / out)
    assert validate_export(tmp_path / "one") == []
    assert "## Convention" in (tmp_path / "one" / "README.md").read_text(encoding="utf-8")
    sums = [(tmp_path / out / "SHA256SUMS").read_text(encoding="utf-8") for out in ("one", "two")]
    assert sums[0] == sums[1]
    assert len(sums[0].splitlines()) >= 3


def test_messages_hold_every_accepted_row_with_its_pictures(run: Run, tmp_path: Path):
    export_runs([run.data], "messages", tmp_path / "out", kinds=("regions", "dialogues", "programs"))
    rows = [json.loads(line) for line in (tmp_path / "out" / "train.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = {row.id for kind in ("regions", "programs") for row in run.rows(kind)}
    wanted |= {row.id for row in run.rows("dialogues") if row.cloud is None}
    assert {row["id"] for row in rows} == wanted
    assert all(cv2.imread(str(tmp_path / "out" / image)) is not None for row in rows for image in row["images"])


def test_regions_are_drawn_where_their_rows_say(run: Run, tmp_path: Path):
    export_runs([run.data], "llava", tmp_path / "out", kinds=("regions",))
    rows = json.loads((tmp_path / "out" / "regions_train.json").read_text(encoding="utf-8"))
    views = {view.id: view for view in run.region_views}
    source = {row.id: row for row in run.rows("regions")}
    pictures = Counter(row["image"] for row in rows)
    assert len(pictures) == len({source[row["id"]].view for row in rows})
    for row in rows[:20]:
        view = views[source[row["id"]].view]
        drawn = cv2.imread(str(tmp_path / "out" / "images" / row["image"]))
        frame = cv2.imread(str(run.path / "frames" / view.image))
        assert drawn is not None
        assert frame is not None
        assert drawn.shape == frame.shape
        changed = (drawn.astype(int) - frame.astype(int)) != 0
        assert changed.any()
        x0, y0, _, _ = (int(value) for value in view.regions[-1].box_xyxy)
        assert changed[max(y0, 0), max(x0, 0)].any()  # the border of the region drawn last begins in its corner


def test_datasets_loads_every_config(run: Run, tmp_path: Path):
    datasets = client("datasets")
    report = export_runs([run.data], "hf", tmp_path / "hf", kinds=TALK_KINDS)
    for source in SOURCES:
        if not report.counts[source.kind]:
            continue
        loaded = datasets.load_dataset(
            str(tmp_path / "hf"), source.file, split="train", cache_dir=str(tmp_path / "cache")
        )
        assert loaded.num_rows == report.counts[source.kind]
        turns = ("questions", "answers") if source.has_many_turns else ("question", "answer")
        assert {*turns, "images", "type", "ground_truth", *source.columns} <= set(loaded.column_names)


@pytest.mark.parametrize(
    ("change", "reason"),
    [(lambda data: data[: len(data) // 2], "cut short"), (lambda _: b"", "is empty"), (lambda _: b"x\n", "decoded")],
    ids=["cut", "empty", "text"],
)
@pytest.mark.parametrize("name", ["llava", "messages", "hf", "nerfstudio", "lerobot"])
def test_a_broken_picture_does_not_leave(
    run: Run, tmp_path: Path, name: str, change, reason: str, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "run"
    shutil.copytree(run.path, folder)
    for path in sorted((folder / "frames").glob("*.jpg")):
        path.write_bytes(change(path.read_bytes()))
    assert main(["export", str(folder), "--format", name, "--out", str(tmp_path / "out")]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert reason in line
    assert not (tmp_path / "out").exists()


def test_whatever_is_changed_after_the_export_is_found(run: Run, tmp_path: Path):
    export_runs([run.data], "hf", tmp_path / "out", kinds=("regions",))
    shard = next((tmp_path / "out" / "views").glob("*.parquet"))
    data = bytearray(shard.read_bytes())
    data[len(data) // 3] ^= 0xFF  # inside a picture
    shard.write_bytes(data)
    assert validate_export(tmp_path / "out")
    export_runs([run.data], "llava", tmp_path / "out", kinds=("regions",))
    picture = next((tmp_path / "out" / "images" / "drawn").rglob("*.png"))
    picture.unlink()
    assert validate_export(tmp_path / "out")
    export_runs([run.data], "llava", tmp_path / "out", kinds=("regions",))
    marker = tmp_path / "out" / "export.json"
    marker.write_text(marker.read_text(encoding="utf-8")[:40], encoding="utf-8")
    assert validate_export(tmp_path / "out", "llava")
    export_runs([run.data], "messages", tmp_path / "other", kinds=("regions",))
    (tmp_path / "other" / "SHA256SUMS").unlink()  # changed on purpose
    assert validate_export(tmp_path / "other") == []
