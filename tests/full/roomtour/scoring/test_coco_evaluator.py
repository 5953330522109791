"""Average precision beside COCO's own evaluator, on answers in words."""

import random
from typing import Any

import pytest

from roomtour.scoring.dialogues import right
from roomtour.scoring.dialogues.words import OwnWords
from tests.support.cases import each_case
from tests.support.export.client_stubs import client

KINDS = ("chair", "sofa", "coffee table", "plant")
SIDE = 1000
Box = list[float]


def _moved(box: Box, lot: random.Random, most: float) -> Box:
    x0, y0, x1, y1 = (min(max(value + lot.uniform(-most, most), 0.0), 1.0) for value in box)
    return [round(value, 4) for value in (x0, y0, max(x1, x0 + 0.01), max(y1, y0 + 0.01))]


def make_case(seed: int) -> tuple[list[dict[str, Any]], list[list[tuple[str, Box, float]]]]:
    """Pictures with things, and what a detector that is often wrong would say of each: misses, doubles, other kinds."""
    lot = random.Random(seed)
    rows, told = [], []
    confidences = [round(0.001 + 0.001 * n, 3) for n in range(998)]
    lot.shuffle(confidences)
    for number in range(lot.randint(1, 12)):
        objects, said = [], []
        for _ in range(lot.randint(0, 7)):
            x, y = lot.uniform(0, 0.6), lot.uniform(0, 0.6)
            box = [round(value, 4) for value in (x, y, x + lot.uniform(0.05, 0.4), y + lot.uniform(0.05, 0.4))]
            kind = lot.choice(KINDS)
            objects.append({"label": kind, "bbox": box})
            for _ in range(lot.choice((0, 1, 1, 1, 2))):
                kind = kind if lot.random() < 0.85 else lot.choice(KINDS)
                said.append((kind, _moved(box, lot, lot.choice((0.005, 0.03, 0.1))), confidences.pop()))
        for _ in range(lot.randint(0, 2)):
            said.append((lot.choice(KINDS), _moved([0.2, 0.2, 0.5, 0.6], lot, 0.2), confidences.pop()))
        rows.append({"id": str(number), "tour": "t", "gt_answers": objects})
        told.append(said)
    return rows, told


def say(said: list[tuple[str, Box, float]], seed: int) -> str:
    """The same as sentences; their order says nothing, because each has its confidence."""
    lines = [f"The {kind} object is at {box}, confidence {confidence}." for kind, box, confidence in said]
    random.Random(seed).shuffle(lines)
    return " ".join(lines)


def evaluate_by_coco(rows: list[dict[str, Any]], told: list[list[tuple[str, Box, float]]]) -> tuple[float, float]:
    """AP over 0.5 to 0.95 and AP at 0.5, by pycocotools."""
    api, evaluator = client("pycocotools.coco"), client("pycocotools.cocoeval")

    def pixels(box: Box) -> list[float]:
        x0, y0, x1, y1 = (SIDE * value for value in box)
        return [x0, y0, x1 - x0, y1 - y0]

    truths, found = [], []
    for image, (row, said) in enumerate(zip(rows, told, strict=True), start=1):
        for one in row["gt_answers"]:
            box = pixels(one["bbox"])
            kind = 1 + KINDS.index(one["label"])
            truths.append({"id": len(truths) + 1, "image_id": image, "category_id": kind, "bbox": box,
                           "area": box[2] * box[3], "iscrowd": 0})  # fmt: skip
        found += [
            {"image_id": image, "category_id": 1 + KINDS.index(kind), "bbox": pixels(box), "score": confidence}
            for kind, box, confidence in said
        ]
    coco = api.COCO()
    coco.dataset = {
        "images": [{"id": image, "width": SIDE, "height": SIDE} for image in range(1, len(rows) + 1)],
        "categories": [{"id": number, "name": kind} for number, kind in enumerate(KINDS, start=1)],
        "annotations": truths,
    }
    coco.createIndex()
    one = evaluator.COCOeval(coco, coco.loadRes(found), "bbox")
    one.evaluate()
    one.accumulate()
    one.summarize()
    return float(one.stats[0]), float(one.stats[1])


@each_case("seed", range(10))
def test_average_precision_is_that_of_cocos_evaluator(seed: int):
    rows, told = make_case(seed)
    if not any(row["gt_answers"] for row in rows) or not any(told):
        rows, told = make_case(seed + 1000)
    words = OwnWords()
    ours = right.score_detection(
        [{**row, "answer": say(said, seed)} for row, said in zip(rows, told, strict=True)], words
    )
    whole, half = evaluate_by_coco(rows, told)
    assert ours["coco"] == pytest.approx(whole, abs=1e-6)
    assert ours["coco50"] == pytest.approx(half, abs=1e-6)
    assert 0 < ours["AP50"] == pytest.approx(ours["coco50"], abs=0.05)  # all points, instead of 101
    backwards = [{**row, "answer": say(said, seed + 1)} for row, said in zip(rows[::-1], told[::-1], strict=True)]
    assert right.score_detection(backwards, words) == pytest.approx(ours)
