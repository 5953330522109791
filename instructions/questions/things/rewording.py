"""Rows in the words of a language model, each read back before it counts: the question, and the answer.

A row's wording takes the place of the template's, with the twin's question swapped from it. What does not hold is a
rejected row with its reason; where nothing holds, the template's row stays.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instructions.asking.answers import read_choice, read_number, read_yes_no
from instructions.asking.quantities import to_base
from instructions.language import prompts
from instructions.language.budget import Usage
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all
from instructions.questions.records import SpatialQuestion
from instructions.questions.things.ask_reader import find_words, mark_things, read_ask
from instructions.questions.types import TYPES
from instructions.rows import row_id
from instructions.wording.english import head_noun
from recon.findings import Finding

REJECTIONS = {
    "no_phrase": "the question does not hold every phrase as it is",
    "other_thing": "it names another thing of the tour, or a number where none belongs",
    "unread": "it is not sure what the question asks",
    "other_question": "the question asks something else, or of the things the other way round",
    "other_answer": "the answer does not say the truth, the number or the unit",
    "contradiction": "the answer tells a relation that does not hold",
    "double": "the view has the same question already",
}
"""Codes of rejected pairs."""
_MOST_CHARS = 240
_TOKENS = 160
_SYMMETRIC = ("distance", "gap", "horizontal_distance", "vertical_distance", "passage")


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

    rows: tuple[SpatialQuestion, ...]
    """In the order of the given rows: kept ones, the rejected pairs of each behind it."""
    usage: Usage
    open: OpenQuestions
    findings: tuple[Finding, ...]


def find_rewordings(rows: Sequence[SpatialQuestion], seed: int = 0) -> list[tuple[SpatialQuestion, Request[Pairs]]]:
    """Which rows are given to a language model, with the request: of a row and its twin one.

    None of `too close`, of what would be from another place, and of what is out of view: no reader knows those.
    """
    out = []
    for row in rows:
        if row.truth == "too close" or not _may_reword(row) or (row.twin is not None and _lot(row.id) > _lot(row.twin)):
            continue
        prompt = prompts.load("instructions.questions", "rewording")
        told = {
            "asks": define_type(row.type),
            "question": row.question,
            "answer": row.answer,
            "phrases": [_phrase(row, place) for place in range(len(row.references))],
            "number": None if row.said is None else f"{row.said.value:g} {row.said.unit}",
        }
        asked = "The pair, as JSON:\n" + json.dumps(told, ensure_ascii=False)
        messages = (Message("system", prompt.text), Message("user", asked))
        out.append((row, Request(row.id, messages, Pairs, seed=seed, likely_tokens=_TOKENS)))
    return out


def define_type(name: str) -> str:
    """What a type asks, in one sentence."""
    text = (files("instructions.questions.things") / "templates" / f"{name}.toml").read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def reword(
    rows: Sequence[SpatialQuestion],
    names: Collection[str],
    tour: str,
    *,
    replies: Path,
    options: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> Reworded:
    """Have a language model put rows into other words, and keep what reads back as the same.

    Args:
        rows: Accepted rows of one tour, twins beside each other.
        names: What any thing of the tour is called.
        tour: Its name.
        replies: Folder that keeps every reply.
        options: Of the language model.
        connect: Makes the model.
        seed: Another seed asks for other words.
        progress: Told the fraction answered.

    Raises:
        InstructionError: If the server cannot be used.
    """
    asked = find_rewordings(rows, seed)
    answers = ask_all([request for _, request in asked], connect, replies, options, progress=progress)
    answer_of = {row.id: answer for (row, _), answer in zip(asked, answers.answers, strict=True)}
    taken = {(row.views, row.question) for row in rows}
    by_id = {row.id: row for row in rows}
    changed: dict[str, SpatialQuestion] = {}
    rejected: dict[str, list[SpatialQuestion]] = {}
    for row, _ in asked:
        answer = answer_of[row.id]
        if answer.value is None:
            continue
        found = _Wording(row, by_id.get(row.twin or ""), answer, answer.value.pairs, names, options.model, taken)
        changed |= found.take()
        rejected[row.id] = found.rejected
    out: list[SpatialQuestion] = []
    for row in rows:
        out += [changed.get(row.id, row), *rejected.get(row.id, ())]
    return Reworded(tuple(out), answers.usage, answers.open, tuple(_tell(tour, rejected, changed)))


class _Wording:
    """The pairs of one reply."""

    def __init__(
        self,
        row: SpatialQuestion,
        twin: SpatialQuestion | None,
        answer: Answer[Pairs],
        pairs: Sequence[Pair],
        names: Collection[str],
        model: str,
        taken: set[tuple[tuple[int, ...], str]],
    ) -> None:
        self._row, self._twin, self._answer, self._pairs = row, twin, answer, pairs
        self._names, self._taken = names, taken
        self._writer = f"llm {answer.served_by or model}"
        self.rejected: list[SpatialQuestion] = []

    def take(self) -> dict[str, SpatialQuestion]:
        """The first pair that holds in the row's place, and its twin in the twin's; others that hold are not needed."""
        kept: dict[str, SpatialQuestion] = {}
        for number, pair in enumerate(self._pairs):
            code = check_pair(self._row, pair.question, pair.answer, self._names)
            swapped = None
            if code is None and self._twin is not None:
                swapped = _swap(pair.question, _phrase(self._row, 0), _phrase(self._row, 1))
                code = check_question(self._twin, swapped, self._names)
            texts = {(self._row.views, text) for text in (pair.question, swapped) if text is not None}
            if code is None and texts & self._taken:
                code = "double"
            if code is not None:
                self.rejected.append(self._make(self._row, pair.question, pair.answer, number, code, REJECTIONS[code]))
            elif not kept:
                self._taken |= texts
                made = self._make(self._row, pair.question, pair.answer, number)
                kept[self._row.id] = made
                if self._twin is not None and swapped is not None:
                    other = self._make(self._twin, swapped, self._twin.answer, number)
                    kept = {self._row.id: replace(made, twin=other.id), self._twin.id: replace(other, twin=made.id)}
        return kept

    def _make(
        self,
        row: SpatialQuestion,
        question: str,
        answer: str,
        number: int,
        code: str | None = None,
        words: str | None = None,
    ) -> SpatialQuestion:
        start = row.id.rpartition("_q")[0]
        about = row_id(*row.views, row.type, *(one.object for one in row.references), "llm", number, question)
        return replace(
            row,
            id=f"{start}_q{about}",
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


def _may_reword(row: SpatialQuestion) -> bool:
    return not TYPES[row.type].supposes and row.form != "unseen"


def check_pair(row: SpatialQuestion, question: str, answer: str, names: Collection[str]) -> str | None:
    """Why a wording does not say what the row says, by the code of `REJECTIONS`; None if it does."""
    code = check_question(row, question, names)
    if code is not None:
        return code
    if _names_other(answer, row, names):
        return "other_thing"
    if not says_truth(row, answer):
        return "other_answer"
    return "contradiction" if _contradicts(row, answer) else None


def check_question(row: SpatialQuestion, question: str, names: Collection[str]) -> str | None:
    """Why a question is not that of the row; None if it is."""
    phrases = [_phrase(row, place) for place in range(len(row.references))]
    if any(phrase.lower() not in question.lower() for phrase in phrases):
        return "no_phrase"
    if _names_other(question, row, names) or re.search(r"\d", _without(question, phrases)):
        return "other_thing"
    read = read_ask(question, phrases)
    if read is None:
        return "unread"
    kind = TYPES[row.type]
    is_ordered = kind.family not in ("choice",) and row.type not in _SYMMETRIC
    same = read.type.name == row.type and (not is_ordered or read.things == tuple(range(len(phrases))))
    return None if same else "other_question"


def says_truth(row: SpatialQuestion, answer: str) -> bool:
    """Whether an answer reads back as the row's truth, in the number and unit that it said."""
    if row.form == "yes_no":
        return read_yes_no(answer) is (row.truth == "yes")
    if row.form == "choice":
        return row.correct is not None and read_choice(answer, row.choices) == row.correct
    if TYPES[row.type].family == "clock":
        hour = read_number(answer, "hour")
        return hour is not None and hour.value == float(row.truth) and not hour.is_one_of_several
    if row.form == "class":
        plain = re.sub(r"\b(?:on|to) the (?=left\b|right\b)", "", answer, flags=re.I)
        return row.correct is not None and read_choice(plain, row.choices) == row.correct
    if row.said is None:
        return False
    unit = row.said.unit
    read = read_number(answer, unit)
    if read is None or read.is_range or read.is_one_of_several:
        return False
    is_said_so = not read.unit or to_base(read.unit) == to_base(unit)
    return is_said_so and abs(read.value - row.said.value) <= 1e-6 * max(1.0, abs(row.said.value))


