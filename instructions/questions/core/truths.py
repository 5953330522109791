"""What is true of views and may be asked about them; what finds it is in `things`, `sets` and `marks`."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.asking.names import Naming
from instructions.facts.verdict import Measured
from instructions.questions.core.records import TruthSource
from instructions.questions.core.types import QuestionType
from instructions.questions.core.view_sets import ViewSet
from instructions.questions.core.world import Given, Value


@dataclass(frozen=True, eq=False)
class Truth:
    """Something that may be asked about some views, and what is true."""

    kind: QuestionType
    views: ViewSet
    things: tuple[str, ...]
    """In the order of the definition."""
    names: tuple[tuple[Naming, ...], ...]
    """Of each thing: ways to call it that mean it alone."""
    value: Value
    """True, false, `yes`, `no`, `too close`, a number in full, a label, an id, or several."""
    given: Given = Given()
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    source: TruthSource = "reference"
    parts: tuple[str, ...] = ()
    """What a composed truth was made of: type, things and value of each part."""
    twin: Value | None = None
    """The answer with its two things swapped; None where it is not asked so."""
    candidates: tuple[str, ...] = ()
    """Things that the question names as possible answers; all but those it is held against if empty."""
    only_as_seen: bool = False
    """The width is only that which shows from here, and the words must say so."""


@dataclass(frozen=True)
class Judged:
    """What a gate lets through."""

    value: Value | None = None
    """None for what the type's reference program says."""
    measured: Measured | None = None
    evidence: tuple[Measured, ...] = ()
    twin: Value | None = None
    """The answer with the two things swapped, where no reference program tells it."""
    things: tuple[str, ...] = ()
    """In which order they are asked about, where it hangs on what is true."""
    only_as_seen: bool = False
    """See `Truth`."""
