"""The writer that asks a language model to put true texts into other words, and keeps what tells the same claims.

What may be said of a way is decided by our own grammar, whose texts carry their claims. A model's text is held to them
by its words, in their order, and by a second question to the model.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from instructions.claims.entailment import Sameness, ask_if_told, explain_difference
from instructions.claims.words import ClaimWords, ToldClaim
from instructions.language import prompts
from instructions.language.budget import Usage, sum_usage
from instructions.language.connect import connect_server
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.quoting import clean, name
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all
from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.records import KIND, REASONS, Instruction
from instructions.navigation.room_writer import write_room_texts
from instructions.records import Claim
from instructions.rows import row_id
from instructions.tour import Tour
from instructions.wording.colors import WORDS as COLORS
from instructions.wording.english import NUMBER_WORDS, head_noun
from instructions.wording.synonyms import ROOM_WORDS
from recon.findings import Finding
from recon.records import Scene
from trajectories.records import Trajectory

MAX_CHARS = 600
MIN_WORDS, MAX_WORDS = 3, 110
_PLAIN = re.compile(r"[A-Za-z0-9 ,.;:!?'()\u2018\u2019\u2013\u2014\u00c0-\u024f-]+")


def _plain_sentence(text: str) -> str:
    """One line of plain English of a length that a walker can follow.

    Raises:
        ValueError: Naming what is wrong, for the repair round.
    """
    line = clean(text, 4 * MAX_CHARS)
    if len(line) > MAX_CHARS:
        raise ValueError(f"a text has more than {MAX_CHARS} characters")
    if not MIN_WORDS <= len(line.split()) <= MAX_WORDS:
        raise ValueError(f"a text must have {MIN_WORDS} to {MAX_WORDS} words")
    if not _PLAIN.fullmatch(line):
        odd = sorted(set(_PLAIN.sub("", line)))[:5]
        raise ValueError(f"a text may hold only letters, digits and plain punctuation, not {' '.join(odd)}")
    return line


PlainText = Annotated[str, AfterValidator(_plain_sentence)]


class Texts(BaseModel):
    """Texts about one way, each worded differently."""

    model_config = ConfigDict(extra="forbid")

    texts: list[PlainText] = Field(min_length=1, max_length=8)


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_GROUPS = tuple(
    _words(words)
    for words in (
        "left", "right", "middle center centre", "ahead front", "around",
        "back backward backwards", "sidestep sidesteps sideways aside",
        "near nearby close", "far distant", "another", "few couple",
        "meter meters metre metres", "dark", "light bright pale", "tall high", "low short", "large big", "small little",
        "wide broad", "narrow", "long", "round", "square", "slight slightly", "sharp sharply", "half",
        "quarter quarters", *sorted(COLORS - {"gray", "grey"}), "gray grey", *NUMBER_WORDS[2:],
    )
)  # fmt: skip
"""Words of one meaning: a text that has one of them has one of them in the words of its claim, and the other way."""
_TURN = _words("turn turns turning turned pivot pivots swing swings veer veers bear bears rotate rotates pan pans")
_STOP = _words("stop stops stopping stopped halt halts end ends ending finish finishes arrive arrives")
_PASS = _words("past pass passes passing passed")
_ENTER = _words("enter enters entering entered into")
_LEAVE = _words("leave leaves leaving exit exits exiting out")
_FACE = _words("face faces facing see sees seeing visible look looks looking")
_REACH = _words("towards toward approach approaches approaching reach reaches reaching")
_MOVES = {
    "turn": _TURN, "look": _FACE | _TURN, "pass": _PASS, "enter": _ENTER, "exit": _LEAVE, 
    "approach": _REACH, "stop_at": _STOP, "see": _FACE, "visible": _FACE,
}  # fmt: skip
"""By kind of claim, the words that may tell what happens."""
_NEEDED = ("turn", "pass", "enter", "exit", "stop_at")
"""Kinds that a text tells by one of these words, or not at all."""
FREE = _words("on moves head heads headed continue continues continuing proceed proceeds continued")
"""Words of plain walking, which a text about a way may use as it likes."""
TELLING = frozenset().union(*_GROUPS, *_MOVES.values())


def find_way_words(tour: Tour) -> ClaimWords:
    """What the things and rooms of a tour are called."""
    nouns = {word for one in tour.objects for word in (one.category, head_noun(one.alias)) if word}
    rooms = {form: room for room, forms in ROOM_WORDS.items() for form in (room, *forms) if form not in nouns}
    own = {span.room: span.room for span in tour.rooms}
    return ClaimWords({**rooms, **own, **{noun: noun for noun in sorted(nouns)}}, TELLING, FREE)


def list_told(claims: Sequence[Claim], words: ClaimWords) -> list[ToldClaim]:
    """What a text has to tell of each claim of our own text, and may tell; of the last one also that the way ends."""
    before = [None, *(claim.kind for claim in claims)]
    told = [_tell(one, words, is_new=one.kind != kind) for one, kind in zip(claims, before[:-1], strict=True)]
    return [*told[:-1], *(replace(one, may=one.may | _STOP) for one in told[-1:])]


def _tell(claim: Claim, words: ClaimWords, *, is_new: bool) -> ToldClaim:
    """The words of a claim; what one does again (`past the sofa and past the bed`) is told once."""
    things, told = words.find_told(claim.text)
    moves = _MOVES.get(claim.kind, frozenset())
    groups = [group for group in _GROUPS if not group.isdisjoint(told)]
    needs = [*groups, *([moves | _spoken(told)] if is_new and claim.kind in _NEEDED else [])]
    return ToldClaim(tuple(things), tuple(needs), moves.union(told, *groups))


def _spoken(told: Sequence[str]) -> frozenset[str]:
    """Words of moves that the claim's own text has."""
    return frozenset(told).intersection(frozenset().union(*_MOVES.values()))


