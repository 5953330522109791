"""All types of question without names, one module per family."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.marks import depth
from instructions.questions.marks.families import MarkType

_FAMILIES = (depth,)
MARK_TYPES: Mapping[str, MarkType] = {one.name: one for family in _FAMILIES for one in family.TYPES}
"""By name, family by family."""
