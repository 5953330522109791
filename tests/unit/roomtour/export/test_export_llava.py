from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from roomtour.export import export_runs, validate_export
from roomtour.export.formats.talks.llava import LlavaOptions
from tests.support.export.breaking import frames_on_disk
from tests.support.export.made_run import make_instruction, make_run


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


def test_mark_of_the_client_in_a_text_is_taken_out(tmp_path: Path) -> None:
    run = make_run()
    text = make_instruction(run.trajectories[0], 9, (1, 4, 8), "Walk to the <image> on the wall.")
    export_runs(
        [replace(run, rows={"navigation": (text,)})], "llava", tmp_path / "out", LlavaOptions(copy_images=False)
    )
    assert validate_export(tmp_path / "out") == []
    assert "Walk to the image on the wall." in (tmp_path / "out" / "ways_train.json").read_text()
