"""Scores as they should be measured: one answer for one truth, nothing guessed, what cannot be read is told."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import hypot, sqrt
from typing import Any

import numpy as np

from instructions.dialogues.benchmark.matching import average_precision, match_in_order, measure_oriented_iou
from instructions.dialogues.benchmark.reading import (
    NOT_IN_VIEW,
    names_label,
    read_choice,
    read_count,
    read_detections,
    read_groups,
    read_metres,
    read_where,
    read_yes_no,
)
from instructions.dialogues.benchmark.words import Lexicon
from instructions.facts.bodies import Body
from instructions.facts.overlap import box_iou
from instructions.records import Obb
from recon.geometry import Array

Row = Mapping[str, Any]
Scores = dict[str, float]
_BARS = tuple(0.5 + 0.05 * step for step in range(10))
_EYE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def score_detection(rows: Sequence[Row], words: Lexicon, *, size: int = 4) -> Scores:
    """Average precision at 0.25, 0.5 and over 0.5 to 0.95, classes apart; precision, recall and F1 at 0.5.

    `AP...` is the area under all points; `coco` and `coco50` are means over 101 recalls, as COCO's evaluator has.

    Args:
        rows: {gt_answers: [{label, bbox, obb?}], answer}; boxes as four shares, or six numbers of a cloud.
        words: Synonyms of classes.
        size: Numbers of a box.
    """
    labels = sorted({one["label"] for row in rows for one in row["gt_answers"]})
    bars = sorted({0.25, *_BARS})
    hits: dict[tuple[float, str], list[tuple[float, bool]]] = defaultdict(list)
    truths: dict[str, int] = defaultdict(int)
    unread = 0
    strays = 0
    for row in rows:
        for one in row["gt_answers"]:
            truths[one["label"]] += 1
        told = read_detections(row["answer"], labels, size, words)
        unread += not told and bool(row["gt_answers"])
        strays += sum(label is None for label, _, _ in told)
        for label in labels:
            of_label = sorted((one for one in told if one[0] == label), key=lambda one: -one[2])
            if not of_label:
                continue
            table = _overlaps([one for one in row["gt_answers"] if one["label"] == label], [one[1] for one in of_label])
            for bar in bars:
                for (_, _, confidence), hit in zip(of_label, match_in_order(table, bar), strict=True):
                    hits[bar, label].append((confidence, hit))
    out: Scores = {}
    named = [label for label in labels if truths[label]]
    for name, chosen in (("AP25", (0.25,)), ("AP50", (0.5,)), ("AP", _BARS), ("coco50", (0.5,)), ("coco", _BARS)):
        coco = name.startswith("coco")
        values = [average_precision(hits[bar, label], truths[label], coco=coco) for label in named for bar in chosen]
        out[name] = float(np.mean(values)) if values else 0.0
    right = sum(hit for label in labels for _, hit in hits[0.5, label])
    told_boxes = strays + sum(len(hits[0.5, label]) for label in labels)
    return out | _f1(right, told_boxes, sum(truths.values())) | {"unread": unread / max(len(rows), 1)}


def _overlaps(truths: Sequence[Row], told: Sequence[Sequence[float]]) -> Array:
    return np.array([[_overlap(one, box) for box in told] for one in truths]).reshape(len(truths), len(told))


def _overlap(truth: Row, told: Sequence[float]) -> float:
    if len(told) == 4:
        x0, y0, x1, y1 = told
        a, b, c, d = truth["bbox"]
        return box_iou((a, b, c, d), (x0, y0, x1, y1))
    if min(told[3:]) <= 0:
        return 0.0
    return measure_oriented_iou(_body(truth.get("obb"), truth["bbox"]), _body(None, told))


def _body(obb: Any, box: Sequence[float]) -> Body:
    if obb is not None:
        x, y, z = (tuple(row) for row in obb["rotation"])
        return Body.of_box(Obb(tuple(obb["center"]), tuple(obb["half_extents"]), (x, y, z)))
    return Body.of_box(Obb((box[0], box[1], box[2]), (box[3] / 2, box[4] / 2, box[5] / 2), _EYE))


def _f1(right: float, told: float, truths: float) -> Scores:
    precision, recall = right / told if told else 0.0, right / truths if truths else 0.0
    both = precision + recall
    return {"precision": precision, "recall": recall, "F1": 2 * precision * recall / both if both else 0.0}


def score_grounding(rows: Sequence[Row], *, size: int = 4) -> Scores:
    """Share of rows whose one box overlaps the truth by 0.25 and 0.5; a second box is wrong."""
    overlaps = []
    unread = 0
    for row in rows:
        told = read_groups(row["answer"], size)
        unread += not told
        overlaps.append(_overlap(row["gt_answers"][0], told[0]) if len(told) == 1 else 0.0)
    count = max(len(rows), 1)
    return {"acc25": sum(one >= 0.25 for one in overlaps) / count, "acc50": sum(one >= 0.5 for one in overlaps) / count,
            "unread": unread / count}  # fmt: skip


def score_counting(rows: Sequence[Row]) -> Scores:
    """Mean and root mean square error of what was read, shares exact and within one of all rows."""
    errors = []
    unread = 0
    for row in rows:
        said = read_count(row["answer"])
        if said is None:
            unread += 1
        else:
            errors.append(abs(said - row["gt_answers"]))
    count = max(len(rows), 1)
    read = max(len(errors), 1)
    return {
        "MAE": sum(errors) / read, "RMSE": sqrt(sum(error**2 for error in errors) / read),
        "exact": sum(error == 0 for error in errors) / count, "within1": sum(error <= 1 for error in errors) / count,
        "unread": unread / count,
    }  # fmt: skip


def score_lengths(rows: Sequence[Row]) -> Scores:
    """Share of lengths in the interval that is right for them, and the median relative error of what was read.

    Args:
        rows: {metres, interval, answer}; two lengths that differ are none.
    """
    errors = []
    right = 0
    for row in rows:
        said = read_metres(row["answer"])
        if said is not None:
            low, high = row["interval"]
            right += low <= said <= high
            errors.append(abs(said - row["metres"]) / max(row["metres"], 1e-9))
    count = max(len(rows), 1)
    median = float(np.median(errors)) if errors else 0.0
    return {"within": right / count, "MedRE": median, "unread": (len(rows) - len(errors)) / count}


def score_choice(rows: Sequence[Row]) -> Scores:
    """Share of right options; two letters are wrong, and count as not read."""
    told = [read_choice(row["answer"], row["gt_choices"]) for row in rows]
    count = max(len(rows), 1)
    right = sum(said == row["gt_choice"] for said, row in zip(told, rows, strict=True))
    return {"acc": right / count, "unread": sum(said is None for said in told) / count}


def score_presence(rows: Sequence[Row]) -> Scores:
    """Share of right yes and no."""
    told = [read_yes_no(row["answer"]) for row in rows]
    count = max(len(rows), 1)
    right = sum(said == row["label"] for said, row in zip(told, rows, strict=True))
    return {"acc": right / count, "unread": sum(said is None for said in told) / count}


def score_unseen(rows: Sequence[Row]) -> Scores:
    """Where a thing is, or that it cannot be seen: the share that is right, and apart of what is seen and what is not.

    `seen` is also 0 for who always refuses, `unseen` for who never does; `both` is the mean of the two.
    """
    right = {"seen": [0, 0], "unseen": [0, 0]}
    unread = 0
    for row in rows:
        told = read_where(row["answer"])
        unread += told is None
        part = right["unseen" if row["label"] == NOT_IN_VIEW else "seen"]
        part[0] += told == row["label"]
        part[1] += 1
    shares = {name: hits / max(count, 1) for name, (hits, count) in right.items()}
    return shares | {"both": (shares["seen"] + shares["unseen"]) / 2, "unread": unread / max(len(rows), 1)}


def score_classification(rows: Sequence[Row], words: Lexicon) -> Scores:
    """Share of rows that name the label and no other label of the data."""
    labels = sorted({row["label"] for row in rows})
    right = unread = 0
    for row in rows:
        named = [label for label in labels if names_label(label, row["answer"], words)]
        unread += not named
        right += named == [row["label"]]
    count = max(len(rows), 1)
    return {"acc": right / count, "unread": unread / count}


def score_locating(rows: Sequence[Row], words: Lexicon) -> Scores:
    """One named point for each thing: precision and recall. A single class need not be named."""
    right = told = truths = unread = 0
    for row in rows:
        objects = row["gt_answers"]
        labels = sorted({one["label"] for one in objects})
        points = [
            (label or (labels[0] if len(labels) == 1 else None), at)
            for label, at, _ in read_detections(row["answer"], labels, 2, words)
        ]
        unread += not points
        told += len(points)
        truths += len(objects)
        table = np.array(
            [[float(label == one["label"] and _holds(one["bbox"], at)) for label, at in points] for one in objects]
        ).reshape(len(objects), len(points))
        right += sum(match_in_order(table, 0.5))
    return _f1(right, told, truths) | {"unread": unread / max(len(rows), 1)}


def _holds(box: Sequence[float], point: Sequence[float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def score_keypoints(rows: Sequence[Row]) -> Scores:
    """Share of points within 0.1 and 0.2 of the person's longer side: {gt_answers: [{point, person}], answer}."""
    near = {0.1: 0, 0.2: 0}
    unread = 0
    for row in rows:
        truth = row["gt_answers"][0]
        told = read_groups(row["answer"], 2)
        unread += len(told) != 1
        if len(told) == 1:
            a, b, c, d = truth["person"]
            off = hypot(told[0][0] - truth["point"][0], told[0][1] - truth["point"][1])
            for bar in near:
                near[bar] += off <= bar * max(c - a, d - b)
    count = max(len(rows), 1)
    return {"PCK10": near[0.1] / count, "PCK20": near[0.2] / count, "unread": unread / count}


