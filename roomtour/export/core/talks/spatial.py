"""Spatial questions as talks: balanced over all tours, and guessed at blindly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from instructions.asking.blind import BlindItem
from instructions.asking.reward import write_solution
from instructions.spatial.balance import Balanced, blind_item, find_surplus, unseen_items, weigh
from instructions.spatial.difficulty import rate_difficulty
from instructions.spatial.grades import TOO_CLOSE
from instructions.spatial.records import SpatialQuestion
from instructions.spatial.thinking.records import ThinkingTalk
from roomtour.export.core.conversations import plain
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.blind_notes import tell_blind_test
from roomtour.export.core.talks.talk import Closing, Talk, frame_images


@dataclass(eq=False)
class SpatialTalks:
    """Memory holds what balance and the blind test need of each row."""

    kind: ClassVar[str] = "spatial"
    file: ClassVar[str] = "questions"
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("twin", "difficulty", "group", "reward")
    _weighed: list[Balanced] = field(default_factory=list)
    _blind: list[tuple[BlindItem, ...]] = field(default_factory=list)
    """Of each row, what stands for it in the blind test."""

    def take(self, run: RunData, split: str, drawn: Path) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        rows = [row for row in run.rows.get(self.kind, ()) if row.accepted]
        answered = {row.group: row for row in rows if row.type != "unseen"}
        for row in rows:
            if row.type != "unseen" or row.group in answered:
                self._weighed.append(weigh(row))
                items = (blind_item(row),) if row.type != "unseen" else unseen_items(row, answered[row.group])
                self._blind.append(items)
                yield _talk(run, row, split)
        for row in run.thinking:
            if row.accepted:
                yield _thought(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._weighed:
            return Closing()
        gone = find_surplus(self._weighed) if balance else {}
        kept = [
            item for items, row in zip(self._blind, self._weighed, strict=True) if row.id not in gone for item in items
        ]
        return Closing(gone, tuple(_notes(kept, balance)))


def _talk(run: RunData, row: SpatialQuestion, split: str) -> Talk:
    solution = row.truth
    if row.form == "choice" and row.correct is not None:
        solution = row.choices[row.correct]
    measured = row.measured if row.form == "number" else None
    difficulty = rate_difficulty(row)
    form = "class" if row.truth == TOO_CLOSE else row.form  # which is neither yes nor no
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
        more={
            "twin": row.twin or "",
            "difficulty": "" if difficulty is None else f"{difficulty:.3f}",
            "group": row.group,
            "reward": write_solution(form, solution, measured.unit if measured else ""),
        },
    )


def _thought(run: RunData, row: ThinkingTalk, split: str) -> Talk:
    """A question that takes several measures: the answer is the talk that leads to it, then the answer itself."""
    said = " ".join(f"{turn.ask} {turn.reply}" for turn in row.turns if turn.measured)
    phrase_of = {one.object: f"{one.phrase} {one.clause}" if one.clause else one.phrase for one in row.references}
    solution = plain(phrase_of.get(row.truth, row.truth))
    return Talk(
        id=row.id,
        kind="spatial",
        tour=run.scene.id,
        split=split,
        images=frame_images(run, row.views[:1]),
        turns=((plain(row.question), plain(f"{said} {row.conclusion} {row.answer}")),),
        type=f"thinking_{row.puzzle}",
        solution=solution,
        choices=tuple(plain(choice) for choice in row.choices),
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        more={"twin": "", "reward": write_solution("yes_no" if row.truth in ("yes", "no") else "choice", solution)},
    )


def _notes(kept: Sequence[BlindItem], balance: bool) -> list[str]:
    """Lines of the card: balance, and the blind test type by type."""
    yes, no = (sum(item.answer == word for item in kept) for word in ("yes", "no"))
    words = sum(isinstance(item.answer, str) for item in kept)
    lines = [
        f"Spatial questions: {len(kept)}, {words} with a word and {len(kept) - words} with a number; {yes} yes and "
        f"{no} no. Each comparison has its twin with A and B swapped, in the same split. Balance by names is "
        f"{'on' if balance else 'off'}.",
        "`reward` is what `instructions.asking.reward.reward` takes as `solution`. Rows of one `group` ask the "
        "same of the same things; those of type `unseen` repeat a question where a thing is out of view.",
        "`unit` and `sigma` are those of the exact number in `solution`, one standard deviation, the scale's included.",
    ]
    return [*lines, *tell_blind_test(kept)]
