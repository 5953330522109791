"""What the truth, silence and an answer that says everything get."""

import random

from instructions.dialogues.benchmark import junk, right
from instructions.dialogues.benchmark.words import OwnWords

WORDS = OwnWords()


def _scenes(seed: int, size: int, count: int = 12) -> list[dict]:
    lot = random.Random(seed)
    rows = []
    for number in range(count):
        objects = []
        for label in ("chair", "sofa", "bed", "plant", "rug", "lamp"):
            if size == 4:
                x, y = lot.uniform(0, 0.7), lot.uniform(0, 0.7)
                bbox = [x, y, x + lot.uniform(0.1, 0.3), y + lot.uniform(0.1, 0.3)]
            else:
                bbox = [lot.uniform(-3, 3) for _ in range(3)] + [lot.uniform(0.3, 2) for _ in range(3)]
            objects.append({"label": label, "bbox": [round(value, 2) for value in bbox]})
        rows.append({"tour": f"t{number % 3}", "gt_answers": objects})
    return rows


def _score(rows: list[dict], answers: list[str], size: int) -> dict[str, float]:
    told = [{**row, "answer": said} for row, said in zip(rows, answers, strict=True)]
    return right.score_detection(told, WORDS, size=size)


def test_the_truth_scores_full_silence_nothing_and_everything_everywhere_next_to_nothing(subtests):
    for size in (4, 6):
        with subtests.test(size=size):
            rows = _scenes(2, size)
            full = _score(rows, [junk.say_truth("boxes", row, size) for row in rows], size)
            assert full["AP50"] == full["F1"] == 1
            assert full["unread"] == 0
            silent = _score(rows, [""] * len(rows), size)
            assert silent["AP"] == silent["F1"] == 0
            assert silent["unread"] == 1
            everything = _score(rows, junk.answer_as("everything", "boxes", rows, size), size)
            assert everything["AP50"] <= 0.05
            assert everything["F1"] <= 0.05
    points = junk.answer_as("everything", "points", rows := _scenes(3, 4))
    told = [{**row, "answer": said} for row, said in zip(rows, points, strict=True)]
    assert right.score_locating(told, WORDS)["F1"] <= 0.05
