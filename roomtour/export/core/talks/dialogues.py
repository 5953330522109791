"""Dialogues about views as talks; those about point clouds have formats of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from instructions.dialogues.records import Dialogue, TaskTruth
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.talk import Closing, Talk, TalkSource, plain, tell_source


@dataclass(eq=False)
class DialogueTalks(TalkSource):
    """Boxes stand in the texts as shares of width and height of the whole picture, two decimals."""

    kind = file = "dialogues"
    has_many_turns = True
    columns = ("task",)
    _kinds: Counter[str] = field(default_factory=Counter)
    _clouds: int = 0

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        for row in run.list_accepted("dialogues"):
            if row.cloud is not None:
                self._clouds += 1
                continue
            self._kinds[row.kind] += 1
            yield _talk(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._kinds and not self._clouds:
            return Closing()
        kinds = ", ".join(f"{count} {kind}" for kind, count in self._kinds.most_common())
        notes = [f"Dialogues about views: {self._kinds.total()} ({kinds}). Boxes are shares of the whole picture."]
        if self._clouds:
            notes.append(
                f"{self._clouds} dialogues about point clouds are not here: formats that hold clouds have them."
            )
        return Closing(notes=tuple(notes))


def _talk(run: RunData, row: Dialogue, split: str) -> Talk:
    return Talk(
        **tell_source(run, split, row.views, row.text_licence),
        id=row.id,
        kind="dialogues",
        turns=tuple((plain(turn.question), plain(turn.answer)) for turn in row.turns),
        type=row.task or row.kind,
        solution=_solution(row.truth) or plain(row.turns[-1].answer),
        scale_status=row.scale_status,
        choices=tuple(plain(choice) for choice in row.truth.choices) if row.truth is not None else (),
        more={"task": row.task or ""},
    )


def _solution(truth: TaskTruth | None) -> str:
    """What a task's answer is compared with, where it is one word or number."""
    if truth is None:
        return ""
    if truth.correct is not None:
        return truth.choices[truth.correct]
    return truth.label or ("" if truth.number is None else str(truth.number))
