"""Rows about marks and things in every form of reference, in every format that holds them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from instructions.perception.masks import decode_mask
from instructions.questions.core.records import TOO_CLOSE
from instructions.records import MaskRle
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.ledger import BalanceOptions, ExportOptions
from roomtour.export.core.talks.references import POINT_BOX_SHARE, ReferenceOptions, References
from roomtour.export.formats.regions.swift import SwiftOptions
from roomtour.export.formats.talks.hf import HfOptions
from roomtour.export.formats.talks.llava import LlavaOptions
from roomtour.export.formats.talks.messages import MessagesOptions
from roomtour.export.formats.talks.vlmeval import VlmevalOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.mark_rows import SPOTS, make_alike_tour, make_marked_tour

OPTIONS: Mapping[str, Callable[..., ExportOptions]] = {
    "messages": MessagesOptions,
    "llava": LlavaOptions,
    "hf": HfOptions,
    "vlmeval": VlmevalOptions,
    "verl": ReferenceOptions,
}


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> RunData:
    return make_marked_tour("home1", frames_on_disk(tmp_path_factory.mktemp("marked") / "frames", 2, 640, 480))


def export(tour: RunData, out: Path, options: ExportOptions, name: str = "messages") -> Path:
    report = export_runs([tour], name, out, options, kinds=("spatial",))
    assert validate_export(out) == []
    assert report.counts
    return out


def rows_of(folder: Path) -> dict[str, dict[str, Any]]:
    lines = (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()
    return {row["id"].removeprefix("home1_"): row for row in map(json.loads, lines)}


def question_of(row: dict[str, Any]) -> str:
    return row["messages"][0]["content"].replace("<image>", "")


@pytest.mark.parametrize("references", ["names", "both"])
@pytest.mark.parametrize("name", OPTIONS)
def test_formats_hold_names_alone_and_all_that_tells_of_places(
    tour: RunData, tmp_path: Path, name: str, references: str
):
    export(tour, tmp_path / "out", OPTIONS[name](references=references), name)


def test_by_default_marks_are_drawn_once_and_things_are_named(tour: RunData, tmp_path: Path):
    out = export(tour, tmp_path / "out", MessagesOptions(balance=False))
    rows = rows_of(out)
    for name, row in rows.items():
        is_mark = bool(re.fullmatch(r"q\d", name))
        assert all(("drawn/" in image) == is_mark for image in row["images"])
    assert rows["q1"]["images"] == rows["q2"]["images"]  # the same marks in the same view
    # Of the first view mark 1, marks 1 and 2, and all three; of the second mark 2.
    assert len(list((out / "images" / "drawn").rglob("*.jpg"))) == 4
    plain = cv2.imread(str(tour.frames_dir / "000001.jpg"))
    drawn = cv2.imread(str(out / rows["q1"]["images"][0]))
    assert plain is not None
    assert drawn is not None
    changed = np.argwhere(np.abs(drawn.astype(int) - plain).max(axis=2) > 40)[:, ::-1]
    near = [np.linalg.norm(changed - SPOTS[one], axis=1) < 45 for one in (1, 2)]
    assert min(map(np.sum, near)) > 20
    assert (near[0] | near[1]).all()


def test_things_become_marks_with_numbers_of_their_own(tour: RunData, tmp_path: Path):
    sources = {row.id: row for row in tour.rows["spatial"]}
    rows = rows_of(export(tour, tmp_path / "out", MessagesOptions(references="marks", balance=False)))
    named = {name: row for name, row in rows.items() if f"home1_{name}" in sources and not name.startswith("q")}
    assert named or any(one.category for row in sources.values() for one in row.references)
    for row in rows.values():
        source = sources[row["id"]]
        if source.references[0].mark is not None:
            continue
        text = " ".join([question_of(row), row["messages"][1]["content"], *row["choices"], row["solution"]]).lower()
        assert all(one.phrase.lower() not in text for one in source.references)
        assert all(f"mark {place}" in text for place, _ in enumerate(source.references, start=1))
        assert "drawn/" in row["images"][0]
        if source.form == "choice" and source.correct is not None:
            assert row["solution"] == row["choices"][source.correct]
            assert json.loads(row["reward"])["truth"] == row["solution"]


def test_numbers_in_the_text_say_where_marks_and_things_are(tour: RunData, tmp_path: Path):
    points = rows_of(export(tour, tmp_path / "points", MessagesOptions(references="points", balance=False)))
    assert question_of(points["q1"]) == "Which is nearer, [100, 250] or [750, 625]?"
    assert points["q1"]["choices"] == ["[100, 250]", "[750, 625]"]
    assert points["q1"]["solution"] == "[100, 250]"
    assert points["q1"]["messages"][1]["content"] == "[100, 250] is nearer."
    assert json.loads(points["q1"]["reward"])["truth"] == "[100, 250]"
    pixels = MessagesOptions(references="boxes", box_text="pixels", balance=False)
    boxes = rows_of(export(tour, tmp_path / "boxes", pixels))
    x0, y0, x1, y1 = map(int, re.findall(r"\d+", boxes["q1"]["solution"]))
    assert ((x0 + x1) / 2, (y0 + y1) / 2) == SPOTS[1]
    assert x1 - x0 == y1 - y0 == round(POINT_BOX_SHARE * 480)
    for row in (*points.values(), *boxes.values()):
        assert not any("drawn/" in image for image in row["images"])


def test_marks_that_texts_speak_of_otherwise_are_introduced(tour: RunData, tmp_path: Path):
    rows = rows_of(export(tour, tmp_path / "out", MessagesOptions(references="points", balance=False)))
    order = question_of(rows["q3"])
    assert order.startswith(
        "Mark 1 is [100, 250], mark 2 is [750, 625] and mark 3 is [500, 125]. Sort marks 1, 2 and 3"
    )
    assert (rows["q3"]["solution"], rows["q3"]["choices"][1]) == ("1, 3, 2", "1, 3, 2")
    assert question_of(rows["q4"]).startswith("Mark 1 is [100, 250]. How far")
    two = question_of(rows["q5"])
    assert two.startswith("Mark 1 is [100, 250] of the first picture and mark 2 is [750, 625] of the second picture. ")
    assert rows["q5"]["messages"][0]["content"].count("<image>") == len(rows["q5"]["images"]) == 2


def test_places_are_told_in_pixels_and_checked(tour: RunData, tmp_path: Path):
    out = export(tour, tmp_path / "out", MessagesOptions(balance=False))
    rows = rows_of(out)
    assert [one["spot"] for one in rows["q5"]["places"]] == [list(SPOTS[1]), list(SPOTS[2])]
    assert [one["picture"] for one in rows["q5"]["places"]] == [0, 1]
    rows["q5"]["places"][1]["spot"] = [700.0, 300.0]
    rows["q1"]["places"][0]["picture"] = 1
    (out / rows["q3"]["images"][0]).unlink()
    lines = "".join(json.dumps(row) + "\n" for row in rows.values())
    (out / "train.jsonl").write_text(lines, encoding="utf-8")
    found = {problem.field for problem in validate_export(out)}
    assert {"places.spot", "places.picture", "images"} <= found


def test_regions_are_disks_at_points(tour: RunData, tmp_path: Path):
    report = export_runs([tour], "osprey", tmp_path / "osprey", BalanceOptions(balance=False), kinds=("spatial",))
    assert validate_export(tmp_path / "osprey") == []
    items = {one["id"]: one for one in json.loads((tmp_path / "osprey" / "osprey_train.json").read_text())}
    assert report.dropped["spatial: about more than one picture"] == 1
    assert "home1_q5" not in items
    item = items["home1_q1"]
    assert item["conversations"][0]["value"] == "Which is nearer, <region1> or <region2>?"
    for one, number in zip(item["annotation"], (1, 2), strict=True):
        runs = one["segmentation"]
        rows, columns = np.nonzero(decode_mask(MaskRle(runs["size"][0], runs["size"][1], tuple(runs["counts"]))))
        assert np.allclose((columns.mean() + 0.5, rows.mean() + 0.5), SPOTS[number], atol=0.1)
        assert len(rows) == pytest.approx(np.pi * 8**2, rel=0.1)
    report = export_runs([tour], "spatialrgpt", tmp_path / "rgpt", BalanceOptions(balance=False))
    assert validate_export(tmp_path / "rgpt") == []
    rows = {one["id"]: one for one in json.loads((tmp_path / "rgpt" / "train.json").read_text())}
    assert report.dropped["about more than one picture"] == 1
    assert rows["home1_q3"]["conversations"][0]["value"].startswith("<image>\nMark 1 is <mask>, mark 2 is <mask> and")
    assert len(rows["home1_q3"]["rle"]) == 3


def test_swift_has_a_point_for_each_mark_and_its_picture(tour: RunData, tmp_path: Path):
    out = export(tour, tmp_path / "out", SwiftOptions(balance=False), "swift")
    lines = (out / "swift_train.jsonl").read_text(encoding="utf-8").splitlines()
    rows = {row["id"]: row for row in map(json.loads, lines)}
    two = rows["home1_q5"]
    assert two["messages"][0]["content"].startswith("<image><image>Mark 1 is <ref-object><bbox> of the first picture")
    assert two["objects"]["bbox"] == [list(SPOTS[1]), list(SPOTS[2])]
    assert two["objects"]["image_id"] == [0, 1]
    assert rows["home1_q1"]["messages"][0]["content"].count("<bbox>") == 2


@pytest.mark.parametrize("references", ["names", "boxes", "points", "both"])
def test_a_marked_thing_is_its_box_in_every_form(tmp_path: Path, references: References):
    alike = make_alike_tour("home1", frames_on_disk(tmp_path / "frames", 1, 640, 480))
    told = [row for row in alike.rows["spatial"] if row.form == "thing" and row.truth != TOO_CLOSE]
    assert told
    out = export(alike, tmp_path / "out", MessagesOptions(references=references, balance=False, box_text="pixels"))
    rows = rows_of(out)
    for source in told:
        row = rows[source.id] if source.id in rows else rows[source.id.removeprefix("home1_")]
        boxes = ["[" + ", ".join(f"{value:.0f}" for value in one.box_xyxy or ()) + "]" for one in source.references]
        names = [one.name for one in source.references]
        is_drawn = references in ("names", "marks", "both")
        assert ("drawn/" in row["images"][0]) == is_drawn
        assert sorted(row["choices"]) == sorted(names if is_drawn else boxes)
        assert row["solution"] in row["choices"]
        assert all((name in row["messages"][0]["content"]) == is_drawn for name in names)
        if is_drawn:
            plain, drawn = (cv2.imread(str(path)) for path in (alike.frames_dir / "000001.jpg", out / row["images"][0]))
            assert plain is not None
            assert drawn is not None
            changed = np.abs(drawn.astype(int) - plain).max(axis=2) > 40
            x0, y0, _, y1 = (int(value) for value in source.references[0].box_xyxy or ())
            assert changed[y0 : y1 + 1, x0 : x0 + 2].mean() > 0.8


@pytest.mark.parametrize("references", ["names", "marks", "boxes", "points", "both"])
def test_a_thing_at_a_point_keeps_its_name_in_every_form(tmp_path: Path, references: References):
    """In texts without drawings the name stands before the point: a point alone would not mean the thing."""
    frames = frames_on_disk(tmp_path / "frames", 1, 640, 480)
    alike = make_alike_tour("home1", frames, {"0_0": (150.0, 350.0), "0_1": (500.0, 350.0)})
    told = [row for row in alike.rows["spatial"] if row.form == "thing" and row.truth != TOO_CLOSE]
    assert told
    out = export(alike, tmp_path / "out", MessagesOptions(references=references, balance=False, box_text="pixels"))
    rows = rows_of(out)
    said = {"boxes": "the chair at [142, 342, 158, 358]", "points": "the chair at [150, 350]"}
    for source in told:
        row = rows[source.id] if source.id in rows else rows[source.id.removeprefix("home1_")]
        (first,) = (one for one in source.references if one.object == "0_0")
        assert ("drawn/" in row["images"][0]) == (references not in said)
        assert said.get(references, first.name) in row["choices"]
        assert said.get(references, first.name) in row["messages"][0]["content"]
        assert [150.0, 350.0] in [one["spot"] for one in row["places"]]


@pytest.mark.parametrize("name", ["osprey", "spatialrgpt", "swift"])
def test_formats_with_regions_have_a_disk_at_the_point_of_a_thing(tmp_path: Path, name: str):
    frames = frames_on_disk(tmp_path / "frames", 1, 640, 480)
    alike = make_alike_tour("home1", frames, {"0_0": (150.0, 350.0), "0_1": (500.0, 350.0)})
    options = SwiftOptions(balance=False) if name == "swift" else BalanceOptions(balance=False)
    export_runs([alike], name, tmp_path / "out", options, kinds=None if name == "spatialrgpt" else ("spatial",))
    assert validate_export(tmp_path / "out") == []
    texts = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "out").glob("*train.json*"))
    assert re.search(r"the chair at <", texts)
