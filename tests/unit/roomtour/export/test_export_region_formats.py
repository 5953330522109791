"""Region knowledge in lskd, swift and osprey: read as their clients read it, and every rule broken once."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from instructions.regions.draw import find_colours
from instructions.regions.records import Choice, ChoiceSet, Pair, Rating3
from instructions.regions.shuffle import show, undo
from roomtour.cli import main
from roomtour.errors import RoomtourError
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.lskd_benchmark.write import LskdBenchmarkOptions
from roomtour.export.formats.swift.write import SwiftOptions
from roomtour.files.region_reviews import QAR_FILE, append_qar_rating, find_qar_key
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.run import Run
from roomtour.scoring import score_answers
from tests.support.export.breaking import set_to, without
from tests.support.export.client_stubs import client

BOXES = {
    "a.png": ([[10, 150, 310, 350], [500, 160, 560, 250], [380, 30, 470, 120]], ["sofa", "vase", "lamp"]),
    "b.png": ([[200, 100, 520, 320], [20, 100, 90, 220]], ["bed", "chair"]),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("regions")
    (home / "pictures").mkdir()
    noise = np.random.default_rng(0)
    lines = []
    for name, (boxes, labels) in BOXES.items():
        cv2.imwrite(str(home / "pictures" / name), noise.integers(0, 255, (400, 640, 3), dtype=np.uint8))
        lines.append(json.dumps({"image": name, "boxes_xyxy": boxes, "labels": labels}))
    (home / "boxes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    options = ImportOptions(detections=home / "boxes.jsonl", keep_all=True)
    import_run(home / "pictures", "images", home / "run", options)
    assert main(["make", str(home / "run"), "--data", "regions"]) == 0
    return Run(home / "run")


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def export(run: Run, name: str, out: Path) -> Path:
    export_runs([with_choices(run)], name, out, kinds=("regions",))
    return out


def with_choices(run: Run) -> RunData:
    """The run with a comparison task of each shape about its first view, and a pair."""
    view, row = run.region_views[0], run.rows("regions")[0]

    def options(count: int, right: int) -> tuple[Choice, ...]:
        truths = [float(place == right) for place in range(count)]
        return tuple(
            Choice(f"[0] is number {k}.", row.id, true, None if true else "no") for k, true in enumerate(truths)
        )

    sets = (
        ChoiceSet("c1", row.tour, view.id, "vcr", row.id, None, "What?", options(4, 2), options(4, 1)),
        ChoiceSet("c2", row.tour, view.id, "comparison", row.id, 0, None, options(10, 3)),
        ChoiceSet("c3", row.tour, view.id, "acc50", row.id, 0, None, options(50, 49)),
    )
    pairs = tuple(Pair(f"p{k}", row.id, view.id, "side", "Where?", "Here.", f"There {k}.", "no") for k in range(20))
    return replace(run.data, region_choices=sets, region_pairs=pairs)


class LskdLoader:
    """What the clients' dataset class does with a row: it draws regions in an order of its own, the first in colour 0,
    and writes each mention by the place of its region in that order. Files are read with pandas, as there.
    """

    def __init__(self, folder: Path) -> None:
        pandas = client("pandas")
        self.rows = lines_of(folder / "qars_train.jsonl")
        told = pandas.read_json(folder / "region_mapping.jsonl", lines=True).to_dict(orient="records")
        self.regions = {one["image"]: one["region_locations"] for one in told}
        assert len(self.regions) == len(told)

    def load(self, place: int, choose: random.Random) -> tuple[list[int], list[list[float]], dict[str, str]]:
        """Numbers in drawing order, their boxes, and the three texts."""
        row = self.rows[place]
        pool = row["region"] if choose.random() > 0.5 else row["region_all"]
        order = choose.sample(pool, len(pool))
        drawn = [{**self.regions[row["image"]][number], "name": number} for number in order]
        place_of = {int(one["name"]): k for k, one in enumerate(drawn)}
        texts = {
            part: " ".join(
                " , ".join(f"[{place_of[number]}]" for number in word) if isinstance(word, list) else word
                for word in row[part]
            )
            for part in ("question", "answer", "rationale")
        }
        return order, [one["boxes"][0] for one in drawn], texts


def test_the_lskd_loader_draws_and_writes_what_sample_does(run: Run, tmp_path: Path):
    loader = LskdLoader(export(run, "lskd", tmp_path / "out"))
    rows = {row.id: row for row in run.rows("regions")}
    views = {view.id: view for view in run.region_views}
    assert len(loader.rows) == len(rows) >= 8
    choose = random.Random(0)
    for place, exported in enumerate(loader.rows):
        row = rows[exported["id"]]
        view = views[row.view]
        for _ in range(5):
            order, boxes, texts = loader.load(place, choose)
            own = show(row, view, order)
            for part, told in texts.items():
                want = getattr(own, part)
                assert re.sub(r"\s+", "", told) == re.sub(r"\s+", "", want)
                assert re.sub(r"\s+", "", undo(told, order)) == re.sub(r"\s+", "", getattr(row, part))
            assert [list(one.box_xyxy) for one in own.highlights] == boxes
        assert (tmp_path / "out" / "images" / exported["image"]).is_file()


def test_rated_rows_say_what_people_said(run: Run, tmp_path: Path):
    one, two, three = run.rows("regions")[:3]
    given = [(one, "anna", 3, 2), (one, "ben", 3, 3), (two, "anna", 3, 1), (two, "ben", 3, 3), (three, "anna", 1, 1)]
    for row, rater, qa, rationale in given:
        append_qar_rating(run.path, Rating3(row.id, find_qar_key(row), rater, qa, rationale))  # pyright: ignore[reportArgumentType]
    try:
        out = export(Run(run.path), "lskd", tmp_path / "out")
    finally:
        (run.path / QAR_FILE).unlink()
    items = {item["id"]: item for item in lines_of(out / "qars_train.jsonl")}
    fields = ("label", "reject_label", "qa_score", "r_score")
    assert [items[one.id][name] for name in fields] == [["maybe", "accept"], 0, 3.0, 2.5]
    assert [items[two.id][name] for name in fields] == [["reject", "accept"], 1, 3.0, 0.0]
    assert [items[three.id][name] for name in fields] == [["reject"], 1, 0.0, 0.0]
    assert sum("label" in item for item in items.values()) == 3
    assert validate_export(out) == []


def test_ids_five_and_six_of_the_clear_palette_do_not_look_alike(run: Run):
    # of the paper's palette, which lskd keeps, they do
    def apart(palette: Any) -> float:
        colours = [np.array([[find_colours(k, palette)[0]]], np.uint8) for k in (5, 6)]
        one, other = (cv2.cvtColor(c.astype(np.float32) / 255, cv2.COLOR_RGB2LAB)[0, 0] for c in colours)
        return float(np.linalg.norm(one - other))

    assert apart("paper") < 2
    assert apart("clear") > 35


def test_swift_marks_stand_for_the_boxes_of_their_regions(run: Run, tmp_path: Path):
    out = export(run, "swift", tmp_path / "out")
    loaded = client("datasets").load_dataset(
        "json", data_files=str(out / "swift_train.jsonl"), cache_dir=str(tmp_path / "cache")
    )["train"]
    rows = {row.id: row for row in run.rows("regions")}
    views = {view.id: view for view in run.region_views}
    assert loaded.num_rows == len(rows)
    for item in loaded:
        row = rows[item["id"]]
        boxes = {one.number: list(one.box_xyxy) for one in views[row.view].regions}
        whole = "".join(message["content"] for message in item["messages"])
        refs, bboxes = iter(item["objects"]["ref"]), iter(item["objects"]["bbox"])
        pieces = whole.replace("<image>", "").split("<ref-object><bbox>")
        filled = pieces[0] + "".join(f"{next(refs)}{piece}" for piece in pieces[1:])
        assert re.findall(r"\[\d+\]", filled) == re.findall(r"\[\d+\]", f"{row.question}{row.answer}{row.rationale}")
        for number in re.findall(r"\[(\d+)\]", filled):
            assert next(bboxes) == pytest.approx(boxes[int(number)], abs=0.01)
        assert (out / "images" / item["images"][0]).is_file()


def test_swift_pairs_are_the_false_twins(run: Run, tmp_path: Path):
    export_runs([run.data], "swift", tmp_path / "out", kinds=("regions",), options=SwiftOptions(pairs=True))
    assert validate_export(tmp_path / "out") == []
    pairs = {pair.row: pair for pair in run.region_pairs}
    items = lines_of(tmp_path / "out" / "swift_train.jsonl")
    assert {item["id"] for item in items} == set(pairs)
    assert all(item["rejected_response"] != item["messages"][-1]["content"] for item in items)


def test_datasets_loads_rows_in_three_parts_and_their_twins(run: Run, tmp_path: Path):
    datasets = client("datasets")
    report = export_runs([run.data], "hf", tmp_path / "out", kinds=("regions",))
    assert validate_export(tmp_path / "out") == []
    rows = {row.id: row for row in run.rows("regions")}
    views = {view.id: view for view in run.region_views}

    def load(config: str) -> Any:
        return datasets.load_dataset(str(tmp_path / "out"), config, split="train", cache_dir=str(tmp_path / "cache"))

    qars, pairs = load("qars"), load("pairs")
    assert (qars.num_rows, pairs.num_rows) == (report.counts["qars"], report.counts["pairs"])
    assert {item["id"] for item in qars} == set(rows)
    for item in qars:
        row, view = rows[item["id"]], views[item["view"]]
        assert (item["question"], item["answer"], item["rationale"]) == (row.question, row.answer, row.rationale)
        assert item["image"].size == (view.width, view.height)
        for number, box, label in zip(item["numbers"], item["boxes"], item["labels"], strict=True):
            region = next(one for one in view.regions if one.number == number)
            assert box == pytest.approx(region.box_xyxy, abs=0.01)
            assert label == region.label
        states = [one["state"] for one in json.loads(item["verdicts"])]
        assert states == [one.state for one in row.verdicts]
    twins = {pair.id: pair for pair in run.region_pairs}
    assert {item["id"] for item in pairs} == set(twins) != set()
    for item in pairs:
        pair = twins[item["id"]]
        assert (item["chosen"], item["rejected"], item["because"]) == (pair.chosen, pair.rejected, pair.because)
        assert item["row"] in rows


HF_RULES = [
    ("qars", {"boxes": [[9.0, 9.0, 1.0, 1.0]]}, "boxes"),
    ("qars", {"numbers": [77]}, "question"),
    ("qars", {"mentioned": [77]}, "mentioned"),
    ("qars", {"objects": []}, "objects"),
    ("qars", {"mode": "poem"}, "mode"),
    ("qars", {"rationale": ""}, "rationale"),
    ("pairs", {"row": "none"}, "row"),
    ("pairs", {"rejected": "[77] is red."}, "rejected"),
    ("pairs", {"rejected": "same", "chosen": "same"}, "rejected"),
]


@pytest.mark.parametrize(("config", "change", "field"), HF_RULES)
def test_each_broken_rule_of_the_tables_is_found(run: Run, tmp_path: Path, config: str, change: dict, field: str):
    export_runs([run.data], "hf", tmp_path / "out", kinds=("regions",))
    file = tmp_path / "out" / config / "train-00000.parquet"
    table = pq.read_table(file)
    content = table.to_pylist()
    place = next(k for k, one in enumerate(content) if "[" in one["question"])
    content[place] |= change
    pq.write_table(pa.Table.from_pylist(content, schema=table.schema), file)
    found = {problem.field for problem in validate_export(tmp_path / "out") if problem.file.startswith(config)}
    assert field in found


def test_osprey_masks_are_those_of_pycocotools(run: Run, tmp_path: Path):
    coco = client("pycocotools.mask")
    out = export(run, "osprey", tmp_path / "out")
    items = json.loads((out / "osprey_train.json").read_text(encoding="utf-8"))
    assert len(items) == sum(row.mode == "id" for row in run.rows("regions"))
    for item in items:
        for one in item["annotation"]:
            height, width = one["segmentation"]["size"]
            assert (height, width) == (item["height"], item["width"])
            mask = coco.decode(coco.frPyObjects(one["segmentation"], height, width))
            x0, y0, x1, y1 = (int(value) for value in one["bbox"])
            assert mask.sum() == mask[y0 : y1 + 1, x0 : x1 + 1].sum() == (y1 + 1 - y0) * (x1 + 1 - x0)


def test_the_benchmark_holds_what_was_made_and_scores_as_it_should(run: Run, tmp_path: Path):
    out = export(run, "lskd-benchmark", tmp_path / "out")
    (vcr,), (comparison,), (acc50,) = (lines_of(out / f"{task}.jsonl") for task in ("vcr", "comparison", "acc50"))
    assert (vcr["answers"][vcr["right_answer"]], vcr["right_rationale"]) == ("[0] is number 2.", 1)
    assert comparison["human"] == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert (acc50["right"], len(acc50["candidates"]), acc50["region"]) == (49, 50, 0)
    assert vcr["boxes"] == [list(one.box_xyxy) for one in run.region_views[0].regions]
    assert (out / "images" / vcr["image"]).is_file()
    pairs = lines_of(out / "pairwise.jsonl")
    assert {tuple(one["systems"]) for one in pairs} == {("chosen", "rejected"), ("rejected", "chosen")}
    for one in pairs:
        assert one["answers"][one["systems"].index("chosen")] == "Here."
    told = {
        "c1": {"answers": [0, 0, 1, 0], "rationales": [1, 0, 0, 0]},
        "c2": comparison["human"],
        "c3": [-1.0] * 49 + [0.5],
        **{one["id"]: {"correct": ["AB"[one["systems"].index("chosen")]] * 3} for one in pairs},
    }
    (tmp_path / "answers.json").write_text(json.dumps({name: {"answer": said} for name, said in told.items()}))
    (report,) = score_answers(tmp_path / "answers.json", out)
    figures = report.figures
    assert [figures["vcr"][name]["value"] for name in ("Q->A", "QA->R", "Q->AR")] == [1, 0, 0]
    assert figures["comparison"]["comparison"]["value"] == 100
    assert figures["acc50"]["Acc@50"]["value"] == 1
    assert figures["pairwise"]["correct"]["share"] == 1


def test_a_tour_that_was_trained_on_cannot_be_in_the_benchmark(run: Run, tmp_path: Path):
    export(run, "lskd", tmp_path / "train")
    options = LskdBenchmarkOptions(trained=str(tmp_path / "train"))
    with pytest.raises(RoomtourError, match="is in the training split of"):
        export_runs([run.data], "lskd-benchmark", tmp_path / "out", options, kinds=("regions",))


RULES = [
    ("lskd-benchmark", "vcr.jsonl", set_to("answers", value=["a", "b", "c"]), "answers"),
    ("lskd-benchmark", "vcr.jsonl", set_to("answers", value=["a", "b", "c", "c"]), "answers"),
    ("lskd-benchmark", "vcr.jsonl", set_to("right_answer", value=4), "right_answer"),
    ("lskd-benchmark", "vcr.jsonl", set_to("right_rationale", value=7), "right_rationale"),
    ("lskd-benchmark", "vcr.jsonl", set_to("image", value="home/none.jpg"), "image"),
    ("lskd-benchmark", "vcr.jsonl", set_to("boxes", value=[[9, 9, 1, 1]]), "boxes"),
    ("lskd-benchmark", "comparison.jsonl", set_to("human", value=[1.0] * 10), "human"),
    ("lskd-benchmark", "comparison.jsonl", set_to("region", value=77), "region"),
    ("lskd-benchmark", "comparison.jsonl", set_to("id", value="c1"), "id"),
    ("lskd-benchmark", "acc50.jsonl", set_to("right", value=50), "right"),
    ("lskd-benchmark", "acc50.jsonl", lambda item: item["candidates"].pop(), "candidates"),
    ("lskd-benchmark", "pairwise.jsonl", set_to("systems", value=["a", "a"]), "systems"),
    ("lskd-benchmark", "pairwise.jsonl", set_to("answers", value=["a"]), "answers"),
    ("lskd", "qars_train.jsonl", set_to("image", value="home/none.jpg"), "image"),
    ("lskd", "qars_train.jsonl", set_to("image", value="../out.jpg"), "image"),
    ("lskd", "qars_train.jsonl", set_to("question", value=["What", "is", [77]]), "region"),
    ("lskd", "qars_train.jsonl", set_to("region_all", value=[]), "region_all"),
    ("lskd", "qars_train.jsonl", set_to("region_all", value=[0, 1, 2, 77]), "region_all"),
    ("lskd", "qars_train.jsonl", set_to("references", 0, "boxes", value=[[9, 9, 1, 1]]), "boxes"),
    ("lskd", "qars_train.jsonl", lambda item: item["references"].pop(), "references"),
    ("lskd", "qars_train.jsonl", without("answer"), "answer"),
    ("lskd", "qars_train.jsonl", set_to("label", value=["accept"]), "reject_label"),
    ("lskd", "region_mapping.jsonl", set_to("region_locations", value=[]), "region_locations"),
    ("lskd", "region_mapping.jsonl", set_to("region_locations", 0, "boxes", value=[[5, 5, 5, 9]]), "boxes"),
    ("swift", "swift_train.jsonl", lambda item: item["objects"]["bbox"].append([0, 0, 5, 5]), "objects.bbox"),
    ("swift", "swift_train.jsonl", lambda item: item["objects"]["ref"].append("x"), "objects.ref"),
    ("swift", "swift_train.jsonl", lambda item: item["images"].append("a/b.jpg"), "images"),
    ("swift", "swift_train.jsonl", set_to("objects", "bbox_type", value="norm1"), "objects.bbox_type"),
    ("swift", "swift_train.jsonl", set_to("objects", "bbox", 0, value=[5, 5, 1, 1]), "objects.bbox"),
    ("swift", "swift_train.jsonl", lambda item: item["messages"].append({"role": "user", "content": "x"}), "messages"),
    ("swift", "swift_train.jsonl", set_to("id", value=""), "id"),
    ("osprey", "osprey_train.json", set_to("file_name", value="a/none.jpg"), "file_name"),
    ("osprey", "osprey_train.json", set_to("annotation", 0, "bbox", value=[5, 5, 1, 1]), "bbox"),
    ("osprey", "osprey_train.json", set_to("annotation", 0, "segmentation", "counts", value=[7]), "segmentation"),
    ("osprey", "osprey_train.json", set_to("height", value=7), "segmentation"),
    ("osprey", "osprey_train.json", lambda item: item["annotation"].append(item["annotation"][0]), "annotation"),
    ("osprey", "osprey_train.json", set_to("conversations", 0, "from", value="cat"), "conversations.from"),
]


@pytest.mark.parametrize(("name", "file", "change", "field"), RULES)
def test_each_broken_rule_is_found(run: Run, tmp_path: Path, name: str, file: str, change: Any, field: str):
    out = export(run, name, tmp_path / "out")
    assert validate_export(out) == []
    path = out / file
    items = json.loads(path.read_text(encoding="utf-8")) if file.endswith(".json") else lines_of(path)
    place = next(k for k, item in enumerate(items) if file.startswith("region_mapping") or "[" in json.dumps(item))
    if name == "swift":
        place = next(k for k, item in enumerate(items) if item["objects"]["bbox"])
    change(items[place])
    text = json.dumps(items) if file.endswith(".json") else "".join(json.dumps(item) + "\n" for item in items)
    path.write_text(text, encoding="utf-8")
    found = {problem.field for problem in validate_export(out) if problem.file == file}
    assert field in found, found
