"""One dataset of several tours: its folder, its splits, its options in words, files of bounded size, and its check."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.folder import SUMS
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.core.streams import open_lines, shards
from roomtour.export.formats.scenes import jsonl
from roomtour.export.registry import get_format, parse_options
from tests.support.export.breaking import GONE, OnFile, broken, holding
from tests.support.export.jsonl_reader import read_export
from tests.support.export.made_datasets import MadeDatasets
from tests.support.export.made_run import make_run


@pytest.fixture
def run(made: MadeDatasets) -> RunData:
    return made.walk[0]


def test_earlier_export_is_replaced(tmp_path: Path, run: RunData) -> None:
    assert export_runs([run], "jsonl", tmp_path / "out").replaced is None
    replaced = export_runs([run], "tum", tmp_path / "out").replaced
    assert replaced is not None
    assert (replaced["format"], replaced["tours"][0]["tour"]) == ("jsonl", run.scene.id)
    left = sorted(entry.name for entry in (tmp_path / "out").iterdir())
    assert left == ["0.txt", "README.md", "SHA256SUMS", "export.json"]


def test_folder_of_something_else_is_left_alone(tmp_path: Path, run: RunData) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    with pytest.raises(RoomtourError, match=r"holds 1 files that no export wrote, .*'thesis.tex'"):
        export_runs([run], "tum", tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "mine"


@pytest.mark.parametrize("name", ["notes.md", "0/notes.md", "README.md"])
def test_what_people_added_to_an_export_or_changed_in_it_is_not_deleted(
    tmp_path: Path, run: RunData, name: str
) -> None:
    export_runs([run], "colmap", tmp_path / "out")
    (tmp_path / "out" / name).write_text("mine")
    with pytest.raises(RoomtourError, match=name):
        export_runs([run], "colmap", tmp_path / "out")
    assert (tmp_path / "out" / name).read_text() == "mine"


def test_failure_half_way_leaves_the_earlier_export_and_nothing_else(tmp_path: Path, run: RunData) -> None:
    def yield_broken() -> Iterator[RunData]:
        yield make_run("one")
        yield make_run("two")
        raise KeyboardInterrupt

    export_runs([run], "jsonl", tmp_path / "sets" / "out")
    before = (tmp_path / "sets" / "out" / "scenes.jsonl").read_bytes()
    with pytest.raises(KeyboardInterrupt):
        export_runs(yield_broken(), "jsonl", tmp_path / "sets" / "out")
    assert (tmp_path / "sets" / "out" / "scenes.jsonl").read_bytes() == before
    assert [entry.name for entry in (tmp_path / "sets").iterdir()] == ["out"]


def test_leftovers_of_a_killed_export_are_cleared(tmp_path: Path, run: RunData) -> None:
    """What a kill between any two renames can leave behind."""
    export_runs([run], "jsonl", tmp_path / "out.old")
    export_runs([run], "jsonl", tmp_path / "out.part")
    (tmp_path / "out.part" / "export.json").write_text('{"made_by": "roomtour", "unfinished": true}')
    export_runs([run], "tum", tmp_path / "out")
    assert not (tmp_path / "out.old").exists()
    assert not (tmp_path / "out.part").exists()
    assert validate_export(tmp_path / "out") == []


def test_tour_name_that_would_break_ids_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match="may hold letters"):
        export_runs([make_run("a|b")], "jsonl", tmp_path / "out")


def test_splits_are_by_tour_seeded_and_do_not_move() -> None:
    options = ExportOptions(val_share=0.2, seed=3)
    tours = [f"tour{k}" for k in range(2000)]
    val = [tour for tour in tours if options.split_of(tour) == "val"]
    assert 0.16 < len(val) / len(tours) < 0.24
    assert val != [tour for tour in tours if ExportOptions(val_share=0.2, seed=4).split_of(tour) == "val"]
    assert {ExportOptions().split_of(tour) for tour in tours} == {"train"}
    assert {ExportOptions(val_share=1.0).split_of(tour) for tour in tours} == {"val"}
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="need 0 to 1"):
            ExportOptions(val_share=share)


def test_what_cannot_be_checked_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "poem").mkdir()
    (tmp_path / "poem" / "poem.txt").write_text("one two\n")
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "export.json").write_text('{"made_by": "roomtour", "unfinished": true}')
    for name, format, words in (
        ("nowhere", None, "no such folder"),
        ("poem", None, "name it with --format"),
        ("poem", "x", "no export format 'x'"),
        ("half", None, "not finished"),
    ):
        with pytest.raises(RoomtourError, match=words):
            validate_export(tmp_path / name, format)


def test_a_card_and_files_that_are_gone_are_found(tmp_path: Path) -> None:
    export_runs([make_run(models=2)], "tum", tmp_path / "out")
    for name in ("README.md", "1.txt"):
        with broken(tmp_path / "out", name, GONE):
            assert [name in problem.expected for problem in validate_export(tmp_path / "out")] == [True]


def test_flipped_bytes_of_a_picture_in_parquet_are_found_without_the_sums(
    made: MadeDatasets, subtests: pytest.Subtests
) -> None:
    for name, file, column in (
        ("hf", "views/train-00000.parquet", "image.bytes"),
        ("lerobot", "data/chunk-000/file-000.parquet", "observation.images.camera.bytes"),
    ):
        group = pq.ParquetFile(made[name] / file).metadata.row_group(0)
        (chunk,) = [one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == column]
        end = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
        start = chunk.data_page_offset + 200  # behind the page's head, which holds no picture
        for share in (0.2, 0.5, 0.9):

            def flip(path: Path, place: int = start + int(share * (end - start))) -> None:
                content = bytearray(path.read_bytes())
                content[place] ^= 0x10
                path.write_bytes(content)

            with (
                subtests.test(f"{name} at {share}"),
                broken(made[name], SUMS, holding("")),
                broken(made[name], file, OnFile(flip)),
            ):
                assert (file, "parquet") in {(one.file, one.field) for one in validate_export(made[name])}


def test_word_that_does_not_fit_is_one_line(subtests: pytest.Subtests) -> None:
    for word, message in (
        ("references", "references: format llava takes name=value with val_share, seed, min_rating, licences, hide,"),
        ("colour=red", "colour=red: format llava takes"),
        ("references=other", "references=other: input should be 'names'"),
        ("max_images=x", "max_images=x: input should be a valid integer"),
        ("val_share=2", "val_share=2: input should be less than or equal to 1"),
        ("max_images=1", "max_images=1: input should be greater than or equal to 2"),
    ):
        with subtests.test(word):
            with pytest.raises(RoomtourError) as error:
                parse_options(get_format("llava"), [word])
            assert str(error.value).startswith(f"--options {message}")
            assert "\n" not in str(error.value)


@given(rows=st.lists(st.text(max_size=40), max_size=40), limit=st.integers(1, 200))
def test_every_row_is_in_one_file_and_no_file_is_too_large(tmp_path_factory, rows: list[str], limit: int) -> None:
    path = tmp_path_factory.mktemp("lines") / "rows.jsonl"
    with open_lines(path, limit / 2**20) as add:
        for row in rows:
            add(row)
    files = shards(path)
    read = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").split("\n") if line]
    assert read == rows
    for file in files:
        content = file.read_bytes()
        assert len(content) <= limit or content.count(b"\n") == 1
    assert len(files) == len(list(path.parent.iterdir()))


def test_the_open_format_reads_back_from_its_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [make_run(f"home{k}") for k in range(4)]
    export_runs(runs, "jsonl", tmp_path / "large")
    monkeypatch.setattr(jsonl, "MOST_MB", 0.005)
    export_runs(runs, "jsonl", tmp_path / "small")
    assert len(list((tmp_path / "small").glob("instructions*.jsonl"))) > 1
    assert validate_export(tmp_path / "small") == []
    assert read_export(tmp_path / "small").instructions == read_export(tmp_path / "large").instructions
    assert read_export(tmp_path / "small").observations == read_export(tmp_path / "large").observations