WRITER = "llm"
TEXT_TOKENS = 60
"""A text of two sentences with its share of the JSON around it."""


@dataclass(frozen=True, eq=False)
class Question:
    """A true text of our own, and the request to reword it."""

    row: Instruction
    request: Request[Texts]


@dataclass(frozen=True, eq=False)
class Written:
    """Rows with what they cost and what a person should know."""

    rows: tuple[Instruction, ...]
    """Texts of our own that are not accepted, so not reworded; then reworded ones in time order, accepted or not."""
    usage: Usage
    open: OpenQuestions
    findings: tuple[Finding, ...]


def find_questions(
    tour: Tour,
    trajectories: Sequence[Trajectory],
    options: LanguageOptions = LanguageOptions(),
    planning: WriterOptions = WriterOptions(),
) -> list[Question]:
    """All questions of a tour, one per way and kind of text, in time order per trajectory; asks nothing.

    Raises:
        InstructionError: If a trajectory's model is not in the scene.
    """
    return [_ask(row, options) for row in _write_own(tour, trajectories, options, planning) if row.accepted]


def _write_own(
    tour: Tour, trajectories: Sequence[Trajectory], options: LanguageOptions, planning: WriterOptions
) -> list[Instruction]:
    """The texts of our own, one per way and kind."""
    tour = _quote_names(tour)
    rows = write_instructions(tour, trajectories, replace(planning, wordings=1))
    return rows + write_room_texts(tour, trajectories, planning) if options.enriched else rows


def _ask(row: Instruction, options: LanguageOptions) -> Question:
    claims = [check.claim.text for check in row.claims]
    told = {"number_of_texts": options.wordings, "kind": row.kind, "text": row.text, "claims": claims}
    asked = "The text, as JSON:\n" + json.dumps(told, ensure_ascii=False)
    messages = (Message("system", _load_prompt().text), Message("user", asked))
    return Question(row, Request(row.id, messages, Texts, row.seed, likely_tokens=options.wordings * TEXT_TOKENS))


def _load_prompt() -> prompts.Prompt:
    return prompts.load("instructions.navigation", "rewording")


def _quote_names(tour: Tour) -> Tour:
    """The tour with short plain names: a text of our own with them is the data of a question."""
    objects = [
        replace(one, alias=name(one.alias), category=None if one.category is None else name(one.category))
        for one in tour.objects
    ]
    return replace(tour, objects=objects, rooms=[replace(span, room=name(span.room)) for span in tour.rooms])


