"""All types of question without names, one module per family."""

from __future__ import annotations

from collections.abc import Mapping

from instructions.questions.marks import correspondence, depth, motion, way
from instructions.questions.marks.families import MarkType

MARK_TYPES: Mapping[str, MarkType] = {
    one.name: one for one in (*depth.TYPES, *motion.TYPES, *correspondence.TYPES, *way.TYPES)
}
"""By name, family by family."""
