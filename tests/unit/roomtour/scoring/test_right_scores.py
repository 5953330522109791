"""Scores as they should be measured: by hand on small sets, laws, and what junk gets."""

import random
import re

import numpy as np
import pytest

from instructions.dialogues.tasks.tasks import TASKS
from instructions.dialogues.templates import load_pool
from instructions.facts.bodies import Body
from instructions.records import Obb
from roomtour.scoring.dialogues import compat, junk, reading, right
from roomtour.scoring.dialogues.matching import average_precision, match_greatest, measure_oriented_iou
from roomtour.scoring.dialogues.ranking import PLANTED, count_ranking, make_ballots
from roomtour.scoring.dialogues.words import OwnWords
from tests.support.cases import each_case

WORDS = OwnWords()


@each_case(
    ("text", "count"),
    [
        ("12.", 12),
        ("There are twenty-one chairs.", 21),
        ("[3, 4] two", 2),
        ("none", 0),
        ("I see no chair", 0),
        ("many", None),
        ("2.5 m", None),
        ("", None),
    ],
)
def test_counts_are_read(text: str, count: int | None):
    assert reading.read_count(text) == count


def test_brackets_with_other_than_the_asked_numbers_are_not_read():
    assert reading.read_groups("[0.1, 0.2, 0.3] [-1e-1, .5]", 2) == [(-0.1, 0.5)]
    assert reading.read_groups("[x, 1] [nan, 1] (1, 2)", 2) == [(1.0, 2.0)]
    assert reading.read_groups("[" * 5000, 2) == []


@each_case(
    ("label", "text", "named"),
    [
        ("coffee table", "a coffee table", True), ("sofa", "a couch.", True), ("chair", "there is no chair", False),
        ("chair", "there isn't a red chair here", False), ("chair", "No. A chair stands there", True), ("shelf",
        "two shelves", True),
        ("table", "a tablet", False), ("bed", "no sofa, but a bed", True),
    ],
)  # fmt: skip
def test_classes_are_whole_phrases_and_not_denied(label: str, text: str, named: bool):
    assert reading.names_label(label, text, WORDS) is named


def test_options():
    choices = ["a table", "a coffee table", "a bed"]
    assert reading.read_choice("(B)", choices) == 1
    assert reading.read_choice("(A) or (B)", choices) is None
    assert reading.read_choice("It is a coffee table", choices) == 1
    assert reading.read_choice("A table is there", choices) == 0  # an article is no letter
    assert reading.read_choice("I cannot say", choices) is None
    assert reading.read_choice("The answer is F", list("uvwxyz")) == 5


def test_average_precision_by_hand():
    # Right at confidence 0.9 and 0.7, wrong at 0.8; two truths: precision 1 up to recall 1/2, then 2/3.
    hits = [(0.9, True), (0.8, False), (0.7, True)]
    assert average_precision(hits, 2) == pytest.approx(0.5 + 0.5 * 2 / 3)
    assert average_precision(hits, 2, coco=True) == pytest.approx((51 + 50 * 2 / 3) / 101)
    assert average_precision([], 2) == 0
    assert average_precision(hits[::-1], 2) == average_precision(hits, 2)


def test_matching_is_the_greatest():
    assert match_greatest([[0.9, 0.6], [0.8, 0.0]], 0.5) == 2
    assert match_greatest([], 0.5) == 0


def test_oriented_overlap():
    eye = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    half = 2**-0.5
    turned = ((half, -half, 0.0), (half, half, 0.0), (0.0, 0.0, 1.0))
    cube = Body.of_box(Obb((0, 0, 0), (1, 1, 1), eye))
    assert measure_oriented_iou(cube, cube) == pytest.approx(1)
    octagon = 8 * (2**0.5 - 1) * 2  # two squares of side 2, one turned by 45 degrees, times height 2
    assert measure_oriented_iou(cube, Body.of_box(Obb((0, 0, 0), (1, 1, 1), turned))) == pytest.approx(
        octagon / (16 - octagon)
    )
    assert measure_oriented_iou(cube, Body.of_box(Obb((3, 0, 0), (1, 1, 1), eye))) == 0


def test_a_second_box_is_wrong():
    row = {"gt_answers": [{"label": "chair", "bbox": [0, 0, 1, 1]}]}
    assert right.score_grounding([{**row, "answer": "[0, 0, 1, 1]"}])["acc50"] == 1
    assert right.score_grounding([{**row, "answer": "[0, 0, 1, 1] [0, 0, 1, 1]"}])["acc50"] == 0


def test_counting_words_and_choices():
    rows = [{"gt_answers": 2, "answer": "898"}, {"gt_answers": 2, "answer": "two"}]
    assert right.score_counting(rows) == pytest.approx(
        {"MAE": 448, "RMSE": 896 / 2**0.5, "exact": 0.5, "within1": 0.5, "unread": 0}
    )
    assert right.score_words([{"gt_answers": ["mind", "step"], "answer": '"Mind the step"'}])["recall"] == 1
    assert right.edit_distance("kitten", "sitting") == 3
    six = [{"gt_choice": 5, "gt_choices": list("uvwxyz"), "answer": "(F)"}]
    assert right.score_choice(six)["acc"] == 1


