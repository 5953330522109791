"""Suggested questions before a person, who uses, rewords or skips each and types an answer; and what came of it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from rich.console import Group, RenderableType
from rich.text import Text

from instructions.questions.core.records import Question
from instructions.questions.quality.grades import Grade, Solution, grade_answer
from recon.numerals import percent
from roomtour.drawing.svg import draw_point
from roomtour.drawing.text import printable
from roomtour.errors import RoomtourError
from roomtour.files.reviews import QUESTION_REVIEWS, QuestionReview, Verdict, text_key
from roomtour.review.agreement import Agreement, compare_raters, make_table
from roomtour.review.sampled import MAX_NOTE, Item, SampledSession, draw_by_lot, read_sent
from roomtour.shown.kinds import ShownFrame, show_question
from roomtour.view.tour import TourView

_TELLING = ("appearance_order", "temporal_sequence", "in_frame", "in_same", "first_taller", "walk_")
"""Parts of names of types about when things are seen, whose answers boxes in the frames would tell."""


@dataclass(frozen=True)
class Answer:
    """What the page sends."""

    verdict: Verdict
    question: str
    answer: str


def draw_questions(
    tours: Mapping[str, tuple[TourView, Sequence[Question]]], size: int, seed: int = 0
) -> list[Item[Question]]:
    """Questions to judge, of tours with their accepted questions by the key of their run."""
    items = (Item(run, tour, row) for run, (tour, rows) in tours.items() for row in rows)
    return draw_by_lot(items, size, seed)


def find_frames(row: Question) -> list[ShownFrame]:
    """All views that the row is about, in its order, with boxes and marks where they do not tell the answer."""
    shown = {} if any(part in row.type for part in _TELLING) else {one.frame: one for one in show_question(row)}
    return [shown.get(frame, ShownFrame(frame, ())) for frame in row.views]


class QuestionSession(SampledSession[Item[Question], QuestionReview]):
    """The sample of questions for one person."""

    judgements, page, noun = QUESTION_REVIEWS, "question", "question"

    def describe(self, item: Item[Question], given: QuestionReview | None) -> dict[str, Any]:
        """The pictures with the things and marks it is about, and no answer."""
        return dict(
            kind=item.row.type,
            suggested=item.row.question,
            question=given.question if given and given.question else item.row.question,
            answer=given.answer if given else "",
            shown=[
                (
                    (frame := item.tour.frames[one.frame]),
                    [box for _, box in one.boxes],
                    [draw_point(int(mark), mark, xy, frame.width) for mark, xy in one.points],
                )
                for one in find_frames(item.row)
                if one.frame in item.tour.frames
            ],
        )

    def judge(self, item: Item[Question], given: Any, signed: Mapping[str, Any]) -> QuestionReview:
        """The review that a page sent."""
        told = read_sent(Answer, given, "answer")
        question, answer = (" ".join(text.split()) for text in (told.question, told.answer))
        if max(len(question), len(answer)) > MAX_NOTE:
            raise RoomtourError(f"answer: question and answer may have at most {MAX_NOTE} letters each")
        if told.verdict != "skip" and not answer:
            raise RoomtourError("answer: type an answer, or skip the question")
        if told.verdict == "reword" and question in ("", item.row.question):
            raise RoomtourError("answer: the question is as it was suggested; change it, or use it")
        return QuestionReview(
            **signed,
            id=item.row.id,
            text_key=text_key(item.row.question),
            verdict=told.verdict,
            question=question if told.verdict == "reword" else item.row.question,
            answer="" if told.verdict == "skip" else answer,
        )


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
    near = sum(number.share is not None and 0.5 <= number.share <= 2.0 for number in numbers)
    verdicts = Counter(review.verdict for review, _ in given)
    return RaterFacts(rater, verdicts, len(words), sum(word.right for word in words), len(numbers), near)


def _is_number(grade: Grade) -> bool:
    return grade.solution.form == "number" and not grade.solution.is_choice


def _compare_answers(mine: _Given, theirs: _Given) -> AnswerPair:
    used = ({key for key, (review, _) in given.items() if review.verdict == "use"} for given in (mine, theirs))
    both = set.intersection(*used)
    return AnswerPair(len(both), sum(_agree(mine[key][1].read, theirs[key][1].read) for key in both))


def _agree(first: str | float | tuple[str, ...] | None, second: str | float | tuple[str, ...] | None) -> bool:
    if isinstance(first, float) and isinstance(second, float):
        return abs(first - second) <= NEAR * max(abs(first), abs(second))
    return first is not None and first == second


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
