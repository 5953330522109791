"""How often programs are right, by who wrote them, by which prompt, for which type of question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from instructions.questions.core.records import Question

ALL = "all"


@dataclass(frozen=True)
class ProgramScore:
    """One line of the leaderboard."""

    model: str
    prompt: str
    """Name and version, or `all`."""
    type: str
    """Of the question, or `all`."""
    programs: int
    ran: int
    """Of those: gave an answer of the asked form."""
    right: int
    """Of those: the reference's."""

    @property
    def share_right(self) -> float:
        """Of all programs, 0 to 1."""
        return self.right / self.programs


def score_programs(rows: Iterable[Question]) -> tuple[ProgramScore, ...]:
    """Score the programs of rows, kept and rejected, against the references.

    Returns:
        Per model: first all programs, then by prompt, then by type; best first. Empty where no row has programs.
    """
    count: Counter[tuple[str, str, str]] = Counter()
    ran: Counter[tuple[str, str, str]] = Counter()
    right: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        for run in row.programs:
            for key in ((run.model, ALL, ALL), (run.model, run.prompt, ALL), (run.model, ALL, row.type)):
                count[key] += 1
                ran[key] += run.value is not None
                right[key] += bool(run.agrees_with_reference)
    scores = [ProgramScore(*key, count[key], ran[key], right[key]) for key in count]

    def place(score: ProgramScore) -> tuple[object, ...]:
        kind = 0 if score.prompt == score.type == ALL else 1 if score.type == ALL else 2
        return score.model, kind, -score.share_right, score.prompt, score.type

    return tuple(sorted(scores, key=place))
