"""The row of a question about views, of whichever kind: what it asks, its answer, and what proves it; and the row of a
talk: a question, what was asked of a friend who can measure, and the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.facts.verdict import Measured
from instructions.questions.core.types import Family, Form, Level, Medium
from instructions.questions.core.world import Value
from instructions.records import Box, MaskRle
from instructions.rows import Row

SPATIAL, PROGRAMS = "spatial", "programs"
"""Kinds of data with such rows: what measures of single views and marks answer, and what programs over boxes answer."""
NOT_VISIBLE = "not visible"
"""The truth of a row that asks about what is out of view."""
TOO_CLOSE = "too close"
"""The truth of a comparison that nobody can decide."""
TruthSource = Literal["measures", "reference", "programs", "composed"]
"""Measures of the views, a hand-written program of ours, three programs of a language model that agree, or code that
joined two truths."""
REJECTIONS = {
    "programs_disagree": "the three programs gave different values",
    "reference_disagrees": "the programs agree with each other, but not with the reference",
    "breaks_a_law": "a program gave another value for the same world turned, moved, shuffled, mirrored or scaled",
    "bad_program": "a program was refused or failed",
    "bad_value": "a program returned what cannot be an answer",
    "part_unneeded": "a composed answer stays the same whatever the things of one part are",
    "told_by_names": "a composed answer stays the same whichever thing has which box",
    "bad_wording": "what the programs compute is of a form for which the question has words too many",
    "judged_different": "a model that compared the two says that the text does not say what the programs compute",
    "other_steps": "the text does not tell the steps, each in its order, and nothing else",
    "unsteady": "a composed answer changes when things move by no more than their error",
}
"""Why a row with programs was rejected, by code."""


@dataclass(frozen=True)
class Mark:
    """A number that is drawn into the picture of its reference."""

    number: int
    """As the question says it: `mark 1`."""
    xy: tuple[float, float] | None = None
    """Of a point, on a surface or on a thing: pixels of the sampled frame, pixel centers at +0.5. None for a thing that
    has its box drawn."""


@dataclass(frozen=True)
class Reference:
    """What a phrase of a question stands for, and where one view shows it."""

    object: str
    """Id of a thing; `point 1234` for a point of the model, by its row."""
    phrase: str
    """With its article; of a point its mark."""
    category: str | None
    frame: int | None
    """The view of the row that shows it, the best of several; None where none does."""
    box_xyxy: Box | None
    """None where nothing bounds what is meant: of a point, of a thing at a point, of what is not shown."""
    mask: MaskRle | None = None
    mark: Mark | None = None
    """Of a point, and of a thing that its phrase alone may not mean; None for what the phrase alone means."""

    @property
    def name(self) -> str:
        """As the texts say it."""
        return f"{self.phrase} at mark {self.mark.number}" if self.mark and not self.is_surface else self.phrase

    @property
    def is_surface(self) -> bool:
        """Whether a point of the model is meant, whatever it lies on."""
        return self.mark is not None and self.category is None


@dataclass(frozen=True)
class ProgramRun:
    """One program in the sandbox."""

    source_sha256: str
    model: str
    prompt: str
    value: Value | None
    error: str | None
    seconds: float
    agrees_with_reference: bool | None


@dataclass(frozen=True)
class LawCheck:
    """One changed world: what a program said there, and whether it had to."""

    law: str
    holds: bool
    value: Value | None


@dataclass(frozen=True, kw_only=True)
class Question(Row):
    """One question and answer about one view, about several in the order of `views`, or about a walk."""

    type: str
    family: Family
    level: Level
    """What has to be understood: the picture, depth, or also the vertical."""
    medium: Medium
    references: tuple[Reference, ...]
    """A, and B where there are two, in the order of the type's definition."""
    question: str
    answer: str
    form: Form
    truth: float | str | tuple[str, ...]
    """The number in `answer_unit`; `yes`, `no`, `too close`, `not visible`, a word of few; ids of things."""
    truth_source: TruthSource
    answer_unit: str = ""
    """Of the number that is asked for."""
    given: tuple[tuple[str, str], ...] = ()
    """What the question asks for besides its things: `side` `height`, `within_m` `2.0`."""
    measured: Measured | None = None
    """The number that is asked for, with its error."""
    said: Measured | None = None
    """The number as the answer says it, rounded."""
    choices: tuple[str, ...] = ()
    """What one may answer, in the order of the question; the letters of a multiple choice are in its text."""
    choice_values: tuple[str, ...] = ()
    """What each option of a multiple choice stands for: id, label, number, or ids joined by commas."""
    correct: int | None = None
    """Which of the choices is right; None for `too close` and for numbers without choices."""
    evidence: tuple[Measured, ...] = ()
    """What decided: difference, margin and sigma, or the number's own error and the scale's."""
    twin: str | None = None
    """Row with A and B swapped in the same words."""
    group: str = ""
    """The same for all rows of a tour that ask this of these things, from whichever frame: for consistency. A row of
    type `unseen` has that of the row whose question it repeats where a thing is out of view."""
    upright: bool = True
    parts: tuple[str, ...] = ()
    """What a composed row was made of: type, things and value of each part."""
    programs: tuple[ProgramRun, ...] = ()
    laws: tuple[LawCheck, ...] = ()
    template: str
    """Type, list and places of the question and the answer in its lists: `left_predicate/questions/3/yes/0`."""

    @property
    def is_choice(self) -> bool:
        """Whether it is a multiple choice with letters."""
        return bool(self.choice_values)

    @property
    def category(self) -> str:
        """The type as SPRITE and VSI-Bench spell it."""
        return spell_category(self.type)

    def phrase_of(self, value: str) -> str:
        """The name of a thing by its id; anything else as it is."""
        return next((reference.name for reference in self.references if reference.object == value), value)


def spell_category(kind: str) -> str:
    """How the released files call a type."""
    name = kind.removeprefix("vsi_")
    return _SPELLED.get(name, name)


_SPELLED = {
    "absolute_distance": "object_abs_distance",
    "relative_distance": "object_rel_distance",
    "size_estimation": "object_size_estimation",
    "counting": "object_counting",
    "appearance_order": "obj_appearance_order",
    "camera_distance_absolute": "object_distance_camera_abs",
    "camera_distance_relative": "object_distance_camera_rel",
    "object_size": "object_size_estimation",
    "room_size": "room_size_estimation",
    "direction_easy": "object_rel_direction_easy",
    "direction_medium": "object_rel_direction_medium",
    "direction_hard": "object_rel_direction_hard",
    "route_plan": "route_planning",
}


Puzzle = Literal["wide_enough", "isosceles", "nearest", "longer", "child_reach", "fits_into"]
MOST_TURNS = 8
"""Questions to the friend before a talk is given up."""


@dataclass(frozen=True)
class Turn:
    """One question to the friend, and what was said."""

    ask: str
    reply: str
    measured: tuple[Measured, ...]
    """What the reply rests on; empty where the friend could not tell."""
    about: tuple[str, ...] = ()
    """Objects that it is about."""


@dataclass(frozen=True, kw_only=True)
class ThinkingTalk(Row):
    """A question about a view whose answer follows from several measures."""

    puzzle: Puzzle
    references: tuple[Reference, ...]
    """Things by the letters of the templates: A, B, C."""
    question: str
    turns: tuple[Turn, ...]
    conclusion: str
    """Why the answer follows."""
    answer: str
    truth: str
    """`yes`, `no`, or the object's id; computed from the measures themselves, never from the talk."""
    choices: tuple[str, ...]
    evidence: tuple[Measured, ...]
    """What decided it, with the margin."""
    template: str
