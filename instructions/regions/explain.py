"""The lines of numbers behind a row, for a person who wants to know why the answer is that."""

from __future__ import annotations

from instructions.regions.records import Qar


def explain(row: Qar) -> tuple[str, ...]:
    """What the row asks, answers and gives for a reason, and each claim with its verdict."""
    head = f"{row.type} ({row.task}, by {'number' if row.mode == 'id' else 'words'})"
    if row.difficulty is not None:
        head += f", difficulty {row.difficulty:.2f}"
    if row.score is not None:
        head += f", critic {row.score:.2f}"
    lines = [head, f"Q: {row.question}", f"A: {row.answer}", f"R: {row.rationale}"]
    if row.rejected_because is not None:
        lines.append(f"rejected: {row.rejected_because}: {row.rejection}")
    lines += [f"[{region.number}] = {region.object or 'a detection'}" for region in row.regions]
    lines += [
        f"{verdict.state}: {verdict.claim.kind}: {verdict.claim.words}: {verdict.reason}" for verdict in row.verdicts
    ]
    return tuple(lines)
