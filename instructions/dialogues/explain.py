"""A row in lines of words, for who wants to know why an answer is that."""

from __future__ import annotations

from instructions.dialogues.records import Dialogue


def explain(row: Dialogue) -> tuple[str, ...]:
    """What kind of row it is, its turns, what they rest on, and what is named."""
    task = f" {row.task}" if row.task else ""
    about = row.cloud or ("one view" if len(row.views) == 1 else f"{len(row.views)} views")
    lines = [f"{row.kind}{task} about {about}; writer {row.writer}"]
    for turn in row.turns:
        at = "" if turn.view is None else f" (at frame {turn.view})"
        lines += [f"Q{at}: {turn.question}", *(f"A: {part}" for part in turn.answer.split("\n\n"))]
    for letter, box in zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", row.boxes, strict=False):
        lines.append(f"{letter} = {box.name} ({box.object})")
    for one in row.evidence:
        value = "" if one.value is None else f" = {one.value:.3g} {one.unit}".rstrip()
        error = f" +- {one.sigma:.2g}" if one.sigma else ""
        bar = "" if one.margin is None else f" (bar {one.margin:.2g})"
        lines.append(f"{one.name}: {one.words}{value}{error}{bar}")
    if row.rejected_because is not None:
        lines.append(f"rejected, {row.rejected_because}: {row.rejection}")
    return tuple(lines)
