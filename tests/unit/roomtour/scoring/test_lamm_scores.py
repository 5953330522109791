"""LAMM's published scores: as they behave, line by line of the table, and on random rows against
versions written another way: whole arrays, brute force over all matchings, regular expressions."""

import itertools
import random
import re
from dataclasses import dataclass

import numpy as np
import pytest

from roomtour.scoring.dialogues import compat
from roomtour.scoring.dialogues.words import OwnWords
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
        ("[x1, 2, 3] (4, 5)", 2, [4.0, 5.0]),
        ("at -0.5 and 7.", 2, [0.5, 7.0]),  # signs lost
        ("[-0.5, 1e1]", 2, [-0.5, 10.0]),
        ("nothing", 2, []),
    ],
)
def test_numbers_are_read_as_there(text: str, size: int, numbers: list[float]):
    assert compat.read_numbers(text, size) == numbers


@each_case(
    ("text", "count"),
    [
        ("There are 12 chairs", 12),
        ("12.", 0),
        ("Twenty chairs", 20),
        ("twenty-one", 0),
        ("one, two", 2),
    ],
)
def test_counts(text: str, count: int):
    assert compat.read_count(text) == count


ROWS = 250
KINDS = ("chair", "sofa", "bed", "rug")


def test_counting_and_locating_at_random():
    """The plain versions work with regular expressions on well-formed text, not sign by sign."""
    lot = random.Random(3)
    mae = hits = 0
    counting, locating, found = [], [], 0
    for _ in range(ROWS):
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
    assert scores["MAE"] == pytest.approx(mae / ROWS, abs=1e-9)
    assert scores["ACC"] == pytest.approx(100 * hits / ROWS, abs=1e-9)
    assert compat.score_locating(locating, WORDS)["ACC"] == pytest.approx(100 * found / ROWS, abs=1e-9)


def boxes_of(lot: random.Random, most: int) -> list[tuple[str, list[float]]]:
    out = []
    for _ in range(lot.randint(0, most)):
        x, y = lot.randint(0, 6), lot.randint(0, 6)
        box = [x, y, x + lot.randint(1, 4), y + lot.randint(1, 4)]  # whole numbers: no rounding at the bar
        out.append((lot.choice(KINDS), [float(value) for value in box]))
    return out


def iou(one: list[float], other: list[float]) -> float:
    """By counting the cells of a grid; all corners lie on it."""
    cells = [np.zeros((12, 12), bool) for _ in range(2)]
    for grid, (x0, y0, x1, y1) in zip(cells, (one, other), strict=True):
        grid[int(y0) : int(y1), int(x0) : int(x1)] = True
    return (cells[0] & cells[1]).sum() / (cells[0] | cells[1]).sum()


def best_matching(table: list[list[bool]]) -> int:
    """The most pairs of all ways to give each row a column of its own."""
    if not table or not table[0]:
        return 0
    rows, columns = len(table), len(table[0])
    if rows > columns:
        table = [list(line) for line in zip(*table, strict=True)]
        rows, columns = columns, rows
    return max(
        sum(table[row][column] for row, column in enumerate(order))
        for order in itertools.permutations(range(columns), rows)
    )


def test_detection_at_random():
    lot = random.Random(1)
    rows, truths, told = [], 0, 0
    hits = dict.fromkeys(((bar, classed) for bar in (0.5, 0.25) for classed in (True, False)), 0)
    for _ in range(ROWS):
        objects, said = boxes_of(lot, 4), boxes_of(lot, 4)
        if lot.random() < 0.5:
            said = [(lot.choice(KINDS) if lot.random() < 0.3 else kind, box) for kind, box in objects] + said[:1]
        answer = " ".join(f"The {kind} object is at {box}." for kind, box in said)
        rows.append({"gt_answers": [{"label": kind, "bbox": box} for kind, box in objects], "answer": answer})
        truths += len(objects)
        told += len(said)
        for bar, classed in hits:
            table = [
                [(not classed or kind == label) and iou(box, spot) >= bar for label, spot in said]
                for kind, box in objects
            ]
            hits[bar, classed] += best_matching(table)
    scores = compat.score_detection(rows, WORDS)
    for (bar, classed), hit in hits.items():
        mark = "" if classed else "_wocat"
        assert scores[f"recall{mark}@{bar:.2f}"] == pytest.approx(100 * hit / truths, abs=1e-9)
        assert scores[f"prec{mark}@{bar:.2f}"] == pytest.approx(100 * hit / (told + 1e-7), abs=1e-9)


