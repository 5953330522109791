"""Scores as they should be measured: one answer for one truth, nothing guessed, what cannot be read is told."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import dist, inf, sqrt
from typing import Any

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.overlap import box_iou
from instructions.records import Obb
from recon.geometry import Array
from roomtour.scoring.dialogues.matching import average_precision, match_in_order, mean, measure_oriented_iou
from roomtour.scoring.dialogues.reading import (
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
from roomtour.scoring.dialogues.words import Lexicon

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
    truths = Counter(one["label"] for row in rows for one in row["gt_answers"])
    labels = sorted(truths)
    told = [read_detections(row["answer"], labels, size, words) for row in rows]
    hits: dict[tuple[float, str], list[tuple[float, bool]]] = defaultdict(list)
    for row, said in zip(rows, told, strict=True):
        for label in labels:
            of_label = sorted((one for one in said if one[0] == label), key=lambda one: -one[2])
            table = _overlaps([one for one in row["gt_answers"] if one["label"] == label], [one[1] for one in of_label])
            for bar in (0.25, *_BARS):
                found = match_in_order(table, bar)
                hits[bar, label] += [(one[2], hit) for one, hit in zip(of_label, found, strict=True)]
    out: Scores = {}
    for name, bars in (("AP25", (0.25,)), ("AP50", (0.5,)), ("AP", _BARS), ("coco50", (0.5,)), ("coco", _BARS)):
        coco = name.startswith("coco")
        out[name] = mean(
            average_precision(hits[bar, label], truths[label], coco=coco) for label in labels for bar in bars
        )
    right = sum(hit for label in labels for _, hit in hits[0.5, label])
    unread = mean(not said and bool(row["gt_answers"]) for row, said in zip(rows, told, strict=True))
    return out | _f1(right, sum(map(len, told)), truths.total()) | {"unread": unread}


def _overlaps(truths: Sequence[Row], told: Sequence[Sequence[float]]) -> Array:
    return np.array([[_overlap(truth, box) for box in told] for truth in truths]).reshape(len(truths), len(told))


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
    told = [read_groups(row["answer"], size) for row in rows]
    overlaps = [
        _overlap(row["gt_answers"][0], said[0]) if len(said) == 1 else 0.0 for row, said in zip(rows, told, strict=True)
    ]
    acc25, acc50 = (mean(overlap >= bar for overlap in overlaps) for bar in (0.25, 0.5))
    return {"acc25": acc25, "acc50": acc50, "unread": mean(not said for said in told)}


def score_counting(rows: Sequence[Row]) -> Scores:
    """Mean and root mean square error of what was read, shares exact and within one of all rows."""
    told = [(read_count(row["answer"]), row["gt_answers"]) for row in rows]
    errors = [abs(said - truth) for said, truth in told if said is not None]
    exact, near = (mean(said is not None and abs(said - truth) <= most for said, truth in told) for most in (0, 1))
    return {
        "MAE": mean(errors), "RMSE": sqrt(mean(error**2 for error in errors)), "exact": exact, "within1": near,
        "unread": mean(said is None for said, _ in told),
    }  # fmt: skip


def score_lengths(rows: Sequence[Row]) -> Scores:
    """Share of lengths in the interval that is right for them, and the median relative error of what was read.

    Args:
        rows: {metres, interval, answer}; two lengths that differ are none.
    """
    told = [(read_metres(row["answer"]), row) for row in rows]
    errors = [abs(said - row["metres"]) / max(row["metres"], 1e-9) for said, row in told if said is not None]
    within = mean(said is not None and row["interval"][0] <= said <= row["interval"][1] for said, row in told)
    median = float(np.median(errors)) if errors else 0.0
    return {"within": within, "MedRE": median, "unread": mean(said is None for said, _ in told)}


def _score_read(told: Sequence[object], wanted: Iterable[object]) -> Scores:
    """Share of what was read that is as wanted; None is unread."""
    right = mean(said == truth for said, truth in zip(told, wanted, strict=True))
    return {"acc": right, "unread": mean(said is None for said in told)}


def score_choice(rows: Sequence[Row]) -> Scores:
    """Share of right options; two letters are wrong, and count as not read."""
    told = [read_choice(row["answer"], row["gt_choices"]) for row in rows]
    return _score_read(told, (row["gt_choice"] for row in rows))


def score_presence(rows: Sequence[Row]) -> Scores:
    """Share of right yes and no."""
    return _score_read([read_yes_no(row["answer"]) for row in rows], (row["label"] for row in rows))


def score_unseen(rows: Sequence[Row]) -> Scores:
    """Where a thing is, or that it cannot be seen: the share that is right, and apart of what is seen and what is not.

    `seen` is also 0 for who always refuses, `unseen` for who never does; `both` is the mean of the two.
    """
    told = [(read_where(row["answer"]), row["label"]) for row in rows]
    seen = mean(said == label for said, label in told if label != NOT_IN_VIEW)
    unseen = mean(said == label for said, label in told if label == NOT_IN_VIEW)
    unread = mean(said is None for said, _ in told)
    return {"seen": seen, "unseen": unseen, "both": (seen + unseen) / 2, "unread": unread}


def score_classification(rows: Sequence[Row], words: Lexicon) -> Scores:
    """Share of rows that name the label and no other label of the data."""
    labels = sorted({row["label"] for row in rows})
    told = [[label for label in labels if names_label(label, row["answer"], words)] or None for row in rows]
    return _score_read(told, ([row["label"]] for row in rows))


def score_locating(rows: Sequence[Row], words: Lexicon) -> Scores:
    """One named point for each thing: precision and recall. A single class need not be named."""
    right = told = truths = unread = 0
    for row in rows:
        objects = row["gt_answers"]
        labels = sorted({one["label"] for one in objects})
        only = labels[0] if len(labels) == 1 else None
        points = [(label or only, at) for label, at, _ in read_detections(row["answer"], labels, 2, words)]
        unread += not points
        told += len(points)
        truths += len(objects)
        hits = [[float(label == one["label"] and _holds(one["bbox"], at)) for label, at in points] for one in objects]
        right += sum(match_in_order(np.array(hits).reshape(len(objects), len(points)), 0.5))
    return _f1(right, told, truths) | {"unread": unread / max(len(rows), 1)}


def _holds(box: Sequence[float], point: Sequence[float]) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]


def score_keypoints(rows: Sequence[Row]) -> Scores:
    """Share of points within 0.1 and 0.2 of the person's longer side: {gt_answers: [{point, person}], answer}."""
    told = [(row["gt_answers"][0], read_groups(row["answer"], 2)) for row in rows]
    off = [_measure_off(truth, said[0]) if len(said) == 1 else inf for truth, said in told]
    near = [mean(one <= bar for one in off) for bar in (0.1, 0.2)]
    return {"PCK10": near[0], "PCK20": near[1], "unread": mean(one == inf for one in off)}


def _measure_off(truth: Row, point: Sequence[float]) -> float:
    """How far a point is off, as a share of the person's longer side."""
    a, b, c, d = truth["person"]
    return dist(truth["point"], point) / max(c - a, d - b)


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
