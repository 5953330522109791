"""Spatial questions as talks: balanced over all tours, and guessed at blindly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.spatial.balance import Balanced, blind_item, find_surplus, weigh
from instructions.spatial.records import SpatialQuestion
from roomtour.export.core.conversations import plain
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.talk import Closing, Talk, frame_images


@dataclass(eq=False)
class SpatialTalks:
    """Memory holds what balance and the blind test need of each row."""

    kind: ClassVar[str] = "spatial"
    file: ClassVar[str] = "questions"
    has_many_turns: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("twin",)
    _weighed: list[Balanced] = field(default_factory=list)
    _blind: list[BlindItem] = field(default_factory=list)

    def take(self, run: RunData, split: str, drawn: Path) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        for row in run.rows.get(self.kind, ()):
            if row.accepted:
                self._weighed.append(weigh(row))
                self._blind.append(blind_item(row))
                yield _talk(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._weighed:
            return Closing()
        gone = find_surplus(self._weighed) if balance else {}
        kept = [item for item, row in zip(self._blind, self._weighed, strict=True) if row.id not in gone]
        return Closing(gone, tuple(_notes(kept, balance)))


def _talk(run: RunData, row: SpatialQuestion, split: str) -> Talk:
    solution = row.truth
    if row.form == "choice" and row.correct is not None:
        solution = row.choices[row.correct]
    measured = row.measured if row.form == "number" else None
    return Talk(
        id=row.id,
        kind="spatial",
        tour=run.scene.id,
        split=split,
        images=frame_images(run, row.views[:1]),
        turns=((plain(row.question), plain(row.answer)),),
        type=row.type,
        solution=plain(solution),
        choices=tuple(plain(choice) for choice in row.choices),
        unit=measured.unit if measured else "",
        sigma=measured.sigma if measured else None,
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        more={"twin": row.twin or ""},
    )


def _notes(kept: Sequence[BlindItem], balance: bool) -> list[str]:
    """Lines of the card: balance, and the blind test type by type."""
    yes, no = (sum(item.answer == word for item in kept) for word in ("yes", "no"))
    words = sum(isinstance(item.answer, str) for item in kept)
    lines = [
        f"Spatial questions: {len(kept)}, {words} with a word and {len(kept) - words} with a number; {yes} yes and "
        f"{no} no. Each comparison has its twin with A and B swapped, in the same split. Balance by names is "
        f"{'on' if balance else 'off'}.",
        "`unit` and `sigma` are those of the exact number in `solution`, one standard deviation, the scale's included.",
    ]
    scores = guess_blind(kept)
    if not scores:
        return [*lines, "Blind test: not made, it needs more rows, of two tours at least."]
    lines.append(
        "Blind test (forest on the texts alone, folds by tour; guess / chance, numbers by mean relative accuracy):"
    )
    return lines + [_told(score) for score in scores]


def _told(score: BlindScore) -> str:
    few = "" if score.is_tested else ", too few to judge"
    return f"`{score.kind}`: {score.score:.2f} / {score.chance:.2f} ({score.rows} rows, {score.tours} tours{few})"
