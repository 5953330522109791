"""Answers of a run's rows made even, so that a reader who sees no picture is right no more often than by chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from statistics import median_low

from instructions.asking.counts import NotAsked
from instructions.questions.core.records import TOO_CLOSE, Question
from instructions.questions.things.comparisons import BEFORE_STEP
from instructions.tour import Tour

LEAST_OF_THING = 8
"""Rows that any thing may be in: so many stay where only one or two things have a sure name."""


def spread_things(rows: Sequence[Question], tour: Tour, share: float, not_asked: NotAsked) -> list[Question]:
    """The rows of a tour without some about things in too many of them.

    No thing that was detected is in more than a share of the rows about such things, or in `LEAST_OF_THING` rows if
    that is more; a share of 0 leaves all. The first row of each type about a thing stays before the second of any. A
    row and its twin go together.
    """
    if not share:
        return list(rows)
    detected = {one.id for model in tour.scene.models for one in tour.know(model).values() if one.is_detected}
    named = {row.id: detected & {reference.object for reference in row.references} for row in rows}
    pairs: dict[str, list[Question]] = defaultdict(list)
    for row in rows:
        if named[row.id]:
            pairs[_lot(row)].append(row)
    met: Counter[tuple[str, str]] = Counter()
    turn: dict[str, int] = {}
    for lot in sorted(pairs):
        keys = {(thing, row.type) for row in pairs[lot] for thing in named[row.id]}
        met.update(keys)
        turn[lot] = max(met[key] for key in keys)
    kept = sorted(pairs, key=lambda lot: (turn[lot], lot))
    before = most = len(rows)
    while kept and (most := max(LEAST_OF_THING, int(share * sum(len(pairs[lot]) for lot in kept)))) < before:
        before, held, left = most, Counter[str](), list[str]()
        for lot in kept:
            own = Counter(thing for row in pairs[lot] for thing in named[row.id])
            if all(held[thing] + count <= most for thing, count in own.items()):
                held += own
                left.append(lot)
        kept = left
    gone = {row.id for lot in pairs.keys() - set(kept) for row in pairs[lot]}
    return _leave_out(rows, gone, "thing_full", not_asked)


def even_answers(rows: Sequence[Question], not_asked: NotAsked) -> list[Question]:
    """No answer of a type without twins more often than the median of all that occur, of an even number the lower one.

    Multiple choices are even by their letters, things and orders by chance, and words about sets of views are chosen
    evenly, of which a walk has few. Of steps aside as many change the order
    of two things as do not: where none does, the answer is to be seen in the picture. Which rows go hangs on their ids.
    """
    usual: dict[tuple[object, ...], dict[object, list[Question]]] = defaultdict(lambda: defaultdict(list))
    steps: dict[object, list[Question]] = defaultdict(list)
    for row in rows:
        is_even = row.is_choice or (row.form == "label" and row.truth_source != "measures")
        if row.twin is None and row.form in ("yes_no", "label") and not is_even:
            usual[row.type, row.given][row.truth].append(row)
        elif row.type.startswith("step_") and row.truth != TOO_CLOSE:
            told = {one.name: one.value for one in row.evidence}
            # Where the step changes the order of the two things, the answer is not to be seen in the picture.
            steps[told[BEFORE_STEP] * told["difference"] < 0].append(row)
    gone = {
        name
        for answers in usual.values()
        for name in _find_surplus(answers, lambda counts: median_low(counts) if len(counts) > 1 else 0)
    }
    rows = _leave_out(rows, gone, "usual_answer", not_asked)
    return _leave_out(rows, _find_surplus({True: steps[True], False: steps[False]}, min), "same_order", not_asked)


def offer_what_occurs(rows: Sequence[Question], types: Collection[str], not_asked: NotAsked) -> list[Question]:
    """Rows of the given types without options that are hardly ever the answer in their tour.

    A walk that never turns by 90 degrees teaches that this option is wrong. Options that are the answer less than half
    as often as the most frequent one are offered in no row of the type, and the rows that they answer go.

    Args:
        rows: Of one tour, their answers made even.
        types: All of whose rows list the same options in their question.
        not_asked: Counts the rows that go as `usual_answer`.
    """
    answers: dict[str, Counter[object]] = defaultdict(Counter)
    for row in rows:
        if row.type in types:
            answers[row.type][row.truth] += 1
    offered = {
        name: {truth for truth, count in counts.items() if 2 * count >= max(counts.values())}
        for name, counts in answers.items()
    }
    gone = {
        row.id
        for row in rows
        if row.type in offered and (len(offered[row.type]) < 2 or row.truth not in offered[row.type])
    }
    left = _leave_out(rows, gone, "usual_answer", not_asked)
    return [_offer(row, offered[row.type]) if row.type in offered else row for row in left]


def list_options(choices: Sequence[str]) -> str:
    """Options as a question lists them."""
    return f"({'; '.join(choices)})"


def _offer(row: Question, kept: Collection[object]) -> Question:
    choices = tuple(choice for choice in row.choices if choice in kept)
    question = row.question.replace(list_options(row.choices), list_options(choices))
    return replace(row, question=question, choices=choices, correct=choices.index(str(row.truth)))


def even_halves(rows: Sequence[Question], not_asked: NotAsked) -> list[Question]:
    """As many rows with a word as with a number, a row and its twin together, if there are any of both."""
    words = [row for row in rows if row.form != "number"]
    numbers = [row for row in rows if row.form == "number"]
    if not words or not numbers:
        return list(rows)
    gone: set[str] = set()
    for kept, most in ((words, len(numbers)), (numbers, len(words))):
        over = len(kept) - most
        for row in sorted(kept, key=_lot):
            group = {row.id} | ({row.twin} if row.twin else set())
            if over >= len(group) and not group & gone:
                gone |= group
                over -= len(group)
    return _leave_out(rows, gone, "share", not_asked)


def _find_surplus(answers: Mapping[object, Sequence[Question]], find_most: Callable[[Sequence[int]], int]) -> set[str]:
    most = find_most([len(kept) for kept in answers.values()])
    return {row.id for kept in answers.values() for row in sorted(kept, key=_lot)[most:]}


def _leave_out(rows: Sequence[Question], gone: set[str], reason: str, not_asked: NotAsked) -> list[Question]:
    for row in rows:
        if row.id in gone:
            not_asked[row.type, reason] += 1
    return [row for row in rows if row.id not in gone]


def _lot(row: Question) -> str:
    """An order by chance in which a row and its twin stand together."""
    return min(row.id[-16:], row.twin[-16:]) if row.twin else row.id[-16:]