def _contradicts(row: SpatialQuestion, answer: str) -> bool:
    """Whether the answer tells the opposite of what is true: `Yes, it is to the right` of a thing to the left."""
    comparison = TYPES[row.type].comparison
    if comparison is None or len(row.references) != 2:
        return False
    phrases = [_phrase(row, place) for place in range(2)]
    named, marked = mark_things(answer, phrases)
    told = set(find_words(marked)) & {comparison.more, comparison.less}
    if not told:
        return False
    if row.form == "class":
        return False  # the word itself was read
    word = TYPES[row.type].word
    other = comparison.less if word == comparison.more else comparison.more
    holds = row.form == "choice" or row.truth == "yes"
    if len(told) == 2:
        return True
    is_turned = row.form == "yes_no" and named == (1, 0)
    expected = word if holds != is_turned else other
    return told != {expected}


def _names_other(text: str, row: SpatialQuestion, names: Collection[str]) -> bool:
    """Whether a text names a thing of the tour that the row is not about."""
    phrases = [_phrase(row, place) for place in range(len(row.references))]
    rest = _without(text, phrases).lower()
    own = {head_noun(one.phrase) for one in row.references} | {one.category for one in row.references}
    heads = {head_noun(name) for name in names if name not in own} - own - {"object", "thing"}
    return any(re.search(rf"(?<!\w){re.escape(head)}s?(?!\w)", rest) for head in heads if head)


