"""Faults of the published data and metrics, one by one: `compat` has them, ours have not."""

import re

from instructions.dialogues.benchmark import compat, right
from instructions.dialogues.benchmark.words import OwnWords
from instructions.dialogues.budget import estimate_tokens
from instructions.dialogues.conversation import build_text
from instructions.dialogues.records import Turn
from instructions.dialogues.templates import POOLS, load_pool

WORDS = OwnWords()


def test_two_hundred_junk_boxes_have_full_recall_there_and_nothing_here():
    truth = [{"label": "chair", "bbox": [x, 0, 0, 1, 1, 1]} for x in range(5)]
    row = {"tour": "t", "gt_answers": truth}
    spread = "chair " + " ".join(f"({x / 4}, 0, 0, 1, 1, 1)" for x in range(200))
    assert compat.score_detection_3d([{**row, "answer": spread}], WORDS)["mAR"] == 100
    assert right.score_detection([{**row, "answer": spread}], WORDS, size=6)["F1"] <= 0.05


def test_a_grid_of_points_locates_everything_there_and_nothing_here():
    grid = ", ".join(f"[{x / 20 + 0.025}, {y / 20 + 0.025}]" for x in range(20) for y in range(20))
    row = {"tour": "t", "gt_answers": [{"label": "chair", "bbox": [0.1, 0.1, 0.3, 0.4]}], "answer": f"chair {grid}"}
    assert compat.score_locating([row], WORDS)["ACC"] == 100
    assert right.score_locating([row], WORDS)["F1"] <= 0.05
    assert compat.score_locating([{**row, "answer": "chair [0.1, 0.2]"}], WORDS)["ACC"] == 0  # on the border


def test_an_empty_box_divides_by_zero_there_and_is_a_miss_here():
    truth = [{"label": "chair", "bbox": [0.1, 0.1, 0.4, 0.4]}]
    row = {"tour": "t", "gt_answers": truth, "answer": "chair [0.2, 0.2, 0.2, 0.2]"}
    assert compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0)) != compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0))  # NaN
    assert right.score_grounding([row])["acc50"] == 0


def test_no_answer_swears_to_what_nobody_measured():
    """Beside its placeholders an answer says where and what, and nothing of looks, certainty or confidence."""
    oaths = re.compile(
        r"\b(unique|distinct\w*|pattern|texture|clear\w*|obvious\w*|confiden\w*|certain\w*|definite\w*|accura\w*|shape|"
        r"color|colour|beautiful|perfect\w*|highly|appearance)\b"
    )
    for name in POOLS:
        if name not in ("classify_view", "description"):
            answers = [line for lines in load_pool(name).answers.values() for line in lines]
            assert [line for line in answers if oaths.search(line.lower())] == [], name


def test_later_turns_of_the_human_stand_as_the_loader_has_them_and_nothing_is_cut_unseen():
    text = "".join(part.text for part in build_text([("A?", "B."), ("C?", "D.")], "conversation", is_cloud=False))
    assert "B.\n###Human: C?" in text  # no blank: the published loader leaves none, and models were trained so
    seven = [
        Turn("Where are the chairs?", " ".join(["The chair object is at [0.10, 0.20, 0.30, 0.40]."] * 30), "place")
    ]
    assert estimate_tokens(seven) > 400
