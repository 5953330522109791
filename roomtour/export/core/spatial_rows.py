"""Spatial questions of all tours on their way into a dataset: balanced over all of them, and guessed at blindly."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.spatial.balance import Balanced, blind_item, find_surplus, weigh
from instructions.spatial.records import SpatialQuestion
from roomtour.export.core.conversations import image_of, plain
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData


@dataclass(frozen=True)
class QuestionItem:
    """A question as exports write it."""

    id: str
    tour: str
    split: str
    image: str
    """Relative to `images/`."""
    question: str
    """One line, without the client's own mark."""
    answer: str
    type: str
    unit: str
    """Of the exact number; empty for a word."""
    solution: str
    """The truth as one may compare it: a word, the phrase of the right option, or the exact number."""
    choices: tuple[str, ...]
    sigma: float | None
    scale_status: str
    licence: str
    frame_path: str
    """The image in its run folder."""


@dataclass(eq=False)
class QuestionSpool:
    """Rows aside on disk until all tours are seen; memory holds what balance and the blind test need of each."""

    ledger: Ledger
    balance: bool
    _weighed: list[Balanced] = field(default_factory=list)
    _blind: list[BlindItem] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115  # closed by `close`

    def __enter__(self) -> QuestionSpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, run: RunData) -> set[int]:
        """Set a run's accepted questions aside; returns the frames they show."""
        frames = set()
        for row in run.rows.get("spatial", ()):
            if not row.accepted:
                continue
            self._weighed.append(weigh(row))
            self._blind.append(blind_item(row))
            item = _item(run, row, self.ledger.split)
            self._file.write(json.dumps(item.__dict__, ensure_ascii=False) + "\n")
            frames.add(row.views[0])
        return frames

    def items(self) -> Iterator[QuestionItem]:
        """The questions that stay, in the order they came; what is left out is counted, and the card told."""
        gone = find_surplus(self._weighed) if self.balance else {}
        kept = [item for item, row in zip(self._blind, self._weighed, strict=True) if row.id not in gone]
        for reason in gone.values():
            self.ledger.dropped[f"spatial question: {reason}"] += 1
        if self._weighed:
            self.ledger.card_notes += _notes(kept, self.balance)
        self._file.seek(0)
        for line in self._file:
            item = json.loads(line)
            if item["id"] not in gone:
                yield QuestionItem(**{**item, "choices": tuple(item["choices"])})


def _item(run: RunData, row: SpatialQuestion, split: str) -> QuestionItem:
    solution = row.truth
    if row.form == "choice" and row.correct is not None:
        solution = row.choices[row.correct]
    measured = row.measured if row.form == "number" else None
    return QuestionItem(
        id=row.id,
        tour=run.scene.id,
        split=split,
        image=image_of(run, row.views[0]),
        question=plain(row.question),
        answer=plain(row.answer),
        type=row.type,
        unit=measured.unit if measured else "",
        solution=plain(solution),
        choices=tuple(plain(choice) for choice in row.choices),
        sigma=measured.sigma if measured else None,
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        frame_path=str(run.frames_dir / run.scene.frame_by_index[row.views[0]].image),
    )


def _notes(kept: list[BlindItem], balance: bool) -> list[str]:
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