def _without(text: str, phrases: Sequence[str]) -> str:
    for phrase in sorted(phrases, key=len, reverse=True):
        text = re.sub(re.escape(phrase), " ", text, flags=re.I)
    return text


def _phrase(row: SpatialQuestion, place: int) -> str:
    one = row.references[place]
    return f"{one.phrase} {one.clause}" if one.clause else one.phrase


def _swap(question: str, a: str, b: str) -> str:
    """The same words with the two phrases in each other's place."""
    pattern = "|".join(re.escape(one) for one in sorted((a, b), key=len, reverse=True))

    def put(match: re.Match[str]) -> str:
        other = b if match.group().lower() == a.lower() else a
        return other[:1].upper() + other[1:] if match.group()[0].isupper() else other

    return re.sub(pattern, put, question, flags=re.I)


def _lot(id: str) -> str:
    return id[-16:]


def _tell(
    tour: str, rejected: dict[str, list[SpatialQuestion]], changed: dict[str, SpatialQuestion]
) -> Iterator[Finding]:
    codes = Counter(row.rejected_because for rows in rejected.values() for row in rows)
    if codes:
        causes = ", ".join(f"{count} {code}" for code, count in codes.most_common())
        kept = sum(name in changed for name in rejected)
        yield Finding(
            "info",
            "spatial.rewording",
            tour,
            f"{kept} of {len(rejected)} rows were reworded, the others keep the words of templates; pairs rejected: "
            f"{causes}",
        )
