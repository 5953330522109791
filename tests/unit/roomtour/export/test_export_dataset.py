from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.core.sums import SUMS
from roomtour.export.registry import FORMATS
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_run

ALL = sorted(name for name, one in FORMATS.items() if not one.kinds or "navigation" in one.kinds)
"""Formats for a run with poses and texts; those of the other kinds of data are tried in `test_export_talks.py`."""


@pytest.fixture
def run(tmp_path: Path) -> RunData:
    return make_run(frames_dir=frames_on_disk(tmp_path / "frames"))


@pytest.mark.parametrize("format", ALL)
def test_every_format_has_a_card_and_validates(tmp_path: Path, run: RunData, format: str) -> None:
    report = export_runs([run], format, tmp_path / "out")
    assert validate_export(tmp_path / "out") == []
    card = (tmp_path / "out" / "README.md").read_text()
    assert "**assumed** metres" in card
    assert "CC-BY-4.0" in card
    assert "roomtour 0.1.0" in card
    assert report.counts["tours"] == 1
    assert json.loads((tmp_path / "out" / "export.json").read_text())["counts"] == dict(report.counts)


@pytest.mark.parametrize("format", ALL)
def test_two_exports_of_one_run_are_equal_byte_by_byte(tmp_path: Path, run: RunData, format: str) -> None:
    export_runs([run], format, tmp_path / "a")
    export_runs([run], format, tmp_path / "b")
    files = sorted(file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*") if file.is_file())
    assert files
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


@pytest.mark.parametrize("format", ALL)
def test_format_is_told_from_the_files_alone(tmp_path: Path, run: RunData, format: str) -> None:
    export_runs([run], format, tmp_path / "out")
    (tmp_path / "out" / "export.json").unlink()
    assert validate_export(tmp_path / "out") == validate_export(tmp_path / "out", format) == []


@pytest.mark.parametrize("format", ALL)
def test_several_tours_come_from_a_generator_into_one_dataset(tmp_path: Path, run: RunData, format: str) -> None:
    def tours() -> Iterator[RunData]:
        for name in ("one", "two", "three"):
            yield make_run(name, frames_dir=run.frames_dir)

    report = export_runs(tours(), format, tmp_path / "out", FORMATS[format].options(val_share=0.5, seed=1))
    assert report.counts["tours"] == 3
    assert validate_export(tmp_path / "out") == []
    facts = json.loads((tmp_path / "out" / "export.json").read_text())
    assert {entry["tour"]: entry["split"] for entry in facts["tours"]}.keys() == {"one", "two", "three"}


def test_unknown_format_names_the_known_ones(tmp_path: Path, run: RunData) -> None:
    with pytest.raises(RoomtourError, match=r"no export format 'coco'\. Known: roomtour3d, tum, colmap, jsonl"):
        export_runs([run], "coco", tmp_path / "out")


def test_earlier_export_is_replaced(tmp_path: Path, run: RunData) -> None:
    export_runs([run], "jsonl", tmp_path / "out")
    export_runs([run], "tum", tmp_path / "out")
    left = sorted(entry.name for entry in (tmp_path / "out").iterdir())
    assert left == ["0.txt", "README.md", "SHA256SUMS", "export.json"]


def test_folder_of_something_else_is_left_alone(tmp_path: Path, run: RunData) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").write_text("mine")
    with pytest.raises(RoomtourError, match=r"holds 1 files that no export wrote \(such as 'thesis.tex'\)"):
        export_runs([run], "tum", tmp_path / "out")
    assert (tmp_path / "out" / "thesis.tex").read_text() == "mine"


def test_file_added_to_an_export_is_not_deleted(tmp_path: Path, run: RunData) -> None:
    export_runs([run], "tum", tmp_path / "out")
    (tmp_path / "out" / "notes.md").write_text("mine")
    with pytest.raises(RoomtourError, match=r"notes\.md"):
        export_runs([run], "tum", tmp_path / "out")
    assert (tmp_path / "out" / "notes.md").exists()


def test_foreign_part_folder_is_not_deleted(tmp_path: Path, run: RunData) -> None:
    (tmp_path / "out.part").mkdir()
    (tmp_path / "out.part" / "mine").touch()
    with pytest.raises(RoomtourError, match=r"out\.part"):
        export_runs([run], "tum", tmp_path / "out")
    assert (tmp_path / "out.part" / "mine").exists()


def test_out_that_is_a_file_or_a_link_is_refused(tmp_path: Path, run: RunData) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("file", "link"):
        with pytest.raises(RoomtourError, match="is a link or a file"):
            export_runs([run], "tum", tmp_path / name)


def test_folder_that_cannot_be_made_is_one_line(tmp_path: Path, run: RunData) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RoomtourError, match="cannot be written"):
        export_runs([run], "tum", tmp_path / "file" / "out")


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


