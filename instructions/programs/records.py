"""The rows of the kind `programs`: a question about an image, several images or a video, and what proves its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from instructions.facts.measured import Measured
from instructions.programs.types import Form, Medium
from instructions.programs.world import Value
from instructions.records import Box
from instructions.rows import Row

KIND = "programs"
TruthSource = Literal["reference", "programs", "composed"]
"""A hand-written program of ours, three programs of a language model that agree, or code that joined two truths."""
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
"""Why a row was rejected, by code."""


@dataclass(frozen=True)
class Reference:
    """What a phrase of a question stands for, and where one view shows it."""

    object: str
    phrase: str
    """With its article, without the clause."""
    clause: str | None
    category: str | None
    frame: int | None
    """The view of the row that shows it best; None in a scan without views."""
    box_xyxy: Box | None


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
class ProgramQuestion(Row):
    """One question and answer, with the reference that proves it."""

    type: str
    category: str
    """The type as SPRITE and VSI-Bench spell it."""
    medium: Medium
    question: str
    answer: str
    form: Form
    truth: Value
    """An id or ids of things, a label, `yes` or `no`, or the number in `unit`."""
    truth_source: TruthSource
    answer_unit: str
    given: tuple[tuple[str, str], ...] = ()
    """What the question asks for besides its things: `side` `height`, `within_m` `2.0`."""
    references: tuple[Reference, ...]
    measured: Measured | None = None
    choices: tuple[str, ...] = ()
    """Options of a multiple choice; the letters are in the question."""
    choice_values: tuple[str, ...] = ()
    """What each option says: id, label, number, or ids joined by commas."""
    correct: int | None = None
    evidence: tuple[Measured, ...] = ()
    twin: str | None = None
    parts: tuple[str, ...] = ()
    """What a composed row was made of: type, things and value of each part."""
    programs: tuple[ProgramRun, ...] = ()
    laws: tuple[LawCheck, ...] = ()
    template: str


def spell_category(kind: str) -> str:
    """How the released files call a type."""
    return _SPELLED.get(kind, kind)


_SPELLED = {
    "absolute_distance": "object_abs_distance",
    "relative_distance": "object_rel_distance",
    "size_estimation": "object_size_estimation",
    "counting": "object_counting",
    "appearance_order": "obj_appearance_order",
    "camera_distance_absolute": "object_distance_camera_abs",
    "camera_distance_relative": "object_distance_camera_rel",
    "vsi_object_counting": "object_counting",
    "vsi_absolute_distance": "object_abs_distance",
    "vsi_object_size": "object_size_estimation",
    "vsi_room_size": "room_size_estimation",
    "vsi_relative_distance": "object_rel_distance",
    "vsi_direction_easy": "object_rel_direction_easy",
    "vsi_direction_medium": "object_rel_direction_medium",
    "vsi_direction_hard": "object_rel_direction_hard",
    "vsi_appearance_order": "obj_appearance_order",
    "vsi_route_plan": "route_planning",
}
