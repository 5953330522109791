"""Region knowledge in the hands of ms-swift, LLaMA-Factory and LLaVA's documented reader, in every style of boxes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from roomtour.cli import main
from roomtour.export import export_runs, validate_export
from roomtour.export.formats.talks.llava import LlavaOptions
from roomtour.imports.records import ImportOptions
from roomtour.imports.write import import_run
from roomtour.run import Run
from tests.support.export.breaking import frames_on_disk
from tests.support.export.client_stubs import client

SIZE = (640, 400)
BOXES = [[10, 150, 310, 350], [500, 160, 560, 250], [380, 30, 470, 120]]
_BOX = re.compile(r"\[(\d\.\d+), (\d\.\d+), (\d\.\d+), (\d\.\d+)\]")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    home = tmp_path_factory.mktemp("readers")
    frames = frames_on_disk(home / "pictures", 2, *SIZE)
    names = sorted(path.name for path in frames.iterdir())
    labels = ["sofa", "vase", "lamp"]
    lines = [json.dumps({"image": name, "boxes_xyxy": BOXES, "labels": labels}) for name in names]
    (home / "boxes.jsonl").write_text("\n".join(lines), encoding="utf-8")
    import_run(home / "pictures", "images", home / "run", ImportOptions(detections=home / "boxes.jsonl", keep_all=True))
    assert main(["make", str(home / "run"), "--data", "regions"]) == 0
    return Run(home / "run")


def export(run: Run, name: str, out: Path, options: Any = None) -> Path:
    export_runs([run.data], name, out, options, kinds=("regions",))
    assert validate_export(out) == []
    return out


def read_llava(out: Path) -> list[tuple[str, Any, str, str]]:
    """Id, picture, question and answer of each row as LLaVA's trainer takes it, by its page on custom data: one picture
    by name, and a mark only before the first of two speakers."""
    told = []
    for sample in json.loads((out / "regions_train.json").read_text(encoding="utf-8")):
        image = client("PIL.Image").open(out / "images" / sample["image"]).convert("RGB")
        question, answer = sample["conversations"]
        assert (question["from"], answer["from"], "<image>" in answer["value"]) == ("human", "gpt", False)
        told.append((sample["id"], image, question["value"].replace("<image>", "").strip(), answer["value"]))
    return told


def corners(text: str) -> list[tuple[float, ...]]:
    return [tuple(float(value) for value in found) for found in _BOX.findall(text)]


@pytest.mark.parametrize("space", ["picture", "padded", "cropped"])
@pytest.mark.parametrize("style", ["boxes", "both"])
def test_boxes_in_the_text_are_those_of_the_regions(run: Run, tmp_path: Path, style: Any, space: Any):
    out = export(run, "llava", tmp_path / "out", LlavaOptions(references=style, box_space=space))
    rows, views = {row.id: row for row in run.rows("regions")}, {view.id: view for view in run.region_views}
    told = read_llava(out)
    found = 0
    for name, image, question, answer in told:
        row = rows[name]
        boxes = {one.number: one.box_xyxy for one in views[row.view].regions}
        source, text = f"{row.question} {row.answer} {row.rationale}", f"{question} {answer}"
        named = [int(number) for number in re.findall(r"\[(\d+)\]", source)]
        if style == "both":
            assert [int(number) for number in re.findall(r"\[(\d+)\]", text)] == named
            named = list(dict.fromkeys(named))
        else:
            assert not re.search(r"\[\d+\]", text)
        wanted = [in_space(boxes[number], space) for number in named]
        assert len(corners(text)) == len(wanted)
        for one, other in zip(corners(text), wanted, strict=True):
            assert one == pytest.approx(other, abs=0.0051)
        found += len(wanted)
        bare = re.sub(r" ?\[\d\.[^\]]*\]", "", text)
        assert bare == (source if style == "both" else re.sub(r" ?\[\d+\]", "", source))
        plain = cv2.imread(str(run.path / "frames" / views[row.view].image))
        assert plain is not None
        assert np.array_equal(np.asarray(image), plain[:, :, ::-1]) == (style == "boxes")
    assert found > 5
    lost = {name for name in rows if name not in {one[0] for one in told}}
    assert bool(lost) == (space == "cropped")  # the sofa begins at the very left of a wide picture
    for name in lost:
        boxes = {one.number: one.box_xyxy for one in views[rows[name].view].regions}
        assert any(middle_share(boxes[number]) < 0.5 for number in rows[name].mentioned)
    card = (out / "README.md").read_text(encoding="utf-8")
    assert f"References: {style}; numbers in texts: unit2 of {space}." in card
    assert ("outside of the cropped picture" in card) == bool(lost)


def in_space(box: tuple[float, ...], space: str) -> list[float]:
    """By hand for a picture of 640 x 400: padded it is 640 x 640, its middle square is 400 x 400."""
    if space == "picture":
        return [box[0] / 640, box[1] / 400, box[2] / 640, box[3] / 400]
    if space == "padded":
        return [box[0] / 640, (box[1] + 120) / 640, box[2] / 640, (box[3] + 120) / 640]
    x = [min(max(value - 120, 0), 400) / 400 for value in (box[0], box[2])]
    return [x[0], box[1] / 400, x[1], box[3] / 400]


def middle_share(box: tuple[float, ...]) -> float:
    return max(min(box[2], 520) - max(box[0], 120), 0) / (box[2] - box[0])