def test_two_tours_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RoomtourError, match="tour flat: two runs have this name"):
        export_runs([make_run(), make_run()], "jsonl", tmp_path / "out")


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


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_share_out_of_range_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="need 0 to 1"):
        ExportOptions(val_share=share)


def test_no_runs_give_an_empty_dataset(tmp_path: Path) -> None:
    for format in ALL:
        report = export_runs([], format, tmp_path / format)
        assert sum(report.counts.values()) == 0
        assert validate_export(tmp_path / format) == []


def test_options_of_another_format_are_refused(tmp_path: Path, run: RunData) -> None:
    with pytest.raises(RoomtourError, match="takes ColmapOptions, got ExportOptions"):
        export_runs([run], "colmap", tmp_path / "out", ExportOptions())


class TestValidate:
    def test_missing_folder(self, tmp_path: Path) -> None:
        with pytest.raises(RoomtourError, match="no such folder"):
            validate_export(tmp_path / "nowhere")

    def test_folder_of_no_format(self, tmp_path: Path) -> None:
        (tmp_path / "poem.txt").write_text("one two\n")
        with pytest.raises(RoomtourError, match="looks like no known format"):
            validate_export(tmp_path)

    def test_unknown_format(self, tmp_path: Path) -> None:
        with pytest.raises(RoomtourError, match="no export format 'x'"):
            validate_export(tmp_path, "x")

    def test_unfinished_export(self, tmp_path: Path) -> None:
        (tmp_path / "export.json").write_text('{"made_by": "roomtour", "unfinished": true}')
        with pytest.raises(RoomtourError, match="not finished"):
            validate_export(tmp_path)

    def test_missing_card_and_section(self, tmp_path: Path, run: RunData) -> None:
        export_runs([run], "tum", tmp_path / "out")
        card = tmp_path / "out" / "README.md"
        card.write_text(card.read_text().replace("## Dropped", "## Lost"))
        assert ["## Dropped" in problem.expected for problem in validate_export(tmp_path / "out")] == [True]
        card.unlink()
        assert {(problem.file, problem.field) for problem in validate_export(tmp_path / "out")} >= {
            ("README.md", "card")
        }

    def test_listed_file_that_is_gone(self, tmp_path: Path) -> None:
        export_runs([make_run(models=2)], "tum", tmp_path / "out")
        (tmp_path / "out" / "1.txt").unlink()
        assert [problem.file for problem in validate_export(tmp_path / "out")] == ["export.json"]


class TestValidatePictures:
    @pytest.mark.parametrize("format", ["nerfstudio", "gnm", "llava", "messages", "actions"])
    def test_every_picture_is_decoded_with_or_without_the_sums(self, tmp_path: Path, run: RunData, format: str) -> None:
        export_runs([run], format, tmp_path / "out")
        (tmp_path / "out" / SUMS).unlink()
        path = min((tmp_path / "out").rglob("*.jpg"))
        whole = path.read_bytes()
        for broken in (b"x\n", b"", whole[: len(whole) // 2], whole[:-2]):
            path.write_bytes(broken)
            found = [problem.file for problem in validate_export(tmp_path / "out")]
            assert path.relative_to(tmp_path / "out").as_posix() in found

    @pytest.mark.parametrize("format", ALL)
    def test_a_cut_marker_is_a_problem_without_the_sums(self, tmp_path: Path, run: RunData, format: str) -> None:
        export_runs([run], format, tmp_path / "out")
        (tmp_path / "out" / SUMS).unlink()
        marker = tmp_path / "out" / "export.json"
        marker.write_bytes(marker.read_bytes()[:40])
        assert "export.json" in {problem.file for problem in validate_export(tmp_path / "out", format)}

    @pytest.mark.parametrize(
        ("format", "file", "column"),
        [
            ("hf", "views/train-00000.parquet", "image.bytes"),
            ("lerobot", "data/chunk-000/file-000.parquet", "observation.images.camera.bytes"),
        ],
    )
    def test_flipped_bytes_of_a_picture_in_parquet_are_found_without_the_sums(
        self, tmp_path: Path, run: RunData, format: str, file: str, column: str
    ) -> None:
        export_runs([run], format, tmp_path / "out")
        (tmp_path / "out" / SUMS).unlink()
        path = tmp_path / "out" / file
        assert validate_export(tmp_path / "out") == []
        whole = path.read_bytes()
        group = pq.ParquetFile(path).metadata.row_group(0)
        (chunk,) = [one for one in map(group.column, range(group.num_columns)) if one.path_in_schema == column]
        end = (chunk.dictionary_page_offset or chunk.data_page_offset) + chunk.total_compressed_size
        start = chunk.data_page_offset + 200  # behind the page's head, which holds no picture
        for share in (0.2, 0.5, 0.9):
            flipped = bytearray(whole)
            flipped[start + int(share * (end - start))] ^= 0x10
            path.write_bytes(flipped)
            assert (file, "parquet") in {(one.file, one.field) for one in validate_export(tmp_path / "out")}
