"""Every template, filled with fifty classes, is read back as what it says, by our readers and by LAMM's."""

import re

import pytest

from instructions.dialogues.records import CloudBox, TalkBox, TaskTruth
from instructions.dialogues.tasks.tasks import Draft, put_task
from instructions.dialogues.templates import kind_slots, load_pool
from instructions.records import Obb
from roomtour.scoring.dialogues import compat, reading
from roomtour.scoring.dialogues.words import OwnWords
from tests.support.cases import each_case

CLASSES = (
    "chair", "armchair", "office chair", "coffee table", "table", "sofa", "oven", "umbrella", "shelf", "bookshelf",
    "curtain", "stairs",
    "washing machine", "trash can", "plant", "picture", "window", "door", "bed", "cabinet", "refrigerator",
    "microwave", "sink", "toilet",
    "bathtub", "mirror", "rug", "lamp", "floor lamp", "ottoman", "island", "easel", "urn", "organ", "hourglass",
    "unicycle", "box", "bench",
    "stool", "desk", "clock", "piano", "fireplace", "radiator", "vase", "book", "scissors", "knife", "display case",
    "hall tree",
)  # fmt: skip
SIZE = (640, 360)
WORDS = OwnWords()
EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ONE, OTHER = (64.0, 36.0, 320.0, 180.0), (400.0, 90.0, 560.0, 300.0)


def each(task: str, variant: str = ""):
    pool = load_pool(task)
    most = max(len(pool.questions), len(pool.answers[variant]))
    for number in range(most):
        yield number % len(pool.questions), number % len(pool.answers[variant])


def box_of(name: str, number: int = 0) -> CloudBox:
    center, lengths = (1.25 + number, -2.5, 0.5), (0.8, 0.6, 1.0)
    return CloudBox(f"0_{number}", name, center, lengths, Obb(center, (0.4, 0.3, 0.5), EYE))


@each_case("kind", CLASSES)
def test_detections_are_read_back(kind: str):
    other = "rug" if kind != "rug" else "lamp"
    truth = TaskTruth(objects=(TalkBox("a", kind, ONE), TalkBox("b", other, OTHER)))
    for asked, told in each("detect"):
        turn, _, _ = put_task(Draft("detect", "x", truth, (), {"kinds": f"{kind} things"}), asked, told, 0, SIZE)
        assert compat.read_detections(turn.answer) == [
            (kind, (0.10, 0.10, 0.50, 0.50)),
            (other, pytest.approx((0.62, 0.25, 0.88, 0.83), abs=0.011)),
        ], turn.answer
        found = reading.read_detections(turn.answer, [kind, other], 4, WORDS)
        assert [(label, box) for label, box, _ in found] == [
            (a, tuple(b)) for a, b in compat.read_detections(turn.answer)
        ]
        assert f"{kind} things" in turn.question
        assert "{" not in turn.question + turn.answer


@each_case("kind", CLASSES)
@each_case("number", [0, 1, 2, 7, 12])
def test_counts_are_read_back(kind: str, number: int):
    slots = dict(kind_slots(kind, number))
    for asked, told in each("count"):
        turn, _, _ = put_task(Draft("count", "x", TaskTruth(number=number), (), slots), asked, told, 0, SIZE)
        assert compat.read_count(turn.answer) == reading.read_count(turn.answer) == number, turn.answer
        assert slots["Cs"] in turn.question
        assert not re.search(r"\d[.,]", turn.answer)


@each_case("kind", CLASSES)
def test_classes_are_read_back(kind: str):
    for task in ("classify_view", "classify_thing", "classify_cloud"):
        for asked, told in each(task):
            draft = Draft(task, "x", TaskTruth(label=kind), (), dict(kind_slots(kind)), asked_spot=ONE)
            turn, _, _ = put_task(draft, asked, told, 0, SIZE)
            assert reading.names_label(kind, turn.answer, WORDS), turn.answer
            if task == "classify_thing":
                assert reading.read_groups(turn.question, 4) == [(0.10, 0.10, 0.50, 0.50)]
            assert "{" not in turn.question + turn.answer


