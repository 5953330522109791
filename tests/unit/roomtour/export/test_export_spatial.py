"""Spatial questions in llava, messages and hf: loaded by their clients, balanced over tours, every rule held."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import av
import cv2
import pytest

from instructions.asking.blind import BlindItem
from instructions.asking.reward import reward
from instructions.questions.core.options import SpatialOptions
from instructions.questions.quality.balance import find_surplus, weigh
from instructions.questions.writers.views import write_questions
from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.core.talks.questions import BlindSample
from roomtour.export.formats.talks.messages import MessagesOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_datasets import ALL_SPATIAL as ALL
from tests.support.export.made_datasets import MadeDatasets
from tests.support.worlds.box_rooms import Block, make_room


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.spatial


def messages_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "train.jsonl").read_text(encoding="utf-8").splitlines()]


def test_messages_hold_picture_question_answer_and_truth(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "messages", tmp_path / "out")
    rows = messages_of(tmp_path / "out")
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    for row in rows:
        source = by_id[row["id"]]
        assert row["messages"][0] == {"role": "user", "content": f"<image>{source.question}"}
        assert row["messages"][1] == {"role": "assistant", "content": source.answer}
        assert (tmp_path / "out" / row["images"][0]).is_file()
        if source.form == "number":
            assert float(row["solution"]) == float(source.truth)
            assert row["unit"] in ("m", "ratio")
            assert row["sigma"] is not None
        elif source.form == "thing" and source.truth != "too close":
            assert row["solution"] in row["choices"]


def test_the_reward_column_pays_the_truth_and_nothing_else(tours: list[RunData], tmp_path: Path):
    """As a trainer calls it: completions and columns of the dataset, by name."""
    export_runs(tours, "messages", tmp_path / "out", MessagesOptions(balance=False), kinds=("spatial",))
    rows = messages_of(tmp_path / "out")
    told = [f"{float(row['solution']):.4f}" if row["unit"] else row["solution"] for row in rows]
    said = [f"<think>I look.</think><answer>{one}</answer>" for one in told]
    solutions = [row["reward"] for row in rows]
    assert reward(completions=said, solution=solutions, type=[row["type"] for row in rows]) == [1.0] * len(rows)
    silent = reward(completions=["<think>I look.</think><answer>a shoe</answer>"] * len(rows), solution=solutions)
    assert max(silent) <= 0.1
    assert {"number", "yes_no", "thing", "label"} <= {json.loads(one)["form"] for one in solutions}


def test_rows_about_what_is_out_of_view_have_a_partner_and_no_region(tmp_path: Path):
    tour = turn_away(frames_on_disk(tmp_path / "frames", 2, 640, 480))
    unseen = [row for row in tour.rows["spatial"] if row.type == "unseen"]
    assert unseen
    by_group = {row.group: row for row in tour.rows["spatial"] if row.type != "unseen"}
    for row in unseen:
        assert row.truth == "not visible"
        assert row.question == by_group[row.group].question
        assert sum(one.box_xyxy is None for one in row.references) == 1
    for name in ("messages", "llava", "hf", "vlmeval", "spatialrgpt", "jsonl"):
        report = export_runs([tour], name, tmp_path / name, kinds=("spatial",))
        assert validate_export(tmp_path / name) == []
        left_out = report.dropped.get("a thing is out of view, so it has no region", 0)
        assert left_out == (len(unseen) if name == "spatialrgpt" else 0)
    alone = [row for row in tour.rows["spatial"] if row.group not in {one.group for one in unseen} or row in unseen]
    gone = find_surplus(map(weigh, alone))
    assert {gone[row.id] for row in unseen} == {"the same question is answered nowhere"}


def turn_away(frames: Path) -> RunData:
    """One view of three things, and one beside it that shows only the left ones."""
    blocks = (
        Block("chair", (4.0, 1.4, 0.45), (0.5, 0.5, 0.9)),
        Block("lamp", (5.5, -1.0, 0.9), (0.4, 0.4, 1.8)),
        Block("table", (5.0, 2.0, 0.4), (0.9, 0.9, 0.8)),
    )
    room = make_room(blocks, eyes=((0.0, 0.0, 1.5), (0.0, 4.0, 1.5)))
    options = SpatialOptions(choice=replace(ALL.choice, unseen_share=0.2))
    rows = write_questions(room.tour, options=options).rows
    return RunData(room.scene, (), room.objects, room.observations, (), {"spatial": rows}, frames, {})


def test_a_row_and_its_twin_stay_together(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "messages", tmp_path / "out", MessagesOptions(val_share=0.5))
    kept = {
        row["id"] for file in (tmp_path / "out").glob("*.jsonl") for row in map(json.loads, file.open(encoding="utf-8"))
    }
    twins = {row.id: row.twin for tour in tours for row in tour.rows["spatial"] if row.twin}
    assert all(twins[name] in kept for name in kept if name in twins)


def test_balance_can_be_left_out_and_the_card_says_so(tours: list[RunData], tmp_path: Path):
    export_runs(tours, "messages", tmp_path / "out", MessagesOptions(balance=False))
    assert len(messages_of(tmp_path / "out")) == sum(len(tour.rows["spatial"]) for tour in tours)
    card = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    assert "Balance by names is off" in card
    assert "Blind test" in card


def test_the_blind_sample_hangs_on_ids_and_on_no_order():
    def draw(names: list[str]) -> list[str]:
        sample = BlindSample(most=50)
        for name in names:
            sample.add("kind", name, lambda name=name: (BlindItem(name, "kind", {}, "yes"),))
        return [item.group for item in sample.items(gone={"row7"})]

    names = [f"row{k}" for k in range(400)]
    drawn = draw(names)
    assert drawn == draw(names[::-1])
    assert 49 <= len(drawn) <= 50
    assert 0 < sum(name in names[:200] for name in drawn) < 50
    few = draw(names[:20])
    assert few == sorted(name for name in names[:20] if name != "row7")


def test_rewards_of_programs_take_the_columns_as_they_are_and_what_no_code_verifies_earns_nothing(
    made: MadeDatasets, tmp_path: Path
):
    def answer_of(row: dict[str, Any]) -> str:
        told = json.loads(row["reward"])["truth"]
        return ", ".join(told) if isinstance(told, list) else f"{told:.4f}" if isinstance(told, float) else told

    export_runs(made.program_tours, "messages", tmp_path / "out")
    rows = [row for row in messages_of(tmp_path / "out") if row["reward"]]
    assert len(rows) > 50
    completions = [f"<think>so</think><answer>{answer_of(row)}</answer>" for row in rows]
    columns = {name: [row[name] for row in rows] for name in ("solution", "reward", "unit", "images")}
    assert reward(completions, **columns) == pytest.approx([1.0] * len(rows))
    assert reward(["I cannot say"] * len(rows), **columns) == [0.0] * len(rows)
    row = next(row for row in messages_of(tmp_path / "out") if not row["reward"])
    said = f"<think>so</think><answer>{row['solution']}</answer>"
    assert reward([said], [row["solution"]], reward=[row["reward"]]) == [0.0]


def test_a_question_about_a_video_may_come_with_its_file(made: MadeDatasets, tmp_path: Path):
    """The file holds exactly the views, in their order."""
    run = made.program_tours[0]
    export_runs([run], "messages", tmp_path / "out", MessagesOptions(videos=True), kinds=("programs",))
    assert validate_export(tmp_path / "out") == []
    sources = {row.id: row for row in run.rows["programs"]}
    counted: Counter[str] = Counter()
    plain: set[str] = set()
    for row in messages_of(tmp_path / "out"):
        medium, said = row["medium"], row["messages"][0]["content"]
        counted[medium] += 1
        if medium not in ("video", "vsi"):
            assert row["videos"] == []
            assert said.count("<image>") == len(row["images"]) > 0
            continue
        (name,) = row["videos"]
        assert (row["images"], said.count("<video>"), said.count("<image>")) == ([], 1, 0)
        with av.open(str(tmp_path / "out" / name)) as container:
            shown = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
        views = sources[row["id"]].views
        wanted = [cv2.imread(str(run.frames_dir / run.scene.frame_by_index[frame].image)) for frame in views]
        assert len(shown) == len(wanted)
        marked = {one.frame for one in sources[row["id"]].references if one.mark is not None}
        plain |= set() if marked else {Path(name).name}
        for frame, one, other in zip(views, shown, wanted, strict=True):
            assert other is not None
            assert frame in marked or abs(one.mean(axis=(0, 1)) - other[..., ::-1].mean(axis=(0, 1))).max() < 8
    assert counted["video"] > 10
    assert counted["vsi"] > 10
    assert len(plain) == 1  # both are about the same views
    assert {path.name for path in (tmp_path / "out" / "videos").iterdir()} >= plain
    next((tmp_path / "out" / "videos").iterdir()).unlink()
    assert {problem.field for problem in validate_export(tmp_path / "out")} >= {"videos"}