def list_requests(questions: Sequence[Question], options: LanguageOptions) -> list[Request]:
    """What a model would be asked: for texts, and for each whether it tells its claims."""
    out: list[Request] = []
    for one in questions:
        again = replace(_ask_again(one, one.row.text), after=one.request)
        out += [one.request, *([again] * options.wordings)]
    return out


def write_with_language_model(
    tour: Tour,
    trajectories: Sequence[Trajectory],
    *,
    replies: Path,
    options: LanguageOptions = LanguageOptions(),
    planning: WriterOptions = WriterOptions(),
    connect: Callable[[], TextModel] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Written:
    """Have a language model reword the text of every way, and keep what tells the same claims.

    What is among the replies is not asked again.

    Returns:
        One row per text; those that do not tell their claims are not accepted, with the reason. Questions without an
        answer of use, and texts that nobody has read a second time, have no row and are counted. Texts of our own that
        are not accepted come first.

    Raises:
        InstructionError: If a trajectory's model is not in the scene, or the server cannot be used.
    """
    own = _write_own(tour, trajectories, options, planning)
    asked = [_ask(row, options) for row in own if row.accepted]
    connect = connect or (lambda: connect_server(options))
    first = ask_all([one.request for one in asked], connect, replies, options, progress=progress)
    words = find_way_words(_quote_names(tour))
    made: list[tuple[Instruction, Request[Sameness] | None]] = []
    for question, answer in zip(asked, first.answers, strict=True):
        told = list_told([check.claim for check in question.row.claims], words)
        for number, row in enumerate(_rows(question, answer, options)):
            mismatch = words.find_mismatch(row.text, told)
            if mismatch is not None:
                made.append((_reject(row, "other_words", mismatch), None))
            else:
                made.append((row, _ask_again(question, row.text, number)))
    second = ask_all([request for _, request in made if request is not None], connect, replies, options)
    verdicts = iter(second.answers)
    judged = [_judge(row, next(verdicts)) if request is not None else row for row, request in made]
    rows = [row for row in judged if row is not None]
    usage = sum_usage(first.usage, second.usage)
    left_out = [row for row in own if not row.accepted]
    return Written((*left_out, *rows), usage, first.open + second.open, _findings(tour.scene, rows))


def _rows(question: Question, answer: Answer[Texts], options: LanguageOptions) -> Iterator[Instruction]:
    """One row per different text, with the claims of the own text."""
    own = question.row
    if answer.value is None:
        return
    for wording, text in enumerate(dict.fromkeys(answer.value.texts)):
        ends = own.views[0], own.views[-1]
        yield replace(
            own,
            id=row_id(answer.request.seed, own.tour, KIND, WRITER, own.trajectory, *ends, own.kind, wording),
            writer=f"{WRITER} {answer.served_by or options.model}",
            prompt=_load_prompt().label,
            reply=answer.reply_key,
            text=text,
        )


def _ask_again(question: Question, text: str, number: int = 0) -> Request[Sameness]:
    row = question.row
    statements = [check.claim.text for check in row.claims]
    return ask_if_told(f"{row.id}/{number}", statements, {"text": text}, question.request.seed)


def _judge(row: Instruction, verdict: Answer[Sameness]) -> Instruction | None:
    """The row as a second reading leaves it; None where there is none."""
    if verdict.value is None:
        return None
    why = explain_difference(verdict)
    return row if why is None else _reject(row, "other_meaning", why)


def _reject(row: Instruction, code: str, why: str) -> Instruction:
    return replace(row, accepted=False, rejected_because=code, rejection=f"{REASONS[code]}: {why}")


def _findings(scene: Scene, rows: Sequence[Instruction]) -> tuple[Finding, ...]:
    rejected = [row for row in rows if not row.accepted]
    if not rejected:
        return ()
    kinds = Counter(row.rejected_because for row in rejected)
    causes = ", ".join(f"{count} {cause}" for cause, count in kinds.most_common())
    message = f"{len(rejected)} of {len(rows)} texts ({len(rejected) / len(rows):.0%}) were rejected: {causes}"
    return (Finding("info", "language.rejected", scene.id, message),)
