"""Spatial questions in the hands of trainers, by readers as LLaVA and Qwen-VL document them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roomtour.export import RunData, export_runs
from tests.support.export.client_stubs import client
from tests.support.export.made_datasets import MadeDatasets

MARK = "<image>"


@pytest.fixture
def tours(made: MadeDatasets) -> list[RunData]:
    return made.spatial


class LlavaReader:
    """A sample as LLaVA's trainer takes it, by its page on custom data: one picture by name, turns of two speakers.

    The first version of that trainer joins the folder and `image`, so a list of names ends it; it takes the marks out,
    puts one before the first sentence, and asserts that human and gpt speak by turns.
    """

    def __init__(self, file: Path, images: Path) -> None:
        self.samples = json.loads(file.read_text(encoding="utf-8"))
        self._images = images

    def read(self, sample: dict[str, Any]) -> tuple[Any, list[tuple[str, str]]]:
        image = client("PIL.Image").open(self._images / sample["image"]).convert("RGB")
        turns = []
        for place, turn in enumerate(sample["conversations"]):
            assert turn["from"] == ("human", "gpt")[place % 2]
            text = turn["value"]
            if MARK in text:
                assert place == 0
                text = f"{MARK}\n{text.replace(MARK, '').strip()}"
            turns.append((turn["from"], text))
        assert len(turns) % 2 == 0
        return image, turns


@pytest.fixture
def llava(tours: list[RunData], tmp_path: Path) -> Path:
    out = tmp_path / "out"
    export_runs(tours, "llava", out, kinds=("spatial",))
    return out


def test_llava_takes_every_row(llava: Path, tours: list[RunData]):
    by_id = {row.id: row for tour in tours for row in tour.rows["spatial"]}
    reader = LlavaReader(llava / "questions_train.json", llava / "images")
    assert len(reader.samples) > 50
    for sample in reader.samples:
        image, turns = reader.read(sample)
        row = by_id[sample["id"]]
        assert image.size == (640, 480)
        assert turns == [("human", f"{MARK}\n{row.question}"), ("gpt", row.answer)]
