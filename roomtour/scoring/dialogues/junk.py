"""Players that know nothing: what a score gives them is what it is worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from instructions.asking.draws import Draw

Row = Mapping[str, Any]
PLAYERS = ("empty", "frequent", "random", "everything")
_BOXES = 200
_GRID = tuple(((x + 0.5) / 20, (y + 0.5) / 20) for x in range(20) for y in range(20))


def answer_as(player: str, task: str, rows: Sequence[Row], size: int = 4, seed: int = 0) -> list[str]:
    """The answers of a player to the rows of a task, seen as a whole.

    Args:
        player: One of `PLAYERS`: nothing, the most frequent answer, the truth of another row, or everything everywhere.
        task: Form of the truth: `boxes`, `points`, `keypoint`, `count`, `length`, `choice`, `label`, `words`,
            `sentences`.
        rows: As scorers take them.
        size: Numbers of a box.
        seed: Of `random`.
    """
    if player == "empty":
        return [""] * len(rows)
    if player == "everything":
        return [_say_everything(task, rows, size)] * len(rows)
    truths = [say_truth(task, row, size) for row in rows]
    if player == "frequent":
        if not truths:
            return []
        (best, _), *_ = sorted(Counter(truths).items(), key=lambda one: (-one[1], one[0]))
        return [best] * len(rows)
    draws = [Draw(seed, "junk", task, place) for place in range(len(rows))]
    return [truths[int(draw.uniform() * len(truths))] for draw in draws]


def say_truth(task: str, row: Row, size: int = 4) -> str:
    """A truth as one would say it."""
    if task == "boxes":
        return " ".join(f"The {one['label']} object is at {_list(one['bbox'], size)}." for one in row["gt_answers"])
    if task == "points":
        return " ".join(f"The {one['label']} is at {_list(_middle(one['bbox']), 2)}." for one in row["gt_answers"])
    if task == "count":
        return f"There are {row['gt_answers']} of them."
    if task == "length":
        return f"About {max(round(2 * row['metres']), 1) / 2:.1f} meters."
    if task == "choice":
        return f"({chr(ord('A') + row['gt_choice'])})"
    if task == "words":
        return f'"{" ".join(row["gt_answers"])}"'
    if task == "sentences":
        return " ".join(row["sentences"])
    if task == "keypoint":
        return _list(row["gt_answers"][0]["point"], 2)
    return str(row["label"])


def _say_everything(task: str, rows: Sequence[Row], size: int) -> str:
    """All classes, with a grid of points or two hundred boxes; all letters; all labels."""
    if task in ("boxes", "points"):
        labels = sorted({one["label"] for row in rows for one in row["gt_answers"]})
        if task == "points":
            spots = ", ".join(_list(at, 2) for at in _GRID)
            return f"{' '.join(labels)} {spots}"
        boxes = [one["bbox"] for row in rows for one in row["gt_answers"]]
        spread = boxes[:: max(1, len(boxes) // _BOXES)][:_BOXES]
        return (
            " ".join(labels)
            + " "
            + " ".join(f"The {label} object is at {_list(box, size)}." for box in spread for label in labels)
        )
    if task == "choice":
        most = max((len(row["gt_choices"]) for row in rows), default=0)
        return " ".join(f"({chr(ord('A') + place)})" for place in range(most))
    if task == "count":
        return " ".join(str(number) for number in range(30))
    if task == "length":
        return " ".join(f"{number / 2:.1f} meters" for number in range(1, 30))
    if task == "sentences":
        return " ".join(sorted({sentence for row in rows for sentence in row["sentences"]}))
    if task == "keypoint":
        return " ".join(_list(at, 2) for at in _GRID)
    if task == "words":
        return " ".join(sorted({word for row in rows for word in row["gt_answers"]}))
    return " ".join(sorted({str(row["label"]) for row in rows}))


def _middle(box: Sequence[float]) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def _list(values: Sequence[float], size: int) -> str:
    told = ", ".join(f"{value:.2f}" for value in values[:size])
    return f"[{told}]" if size != 6 else f"({told})"
