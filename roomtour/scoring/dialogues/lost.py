"""Lost points of a benchmark of dialogues, row by row: what was said, and how both ways of scoring read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roomtour.scoring.dialogues import compat, reading, right
from roomtour.scoring.dialogues.junk import say_truth
from roomtour.scoring.dialogues.tasks import MAIN, TASKS, find_unscored, join_answers, read_tasks
from roomtour.scoring.dialogues.words import Lexicon, find_lexicon
from roomtour.scoring.records import Answers

Row = Mapping[str, Any]
Shares = tuple[float, ...]
_COMPAT_MAIN = ("vision_acc", "ACC", "mAR", "recall@0.50", "BLEU4")
_FULL = 1.0 - 1e-6


@dataclass(frozen=True)
class LostPoint:
    """An answer that `right` does not give its full figure."""

    row: str
    task: str
    medium: Path
    """Of the picture or cloud."""
    truths: tuple[tuple[str, Shares], ...]
    """Names with boxes or points: shares of a picture, or six numbers of a cloud."""
    told: tuple[tuple[str, Shares], ...]
    """What `right` reads out of the answer."""
    lines: tuple[str, ...]
    """Question, answer, truth, and both readings with their figures."""


def find_lost(dataset: Path, answers: Answers) -> tuple[list[LostPoint], tuple[str, ...]]:
    """Rows whose answers lose points, in the order of tasks and rows, and what to say about the words.

    Raises:
        RoomtourError: As `score`.
    """
    words, notes = find_lexicon("right")
    tasks = read_tasks(dataset)
    left, unscored = find_unscored(tasks)
    out = []
    for name, rows in join_answers(dataset, tasks, answers).items():
        if name in left:
            continue
        score, labels = TASKS[name].right, _labels(rows)
        for row in rows:
            scores = score([row], words)
            main = next(key for key in MAIN if key in scores)
            if scores[main] < _FULL:
                out.append(_tell(dataset, name, row, labels, words, f"{main} {scores[main]:.2f}"))
    return out, (*notes, *unscored)


def _labels(rows: Sequence[Row]) -> list[str]:
    found = {one["label"] for row in rows for one in row.get("object", ())}
    return sorted(found | {row["label"] for row in rows if "label" in row})


def _tell(dataset: Path, name: str, row: Row, labels: Sequence[str], words: Lexicon, figure: str) -> LostPoint:
    form, size, make = TASKS[name].form, TASKS[name].size, TASKS[name].compat
    answer = row["answer"]
    named = labels if form != "boxes" else sorted({one["label"] for one in row["object"]})
    told = _read(form, size, row, named, words)
    if make is None:
        old = "no published way"
    else:
        scores = make([row], words)
        key = next(key for key in _COMPAT_MAIN if key in scores)
        old = f"{key} {scores[key]:.3g}; reads {_read_compat(form, size, answer)} (with {words.name})"
    spoken = [f"{label} {[round(value, 3) for value in spot]}" if spot else label for label, spot in told]
    lines = (
        f"{name}: {row['query']}",
        f"said: {answer}",
        f"truth: {say_truth(form, row, size or 4)}",
        f"right: {figure}; reads {', '.join(spoken) or 'nothing'}",
        f"compat: {old}",
    )
    truths = tuple((one["label"], tuple(one.get("bbox") or one["point"])) for one in row.get("object", ()))
    medium = dataset / str(row.get("image") or row.get("pcl"))
    return LostPoint(str(row["id"]), name, medium, truths, tuple(one for one in told if one[1]), lines)


def _read(form: str, size: int, row: Row, labels: Sequence[str], words: Lexicon) -> list[tuple[str, Shares]]:
    """What `right` takes an answer for."""
    answer = row["answer"]
    if form in ("boxes", "points"):
        return [(label or "?", spot) for label, spot, _ in reading.read_detections(answer, labels, size, words)]
    if form == "keypoint":
        return [("?", spot) for spot in reading.read_groups(answer, 2)]
    if form == "count":
        number = reading.read_count(answer)
        return [] if number is None else [(str(number), ())]
    if form == "length":
        metres = reading.read_metres(answer)
        return [] if metres is None else [(f"{metres:g} m", ())]
    if form == "choice":
        place = reading.read_choice(answer, row["gt_choices"])
        return [] if place is None else [(f"({chr(ord('A') + place)}) {row['gt_choices'][place]}", ())]
    if form == "words":
        return [(repr(right.read_quotation(answer)), ())]
    if form == "sentences":
        return [(f"{len(answer.split())} words", ())]
    if row.get("gt_choices") == ["yes", "no"]:
        said = reading.read_yes_no(answer)
        return [] if said is None else [(said, ())]
    return [(label, ()) for label in labels if reading.names_label(label, answer, words)]


def _read_compat(form: str, size: int, answer: str) -> str:
    """What the published code takes an answer for."""
    if form == "count":
        return str(compat.read_count(answer))
    if form == "points":
        return str(compat.read_points(answer))
    if form == "boxes":
        return str(compat.read_boxes_3d(answer) if size == 6 else compat.read_detections(answer))
    if form == "words":
        return repr(compat.read_quoted(answer))
    return "the words of the whole answer"
