"""How near a row lies to not being asked: for curricula, which begin with what is plain to see."""

from __future__ import annotations

from instructions.questions.core.records import TOO_CLOSE, Question

WORST_RELATIVE_SIGMA = 0.2
"""A number of this relative error is the hardest that is asked for by default."""


def rate_difficulty(row: Question) -> float | None:
    """0 for what is plain, 1 for what lies at the bar; None where nothing says so (too close, what stands on what).

    Of a comparison it is the margin over the difference, of an hour the margin over the way to the next half hour, of a
    number its relative error over the greatest that is allowed.
    """
    told = {one.name: one for one in row.evidence}
    if row.truth == TOO_CLOSE:
        return None
    if row.form == "number" and row.measured is not None and row.measured.value:
        return _clip(row.measured.sigma / abs(row.measured.value) / WORST_RELATIVE_SIGMA)
    if "margin" not in told:
        return None
    if row.family == "clock":
        to_half = 15.0 - abs((told["bearing"].value + 15.0) % 30.0 - 15.0)
        return _clip(told["margin"].value / to_half) if to_half > 0 else 1.0
    difference = abs(told["difference"].value) if "difference" in told else 0.0
    return _clip(told["margin"].value / difference) if difference else None


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)
