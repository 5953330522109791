"""Questions answered by programs as talks about one picture or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, get_args

from instructions.asking.blind import BlindItem
from instructions.programs.blind import blind_item, say_value
from instructions.programs.records import ProgramQuestion
from roomtour.export.core.conversations import plain
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.blind_notes import tell_blind_test
from roomtour.export.core.talks.talk import Closing, Talk, Unit, frame_images


@dataclass(eq=False)
class ProgramTalks:
    """Memory holds what the blind test needs of each row."""

    kind: ClassVar[str] = "programs"
    file: ClassVar[str] = "programs"
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("medium", "truth_source")
    _blind: list[BlindItem] = field(default_factory=list)
    _mediums: Counter[str] = field(default_factory=Counter)

    def take(self, run: RunData, split: str, drawn: Path) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        for row in run.rows.get(self.kind, ()):
            if row.accepted:
                self._blind.append(blind_item(row))
                self._mediums[row.medium] += 1
                yield _talk(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`; options and labels were drawn evenly when the rows were made."""
        if not self._blind:
            return Closing()
        mediums = ", ".join(f"{count} of {medium}" for medium, count in self._mediums.most_common())
        lines = [f"Questions answered by programs: {len(self._blind)} ({mediums}).", *tell_blind_test(self._blind)]
        return Closing(notes=tuple(lines))


def _talk(run: RunData, row: ProgramQuestion, split: str) -> Talk:
    is_letter = row.correct is not None
    is_number = isinstance(row.truth, float | int) and not isinstance(row.truth, bool)
    things = {one.object: one.phrase for one in row.references}
    said = row.truth if not isinstance(row.truth, tuple) else tuple(things.get(one, one) for one in row.truth)
    solution = row.choices[row.correct] if row.correct is not None else say_value(things.get(str(said), said))
    unit = row.unit if row.unit in get_args(Unit) and is_number and not is_letter else ""
    return Talk(
        id=row.id,
        kind="programs",
        tour=run.scene.id,
        split=split,
        images=frame_images(run, row.views),
        turns=((plain(row.question), plain(row.answer)),),
        type=row.category,
        solution=plain(solution),
        choices=tuple(plain(choice) for choice in row.choices),
        unit=unit,  # type: ignore[arg-type]  # one of them by the line above
        sigma=row.measured.sigma if row.measured is not None and unit else None,
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        more={"medium": row.medium, "truth_source": row.truth_source},
    )