@pytest.mark.parametrize("task", ["ground", "locate"])
def test_places_are_read_back(task: str):
    spot = ONE if task == "ground" else ONE[:2]
    for asked, told in each(task):
        turn, _, _ = put_task(
            Draft(task, "x", TaskTruth(), (), {"P": "the tall door"}, told_spot=spot), asked, told, 0, SIZE
        )
        wanted = [(0.10, 0.10, 0.50, 0.50)[: len(spot)]]
        assert reading.read_groups(turn.answer, len(spot)) == wanted, turn.answer
        assert task == "ground" or compat.read_points(turn.answer) == wanted  # grounding is no task of LAMM's
        assert "the tall door" in turn.question


@pytest.mark.parametrize("task", ["keypoints", "words"])
def test_annotated_tasks_are_read_back(task: str):
    for asked, told in each(task):
        slots = {"P": "left elbow", "A": "Mind the step"}
        draft = Draft(
            task, "x", TaskTruth(), (), slots, asked_spot=ONE, told_spot=(320.0, 90.0) if task == "keypoints" else None
        )
        turn, _, _ = put_task(draft, asked, told, 0, SIZE)
        assert reading.read_groups(turn.question, 4) == [(0.10, 0.10, 0.50, 0.50)], turn.question
        if task == "keypoints":
            assert "left elbow" in turn.question  # none of LAMM's keypoint questions names the part
            assert reading.read_groups(turn.answer, 2) == [(0.50, 0.25)]
        else:
            assert compat.read_quoted(turn.answer).lower().split() == ["mind", "the", "step"]


def test_yes_and_no_are_read_back():
    for kind in CLASSES:
        for word in ("yes", "no"):
            for asked, told in each("presence", word):
                draft = Draft("presence", "x", TaskTruth(label=word), (), dict(kind_slots(kind)), variant=word)
                turn, _, _ = put_task(draft, asked, told, 0, SIZE)
                assert reading.read_yes_no(turn.answer) == word
                assert kind in turn.question or kind_slots(kind)["Cs"] in turn.question


@pytest.mark.parametrize("task", ["choice", "vqa_cloud"])
def test_options_are_read_back(task: str):
    wrong = ("a sofa", "a coffee table", "an oven", "a bed", "a lamp")[: 3 if task == "choice" else 5]
    for asked, told in each(task):
        for place in range(len(wrong) + 1):
            draft = Draft(task, "x", TaskTruth(), (), {"Q": "Which of these is here?"}, wrong=wrong, right="a table")
            turn, _, truth = put_task(draft, asked, told, place, None)
            assert truth.correct == place
            assert truth.choices[place] == "a table"
            assert reading.read_choice(turn.answer, truth.choices) == place, turn.answer
            row = {"answer": turn.answer, "gt_choice": place, "gt_choices": list(truth.choices)}
            assert compat.score_vqa([row])["vision_acc"] == (1.0 if place < 5 else 0.0)
            assert all(f"({chr(65 + n)}) {choice}" in turn.question for n, choice in enumerate(truth.choices))


@each_case("kind", CLASSES)
def test_cloud_boxes_are_read_back(kind: str):
    for task, boxes in (("detect_cloud", (box_of(kind), box_of("rug", 1))), ("ground_cloud", (box_of(kind),))):
        for asked, told in each(task):
            slots = {"kinds": f"{kind} things", "P": f"the {kind}"}
            turn, _, _ = put_task(Draft(task, "x", TaskTruth(cloud_objects=boxes), (), slots), asked, told, 0, None)
            wanted = [(*box.center, *box.lengths) for box in boxes]
            assert reading.read_groups(turn.answer, 6) == wanted, turn.answer
            assert compat.read_boxes_3d(turn.answer) == wanted
            if task == "detect_cloud":
                labels = [label for label, _, _ in reading.read_detections(turn.answer, [kind, "rug"], 6, WORDS)]
                assert labels == [box.name for box in boxes], turn.answer
