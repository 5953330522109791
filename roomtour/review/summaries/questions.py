"""What people made of suggested questions: how many they used, how right they were, and how far they agree."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from rich.console import Group, RenderableType
from rich.text import Text

from instructions.questions.core.records import Question
from instructions.questions.quality.grades import Grade, Solution, grade_answer
from recon.numerals import percent
from roomtour.drawing.text import printable
from roomtour.files.reviews import QUESTION_REVIEWS, QuestionReview, Verdict
from roomtour.review.summaries.agreement import Agreement, compare_raters
from roomtour.review.summaries.rendering import make_table

_Given = Mapping[tuple[int, str], tuple[QuestionReview, Grade]]
"""What a person said of each question, and how right it is."""
NEAR = 0.25
"""Two numbers agree where they differ by at most this share of the greater one."""


@dataclass(frozen=True)
class RaterFacts:
    """One person's answers."""

    rater: str
    verdicts: Mapping[str, int]
    words: int
    right: int
    """Of the questions for a word: answers that are the truth."""
    numbers: int
    near: int
    """Of the questions for a number: answers within 50 and 200 % of the truth."""


@dataclass(frozen=True)
class AnswerPair:
    """How far the answers of two people agree where both used the question as it was suggested."""

    answered: int
    same_answer: int


@dataclass(frozen=True)
class QuestionSummary:
    """All runs together."""

    raters: tuple[RaterFacts, ...]
    pairs: tuple[tuple[Agreement, AnswerPair], ...]
    """Every two people: on their verdicts, and on their answers."""


def summarize_questions(
    runs: Iterable[tuple[Sequence[Question], Sequence[QuestionReview]]],
) -> QuestionSummary:
    """Count what was said in runs; reworded questions are answered in their own sense, so no truth is held to them."""
    by_rater: dict[str, dict[tuple[int, str], tuple[QuestionReview, Grade]]] = defaultdict(dict)
    for number, (rows, reviews) in enumerate(runs):
        for review, row in QUESTION_REVIEWS.match(reviews, rows)[0]:
            by_rater[review.rater][number, row.id] = (review, grade_answer(Solution.of(row), review.answer))
    verdicts = {name: {key: review.verdict for key, (review, _) in given.items()} for name, given in by_rater.items()}
    return QuestionSummary(
        tuple(_count(name, list(by_rater[name].values())) for name in sorted(by_rater)),
        tuple(
            (pair, _compare_answers(by_rater[pair.first], by_rater[pair.second]))
            for pair in compare_raters(verdicts, get_args(Verdict), is_ordered=False)
        ),
    )


def _count(rater: str, given: Sequence[tuple[QuestionReview, Grade]]) -> RaterFacts:
    used = [one for review, one in given if review.verdict == "use"]
    words = [one for one in used if not _is_number(one)]
    numbers = [one for one in used if _is_number(one)]
    near = sum(one.share is not None and 0.5 <= one.share <= 2.0 for one in numbers)
    verdicts = Counter(review.verdict for review, _ in given)
    return RaterFacts(rater, verdicts, len(words), sum(one.right for one in words), len(numbers), near)


def _is_number(one: Grade) -> bool:
    return one.solution.form == "number" and not one.solution.is_choice


def _compare_answers(mine: _Given, theirs: _Given) -> AnswerPair:
    used = ({key for key, (review, _) in given.items() if review.verdict == "use"} for given in (mine, theirs))
    both = set.intersection(*used)
    return AnswerPair(len(both), sum(_agree(mine[key][1].read, theirs[key][1].read) for key in both))


def _agree(one: str | float | tuple[str, ...] | None, other: str | float | tuple[str, ...] | None) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= NEAR * max(abs(one), abs(other))
    return one is not None and one == other


def render_questions(summary: QuestionSummary) -> RenderableType:
    """A table of people and a line per pair."""
    if not summary.raters:
        return Text("no question judged yet; judge some with: roomtour review RUNS --what questions (or programs)")
    table = make_table("rater", "used", "reworded", "skipped", "right words", "numbers in 50-200 %")
    for one in summary.raters:
        table.add_row(
            Text(printable(one.rater)),
            *(str(one.verdicts.get(name, 0)) for name in ("use", "reword", "skip")),
            f"{one.right} of {one.words}",
            f"{one.near} of {one.numbers}",
        )
    return Group(table, Text(), *(_line(*pair) for pair in summary.pairs))


def _line(pair: Agreement, answers: AnswerPair) -> Text:
    told = pair.tell("question")
    if answers.answered:
        same = percent(answers.same_answer / answers.answered)
        told += f"; of {answers.answered} that both used, {same} answered alike (numbers within {NEAR:.0%})"
    return Text(told)
