"""What every format must hold: it is valid as written, tells what it is, is the same twice, and its check names each
rule that is broken."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from urllib.parse import unquote

import cv2
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import roomtour.export.formats
from recon.findings import Finding
from recon.pictures import decode_picture
from roomtour.browse.page import write_page
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.folder import CARD, MARKER, SUMS, write_sums
from roomtour.export.core.format import ExportFormat
from roomtour.export.registry import FORMATS
from tests.support.export.breaking import GONE, OnFile, broken, cut_to, holding
from tests.support.export.made_datasets import DATASETS, DATASETS_HERE, FORMATS_HERE, MadeDatasets
from tests.support.export.made_run import make_run
from tests.support.export.rules import RULES
from tests.support.export.trainer_readers import TRAINERS
from tests.support.page_rows import read_page

OF_WALKS = sorted(name for name in FORMATS_HERE if not FORMATS[name].kinds or "navigation" in FORMATS[name].kinds)
WRONG = Finding("error", "scene.contradicted", "model 0", "20 of 43 pairs contradict the model")


def test_every_format_is_found_by_its_name_and_has_datasets_and_rules() -> None:
    package = roomtour.export.formats
    modules = [import_module(one.name) for one in walk_packages(package.__path__, f"{package.__name__}.")]
    rows = {one.name: one for module in modules for one in vars(module).values() if isinstance(one, ExportFormat)}
    assert dict(FORMATS) == rows
    assert {made.format for made in DATASETS.values()} == set(FORMATS)
    assert {DATASETS[name].format for name in RULES} == set(FORMATS)


@pytest.mark.parametrize("name", DATASETS_HERE)
def test_a_dataset_is_valid_has_a_card_and_is_the_same_twice(made: MadeDatasets, tmp_path: Path, name: str) -> None:
    folder, format = made[name], DATASETS[name].format
    assert validate_export(folder, format) == []
    card = (folder / CARD).read_text(encoding="utf-8")
    assert "## Convention" in card
    assert "roomtour 0.1.0" in card
    counts = made.report(name).counts
    assert counts["tours"] == len(getattr(made, DATASETS[name].runs))
    facts = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    assert (facts["format"], facts["counts"]) == (format, dict(counts))
    made.export(name, tmp_path / "again")
    files = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    drawn = {".mp4", ".rrd"}  # one encoding in a hundred differs where a side is no 16 pixels; rows have random ids
    if any(path.suffix in drawn for path in files):
        files = [path for path in files if path.suffix not in drawn and path.name != SUMS]
    assert [path for path in files if (tmp_path / "again" / path).read_bytes() != (folder / path).read_bytes()] == []


@pytest.mark.parametrize("name", [name for name in RULES if name in DATASETS_HERE])
def test_every_broken_rule_is_named(
    made: MadeDatasets, name: str, subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, format = made[name], DATASETS[name].format
    capsys.readouterr()  # what was told while it was made
    for file, rules in RULES[name].items():
        for number, (field, change, *told) in enumerate(rules):
            with subtests.test(f"{file}, rule {number}: {field}"):
                with broken(folder, file, change) as path:
                    problems = validate_export(folder, format)
                where = told[0] if told else path.relative_to(folder).as_posix()
                found = {(problem.file, re.sub(r"\[.*", "", problem.field)) for problem in problems}
                assert (where, field) in found, problems
                assert all(problem.expected for problem in problems)
    assert validate_export(folder) == []
    assert capsys.readouterr().out == ""


def test_pictures_and_the_marker_are_checked_without_the_sums(made: MadeDatasets, subtests: pytest.Subtests) -> None:
    folder = made["llava"]
    with broken(folder, SUMS, holding("")), broken(folder, MARKER, cut_to(40)):
        assert MARKER in {problem.file for problem in validate_export(folder, "llava")}
    for name in DATASETS_HERE:
        folder = made[name]
        pictures = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.jpg"))
        for change in (holding("x\n"), holding(""), cut_to(-2)) if name == "llava" else (cut_to(500),):
            if not pictures:
                continue
            with (
                subtests.test(f"{name}: {pictures[0]}"),
                broken(folder, SUMS, holding("")),
                broken(folder, pictures[0], change),
            ):
                assert pictures[0] in {problem.file for problem in validate_export(folder)}


def _cut_inside(path: Path) -> None:
    """Half of what is coded, and the end mark that decoders look for."""
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff\xd9")


def _shrink(path: Path) -> None:
    """Every picture of a table at half its size."""
    table = pq.read_table(path)
    rows = table.to_pylist()
    for row in rows:
        image = decode_picture(row["image"]["bytes"])
        assert image is not None
        row["image"]["bytes"] = cv2.imencode(".jpg", cv2.resize(image, None, fx=0.5, fy=0.5))[1].tobytes()
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)


def _drop_row(path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(pq.read_table(path).slice(1), path)
    else:
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:-2], *lines[-1:]]) if path.suffix == ".json" else b"".join(lines[:-1]))


EDITS: list[tuple[str, str, OnFile]] = [
    ("llava", "images/*/*.jpg", OnFile(_cut_inside)),
    ("hf", "views/*.parquet", OnFile(_shrink)),
    ("llava", "images/*/*.jpg", GONE),
    *((name, file, OnFile(_drop_row)) for name, file in (
        ("llava", "ways_train.json"), ("hf", "views/*.parquet"), ("jsonl", "objects.jsonl"),
    )),
    *((name, file, holding("")) for name, file in (
        ("llava", "ways_train.json"), ("vlmeval", "vqa_train.tsv"), ("tum", "0.txt"),
        ("hf", "views/*.parquet"), ("jsonl", "objects.jsonl"), ("colmap", "0/points3D.txt"),
    )),
]  # fmt: skip
"""Dataset, file, and what somebody did to it."""


def test_what_an_editor_did_shows_though_he_took_the_sums_away_or_made_them_anew(
    made: MadeDatasets, subtests: pytest.Subtests, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, file, edit in EDITS:
        folder = made[name]
        sums = (folder / SUMS).read_bytes()
        with subtests.test(f"{name}: {file}: {edit.change}"), broken(folder, file, edit):
            write_sums(folder)
            assert validate_export(folder)
        (folder / SUMS).write_bytes(sums)
    with broken(made["llava"], SUMS, GONE):
        assert main(["validate", str(made["llava"])]) == 0
        assert SUMS in capsys.readouterr().out


def test_rows_can_be_leafed_through_or_the_format_keeps_none(
    made: MadeDatasets, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    without_pictures = {"jsonl", "r2r", "roomtour3d", "roomtour3d with pictures", "pointllm", "vlnce"}
    for name in DATASETS_HERE:
        dataset = DATASETS[name]
        page = tmp_path / f"{name}.html"
        with subtests.test(name):
            if FORMATS[dataset.format].rows is None:
                with pytest.raises(RoomtourError, match="keeps no rows"):
                    write_page(made[name], page)
                continue
            write_page(made[name], page)
            rows, _ = read_page(page)
            assert all(row["id"] and (row["turns"] or row["lines"] or row["kind"] == "views") for row in rows)
            addresses = {picture["address"] for row in rows for picture in row["pictures"]}
            if name not in without_pictures:
                assert addresses
                assert all((tmp_path / unquote(address)).is_file() for address in addresses)
    keeping_none = {name for name, kind in FORMATS.items() if kind.rows is None}
    of_poses = {"tum", "colmap", "nerfstudio", "gnm", "lerobot", "rerun", "internnav", "waypoints", "embodiedscan"}
    assert keeping_none == of_poses


def test_formats_of_walks_take_tours_from_a_generator_and_none(
    made: MadeDatasets, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    def tours() -> Iterator[RunData]:
        for name in ("two", "rgb"):  # the last is also the name of a folder that some loaders look for
            yield make_run(name, frames_dir=made.walk[0].frames_dir)

    for format in OF_WALKS:
        with subtests.test(format):
            out = tmp_path / format
            report = export_runs(tours(), format, out, FORMATS[format].options(val_share=0.5, seed=1))
            assert report.counts["tours"] == 2
            assert validate_export(out) == []
            entries = json.loads((out / MARKER).read_text())["tours"]
            assert {entry["tour"] for entry in entries} == {"two", "rgb"}
            assert {entry["split"] for entry in entries} == {"train", "val"}
            if format in TRAINERS:
                assert all(TRAINERS[format](out / split) for split in ("train", "val"))
            none = export_runs([], format, tmp_path / "none" / format)
            assert sum(none.counts.values()) == 0
            assert validate_export(tmp_path / "none" / format) == []


def test_a_scale_that_is_not_known_is_refused_by_what_needs_metres(
    made: MadeDatasets, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    run = make_run(status="relative", frames_dir=made.walk[0].frames_dir)
    needing = {name for name, kind in FORMATS.items() if kind.needs_scale}
    assert needing >= {"streamvln", "navila", "uninavid", "internnav", "gnm", "waypoints", "lerobot", "r2r", "vlnce"}
    for format in FORMATS_HERE:
        with subtests.test(format):
            if format in needing:
                with pytest.raises(RoomtourError, match=f"format {format} needs metres"):
                    export_runs([run], format, tmp_path / format)
                assert not (tmp_path / format).exists()
            elif format in OF_WALKS:
                export_runs([run], format, tmp_path / format)
                assert validate_export(tmp_path / format) == []


def test_a_tour_with_an_error_leaves_only_when_asked_and_then_the_card_begins_with_it(
    made: MadeDatasets, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    sound = made.walk[0]
    wrong = make_run("wrong", frames_dir=sound.frames_dir)
    wrong = replace(wrong, scene=replace(wrong.scene, findings=(WRONG,)))
    for format in FORMATS_HERE:
        with subtests.test(format):
            with pytest.raises(RoomtourError, match=r"20 of 43 pairs .*\[scene.contradicted\]; .*--allow-errors"):
                export_runs([wrong], format, tmp_path / format)
            assert not (tmp_path / format).exists()
    for format in ("hf", "tum"):
        export_runs([wrong], format, tmp_path / format, allow_errors=True)
        card = (tmp_path / format / CARD).read_text()
        body = card.split("---\n", 2)[-1] if card.startswith("---") else card  # the hub wants its own lines first
        assert body.lstrip().startswith("> **Errors")
        assert WRONG.message in body.partition("# ")[0]
        assert validate_export(tmp_path / format) == []
    report = export_runs([sound, wrong], "tum", tmp_path / "both")
    assert (report.counts["tours"], report.dropped) == (1, {"tour with an error finding": 1})
    assert [str(found).count("tour wrong") for found in report.findings] == [1]
    assert "Errors" not in (tmp_path / "both" / CARD).read_text()
