"""All types of question without names, one module per family."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.marks import correspondence, depth, motion, overlap, perspective, picture, space, way
from instructions.questions.marks.families import MarkType

_FAMILIES = (depth, space, motion, correspondence, perspective, way, overlap)
MARK_TYPES: Mapping[str, MarkType] = {one.name: one for family in _FAMILIES for one in family.TYPES}
"""Of tours: by name, family by family."""
PICTURE_TYPES: Mapping[str, MarkType] = {one.name: one for one in picture.TYPES}
"""Of single pictures, beside those of tours that one picture can hold."""
