"""Why a row says what it says, and how hard it is: its numbers, the pictures to check it with, its difficulty."""

from __future__ import annotations

from instructions.facts.facing import off_half_hour_deg
from instructions.facts.verdict import Measured
from instructions.questions.core.records import TOO_CLOSE, Question, Reference
from instructions.questions.wording.words import SLOTS
from recon.numerals import format_measured

MOST_FRAMES = 6
WORST_RELATIVE_SIGMA = 0.2
"""A number of this relative error is the hardest that is asked for by default."""


def explain(row: Question) -> tuple[str, ...]:
    """What the row asks, what is true and what decided it, line by line."""
    asked = [row.family, row.level] if row.truth_source == "measures" else [row.medium, f"{len(row.views)} views"]
    asked += [f"{name} {value}" for name, value in row.given]
    lines = [f"{row.type} ({', '.join(asked)})", f"Q: {row.question}", f"A: {row.answer}"]
    lines += [_name(slot, one) for slot, one in zip(SLOTS, row.references, strict=False)]
    sigma = row.measured.sigma if row.measured is not None else 0.0
    truth = ", ".join(row.truth) if isinstance(row.truth, tuple) else _short(row.truth, sigma)
    unit = f" {row.answer_unit}" if row.answer_unit else ""
    lines.append(f"truth: {truth}{unit} ({row.truth_source}); scale {row.scale_status}")
    if row.said is not None and row.measured is not None:
        lines += [f"measured: {_tell(row.measured)}", f"said: {row.said.value:g} {row.said.unit}"]
    if row.evidence:
        lines.append("decided by " + "; ".join(_tell(one) for one in row.evidence))
    if row.parts:
        lines.append("made of " + ", ".join(row.parts))
    return tuple(lines)


def _name(slot: str, one: Reference) -> str:
    if one.mark is not None and one.mark.xy is not None:
        x, y = one.mark.xy
        return f"{one.name} = {one.object} in frame {one.frame} at ({x:.0f}, {y:.0f})"
    shown = "not shown" if one.frame is None else f"frame {one.frame}"
    return f"{slot} = {one.name} ({one.object}, {shown})"


def _short(value: object, sigma: float) -> str:
    """A measured number in the digits that its error allows; what counts or names something stays as it is."""
    if not isinstance(value, float):
        return str(value)
    return format_measured(value, sigma) if sigma else f"{value:.4g}"


def _tell(one: Measured) -> str:
    error = f" +- {one.sigma:.2g}" if one.sigma else ""
    value = format_measured(one.value, one.sigma) if one.sigma else f"{one.value:.3g}"
    return f"{one.name} {value}{error} {one.unit}".rstrip()


def find_pictures(row: Question) -> list[tuple[int, tuple[tuple[str, Reference], ...]]]:
    """Frames that a person must see to check a row, each with the letters and references that it shows.

    Few views: all of them, in the order of the question. A walk: those that show its things best, or some along the
    walk. A scan: none.
    """
    frames = list(row.views)
    if len(row.views) > MOST_FRAMES:
        frames = sorted({reference.frame for reference in row.references if reference.frame is not None})
        last = len(row.views) - 1
        frames = frames or [row.views[round(at * last / (MOST_FRAMES - 1))] for at in range(MOST_FRAMES)]
    lettered = list(zip(SLOTS, row.references, strict=False))
    return [(frame, tuple((slot, one) for slot, one in lettered if one.frame == frame)) for frame in frames]


def rate_difficulty(row: Question) -> float | None:
    """0 for what is plain, 1 for what lies at the bar; None where nothing says so (too close, what stands on what).

    Of a comparison it is the margin over the difference, of an hour the margin over the way to the next half hour, of a
    number its relative error over the greatest that is allowed.
    """
    told = {one.name: one for one in row.evidence}
    if row.truth == TOO_CLOSE:
        return None
    if row.form == "number" and row.measured is not None and row.measured.value:
        return min(row.measured.sigma / abs(row.measured.value) / WORST_RELATIVE_SIGMA, 1.0)
    if "margin" not in told:
        return None
    if row.family == "clock":
        to_half = off_half_hour_deg(told["bearing"].value)
        return min(told["margin"].value / to_half, 1.0) if to_half > 0 else 1.0
    difference = abs(told["difference"].value) if "difference" in told else 0.0
    return min(told["margin"].value / difference, 1.0) if difference else None
