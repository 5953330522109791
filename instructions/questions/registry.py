"""Every type of question of the kind `spatial`: about named things, and about marks."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.marks.registry import MARK_TYPES
from instructions.questions.types import TYPES as THING_TYPES
from instructions.questions.types import QuestionType

ALL_TYPES: Mapping[str, QuestionType] = {**THING_TYPES, **MARK_TYPES}
"""By name."""
