"""Shares of a run's rows: as many `no` as `yes`, words as numbers, and steps that change the order as that do not."""

from __future__ import annotations

from collections import defaultdict

from instructions.asking.counts import NotAsked
from instructions.questions.records import SpatialQuestion
from instructions.questions.things.supposing import BEFORE_STEP


def even_out(rows: list[SpatialQuestion], not_asked: NotAsked, *, halves: bool) -> list[SpatialQuestion]:
    """As many `no` as `yes` where no twin makes them so, as many words as numbers; which ones go hangs on their id."""
    gone: set[str] = set()
    by_answer: dict[str, list[SpatialQuestion]] = defaultdict(list)
    by_change: dict[bool, list[SpatialQuestion]] = defaultdict(list)
    for row in rows:
        if row.type == "stands_on":
            by_answer[row.truth].append(row)
        elif row.type.startswith("step_") and row.truth != "too close":
            by_change[_changes_order(row)].append(row)
    for sides, reason in (([by_answer["yes"], by_answer["no"]], "share"), ([by_change[True], by_change[False]], _SAME)):
        least = min(map(len, sides))
        for kept in sides:
            out = {row.id for row in sorted(kept, key=_lot)[least:]}
            for row in kept:
                if row.id in out:
                    not_asked[row.type, reason] += 1
            gone |= out
    counted = set(gone)
    rows_left = [row for row in rows if row.id not in gone]
    words = [row for row in rows_left if row.form != "number"]
    numbers = [row for row in rows_left if row.form == "number"]
    if halves and words and numbers:
        gone |= _surplus(words, len(numbers)) | _surplus(numbers, len(words))
    for row in rows:
        if row.id in gone and row.id not in counted:
            not_asked[row.type, "share"] += 1
    return [row for row in rows if row.id not in gone]


def _surplus(rows: list[SpatialQuestion], most: int) -> set[str]:
    """Rows beyond so many, a row and its twin together."""
    out: set[str] = set()
    over = len(rows) - most
    for row in sorted(rows, key=_lot):
        group = {row.id} | ({row.twin} if row.twin else set())
        if over >= len(group) and not group & out:
            out |= group
            over -= len(group)
    return out


def _lot(row: SpatialQuestion) -> str:
    """An order by chance in which a row and its twin stand together."""
    return min(row.id[-16:], row.twin[-16:]) if row.twin else row.id[-16:]


_SAME = "same_order"


def _changes_order(row: SpatialQuestion) -> bool:
    """Whether two things change places in the picture by the step, so that the answer is not to be seen in it."""
    told = {one.name: one.value for one in row.evidence}
    return told[BEFORE_STEP] * told["difference"] < 0
