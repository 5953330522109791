"""The sentence of numbers behind a row, for a person who wants to know why the answer is that."""

from __future__ import annotations

from instructions.facts.measured import Measured
from instructions.questions.records import Reference, SpatialQuestion


def explain(row: SpatialQuestion) -> tuple[str, ...]:
    """What the row asks, what is true and what decided it, line by line."""
    lines = [f"{row.type} ({row.family}, {row.level})", f"Q: {row.question}", f"A: {row.answer}"]
    lines += [_name(place, one) for place, one in enumerate(row.references)]
    if row.measured is not None:
        lines.append(f"measured: {_told(row.measured)}; scale {row.scale_status}")
    if row.said is not None:
        lines.append(f"said: {row.said.value:g} {row.said.unit}")
    if row.form != "number":
        lines.append(f"truth: {row.truth}")
    if row.evidence:
        lines.append("decided by " + "; ".join(_told(one) for one in row.evidence))
    return tuple(lines)


def _name(place: int, one: Reference) -> str:
    if one.mark is not None:
        x, y = one.mark.xy
        return f"{one.phrase} = {one.object} in frame {one.mark.frame} at ({x:.0f}, {y:.0f})"
    said = f"{one.phrase} {one.clause}" if one.clause else one.phrase
    return f"{chr(ord('A') + place)} = {said} ({one.object}{'' if one.box_xyxy else ', out of view'})"


def _told(one: Measured) -> str:
    error = f" +- {one.sigma:.2g}" if one.sigma else ""
    return f"{one.name} {one.value:.3g}{error} {one.unit}"
