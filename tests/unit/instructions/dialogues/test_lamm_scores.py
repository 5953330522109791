"""LAMM's published scores as they behave, line by line of the table, and against plain versions on random rows."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass

import pytest

from instructions.dialogues.benchmark import compat
from instructions.dialogues.benchmark.words import OwnWords
from tests.support.cases import each_case


@dataclass(frozen=True)
class TableWords(OwnWords):
    """WordNet's part by hand: what tests need of it."""

    def all_names(self, label: str) -> frozenset[str]:
        return {"sofa": frozenset({"sofa", "couch", "lounge"}), "chair": frozenset({"chair", "chairperson"}),
                "diningtable": frozenset(), "person": frozenset({"soul", "person"})}.get(
            label, frozenset({label}))  # fmt: skip

    def first_names(self, label: str) -> frozenset[str]:
        return {"sofa": frozenset({"sofa", "couch", "lounge"})}.get(label, frozenset({label}))


WORDS = TableWords()


@each_case(
    ("text", "size", "numbers"),
    [
        ("[0.1, 0.2, 0.3, 0.4]", 4, [0.1, 0.2, 0.3, 0.4]),
        ("(5, 6) [1, 2]", 2, [1, 2, 5, 6]),  # square ones first, lists joined
        ("[1, 2, 3] [4]", 4, [1, 2, 3, 4]),
        ("[1, 2, 3, 4, 5]", 4, [1, 2, 3, 4]),
        ("[x1, 2, 3] (4, 5)", 2, [4.0, 5.0]),
        ("at -0.5 and 7.", 2, [0.5, 7.0]),  # signs lost
        ("[-0.5, 1e1]", 2, [-0.5, 10.0]),
        ("nothing", 2, []),
    ],
)
def test_numbers_are_read_as_there(text: str, size: int, numbers: list[float]):
    assert compat.read_numbers(text, size) == numbers


def test_what_is_no_number_sticks_to_what_follows():
    assert compat.read_numbers("[x, 1, 2]", 2) == [1.0, 2.0]  # falls back on runs of digits: x12 is no number


def test_boxes_with_both_corners_reversed_are_swapped_and_others_dropped():
    assert compat.read_boxes("[3, 4, 1, 2]") == [(1, 2, 3, 4)]
    assert compat.read_boxes("[3, 2, 1, 4]") == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("There are 12 chairs", 12),
        ("12.", 0),
        ("Twenty chairs", 20),
        ("twenty-one", 0),
        ("no chairs", 0),
        ("", 0),
        ("one, two", 2),
    ],
)
def test_counts(text: str, count: int):
    assert compat.read_count(text) == count


def test_classes_are_looked_for_in_words_split_at_blanks():
    assert not compat.names_class("coffee table", "a coffee table", WORDS)
    assert not compat.names_class("sofa", "a couch.", WORDS)
    assert compat.names_class("sofa", "a couch", WORDS)
    assert compat.names_class("chair", "there is no chair", WORDS)
    assert compat.names_class("person", "two women sit", WORDS)


@each_case(
    ("sentence", "category"),
    [
        ("The chair object is at {B}.", "chair"),
        ("In {B} it is classified as desk lamp, I think.", "desk lamp"),
        ("{B} can be categorized as sofa at home.", "sofa"),
        ("{B} belongs to the category of bed.", "bed"),
        ("A thing belonging to the old chair category is at {B}.", "old chair"),
        ("{B} falls under the category of rug.", "rug"),
        ("{B} falls under the rug category.", "rug"),
        ("{B} is seen, its category is plant.", "plant"),
        ("The chair object at {B} falls under the stool category.", "stool"),
    ],
)
def test_phrases_of_detections(sentence: str, category: str):
    assert compat.read_detections(sentence.replace("{B}", "[0.1, 0.2, 0.3, 0.4]")) == [(category, (0.1, 0.2, 0.3, 0.4))]


def test_detections_without_category_or_with_reversed_corners_are_dropped():
    assert compat.read_detections("A chair at [0.1, 0.2, 0.3, 0.4].") == []
    assert compat.read_detections("The chair object is at [0.3, 0.4, 0.1, 0.2].") == []
    assert compat.read_detections("") == []


def test_detection_keys_and_values():
    rows = [{"gt_answers": [{"label": "chair", "bbox": [0, 0, 1, 1]}, {"label": "bed", "bbox": [0, 0, 0.9, 1]}],
             "answer": "The chair object is at [0, 0, 1, 1]. The sofa object is at [0, 0, 1, 1]."}]  # fmt: skip
    scores = compat.score_detection(rows, WORDS)
    assert set(scores) == {
        f"{name}@{bar}" for name in ("recall", "prec", "recall_wocat", "prec_wocat") for bar in ("0.50", "0.25")
    }
    assert scores["recall@0.50"] == 50
    assert scores["recall_wocat@0.50"] == 100
    assert scores["prec@0.50"] == pytest.approx(50, abs=1e-4)


