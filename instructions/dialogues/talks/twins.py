"""Twins: an answer with one thing changed, false by the row's own truth, in the same template."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.dialogues.benchmark.words import OwnWords
from instructions.dialogues.records import KIND, Dialogue, Spot, TaskTruth
from instructions.dialogues.rounding import round_length
from instructions.dialogues.spots import say_spot
from instructions.dialogues.talks.talk_twins import make_talk_twin
from instructions.dialogues.templates import fill, kind_slots, load_pool
from instructions.facts.overlap import box_iou

_WORDS = OwnWords()
MOST_OVERLAP = 0.10
"""Of a false box with the true one: less than any score counts as found."""


@dataclass(frozen=True)
class Twin:
    """A false answer to a question of a row."""

    row: str
    change: str
    """What differs: `yes and no`, `number`, `option`, `class`, `place`; in talks `side`, `order of two`, `picture`."""
    answer: str
    because: str
    """Why it is false, by the truth of the row."""
    spots: tuple[Spot, ...] = ()
    """What the brackets of question and answer stand for, as in a turn."""
    turn: int = 0
    """Which turn of the row it answers; in a talk the turns before it are said as they are."""


def make_twin(row: Dialogue, kinds: Sequence[str] = ()) -> Twin | None:
    """The false twin of the row of a task or a talk.

    Args:
        row: An accepted row; its truth says what is false.
        kinds: Classes that the tour has, for a wrong one.

    Returns:
        None for tasks about clouds other than options, for descriptions and background, and where no change is
        certainly false.
    """
    truth = row.truth
    if row.kind == "daily":
        found = make_talk_twin(row)
        return Twin(row.id, found[1], found[2], found[3], row.turns[found[0]].spots, found[0]) if found else None
    if row.task is None or truth is None or len(row.turns) != 1 or not row.templates:
        return None
    draw = Draw(row.seed, row.tour, KIND, "twin", row.id)
    variant, told = row.templates[0].split("/")[3:5]
    templates = load_pool(row.task).answers
    if row.task == "presence" and truth.label in ("yes", "no"):
        wrong = "no" if truth.label == "yes" else "yes"
        answer = templates[wrong][int(told) % len(templates[wrong])]
        return _twin(row, "yes and no", answer, f"the answer is {truth.label}")
    template = templates[variant.removeprefix("answers").removeprefix("_")][int(told)]
    if row.task == "count" and truth.number is not None and truth.number >= 2 and truth.label:
        wrong_number = truth.number + (1 if truth.number == 2 or draw.uniform() < 0.5 else -1)
        answer = fill(template, kind_slots(truth.label, wrong_number))
        return _twin(row, "number", answer, f"there are {truth.number}")
    if row.task == "length" and truth.metres is not None:
        wrong_m = truth.metres * (2.5 if truth.metres < 2.0 or draw.uniform() < 0.5 else 0.4)
        wrong_length = round_length(wrong_m, 0.0, of_thing=row.evidence[0].name.startswith("high "))
        return _twin(row, "length", fill(template, {"A": wrong_length.words}), f"it is {truth.label}")
    if truth.correct is not None:
        others = [place for place in range(len(truth.choices)) if place != truth.correct]
        place = others[int(draw.uniform() * len(others))]
        answer = fill(template, {"L": chr(ord("A") + place), "A": truth.choices[place]})
        return _twin(row, "option", answer, f"option {chr(ord('A') + truth.correct)} is right")
    if row.task in ("classify_thing", "classify_view") and truth.label:
        same = _WORDS.names(truth.label)
        far = sorted(kind for kind in set(kinds) if not same & _WORDS.names(kind) and not _shares_word(kind, truth))
        if far:
            answer = fill(template, kind_slots(far[int(draw.uniform() * len(far))]))
            return _twin(row, "class", answer, f"it is a {truth.label}")
    if row.task == "unseen" and truth.label in ("left", "right"):
        other = {"left": "on the right", "right": "on the left"}[truth.label]
        answer = row.turns[0].answer.replace(f"on the {truth.label}", other)
        return _twin(row, "side", answer, f"it is on the {truth.label}")
    if row.task in ("ground", "locate") and row.size_px is not None and len(truth.objects) == 1:
        return _move(row, template, row.size_px)
    return None


def _twin(row: Dialogue, change: str, answer: str, because: str) -> Twin:
    return Twin(row.id, change, answer, because, row.turns[0].spots)


def _shares_word(kind: str, truth: TaskTruth) -> bool:
    """`coffee table` is no false answer for a `table`."""
    return bool(set(kind.split()) & set((truth.label or "").split()))


def _move(row: Dialogue, template: str, size_px: tuple[int, int]) -> Twin | None:
    """The same box or point elsewhere: mirrored, where that is off the thing."""
    (*asked, spot), (width, height) = row.turns[0].spots, size_px
    box = row.truth.objects[0].box_xyxy if row.truth else (0.0, 0.0, 0.0, 0.0)
    for across, down in ((True, False), (False, True), (True, True)):
        moved = tuple(
            (width if place % 2 == 0 else height) - value if (across, down)[place % 2] else value
            for place, value in enumerate(spot)
        )
        if len(moved) == 4:
            x0, y0, x1, y1 = moved
            moved = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
            is_off = box_iou(box, moved) <= MOST_OVERLAP
        else:
            x, y = moved
            is_off = not (box[0] <= x <= box[2] and box[1] <= y <= box[3])
        if is_off:
            answer = fill(template, {"B": say_spot(moved, size_px)})
            return Twin(row.id, "place", answer, "the thing is elsewhere", (*asked, moved))
    return None
