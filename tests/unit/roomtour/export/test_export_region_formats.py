"""Region knowledge in lskd, swift and osprey: read as their clients read it, and every rule broken once."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from instructions.regions.records import Rating3
from instructions.regions.sets.shuffle import renumber, show
from roomtour.errors import RoomtourError
from roomtour.export import export_runs, validate_export
from roomtour.export.formats.regions.lskd import LskdBenchmarkOptions
from roomtour.export.formats.regions.swift import SwiftOptions
from roomtour.files.reviews import QAR_RATINGS, find_qar_key
from roomtour.run import Run
from roomtour.scoring import score_answers
from tests.support.export.made_datasets import MadeDatasets, with_choices


@pytest.fixture
def run(made: MadeDatasets) -> Run:
    return made.region_run


def lines_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def export(run: Run, name: str, out: Path) -> Path:
    export_runs([with_choices(run)], name, out, kinds=("regions",))
    return out


class LskdLoader:
    """What the clients' dataset class does with a row: it draws regions in an order of its own, the first in colour 0,
    and writes each mention by the place of its region in that order."""

    def __init__(self, folder: Path) -> None:
        self.rows = lines_of(folder / "qars_train.jsonl")
        told = lines_of(folder / "region_mapping.jsonl")
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
                assert re.sub(r"\s+", "", renumber(told, dict(enumerate(order)), "")) == re.sub(
                    r"\s+", "", getattr(row, part)
                )
            assert [list(one.box_xyxy) for one in own.highlights] == boxes
        assert (tmp_path / "out" / "images" / exported["image"]).is_file()


def test_rated_rows_say_what_people_said(run: Run, tmp_path: Path):
    one, two, three = run.rows("regions")[:3]
    given = [(one, "anna", 3, 2), (one, "ben", 3, 3), (two, "anna", 3, 1), (two, "ben", 3, 3), (three, "anna", 1, 1)]
    for row, rater, qa, rationale in given:
        QAR_RATINGS.append(run.path, Rating3(row.id, find_qar_key(row), rater, qa, rationale))  # pyright: ignore[reportArgumentType]
    try:
        out = export(Run(run.path), "lskd", tmp_path / "out")
    finally:
        (run.path / QAR_RATINGS.file).unlink()
    items = {item["id"]: item for item in lines_of(out / "qars_train.jsonl")}
    fields = ("label", "reject_label", "qa_score", "r_score")
    assert [items[one.id][name] for name in fields] == [["maybe", "accept"], 0, 3.0, 2.5]
    assert [items[two.id][name] for name in fields] == [["reject", "accept"], 1, 3.0, 0.0]
    assert [items[three.id][name] for name in fields] == [["reject"], 1, 0.0, 0.0]
    assert sum("label" in item for item in items.values()) == 3
    assert validate_export(out) == []


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


def test_swift_pairs_are_the_false_twins(run: Run, tmp_path: Path):
    export_runs([run.data], "swift", tmp_path / "out", kinds=("regions",), options=SwiftOptions(pairs=True))
    assert validate_export(tmp_path / "out") == []
    pairs = {pair.row: pair for pair in run.region_pairs}
    items = lines_of(tmp_path / "out" / "swift_train.jsonl")
    assert {item["id"] for item in items} == set(pairs)
    assert all(item["rejected_response"] != item["messages"][-1]["content"] for item in items)
