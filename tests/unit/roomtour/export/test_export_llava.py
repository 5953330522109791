from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings

from roomtour.export import RunData, export_runs, validate_export
from roomtour.export.formats.llava.write import LlavaOptions
from tests.support.export.breaking import Break, fields_after, frames_on_disk, set_to, without
from tests.support.export.client_stubs import client
from tests.support.export.made_run import make_run
from tests.support.export.random_runs import runs

BARE = LlavaOptions(copy_images=False)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    export_runs([make_run(frames_dir=frames_on_disk(tmp_path / "frames"))], "llava", tmp_path / "made")
    return tmp_path / "made"


def test_ways_hold_ordered_views_and_one_mark_each(made: Path) -> None:
    items = json.loads((made / "ways_train.json").read_text())
    assert [item["id"] for item in items] == [f"flat_m0_t0_i{k}" for k in (0, 1, 2, 3)]
    first = items[0]
    assert first["image"] == [f"flat/{k:06d}.jpg" for k in (9, 12, 15, 17, 19, 21)]
    assert first["conversations"][0]["value"].startswith("<image>\n" * 6 + "These are")
    assert first["conversations"][1] == {"from": "gpt", "value": "Walk ahead, then turn left."}
    assert len(items[2]["image"]) == 8
    assert "Describe" in items[3]["conversations"][0]["value"]


def test_views_hold_one_image(made: Path) -> None:
    (item,) = json.loads((made / "views_train.json").read_text())
    assert item["image"] == "flat/000003.jpg"
    assert item["conversations"][1]["value"] == "on the left, near: a large red object"


def test_only_used_images_are_copied(made: Path) -> None:
    copied = {file.name for file in (made / "images" / "flat").iterdir()}
    assert "000003.jpg" in copied
    assert "000002.jpg" not in copied


def test_rejected_texts_are_left_out_and_counted(made: Path) -> None:
    assert "Turn right." not in (made / "ways_train.json").read_text()
    assert json.loads((made / "export.json").read_text())["dropped"] == {"rejected text": 1}


@given(run=runs())
@settings(max_examples=30, deadline=None)
def test_any_scene_gives_a_valid_dataset_that_reads_back(tmp_path_factory, run: RunData) -> None:
    out = tmp_path_factory.mktemp("llava") / "out"
    report = export_runs([run], "llava", out, BARE)
    assert validate_export(out) == []
    items = json.loads((out / "ways_train.json").read_text())
    told = {text.id: " ".join(text.text.split()) for text in run.instructions if text.accepted}
    assert all(item["conversations"][1]["value"] == told[item["id"]] for item in items)
    left_out = sum(n for reason, n in report.dropped.items() if reason != "rejected text")
    assert len(items) + left_out == len(told)


def test_mark_of_the_client_in_a_text_is_taken_out(tmp_path: Path) -> None:
    from dataclasses import replace

    from tests.support.export.made_run import make_instruction

    run = make_run()
    text = make_instruction(run.trajectories[0], 9, (1, 4, 8), "Walk to the <image> on the wall.")
    export_runs([replace(run, rows={"navigation": (text,)})], "llava", tmp_path / "out", BARE)
    assert validate_export(tmp_path / "out") == []
    assert "Walk to the image on the wall." in (tmp_path / "out" / "ways_train.json").read_text()


RULES: list[tuple[str, Break]] = [
    ("id", without(0, "id")),
    ("id", set_to(1, "id", value="flat_m0_t0_i0")),
    ("image", without(0, "image")),
    ("image", set_to(0, "video", value="a.mp4")),
    ("image", set_to(0, "image", value=[])),
    ("image", set_to(0, "image", 0, value="/abs.jpg")),
    ("image", set_to(0, "image", 0, value="flat/999999.jpg")),
    ("image", set_to(0, "image", value="flat/000009.jpg")),
    ("conversations", without(0, "conversations")),
    ("conversations", lambda items: items[0]["conversations"].pop()),
    ("conversations.from", set_to(0, "conversations", 0, "from", value="user")),
    ("conversations.from", lambda items: items[0]["conversations"].reverse()),
    ("conversations.value", set_to(0, "conversations", 1, "value", value=" ")),
    ("conversations.value", set_to(0, "conversations", 0, "value", value="<image>\nOne mark for six.")),
    ("conversations.value", set_to(0, "conversations", 1, "value", value="See <image>.")),
    ("conversations", lambda items: items[0]["conversations"].append({"from": "human", "value": "And?"})),
    ("record", set_to(0, value="x")),
]


@pytest.mark.parametrize(("field", "change"), RULES)
def test_every_rule_is_held(made: Path, field: str, change: Break) -> None:
    assert field in fields_after(made, "ways_train.json", change)


@pytest.mark.parametrize("name", ["ways_train.json", "views_train.json"])
def test_missing_and_damaged_files(made: Path, name: str) -> None:
    (made / name).write_text("{}")
    assert "json" in {problem.field for problem in validate_export(made)}
    (made / name).unlink()
    assert "file" in {problem.field for problem in validate_export(made)}


def test_datasets_loads_both_files(made: Path) -> None:
    datasets = client("datasets")
    for name, count in (("ways_train.json", 4), ("views_train.json", 1)):
        loaded = datasets.load_dataset(
            "json", data_files=str(made / name), split="train", cache_dir=str(made.parent / "cache")
        )
        assert loaded.num_rows == count
        assert loaded[0]["conversations"][0]["from"] == "human"
