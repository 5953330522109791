"""Rows in the words of a language model: held to their numbers, things and sides by a check of words, and to their
meaning by a second question to the model.

A row's wording takes the place of the template's, with the twin's question swapped from it. What does not hold is a
rejected row with its reason; where nothing holds, the template's row stays.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instructions.asking.answers import read_number
from instructions.asking.quantities import to_base
from instructions.claims.entailment import Sameness, ask_if_same, explain_difference
from instructions.claims.words import ClaimWords
from instructions.language import prompts
from instructions.language.budget import Usage, sum_usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all
from instructions.questions.core.records import TOO_CLOSE, Question
from instructions.questions.quality.grades import Solution, grade_answer
from instructions.questions.registry import ALL_TYPES
from instructions.questions.wording.templates import define_type, turn_words
from instructions.rows import row_id
from instructions.wording.english import head_noun
from recon.findings import Finding

REJECTIONS = {
    "no_phrase": "the question does not hold every phrase as it is",
    "other_thing": "it names another thing of the tour, or a number where none belongs",
    "other_answer": "the answer does not say the truth, the number or the unit",
    "other_steps": "the text does not tell every turn, side and distance in its order, and no other number",
    "other_meaning": "a model that compared the two says that they differ",
    "double": "the views have the same question already",
}
"""Codes of rejected pairs."""
_MOST_CHARS = 6000
_TOKENS = 160
_UNITS = {"degree": "degree", "deg": "degree", "meter": "meter", "metre": "meter", "m": "meter"}
_SIDES = ("left", "right")


def _one_line(text: str) -> str:
    line = clean(text, _MOST_CHARS + 1)
    if not line or len(line) > _MOST_CHARS:
        raise ValueError(f"a sentence must have 1 to {_MOST_CHARS} characters")
    return line


class Pair(BaseModel):
    """A question and its answer."""

    model_config = ConfigDict(extra="forbid")
    question: Annotated[str, AfterValidator(_one_line)]
    answer: Annotated[str, AfterValidator(_one_line)]


class Pairs(BaseModel):
    """What is asked for: three pairs."""

    model_config = ConfigDict(extra="forbid")
    pairs: list[Pair] = Field(min_length=1, max_length=6)


@dataclass(frozen=True)
class Reworded:
    """All rows of a tour after rewording."""

    rows: tuple[Question, ...]
    """In the order of the given rows: kept ones, the rejected pairs of each behind it."""
    usage: Usage
    open: OpenQuestions
    findings: tuple[Finding, ...]


def find_rewordings(rows: Sequence[Question], seed: int = 0) -> list[tuple[Question, Request[Pairs]]]:
    """Which rows are given to a language model, with the request: of a row and its twin one.

    Questions of one view about named things, and the steps of a walk. None of `too close`, of what would be from
    another place, and of what is out of view.
    """
    prompt = prompts.load("instructions.questions", "rewording")
    out = []
    for row in rows:
        if not _may_reword(row) or (row.twin is not None and row.id[-16:] > row.twin[-16:]):
            continue
        told = {
            "asks": define_type(row.type),
            "question": row.question,
            "answer": row.answer,
            "phrases": [reference.name for reference in row.references],
            "number": None if row.said is None else f"{row.said.value:g} {row.said.unit}",
        }
        asked = "The pair, as JSON:\n" + json.dumps(told, ensure_ascii=False)
        messages = (Message("system", prompt.text), Message("user", asked))
        out.append((row, Request(row.id, messages, Pairs, seed=seed, likely_tokens=_TOKENS)))
    return out


def find_requests(rows: Sequence[Question], seed: int = 0) -> list[Request]:
    """What a model would be asked: for pairs, and as often whether one of them says the same."""
    found = find_rewordings(rows, seed)
    pairs = [(row.question, row.answer) for row, _ in found]
    judged = [
        replace(ask_if_same(row.id, pair, pair, seed), after=request)
        for (row, request), pair in zip(found, pairs, strict=True)
    ]
    return [*(request for _, request in found), *judged]


def _may_reword(row: Question) -> bool:
    kind = ALL_TYPES.get(row.type)
    if kind is None or row.truth == TOO_CLOSE or kind.supposes or row.type == "unseen" or row.is_choice:
        return False
    if row.form == "text":
        return True
    return row.truth_source == "measures" and not any(reference.is_surface for reference in row.references)


def reword(
    rows: Sequence[Question],
    names: Collection[str],
    tour: str,
    *,
    replies: Path,
    language: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Reworded:
    """Have a language model put rows into other words, and keep what says the same.

    Args:
        rows: Accepted rows of one tour, twins beside each other.
        names: What any thing of the tour is called.
        tour: Its name.
        replies: Folder that keeps every reply.
        language: Model, limits, budget.
        connect: Makes the model.
        seed: Another seed asks for other words.
        progress: Told the fraction answered.

    Raises:
        InstructionError: If the server cannot be used. Replies so far are kept.
    """
    asked = find_rewordings(rows, seed)
    first = ask_all([request for _, request in asked], connect, replies, language, progress=progress)
    taken = {(*_list_shown(row), row.question) for row in rows}
    by_id = {row.id: row for row in rows}
    found: list[_Wording] = []
    for (row, _), answer in zip(asked, first.answers, strict=True):
        if answer.value is not None:
            found.append(_Wording(row, by_id.get(row.twin or ""), answer, f"llm {answer.served_by or language.model}"))
            found[-1].check(answer.value.pairs, names, taken)
    judged = [one for one in found if one.chosen is not None]
    second = ask_all([one.ask_judge(seed) for one in judged], connect, replies, language)
    for one, verdict in zip(judged, second.answers, strict=True):
        one.judge(verdict)
    changed = {name: row for one in found for name, row in one.kept.items()}
    rejected = {one.row.id: one.rejected for one in found}
    out = [made for row in rows for made in (changed.get(row.id, row), *rejected.get(row.id, ()))]
    usage, left_open = sum_usage(first.usage, second.usage), first.open + second.open
    return Reworded(tuple(out), usage, left_open, tuple(_tell(tour, rejected, changed)))


def _list_shown(row: Question) -> tuple[object, ...]:
    """What tells the pictures of a row from those of others: its views, and the things marked in them."""
    return row.views, tuple(sorted(reference.object for reference in row.references if reference.mark is not None))


class _Wording:
    """The pairs of one reply."""

    def __init__(self, row: Question, twin: Question | None, answer: Answer[Pairs], writer: str) -> None:
        self.row, self._twin, self._answer, self._writer = row, twin, answer, writer
        self.chosen: tuple[int, Pair] | None = None
        self.kept: dict[str, Question] = {}
        self.rejected: list[Question] = []

    def check(self, pairs: Sequence[Pair], names: Collection[str], taken: set[tuple[object, ...]]) -> None:
        """Choose the first pair whose words hold; others that hold are not needed."""
        for number, pair in enumerate(pairs):
            code = check_pair(self.row, pair.question, pair.answer, names)
            both = pair.question, self._swap(pair.question)
            texts = {(*_list_shown(self.row), text) for text in both if text is not None}
            if code is None and self.row.form != "text" and texts & taken:
                code = "double"
            if code is not None:
                self._reject(number, pair, code, REJECTIONS[code])
            elif self.chosen is None:
                self.chosen = number, pair
                taken |= texts

    def ask_judge(self, seed: int) -> Request[Sameness]:
        """Whether the chosen pair means what the row says."""
        assert self.chosen is not None
        row, (_, pair) = self.row, self.chosen
        return ask_if_same(row.id, (row.question, row.answer), (pair.question, pair.answer), seed)

    def judge(self, verdict: Answer[Sameness]) -> None:
        """Put the chosen pair in the row's place, and its twin in the twin's, if the judge says that it is the same."""
        assert self.chosen is not None
        number, pair = self.chosen
        why = explain_difference(verdict)
        if why is not None:
            self._reject(number, pair, "other_meaning", f"{REJECTIONS['other_meaning']}: {why}")
        elif verdict.value is not None:
            made = self._make(self.row, pair.question, pair.answer, number)
            self.kept = {self.row.id: made}
            swapped = self._swap(pair.question)
            if self._twin is not None and swapped is not None:
                other = self._make(self._twin, swapped, self._twin.answer, number)
                self.kept = {self.row.id: replace(made, twin=other.id), self._twin.id: replace(other, twin=made.id)}

    def _swap(self, question: str) -> str | None:
        """The twin's question: the same words with the two names in each other's place."""
        if self._twin is None:
            return None
        a, b = (reference.name for reference in self.row.references)
        return turn_words(question, {a: b})

    def _reject(self, number: int, pair: Pair, code: str, words: str) -> None:
        self.rejected.append(self._make(self.row, pair.question, pair.answer, number, code, words))

    def _make(
        self, row: Question, question: str, answer: str, number: int, code: str | None = None, words: str | None = None
    ) -> Question:
        about = row_id(
            *row.views, row.type, *(reference.object for reference in row.references), "llm", number, question, answer
        )
        return replace(
            row,
            id=f"{row.id[:-16]}{about}",
            question=question,
            answer=answer,
            writer=self._writer,
            prompt=prompts.load("instructions.questions", "rewording").label,
            reply=self._answer.reply_key,
            twin=None,
            template="llm",
            accepted=code is None,
            rejected_because=code,
            rejection=words,
        )


def check_pair(row: Question, question: str, answer: str, names: Collection[str]) -> str | None:
    """Why the words of a pair cannot be those of the row, by the code of `REJECTIONS`; None if they can."""
    phrases = [reference.name for reference in row.references]
    if any(phrase.lower() not in question.lower() for phrase in phrases):
        return "no_phrase"
    own = {word for one in row.references for word in (head_noun(one.phrase), one.category)} | {"object", "thing", ""}
    others = {head_noun(name) for name in names if name not in own} - own
    words = ClaimWords({**_UNITS, **{name: name for name in sorted(others)}}, _SIDES)
    asked, own_asked, told, own_told = (
        _find_told(_without(text, phrases), words) for text in (question, row.question, answer, row.answer)
    )
    if asked.numbers and asked.numbers != own_asked.numbers:
        return "other_thing"
    if not others.isdisjoint((*asked.names, *told.names)):
        return "other_thing"
    if row.form == "text":
        return None if told == own_told else "other_steps"
    return None if says_truth(row, answer) else "other_answer"


class _Told(NamedTuple):
    """What a text says, each in its order."""

    names: list[str]
    """Of things and units."""
    numbers: list[float]
    sides: list[str]


def _find_told(text: str, words: ClaimWords) -> _Told:
    names, told = words.find_told(re.sub(r"(?<=\d)(?=[a-z])", " ", text.replace("°", " degrees"), flags=re.I))
    numbers = [float(word) for word in told if word[0].isdigit()]
    return _Told(names, numbers, [word for word in told if word in _SIDES])


def says_truth(row: Question, answer: str) -> bool:
    """Whether an answer reads back as the row's truth, in the number and unit that it said."""
    if row.said is None or row.form != "number":
        return grade_answer(Solution.of(row), answer).right
    unit = row.said.unit
    read = read_number(answer, unit)
    if read is None or read.is_range or read.is_one_of_several:
        return False
    is_said_so = not read.unit or to_base(read.unit) == to_base(unit)
    return is_said_so and abs(read.value - row.said.value) <= 1e-6 * max(1.0, abs(row.said.value))


def _without(text: str, phrases: Sequence[str]) -> str:
    for phrase in sorted(phrases, key=len, reverse=True):
        text = re.sub(re.escape(phrase), " ", text, flags=re.I)
    return text


def _tell(tour: str, rejected: dict[str, list[Question]], changed: dict[str, Question]) -> Iterator[Finding]:
    codes = Counter(row.rejected_because for rows in rejected.values() for row in rows)
    if codes:
        causes = ", ".join(f"{count} {code}" for code, count in codes.most_common())
        kept = sum(name in changed for name in rejected)
        told = f"{kept} of {len(rejected)} rows were reworded, the others keep the words of templates; pairs rejected: "
        yield Finding("info", "questions.rewording", tour, told + causes)
