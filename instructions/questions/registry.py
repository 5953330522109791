"""Every type of question: about named things of one view, about marks, and about sets of views."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.core.types import QuestionType
from instructions.questions.marks import correspondence, depth, motion, overlap, perspective, picture, space, way
from instructions.questions.marks.families import MarkType
from instructions.questions.sets.compound import COMPOUNDS
from instructions.questions.sets.families.steps import STEPS
from instructions.questions.sets.judging import SET_TYPES
from instructions.questions.things.registry import THING_TYPES

_MARK_FAMILIES = (depth, space, motion, correspondence, perspective, way, overlap)
MARK_TYPES: Mapping[str, MarkType] = {one.name: one for family in _MARK_FAMILIES for one in family.TYPES}
"""Without names, of tours: by name, family by family."""
PICTURE_TYPES: Mapping[str, MarkType] = {one.name: one for one in picture.TYPES}
"""Of single pictures, beside those of tours that one picture can hold."""
ALL_TYPES: Mapping[str, QuestionType] = {
    **THING_TYPES, **MARK_TYPES, **PICTURE_TYPES, **SET_TYPES, **COMPOUNDS, STEPS.name: STEPS,
}  # fmt: skip
"""By name."""
