"""What is true of a view and may be asked about it; see `view_judge` for how it is found."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.asking.counts import NotAsked
from instructions.asking.names import Naming
from instructions.facts.measured import Measured
from instructions.facts.verdict import Sign
from instructions.questions.types import QuestionType
from instructions.view import SeenThing, View


@dataclass(frozen=True, eq=False)
class Truth:
    """Something that may be asked about a view, and what is true."""

    type: QuestionType
    things: tuple[SeenThing, ...]
    """A, and B."""
    names: tuple[tuple[Naming, ...], ...]
    """Of each thing: ways to call it that mean it alone."""
    verdict: Sign | bool | int | None = None
    """Of a comparison of A with B; whether A stands on B; the hour; None for a number."""
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    only_as_seen: bool = False
    """The width is only that which shows from here, and the words must say so."""


@dataclass(frozen=True, eq=False)
class ViewTruths:
    """Everything that may be asked about one view."""

    view: View
    truths: tuple[Truth, ...]
    not_asked: NotAsked