_QUOTED = re.compile(r"""\"([^\"]*)\"|\u201c([^\u201d]*)\u201d|(?<!\w)'(.+?)'(?!\w)""")
"""A single mark inside a word is an apostrophe."""


def score_words(rows: Sequence[Row]) -> Scores:
    """Precision, recall and F1 of words, and the character error rate, of what is quoted, else of all."""
    right = told = truths = 0
    errors = signs = 0
    for row in rows:
        text = read_quotation(row["answer"])
        said, wanted = text.lower().split(), [word.lower() for word in row["gt_answers"]]
        left = list(wanted)
        for word in said:
            if word in left:
                left.remove(word)
                right += 1
        told += len(said)
        truths += len(wanted)
        errors += edit_distance(text.lower(), " ".join(wanted))
        signs += len(" ".join(wanted))
    return _f1(right, told, truths) | {"CER": errors / max(signs, 1)}


def read_quotation(text: str) -> str:
    """What stands between pairs of quotation marks, joined by blanks; the whole text without a pair."""
    found = [next(filter(None, match.groups()), "") for match in _QUOTED.finditer(text)]
    return " ".join(found) if found else text


def edit_distance(one: str, other: str) -> int:
    """Insertions, deletions and changes between two texts (Levenshtein)."""
    before = list(range(len(other) + 1))
    for row, a in enumerate(one, start=1):
        line = [row]
        for column, b in enumerate(other, start=1):
            line.append(min(before[column] + 1, line[-1] + 1, before[column - 1] + (a != b)))
        before = line
    return before[-1]


def bootstrap(
    rows: Sequence[Row], score: Callable[[Sequence[Row]], Scores], seed: int = 0, draws: int = 200
) -> dict[str, tuple[float, float]]:
    """95 % intervals of scores, drawing tours with replacement; of one tour rows are drawn."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for number, row in enumerate(rows):
        groups[str(row.get("tour", number))].append(row)
    units = list(groups.values()) if len(groups) > 1 else [[row] for row in rows]
    if not units:
        return {}
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(draws):
        picked = [row for place in rng.integers(0, len(units), len(units)) for row in units[place]]
        for name, value in score(picked).items():
            found[name].append(value)
    return {
        name: (float(np.percentile(values, 2.5)), float(np.percentile(values, 97.5))) for name, values in found.items()
    }
