"""A language model writes questions about views from their lines, with the claims of every answer and rationale.

Rows pass the filters of our own; then their words are held to their claims, and the model reads them a second time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel

from instructions.claims.entailment import Sameness, ask_if_told, explain_difference
from instructions.language.budget import Usage, sum_usage
from instructions.language.connect import connect_server
from instructions.language.model import Message, TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.prompts import load
from instructions.language.requests import Answer, Request
from instructions.language.runner import ask_all
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.facts_qar import MODES, ROWS_PER_CALL, ViewRows
from instructions.regions.judge import Earlier, find_phrases, know_view, note
from instructions.regions.options import DESCRIPTORS, Descriptor, RegionOptions
from instructions.regions.parse import Qars, QarText, quote
from instructions.regions.records import Mode, Pair, Parts, Qar
from instructions.regions.sets.twins import twist_rows
from instructions.regions.writer import PreparedView

TEMPERATURE = 0.8
WRITER = "llm"


@dataclass(frozen=True)
class LanguageRows:
    """What a language model wrote, and what it cost."""

    rows: tuple[Qar, ...]
    pairs: tuple[Pair, ...]
    """Kept rows with a twin whose answer is measured to be false."""
    usage: Usage
    open: OpenQuestions


def make_request(
    view: PreparedView,
    mode: Mode,
    call: int,
    written: Sequence[Qar],
    seed: int,
    told: Sequence[Descriptor] = DESCRIPTORS,
) -> Request[Qars]:
    """One call of a view: what is known of it, and what was written before."""
    verbal = view.verbal
    parts: list[str] = []
    if "global" in told:
        lines = (*verbal.places, *verbal.things, *verbal.concepts, *verbal.narratives)
        parts += ["About the whole:", *(quote(line.text) for line in lines)]
    if "local" in told:
        parts += ["Things, each with its number:", *(quote(line.text) for line in verbal.locals)]
    if mode == "description":
        called = [quote(f"[{number}] the {phrase}") for number, phrase in find_phrases(view.facts).items()]
        parts += ["What to call them; a thing without a name is not named:", *called]
    if "dynamic" in told:
        parts += ["Asked and answered:", *(quote(f"{probe.question} {probe.answer}") for probe in verbal.probes)]
    if written:
        parts += ["Written before; write something else:", *(quote(row.question) for row in written)]
    messages = (Message("system", load("instructions.regions", mode).text), Message("user", "\n".join(parts)))
    name = f"{view.record.id}_{mode}_{call}"
    return Request(name, messages, Qars, seed=seed + call, temperature=TEMPERATURE, likely_tokens=260)


def find_requests(views: Sequence[PreparedView], options: RegionOptions, seed: int) -> list[Request[BaseModel]]:
    """All requests of a tour as far as they are known before any is answered; for counting."""
    out: list[Request[BaseModel]] = []
    for view in views:
        for mode in MODES:
            for call in range(options.calls):
                first = make_request(view, mode, call, (), seed, options.descriptors)
                again = _ask_again(first.id, [], QarText(**dict.fromkeys(("question", "answer", "rationale"), "?"),
                                                            claims=[], reasons=[]), seed)  # fmt: skip
                out += [first, *([replace(again, after=first)] * ROWS_PER_CALL)]
    return out


def write_with_language_model(
    views: Sequence[PreparedView],
    perception: str,
    *,
    replies: Path,
    language: LanguageOptions = LanguageOptions(),
    options: RegionOptions = RegionOptions(),
    connect: Callable[[], TextModel] | None = None,
    encoder: SentenceEncoder | None = None,
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
) -> LanguageRows:
    """Have a language model ask about every view, in rounds: later ones see what was written before.

    Args:
        views: Of a tour, with their lines.
        perception: What knew the things.
        replies: Folder that keeps every reply by content.
        language: Server, limits, budget.
        options: Bars and number of calls.
        connect: Makes the model; an OpenAI-compatible server by the options if not given.
        encoder: Finds repeats by what they mean.
        seed: Another seed asks for other texts.
        progress: Told the fraction of requests answered.

    Returns:
        One row per text, kept or rejected, in order of views. Texts that nobody has read a second time have none and
        are counted as open.

    Raises:
        InstructionError: If the server cannot be used. What was answered is kept.
    """
    connect = connect or (lambda: connect_server(language))
    by_view: dict[str, list[Qar]] = defaultdict(list)

    def begin_rows(view: PreparedView) -> ViewRows:
        earlier: list[Earlier] = [note(f"{probe.question} {probe.answer}") for probe in view.verbal.probes]
        earlier += [(one.text, frozenset(one.mentioned)) for one in by_view[view.record.id] if one.accepted]
        return ViewRows(view.facts, view.record, perception, options, seed, encoder, earlier)

    usage, left_open = Usage(), OpenQuestions()
    for call in range(options.calls):
        asked: list[tuple[PreparedView, Mode]] = [(view, mode) for view in views for mode in MODES]
        requests = []
        for view, mode in asked:
            before = [row for row in by_view[view.record.id] if row.mode == mode]
            requests.append(make_request(view, mode, call, before, seed, options.descriptors))
        part = None if progress is None else _part(progress, call, options.calls)
        answers = ask_all(requests, connect, replies, language, progress=part)
        usage, left_open = sum_usage(usage, answers.usage), left_open + answers.open
        written = [
            row
            for (view, mode), answer in zip(asked, answers.answers, strict=True)
            for row in _judge_reply(begin_rows(view), mode, call, answer, language.model)
        ]
        second = ask_all([again for _, again in written if again is not None], connect, replies, language)
        usage, left_open = sum_usage(usage, second.usage), left_open + second.open
        verdicts = iter(second.answers)
        for row, again in written:
            read = row if again is None else _judge_again(row, next(verdicts))
            if read is not None:
                by_view[row.view].append(read)
    rows = tuple(row for view in views for row in by_view[view.record.id])
    pairs = tuple(
        pair for view in views for pair in twist_rows(view.facts, by_view[view.record.id], options, seed=seed)
    )
    return LanguageRows(rows, pairs, usage, left_open)


def _part(progress: Callable[[float], None], call: int, calls: int) -> Callable[[float], None]:
    return lambda done: progress((call + done) / calls)


def _judge_reply(
    rows: ViewRows, mode: Mode, call: int, answer: Answer[Qars], model: str
) -> list[tuple[Qar, Request[Sameness] | None]]:
    """The rows of a reply, each with the request for a second reading if nothing speaks against it so far."""
    out = []
    known = know_view(rows.view, mode, rows.options.bars)
    for place, item in enumerate(answer.value.qars if answer.value is not None else ()):
        row = rows.write(
            mode,
            Parts(item.question, item.answer, item.rationale),
            item.claims,
            item.reasons,
            about=(WRITER, call, place),
            writer=f"{WRITER} {answer.served_by or model}",
            task="free",
            round=call,
            prompt=load("instructions.regions", mode).label,
            reply=answer.reply_key,
        )
        claims = [*item.claims, *item.reasons]
        fault = known.find_fault(f"{row.answer} {row.rationale}", claims, row.question) if row.accepted else None
        if fault is not None:
            row = row.reject(fault.code, fault.words)
        again = None
        if row.accepted:
            again = _ask_again(row.id, [claim.words for claim in known.find_claims(claims)], item, rows.seed)
            rows.keep(row)
        out.append((row, again))
    return out


def _ask_again(name: str, statements: Sequence[str], item: QarText, seed: int) -> Request[Sameness]:
    said = {"question": item.question, "answer": f"{item.answer} {item.rationale}"}
    return ask_if_told(name, statements, said, seed)


def _judge_again(row: Qar, answer: Answer[Sameness]) -> Qar | None:
    """The row as its second reading leaves it; None where there is none."""
    if answer.value is None:
        return None
    why = explain_difference(answer)
    return row if why is None else row.reject("other_meaning", why)
