"""Faults of the published data and metrics, one by one: `compat` has them, ours have not."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest

from instructions.dialogues.benchmark import compat, right
from instructions.dialogues.benchmark.reading import read_count
from instructions.dialogues.benchmark.words import OwnWords
from instructions.dialogues.budget import estimate_tokens
from instructions.dialogues.conversation import TASK_TYPES, build_text, system_message
from instructions.dialogues.filters import find_form_fault
from instructions.dialogues.records import Turn
from instructions.dialogues.scene_text import check_scene_text
from instructions.dialogues.spots import inside_square, retell
from instructions.dialogues.support import find_unsupported
from instructions.dialogues.templates import POOLS, load_pool
from instructions.language.quoting import name as plain_name
from tests.support.cases import each_case

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


def test_the_sixth_option_can_be_right():
    row = {"answer": "(F)", "gt_choice": 5, "gt_choices": list("uvwxyz")}
    assert compat.score_vqa([row])["vision_acc"] == 0
    assert right.score_choice([row])["acc"] == 1


@pytest.mark.parametrize(
    ("label", "answer", "is_named", "there"),
    [
        ("coffee table", "It is a coffee table", True, False),
        ("sofa", "This is a couch.", True, False),
        ("chair", "there is no chair", False, True),
    ],
)
def test_classes(label: str, answer: str, is_named: bool, there: bool):
    truth = [{"label": label, "bbox": [0, 0, 1, 1]}]
    row = {"tour": "t", "gt_answers": truth, "answer": f"{answer} [0.5, 0.5]"}
    # The published reader splits at blanks: "couch." keeps its stop, and no label of two words is ever one of them.
    assert (compat.score_locating([row], WORDS)["ACC"] == 100) == there
    assert (
        right.score_classification([{"tour": "t", "label": label, "answer": answer}], WORDS)["acc"] == 1
    ) == is_named


def test_counts():
    assert compat.score_counting([{"gt_answers": 2, "answer": "900"}])["MAE"] == 2
    assert right.score_counting([{"tour": "t", "gt_answers": 2, "answer": "900"}])["MAE"] == 898
    assert compat.read_count("12.") == 0
    assert read_count("12.") == 12
    assert read_count("There are twenty-one of them") == 21


def test_several_quoted_words():
    row = {"tour": "t", "gt_answers": ["stop", "go"], "answer": "'stop' 'go'"}
    assert compat.score_ocr([row])["ACC"] < 1
    assert right.score_words([row])["recall"] == 1


def test_an_empty_box_divides_by_zero_there_and_is_a_miss_here():
    truth = [{"label": "chair", "bbox": [0.1, 0.1, 0.4, 0.4]}]
    row = {"tour": "t", "gt_answers": truth, "answer": "chair [0.2, 0.2, 0.2, 0.2]"}
    assert compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0)) != compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0))  # NaN
    assert right.score_grounding([row])["acc50"] == 0


def test_every_counting_question_names_the_class_and_every_keypoint_question_the_part():
    for name, slots in (("count", ("{C}", "{Cs}", "{aC}")), ("keypoints", ("{P}", "{P."))):
        pool = load_pool(name)
        assert len(pool.questions) >= 20
        assert [one for one in pool.questions if not any(slot in one for slot in slots)] == []


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


@pytest.mark.parametrize(
    "text",
    ["According to the captions it is red.", "The bounding box is large.", "A lab_name is here.", "As given, yes."],
)
def test_talks_do_not_quote_their_input(text: str):
    assert find_form_fault(text) == "leak"


def test_mentions_over_frames_are_not_added_up():
    """Three frames that show the same chair are one chair: counts are over the joined things of a model."""
    scene: Any = SimpleNamespace(
        of_kind={"chair": ("one",)}, unsure_kinds=frozenset(), alone=(), known={}
    )  # what check_scene_text reads of a cloud
    (told,) = check_scene_text("There are three chairs.", scene)
    assert told.state == "false"
    (told,) = check_scene_text("There is one chair.", scene)
    assert told.state == "true"


def test_a_date_that_the_text_lacks_is_unsupported():
    assert find_unsupported("Sofas were made in 1826.", ["A sofa seats several people. Sofas were made of wood."])
    assert find_unsupported("A sofa seats several people.", ["A sofa seats several people."]) is None


def test_inputs_hold_no_raw_names():
    assert plain_name('lab_name"]}{') == "lab name"


@each_case("kind", TASK_TYPES)
def test_each_task_is_given_its_own_message(kind: str):
    """There, faces are classified under the message of reading words, and captions under another's."""
    own = system_message(kind).lower()
    foreign = {"counting": "how many", "keypoint_detection": "keypoint", "detection": "box"}
    for other, word in foreign.items():
        if other != kind and not kind.startswith((other, "visual_grounding", "detection")):
            assert word not in own.split(". ")[0], other


def test_boxes_are_those_of_the_picture_that_the_encoder_sees():
    """There, boxes of the whole picture go with its middle square: a thing outside is named to who cannot see it."""
    size = (640, 360)
    outside, inside = (10.0, 50.0, 100.0, 200.0), (300.0, 100.0, 400.0, 200.0)
    assert inside_square(outside, size) == 0
    assert retell(["It is at [0.02, 0.14, 0.16, 0.56]."], [outside], size, "cropped", "unit2") is None
    (told,) = retell(["It is at [0.47, 0.28, 0.62, 0.56]."], [inside], size, "cropped", "unit2") or [""]
    assert told == "It is at [0.44, 0.28, 0.72, 0.56]."


def test_detection_has_an_average_precision_here():
    truth = [{"label": "chair", "bbox": [0.1, 0.1, 0.3, 0.3]}]
    row = {"tour": "t", "gt_answers": truth, "answer": "The chair object is at [0.1, 0.1, 0.3, 0.3]."}
    assert not any(key.startswith("AP") for key in compat.score_detection([row], WORDS))
    assert right.score_detection([row], WORDS)["AP"] == 1


def test_later_turns_of_the_human_stand_as_the_loader_has_them_and_nothing_is_cut_unseen():
    text = "".join(part.text for part in build_text([("A?", "B."), ("C?", "D.")], "conversation", is_cloud=False))
    assert "B.\n###Human: C?" in text  # no blank: the published loader leaves none, and models were trained so
    seven = [
        Turn("Where are the chairs?", " ".join(["The chair object is at [0.10, 0.20, 0.30, 0.40]."] * 30), "place")
    ]
    assert estimate_tokens(seven) > 400