def test_overlap_of_boxes_in_space_at_random():
    rng = np.random.default_rng(2)
    for _ in range(ROWS):
        one, other = (np.round(rng.uniform([-1] * 3 + [0.2] * 3, [1] * 3 + [2] * 3), 2) for _ in range(2))
        if rng.random() < 0.2:
            other[3:] *= -1  # a size loses its sign
        low = np.round([box[:3] - np.abs(box[3:]) / 2 for box in (one, other)], 3)
        high = np.round([box[:3] + np.abs(box[3:]) / 2 for box in (one, other)], 3)
        shared = np.prod(np.clip(high.min(axis=0) - low.max(axis=0), 0, None))
        whole = np.prod(high - low, axis=1).sum() - shared
        assert compat.measure_iou_3d(one.tolist(), other.tolist()) == pytest.approx(shared / whole, abs=1e-9)


def test_detection_and_grounding_in_space_at_random():
    lot = random.Random(3)
    detected, grounded, truths, hits, first = [], [], 0, 0, 0
    for _ in range(ROWS):
        boxes = [[round(lot.uniform(-1, 1), 1) for _ in range(3)] + [1.0, 1.0, 1.0] for _ in range(3)]
        said = [[round(value + lot.choice((0.0, 0.1, 0.4)), 2) for value in box[:3]] + [1.0, 1.0, 1.0] for box in boxes]
        lot.shuffle(said)
        answer = f"a {lot.choice(KINDS)} here " + " ".join(f"({', '.join(map(str, box))})" for box in said)
        objects = [{"label": lot.choice(KINDS), "bbox": box} for box in boxes]
        detected.append({"gt_answers": objects, "answer": answer})
        grounded.append({"gt_answers": objects[:1], "answer": answer})
        first += compat.measure_iou_3d(boxes[0], said[0]) > 0.5
        for one in objects:
            truths += 1
            hits += one["label"] in answer.split(" ") and any(
                compat.measure_iou_3d(one["bbox"], box) > 0.5 for box in said
            )
    assert compat.score_detection_3d(detected, WORDS)["mAR"] == pytest.approx(100 * hits / truths, abs=1e-9)
    assert compat.score_grounding_3d(grounded)["mAR"] == pytest.approx(100 * first / ROWS, abs=1e-9)


def test_options_at_random():
    lot = random.Random(4)
    choices = ["a bed", "a sofa", "a rug", "a lamp", "a door"]
    rows, hits = [], 0
    for _ in range(ROWS):
        right, said, other = (lot.randrange(5) for _ in range(3))
        letter, third = "ABCDE"[said], "ABCDE"[other]
        form = lot.choice(
            ("The answer is ({a}). Then the answer is {b}.", "So ANSWER: {a} and ANSWER: {b}", "({a}) ({b})", "{t}",
             "{t} or {u}", "nothing")
        )  # fmt: skip
        answer = form.format(a=letter, b=third, t=choices[said], u=choices[other])
        rows.append({"gt_choice": right, "gt_choices": choices, "answer": answer})
        both = said == right and other == right
        hits += {
            "T": both, "S": said == right, "(": both, "{": said == right and ("or" not in form or other == right),
            "n": False,
        }[form[0]]  # fmt: skip
    assert compat.score_vqa(rows)["vision_acc"] == pytest.approx(hits / ROWS, abs=1e-9)


def test_words_that_are_read_at_random():
    lot = random.Random(5)
    words = "exit stop mind the step fire".split()  # noqa: SIM905
    rows, total = [], 0.0
    for _ in range(ROWS):
        truth = lot.sample(words, lot.randint(1, 4))
        said = lot.sample(words, lot.randint(0, 5))
        quoted = lot.random() < 0.5 and bool(said)
        answer = f'It says "{" ".join(said)}" there, stop' if quoted else " ".join(said).upper()
        rows.append({"gt_answers": truth, "answer": answer})
        total += sum(word in said for word in truth) / len(truth)
    assert compat.score_ocr(rows)["ACC"] == pytest.approx(total / ROWS, abs=1e-9)


def test_classification_at_random():
    lot = random.Random(6)
    names = {"sofa": {"sofa", "couch", "lounge"}}
    rows, hits = [], 0
    for _ in range(ROWS):
        label = lot.choice((*KINDS, "lamp"))
        said = lot.choice((*KINDS, "couch", "lounge", "lamps", "Sofa"))
        answer = lot.choice(("It is a {}.", "{}", "a {}, I think", "some-{} there")).format(said)
        rows.append({"label": label, "answer": answer})
        plain = {word.removesuffix("s") for word in re.split(r"[^a-z-]+", answer.lower()) if word}
        hits += bool(plain & (names.get(label, set()) | {label}))
    assert compat.score_classification(rows, WORDS)["ACC"] == pytest.approx(hits / ROWS, abs=1e-9)
