"""Every type of question: about named things of one view, about marks, and about sets of views."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.core.types import QuestionType
from instructions.questions.marks.registry import MARK_TYPES, PICTURE_TYPES
from instructions.questions.sets.compound import COMPOUNDS
from instructions.questions.sets.families.registry import SET_TYPES
from instructions.questions.sets.families.steps import STEPS
from instructions.questions.things.registry import THING_TYPES

ALL_TYPES: Mapping[str, QuestionType] = {
    **THING_TYPES, **MARK_TYPES, **PICTURE_TYPES, **SET_TYPES, **COMPOUNDS, STEPS.name: STEPS,
}  # fmt: skip
"""By name."""
