"""Questions answered by programs as talks: pictures in order of time, and what the reward function needs of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from instructions.asking.blind import BlindItem
from instructions.asking.leaning import Compared
from instructions.asking.reward import write_solution
from instructions.programs.balance import find_surplus, weigh
from instructions.programs.blind import blind_item
from instructions.programs.grades import say_truth
from instructions.programs.records import ProgramQuestion
from roomtour.export.core.conversations import plain
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.blind_notes import tell_blind_test
from roomtour.export.core.talks.talk import Closing, Talk, frame_images

LETTERS = "ABCD"


@dataclass(eq=False)
class ProgramTalks:
    """Comparisons that names tell are left out; answers are evened out when the rows are made.

    Memory holds what balance and the blind test need of each row.
    """

    kind: ClassVar[str] = "programs"
    file: ClassVar[str] = "programs"
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("twin", "medium", "category", "reward")
    _media: dict[str, str] = field(default_factory=dict)
    """Of each row, by id."""
    _blind: dict[str, BlindItem] = field(default_factory=dict)
    """Of each row, by id."""
    _compared: list[Compared] = field(default_factory=list)

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        for row in run.rows.get(self.kind, ()):
            if row.accepted:
                self._media[row.id] = row.medium
                self._blind[row.id] = blind_item(row)
                if (compared := weigh(row)) is not None:
                    self._compared.append(compared)
                yield _talk(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._media:
            return Closing()
        gone = find_surplus(self._compared) if balance else {}
        media = Counter(medium for name, medium in self._media.items() if name not in gone)
        told = ", ".join(f"{count} about {medium}" for medium, count in sorted(media.items()))
        notes = (
            f"Questions answered by programs: {told}. Balance by names is {'on' if balance else 'off'}. `reward` is "
            "what `instructions.asking.reward.reward` takes as `solution`; a video is given as its views.",
            *tell_blind_test([item for name, item in self._blind.items() if name not in gone]),
        )
        return Closing(gone, notes)


def _talk(run: RunData, row: ProgramQuestion, split: str) -> Talk:
    measured = row.measured if row.form == "number" else None
    return Talk(
        id=row.id,
        kind="programs",
        tour=run.scene.id,
        split=split,
        images=frame_images(run, row.views),
        turns=((plain(row.question), plain(row.answer)),),
        type=row.type,
        solution=plain(_solve(row)),
        choices=tuple(plain(choice) for choice in row.choices),
        unit=row.answer_unit if measured else "",  # type: ignore[arg-type]  # units of the types are units of talks
        sigma=measured.sigma if measured else None,
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        more={"twin": row.twin or "", "medium": row.medium, "category": row.category, "reward": _reward(row)},
    )


def _solve(row: ProgramQuestion) -> str:
    """As one may compare it: the right option, the number, the label, or the phrases of things."""
    if row.correct is not None:
        return row.choices[row.correct]
    said = say_truth(row)
    return ", ".join(said) if isinstance(said, tuple) else str(said)


def _reward(row: ProgramQuestion) -> str:
    """Empty where no code can verify an answer: the steps of a walk."""
    if row.form == "text":
        return ""
    if row.correct is not None:
        return write_solution(row.form, LETTERS[row.correct], choices=len(row.choices))
    return write_solution(row.form, say_truth(row), row.answer_unit)
