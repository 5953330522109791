"""The rows of the kind `spatial`: a question about views, its answer, and the numbers that decided it."""

from __future__ import annotations

from dataclasses import dataclass

from instructions.facts.measured import Measured
from instructions.questions.types import Family, Form, Level
from instructions.records import Box, MaskRle
from instructions.rows import Row

KIND = "spatial"
NOT_VISIBLE = "not visible"
"""The truth of a row that asks about what is out of view."""


@dataclass(frozen=True)
class Mark:
    """A numbered point in one of a row's pictures."""

    number: int
    """As the question says it: `mark 1`."""
    frame: int
    xy: tuple[float, float]
    """Pixels of the sampled frame, pixel centers at +0.5."""


@dataclass(frozen=True)
class Reference:
    """What a phrase of a question stands for."""

    object: str
    """Id of a thing; `point 1234` for a point of the model, by its row."""
    phrase: str
    """With its article, without the clause."""
    clause: str | None
    """What tells it from a thing that looks the same."""
    category: str | None
    box_xyxy: Box | None
    """None where the view does not show it."""
    mask: MaskRle | None = None
    mark: Mark | None = None
    """Where a point is shown; None for a thing."""


@dataclass(frozen=True, kw_only=True)
class SpatialQuestion(Row):
    """One question and answer about one view, or about several in the order of `views`."""

    type: str
    family: Family
    level: Level
    """What has to be understood: the picture, depth, or also the vertical."""
    references: tuple[Reference, ...]
    """A, and B where there are two, in the order of the type's definition."""
    question: str
    answer: str
    form: Form
    truth: str
    """`yes`, `no`, `too close`, an object's id, a word of the class, an hour, the number in full, or `not visible`."""
    measured: Measured | None
    """The number that is asked for."""
    said: Measured | None
    """The number as the answer says it, rounded."""
    choices: tuple[str, ...]
    """What one may answer, in the order of the question; for a choice the things' phrases."""
    correct: int | None
    """Which of the choices is right; None for `too close` and for numbers."""
    evidence: tuple[Measured, ...]
    """What decided: difference, margin and sigma, or the number's own error and the scale's."""
    twin: str | None
    """Row with A and B swapped in the same words."""
    group: str = ""
    """The same for all rows of a tour that ask this of these things, from whichever frame: for consistency. A row of
    type `unseen` has that of the row whose question it repeats where a thing is out of view."""
    upright: bool
    template: str
    """Type, list and places of the question and the answer in its lists: `left_predicate/questions/3/yes/0`."""
