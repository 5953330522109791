"""The writer that has a language model ask and program: nothing it says is kept before reference and laws agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from instructions.asking.counts import NotAsked
from instructions.language.budget import sum_usage
from instructions.language.connect import connect_server
from instructions.language.model import TextModel
from instructions.language.options import LanguageOptions
from instructions.language.requests import Answers, Request
from instructions.language.runner import ask_all
from instructions.programs.asked.asking import PER_IMAGE, PER_VIDEO, FreeAsker, FreeQuestion
from instructions.programs.asked.composer import compose_questions
from instructions.programs.asked.programming import (
    AskedRows,
    WrittenProgram,
    judge,
    make_row,
    prompts_of,
    write_messages,
    write_programs,
)
from instructions.programs.running.sandbox import open_sandbox
from instructions.questions.core.asker import Surroundings
from instructions.questions.core.options import ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.sets import find_sets
from instructions.rows import name_perception
from instructions.tour import Tour
from recon.findings import Finding

WRITER = "llm"


def find_askers(
    tour: Tour,
    surroundings: Mapping[str, Surroundings],
    options: ProgramOptions,
    *,
    show: Callable[[int], str] | None = None,
) -> Iterator[FreeAsker]:
    """One asker per set of views: images, sets of images and the video of every model. Asks nothing."""
    found = find_sets(tour, surroundings, options)
    for asker in (asker for _, askers in found for asker in askers):
        if asker.views.medium != "vsi":  # VSI-Bench's types are its own; they are not asked freely
            yield FreeAsker(asker, tour.seed, show)


def ask_questions(
    tour: Tour,
    surroundings: Mapping[str, Surroundings] = {},
    options: ProgramOptions = ProgramOptions(),
    *,
    replies: Path,
    language: LanguageOptions,
    connect: Callable[[], TextModel] | None = None,
    show: Callable[[int], str] | None = None,
    progress: Callable[[float], None] | None = None,
) -> AskedRows:
    """Have a language model ask about a tour and write three programs per question; run and judge them.

    Returns:
        One row per question that can be read and may be asked, believed or not; none without all three programs.

    Raises:
        InstructionError: If the sandbox cannot be used here, or the server cannot. Replies so far are kept.
    """
    open_sandbox()  # before anything is paid for
    connecting = connect or (lambda: connect_server(language))

    def ask(requests: Sequence[Request[Any]], progress: Callable[[float], None] | None = None) -> Answers[Any]:
        return ask_all(requests, connecting, replies, language, progress=progress)

    found = find_askers(tour, surroundings, options, show=show)
    asked = [(asker, request) for asker in found if (request := asker.make_request()) is not None]
    first = ask([request for _, request in asked], _part(progress, 0.0))
    dropped: NotAsked = Counter()
    questions = [
        (asker, question, answer)
        for (asker, _), answer in zip(asked, first.answers, strict=True)
        for one in (answer.value.questions if answer.value is not None else ())
        if (question := asker.read(one, dropped)) is not None
    ]
    written, second = write_programs(
        [(asker, question) for asker, question, _ in questions],
        lambda requests: ask(requests, _part(progress, 0.5)),
        language.model,
        tour.seed,
    )
    rows, sources = list[Question](), dict[str, str]()
    believed: list[tuple[FreeAsker, FreeQuestion]] = []
    perception = name_perception(tour.objects)
    for (asker, question, answer), programs in zip(questions, written, strict=True):
        if programs is None:
            continue
        belief = judge(asker, question, programs)
        sources |= {program.digest: program.source for program in programs}
        rows.append(make_row(tour.id, question, answer, belief, perception, tour.seed))
        if belief.rejected_because is None:
            believed.append((asker, question))
    composed = compose_questions(
        tour.id, believed, options.choice.compound, perception, ask, language.model, dropped, seed=tour.seed
    )
    rows += composed.rows
    sources |= composed.sources
    left_open = first.open + second.open + composed.open
    usage = sum_usage(first.usage, second.usage, composed.usage)
    return AskedRows(tuple(rows), sources, usage, left_open, dropped, _findings(tour.id, rows, dropped))


def find_requests(askers: Iterable[FreeAsker], seed: int) -> list[Request[BaseModel]]:
    """What a model would be asked, for estimates: the requests for questions, and three for a program per question
    asked for, of which nobody knows the words yet.
    """
    found: list[Request[BaseModel]] = []
    for asker in askers:
        request = asker.make_request()
        if request is None:
            continue
        found.append(request)
        most = PER_VIDEO if asker.asker.views.medium == "video" else PER_IMAGE
        for number in range(most):
            for place, prompt in enumerate(prompts_of()):
                messages = write_messages(prompt, {"question": "?" * 80})
                about = f"{request.id}/{number}/{prompt.name}"
                found.append(Request(about, messages, WrittenProgram, seed + place, likely_tokens=300, after=request))
    return found


def _part(progress: Callable[[float], None] | None, start: float) -> Callable[[float], None] | None:
    return None if progress is None else lambda share: progress(start + share / 2)


def _findings(tour: str, rows: Sequence[Question], dropped: NotAsked) -> tuple[Finding, ...]:
    if any(row.accepted for row in rows):
        return ()
    reasons = Counter(row.rejected_because for row in rows) + Counter(reason for _, reason in dropped.elements())
    often = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common(3)) or "nothing was asked"
    told = f"no freely asked question was believed: {often}; see programs/rejected.jsonl"
    return (Finding("warning", "programs.unbelieved", tour, told),)
