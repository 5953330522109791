"""Rows of templates with what a language model may add: likelier wrong options, and the steps of a walk in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel

from instructions.language.budget import Usage, sum_usage
from instructions.language.model import TextModel
from instructions.language.open_questions import OpenQuestions
from instructions.language.options import LanguageOptions
from instructions.language.requests import Request
from instructions.language.runner import ask_all
from instructions.programs.asked.polishing import find_polishings, take_polishing
from instructions.programs.asked.proposing import find_proposals, take_proposals
from instructions.programs.records import ProgramQuestion


@dataclass(frozen=True)
class RewordedRows:
    """All rows of a tour, those that a model touched in the place of what they were."""

    rows: tuple[ProgramQuestion, ...]
    """A text that tells other steps stands rejected behind the row that keeps the words of templates."""
    usage: Usage
    open: OpenQuestions
    options: Mapping[str, int]
    """Proposed options `taken` and `refused`."""


def find_rewordings(rows: Sequence[ProgramQuestion], seed: int) -> list[Request[BaseModel]]:
    """What the language model would be asked about these rows."""
    found = [*find_proposals(rows, seed), *find_polishings(rows, seed)]
    return [request for _, request in found]  # type: ignore[misc]  # a request for a model's subclass


def reword_rows(
    rows: Sequence[ProgramQuestion],
    *,
    replies: Path,
    language: LanguageOptions,
    connect: Callable[[], TextModel],
    seed: int = 0,
) -> RewordedRows:
    """Have a language model propose wrong options and tell steps; what is not computed to be so is not used.

    Args:
        rows: Accepted rows of one tour.
        replies: Folder that keeps every reply.
        language: Model, limits, budget.
        connect: Makes the model.
        seed: Another seed asks for others.

    Raises:
        InstructionError: If the server cannot be used. Replies so far are kept.
    """
    proposals, polishings = find_proposals(rows, seed), find_polishings(rows, seed)
    first = ask_all([request for _, request in proposals], connect, replies, language)
    second = ask_all([request for _, request in polishings], connect, replies, language)
    options: Counter[str] = Counter()
    changed: dict[str, list[ProgramQuestion]] = {}
    for (row, _), answer in zip(proposals, first.answers, strict=True):
        changed[row.id] = [take_proposals(row, answer, options)]
    for (row, _), answer in zip(polishings, second.answers, strict=True):
        changed[row.id] = take_polishing(row, answer)
    return RewordedRows(
        tuple(made for row in rows for made in changed.get(row.id, [row])),
        sum_usage(first.usage, second.usage),
        first.open + second.open,
        dict(sorted(options.items())),
    )
