"""The numbers behind a row, for a person who wants to know why the answer is that."""

from __future__ import annotations

from instructions.asking.measured import Measured
from instructions.programs.records import ProgramQuestion


def explain(row: ProgramQuestion) -> tuple[str, ...]:
    """What the row asks, what is true and what decided it, line by line."""
    given = ", ".join(f"{name} {value}" for name, value in row.given)
    lines = [f"{row.type} ({row.medium}, {len(row.views)} views{', ' + given if given else ''})"]
    lines += [f"Q: {row.question}", f"A: {row.answer}"]
    lines += [
        f"{slot} = {one.phrase}"
        + (f" {one.clause}" if one.clause else "")
        + (f" ({one.object}, frame {one.frame})" if one.frame is not None else f" ({one.object})")
        for slot, one in zip("ABCDEF", row.references, strict=False)
    ]
    truth = ", ".join(map(_short, row.truth)) if isinstance(row.truth, tuple) else _short(row.truth)
    unit = f" {row.answer_unit}" if row.answer_unit else ""
    lines.append(f"truth: {truth}{unit} ({row.truth_source}); scale {row.scale_status}")
    if row.evidence:
        lines.append("decided by " + "; ".join(_tell(one) for one in row.evidence))
    if row.parts:
        lines.append("made of " + ", ".join(row.parts))
    return tuple(lines)


def _short(value: object) -> str:
    """Four digits of a measured number; what counts or names something stays as it is."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _tell(one: Measured) -> str:
    error = f" +- {one.sigma:.2g}" if one.sigma else ""
    return f"{one.name} {one.value:.3g}{error} {one.unit}".rstrip()
