"""The sentence of numbers behind a row, for a person who wants to know why the answer is that."""

from __future__ import annotations

from instructions.facts.measured import Measured
from instructions.questions.records import SpatialQuestion


def explain(row: SpatialQuestion) -> tuple[str, ...]:
    """What the row asks, what is true and what decided it, line by line."""
    lines = [f"{row.type} ({row.family}, {row.level})", f"Q: {row.question}", f"A: {row.answer}"]
    lines += [
        f"{slot} = {reference.phrase}"
        + (f" {reference.clause}" if reference.clause else "")
        + f" ({reference.object}{'' if reference.box_xyxy else ', out of view'})"
        for slot, reference in zip("AB", row.references, strict=False)
    ]
    if row.measured is not None:
        lines.append(f"measured: {_told(row.measured)}; scale {row.scale_status}")
    if row.said is not None:
        lines.append(f"said: {row.said.value:g} {row.said.unit}")
    if row.form != "number":
        lines.append(f"truth: {row.truth}")
    if row.evidence:
        lines.append("decided by " + "; ".join(_told(one) for one in row.evidence))
    return tuple(lines)


def _told(one: Measured) -> str:
    error = f" +- {one.sigma:.2g}" if one.sigma else ""
    return f"{one.name} {one.value:.3g}{error} {one.unit}"