def test_rankings_and_planted_answers():
    answers = {f"r{n}": {"good": "It is a chair.", "poor": "It is a thing."} for n in range(200)}
    ballots = make_ballots(answers, seed=1)
    assert 2 <= sum(one.planted for one in ballots) / 2 <= 30
    order = {"good": 0, "poor": 1, PLANTED: 2}
    honest = [sorted(range(len(one.players)), key=lambda place, one=one: order[one.players[place]]) for one in ballots]
    found = count_ranking(ballots, honest)
    assert found.mean_rank == {"good": 1.0, "poor": 2.0}
    assert found.contradictions == found.ties == 0
    assert found.planted_last == 1
    assert not found.is_void
    blind = count_ranking(ballots, [list(range(len(one.players))) for one in ballots])
    assert blind.is_void
    assert blind.contradictions == 1
    with pytest.raises(ValueError, match="once"):
        count_ranking(ballots[:1], [[0, 0]])


@each_case(
    ("text", "metres"),
    [
        ("About two and a half metres.", 2.5), ("2.5 m", 2.5), ("roughly 80 centimetres", 0.8),
        ("It is 80cm high.", 0.8),
        ("half a metre", 0.5), ("One meter.", 1.0), ("a metre and a half", 1.5), ("twenty-one metres", 21.0),
        ("10 feet", 3.048), ("12 inches", 0.3048), ("It is 12 in.", 0.3048), ("450 mm", 0.45), ("3-metre", 3.0),
        ("I cannot say.", None), ("12", None), ("two or three metres: 2 m or 3 m", None), ("2 m, so two metres", 2.0),
        ("in front of five chairs", None), ("I moved 3", None), ("5 minutes", None), ("-", None),
    ],
)  # fmt: skip
def test_lengths_are_read(text: str, metres: float | None):
    assert reading.read_metres(text) == (None if metres is None else pytest.approx(metres))


def test_lengths_are_right_in_their_interval_and_junk_gets_little():
    rows = [{"metres": one, "interval": [0.75 * one, 1.25 * one]} for one in np.linspace(0.4, 9.0, 60)]

    def play(answers):
        return right.score_lengths([{**row, "answer": said} for row, said in zip(rows, answers, strict=True)])

    truth = play([f"{row['metres']:.2f} m" for row in rows])
    assert (truth["within"], truth["unread"]) == (1.0, 0.0)
    assert truth["MedRE"] < 0.01
    assert play([f"{1.3 * row['metres']:.2f} m" for row in rows])["within"] == 0.0
    assert play([""] * 60) == {"within": 0.0, "MedRE": 0.0, "unread": 1.0}
    assert play(junk.answer_as("everything", "length", rows))["within"] == 0.0
    assert play(junk.answer_as("frequent", "length", rows))["within"] < 0.35


def make_scenes(size: int) -> list[dict]:
    lot, rows = random.Random(2), []
    for number in range(8):
        corners = [[lot.uniform(0, 0.7) for _ in range(size // 2)] for _ in range(6)]
        ends = [[low + lot.uniform(0.1, 0.3) for low in corner] for corner in corners]
        kinds = zip(("chair", "sofa", "bed", "plant", "rug", "lamp"), corners, ends, strict=True)
        boxes = [{"label": kind, "bbox": [round(one, 2) for one in (*low, *high)]} for kind, low, high in kinds]
        rows.append({"tour": f"t{number % 3}", "gt_answers": boxes})
    return rows


@each_case("size", [4, 6])
def test_the_truth_scores_full_silence_nothing_and_everything_everywhere_next_to_nothing(size: int):
    """Except by the published way, which finds each truth among two hundred boxes or a grid of points."""
    rows = make_scenes(size)

    def play(answers: list[str]) -> tuple[list[dict], dict[str, float]]:
        told = [{**row, "answer": said} for row, said in zip(rows, answers, strict=True)]
        return told, right.score_detection(told, WORDS, size=size)

    full = play([junk.say_truth("boxes", row, size) for row in rows])[1]
    assert (full["AP50"], full["F1"], full["unread"]) == (1, 1, 0)
    silent = play([""] * len(rows))[1]
    assert (silent["AP"], silent["F1"], silent["unread"]) == (0, 0, 1)
    told, everything = play(junk.answer_as("everything", "boxes", rows, size))
    assert max(everything["AP50"], everything["F1"]) <= 0.05
    if size == 6:
        assert compat.score_detection_3d(told, WORDS)["mAR"] == 100
    else:
        told = play(junk.answer_as("everything", "points", rows))[0]
        assert right.score_locating(told, WORDS)["F1"] <= 0.05
        assert compat.score_locating(told, WORDS)["ACC"] == 100


def test_an_empty_box_divides_by_zero_there_and_is_a_miss_here():
    truth = [{"label": "chair", "bbox": [0.1, 0.1, 0.4, 0.4]}]
    assert np.isnan(compat.measure_iou((0, 0, 0, 0), (0, 0, 0, 0)))
    assert right.score_grounding([{"gt_answers": truth, "answer": "chair [0.2, 0.2, 0.2, 0.2]"}])["acc50"] == 0
    assert compat.score_locating([{"gt_answers": truth, "answer": "chair [0.1, 0.2]"}], WORDS)["ACC"] == 0  # its border


def test_no_answer_swears_to_what_nobody_measured():
    """Beside its placeholders an answer says where and what, and nothing of looks, certainty or confidence."""
    oaths = re.compile(
        r"\b(unique|distinct\w*|pattern|texture|clear\w*|obvious\w*|confiden\w*|certain\w*|definite\w*|accura\w*|shape|"
        r"color|colour|beautiful|perfect\w*|highly|appearance)\b"
    )
    answers = [line for name in TASKS if name != "classify_view"
               for lines in load_pool(name).answers.values() for line in lines]  # fmt: skip
    assert len(answers) > 50
    assert [line for line in answers if oaths.search(line.lower())] == []
