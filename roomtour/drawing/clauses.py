"""A text about a way, cut where the walk has come so far: which words hold at which frame."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from instructions.navigation.records import Instruction

_JOINTS = re.compile(r"[.,] (?:and )?| (?=and )")


@dataclass(frozen=True)
class Clause:
    """Words of a text, and the frame from which on they hold."""

    first_frame: int
    start: int
    """Where the words begin in the text."""
    text: str


def trim_words(text: str) -> str:
    """Words of a text without what joins them to those around."""
    return text.strip(" ,").removeprefix("and ").removesuffix(" and").rstrip(" ,")


def cut_clauses(instruction: Instruction) -> tuple[Clause, ...]:
    """Cut a text before the words of each claim that is about a later stretch of the way.

    Returns:
        In the order of the text, all of its letters; one clause for a text without claims. Empty for no views.
    """
    if not instruction.views:
        return ()
    starts = [(0, instruction.views[0])]
    place = 0
    for check in instruction.claims:
        frame = check.claim.first_frame
        found = re.compile(re.escape(check.claim.text), re.IGNORECASE).search(instruction.text, place)
        if frame is None or found is None:
            continue
        place = found.start()
        cut = max(
            (joint.end() for joint in _JOINTS.finditer(instruction.text, 0, place + 1) if joint.end() <= place),
            default=0,
        )
        if frame > starts[-1][1] and cut > starts[-1][0]:
            starts.append((cut, frame))
    stops = [*(start for start, _ in starts[1:]), len(instruction.text)]
    return tuple(
        Clause(frame, start, instruction.text[start:stop]) for (start, frame), stop in zip(starts, stops, strict=True)
    )


def find_clause(clauses: Sequence[Clause], frame: int) -> Clause | None:
    """The last clause that has begun; None before the first."""
    return next((clause for clause in reversed(clauses) if clause.first_frame <= frame), None)
