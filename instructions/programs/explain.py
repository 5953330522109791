"""The numbers behind a row, for a person who wants to know why the answer is that."""

from __future__ import annotations

from instructions.facts.measured import Measured
from instructions.programs.records import ProgramQuestion
from recon.numerals import format_measured


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
    sigma = row.measured.sigma if row.measured is not None else 0.0
    truth = ", ".join(row.truth) if isinstance(row.truth, tuple) else _short(row.truth, sigma)
    unit = f" {row.answer_unit}" if row.answer_unit else ""
    lines.append(f"truth: {truth}{unit} ({row.truth_source}); scale {row.scale_status}")
    if row.evidence:
        lines.append("decided by " + "; ".join(_tell(one) for one in row.evidence))
    if row.parts:
        lines.append("made of " + ", ".join(row.parts))
    return tuple(lines)


def _short(value: object, sigma: float) -> str:
    """A measured number in the digits that its error allows; what counts or names something stays as it is."""
    if not isinstance(value, float):
        return str(value)
    return format_measured(value, sigma) if sigma else f"{value:.4g}"


def _tell(one: Measured) -> str:
    error = f" +- {one.sigma:.2g}" if one.sigma else ""
    value = format_measured(one.value, one.sigma) if one.sigma else f"{one.value:.3g}"
    return f"{one.name} {value}{error} {one.unit}".rstrip()