def test_junk_boxes_have_full_recall_in_3d():
    truth = [{"label": "chair", "bbox": [x, 0, 0, 1, 1, 1]} for x in range(5)]
    answer = "chair " + " ".join(f"({x / 4}, 0, 0, 1, 1, 1)" for x in range(200))
    assert compat.score_detection_3d([{"gt_answers": truth, "answer": answer}], WORDS)["mAR"] == 100


def test_vqa_patterns_in_their_order():
    def right(answer: str, place: int = 1, **more: str) -> float:
        return compat.score_vqa(
            [{"answer": answer, "gt_choice": place, "gt_choices": ["a bed", "a sofa", "a rug"], **more}]
        )["vision_acc"]

    assert right("The answer is (B).")
    assert not right("The answer is A. The answer is (B).")
    assert right("ANSWER: B, ANSWER: A")
    assert not right("(A) or (B)")
    assert right("It is a sofa")
    assert not right("It is a sofa or a bed")
    assert right(" ", CoT_answer="the answer is B;")
    assert not compat.score_vqa([{"answer": "(F)", "gt_choice": 5, "gt_choices": list("uvwxyz")}])["vision_acc"]


def test_errors_of_counts_are_cut_at_the_truth():
    assert compat.score_counting([{"gt_answers": 2, "answer": "900"}]) == {"MAE": 2.0, "ACC": 0.0}


def test_quoted_words():
    assert compat.read_quoted("It says 'one' and \"two\"") == "one.  and . two"
    assert compat.read_quoted("plain text") == "plain text"
    # Of several quoted words only the last can match: a stop sticks to the others.
    assert compat.score_ocr([{"gt_answers": ["stop", "go"], "answer": "'stop''go'"}])["ACC"] == 0.5


def test_a_grid_of_points_locates_everything():
    grid = ", ".join(f"[{x / 20 + 0.025}, {y / 20 + 0.025}]" for x in range(20) for y in range(20))
    rows = [{"gt_answers": [{"label": "chair", "bbox": [0.1, 0.1, 0.3, 0.4]}], "answer": f"chair {grid}"}]
    assert compat.score_locating(rows, WORDS)["ACC"] == 100
    assert compat.score_locating([{**rows[0], "answer": "chair [0.1, 0.2]"}], WORDS)["ACC"] == 0  # on the border


def test_classification_by_the_first_sense():
    assert compat.score_classification([{"label": "sofa", "answer": "It is a couch."}], WORDS)["ACC"] == 1
    assert compat.score_classification([{"label": "sofa", "answer": "It is a bed."}], WORDS)["ACC"] == 0


def test_two_empty_boxes_have_no_overlap_that_is_a_number():
    assert math.isnan(compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0)))
    assert math.isnan(compat.measure_iou_3d((0, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 0)))


def test_a_thousand_random_answers_give_what_a_plain_version_gives():
    """The plain versions work with regular expressions on well-formed text, not sign by sign."""
    lot = random.Random(3)
    mae = hits = 0
    counting, locating, found = [], [], 0
    for _ in range(1000):
        truth, said = lot.randint(0, 25), lot.randint(0, 25)
        counting.append({"gt_answers": truth, "answer": f"I count {said} of them"})
        mae += min(truth, abs(said - truth))
        hits += said == truth
        box = sorted(lot.random() for _ in range(2)), sorted(lot.random() for _ in range(2))
        points = [(round(lot.random(), 3), round(lot.random(), 3)) for _ in range(3)]
        bbox = [box[0][0], box[1][0], box[0][1], box[1][1]]
        text = "chair " + " ".join(f"[{x}, {y}]" for x, y in points)
        locating.append({"gt_answers": [{"label": "chair", "bbox": bbox}], "answer": text})
        read = [tuple(map(float, pair)) for pair in re.findall(r"\[([\d.]+), ([\d.]+)\]", text)]
        found += any(bbox[0] < x < bbox[2] and bbox[1] < y < bbox[3] for x, y in read)
    scores = compat.score_counting(counting)
    assert scores["MAE"] == pytest.approx(mae / 1000, abs=1e-9)
    assert scores["ACC"] == pytest.approx(hits / 10, abs=1e-9)
    assert compat.score_locating(locating, WORDS)["ACC"] == pytest.approx(found / 10, abs=1e-9)
