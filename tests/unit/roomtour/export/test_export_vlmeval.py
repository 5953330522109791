"""The format vlmeval: tables read as VLMEvalKit reads them, letters that mean the right option, every rule held."""

from __future__ import annotations

import base64
import csv
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.vlmeval.write import TOO_CLOSE_OPTION, VlmevalOptions
from roomtour.scoring.dataset import read_rows
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client
from tests.unit.roomtour.export.test_export_spatial import make_tour


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> list[RunData]:
    frames = frames_on_disk(tmp_path_factory.mktemp("home") / "frames", 1, 640, 480)
    return [make_tour("home1", frames), make_tour("home2", frames, tall=False)]


@pytest.fixture(scope="module")
def dataset(tours: list[RunData], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("tables") / "out"
    export_runs(tours, "vlmeval", out, kinds=("spatial",))
    return out


def table_of(folder: Path, name: str) -> list[dict[str, str]]:
    csv.field_size_limit(sys.maxsize)
    with (folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def test_the_tables_are_valid(dataset: Path):
    assert validate_export(dataset) == []


@pytest.mark.parametrize("name", ["mcq_train.tsv", "vqa_train.tsv"])
def test_pandas_reads_them_and_every_row_leads_to_a_picture(dataset: Path, name: str):
    pandas = client("pandas")
    data = pandas.read_csv(dataset / name, sep="\t")
    data = data[~pandas.isna(data["image"])]
    assert len(data) == len(table_of(dataset, name)) > 10
    pictures = {str(index): str(image) for index, image in zip(data["index"], data["image"], strict=True)}
    for image in list(pictures.values()):
        if len(image) <= 64:  # the client takes it for the index of another row
            assert len(pictures[image]) > 64
            image = pictures[image]
        assert base64.b64decode(image).startswith(b"\xff\xd8")


def test_the_letter_is_the_truth(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    for row in table_of(dataset, "mcq_train.tsv"):
        source = by_id[row["id"]]
        told = row[row["answer"]]
        if source.truth == "too close":
            assert told == TOO_CLOSE_OPTION
        elif source.correct is not None:
            assert told == source.choices[source.correct]
        assert row["question"] == source.question
        assert row["category"] == source.type


def test_letters_are_even_where_they_decide(dataset: Path):
    letters = Counter(row["answer"] for row in table_of(dataset, "mcq_train.tsv") if row["answer"] != "C")
    assert letters["A"] == pytest.approx(letters["B"], rel=0.02)


def test_numbers_go_into_the_other_table(dataset: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    rows = table_of(dataset, "vqa_train.tsv")
    assert {by_id[row["id"]].family for row in rows} == {"estimate", "ratio"}
    for row in rows:
        assert "A" not in row
        assert row["answer"] == by_id[row["id"]].truth


def test_without_embedding_pictures_lie_beside(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "vlmeval", tmp_path / "out", VlmevalOptions(embed_images=False), kinds=("spatial",))
    assert validate_export(tmp_path / "out") == []
    for row in table_of(tmp_path / "out", "mcq_train.tsv"):
        assert (tmp_path / "out" / row["image_path"]).is_file()
        assert "image" not in row


def test_the_scorer_reads_it(dataset: Path):
    rows = read_rows(dataset)
    assert {row.kind for row in rows} == {"spatial"}
    assert all(row.solution in row.choices for row in rows if row.choices)
    assert any(row.twin for row in rows)


@pytest.mark.parametrize(
    ("name", "field", "change"),
    [
        ("mcq_train.tsv", "index", lambda rows: rows[1].update(index=rows[0]["index"])),
        ("mcq_train.tsv", "id", lambda rows: rows[1].update(id=rows[0]["id"])),
        ("mcq_train.tsv", "question", lambda rows: rows[0].update(question=" ")),
        ("mcq_train.tsv", "answer", lambda rows: rows[0].update(answer="D")),
        ("mcq_train.tsv", "A", lambda rows: rows[0].update(A="")),
        ("mcq_train.tsv", "A", lambda rows: rows[0].update(A=rows[0]["B"])),
        ("mcq_train.tsv", "image", lambda rows: rows[1].update(image="77")),
        ("vqa_train.tsv", "image", lambda rows: rows[0].update(image="x" * 100)),
        ("vqa_train.tsv", "answer", lambda rows: rows[0].update(answer="")),
    ],
)
def test_every_rule_is_held(
    tours: list[RunData], tmp_path: Path, name: str, field: str, change: Callable[[list[dict[str, str]]], None]
):
    export_runs(tours, "vlmeval", tmp_path / "out", kinds=("spatial",))
    rows = table_of(tmp_path / "out", name)
    change(rows)
    with (tmp_path / "out" / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    assert field in {problem.field.split("[")[0] for problem in validate_export(tmp_path / "out")}


def test_a_missing_table_or_column_is_found(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "vlmeval", tmp_path / "out", kinds=("spatial",))
    (tmp_path / "out" / "vqa_train.tsv").unlink()
    (tmp_path / "out" / "mcq_train.tsv").write_text("index\tquestion\n", encoding="utf-8")
    fields = {problem.field for problem in validate_export(tmp_path / "out")}
    assert {"file", "columns"} <= fields
