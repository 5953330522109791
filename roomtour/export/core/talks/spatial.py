"""Spatial questions as talks: balanced over all tours, and guessed at blindly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from sys import intern
from typing import ClassVar

from instructions.asking.blind import BlindItem
from instructions.asking.reward import write_solution
from instructions.questions.balance import Balanced, blind_item, find_surplus, unseen_items, weigh
from instructions.questions.difficulty import rate_difficulty
from instructions.questions.grades import TOO_CLOSE
from instructions.questions.records import Reference, SpatialQuestion
from instructions.questions.registry import ALL_TYPES
from instructions.questions.thinking.records import ThinkingTalk
from recon.records import measure_span_s
from roomtour.export.core.conversations import plain
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.blind_notes import tell_blind_test
from roomtour.export.core.talks.blind_sample import MOST_ROWS, BlindSample
from roomtour.export.core.talks.talk import Closing, Place, Talk, frame_images


@dataclass(eq=False)
class SpatialTalks:
    """Memory holds what balance needs of each row, and what the blind test needs of those drawn for it."""

    kind: ClassVar[str] = "spatial"
    file: ClassVar[str] = "questions"
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("twin", "difficulty", "group", "reward")
    _weighed: list[Balanced] = field(default_factory=list)
    _said: list[str] = field(default_factory=list)
    """Of each row: `yes`, `no`, `number`, or empty for other words."""
    _blind: BlindSample = field(default_factory=BlindSample)
    _minutes: float = 0.0
    """Of all tours together."""

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        rows = [row for row in run.rows.get(self.kind, ()) if row.accepted]
        self._minutes += measure_span_s(run.scene.frames) / 60
        answered = {row.group: row for row in rows if row.type != "unseen"}
        for row in rows:
            if row.type != "unseen" or row.group in answered:
                self._weighed.append(weigh(row))
                self._said.append(_say_shortly(row))
                self._blind.add(intern(row.type), row.id, partial(_blind_items, row, answered.get(row.group)))
                yield _talk(run, row, split)
        for row in run.thinking:
            if row.accepted:
                yield _thought(run, row, split)

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._weighed:
            return Closing()
        gone = find_surplus(self._weighed) if balance else {}
        said = Counter(word for word, row in zip(self._said, self._weighed, strict=True) if row.id not in gone)
        families = Counter(ALL_TYPES[row.type].family for row in self._weighed if row.id not in gone)
        yields = _tell_yield(families, self._minutes)
        return Closing(gone, (*_notes(said, balance), *yields, *tell_blind_test(self._blind.items(gone))))


def _tell_yield(families: Counter[str], minutes: float) -> list[str]:
    """A line of the card: rows per minute of tour by family."""
    if minutes <= 0:
        return []
    told = ", ".join(f"{name} {count / minutes:.1f}" for name, count in families.most_common())
    return [f"Yield, rows per minute of tour ({minutes:.1f} min): {families.total() / minutes:.1f} ({told})."]


def _say_shortly(row: SpatialQuestion) -> str:
    if row.form == "number":
        return "number"
    return intern(row.truth) if row.truth in ("yes", "no") else ""


def _blind_items(row: SpatialQuestion, answered: SpatialQuestion | None) -> tuple[BlindItem, ...]:
    """What stands for a row in the blind test; one about what is out of view stands beside its answered partner."""
    return unseen_items(row, answered) if row.type == "unseen" and answered is not None else (blind_item(row),)


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
        images=frame_images(run, row.views),
        turns=((plain(row.question), plain(row.answer)),),
        type=row.type,
        solution=plain(solution),
        choices=tuple(plain(choice) for choice in row.choices),
        unit=measured.unit if measured else "",
        sigma=measured.sigma if measured else None,
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        places=_find_places(row.references, row.views),
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
    phrase_of = {one.object: _name(one) for one in row.references}
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
        places=_find_places(row.references, row.views[:1]),
        more={"twin": "", "reward": write_solution("yes_no" if row.truth in ("yes", "no") else "choice", solution)},
    )


def _name(one: Reference) -> str:
    """As the texts say it."""
    return plain(f"{one.phrase} {one.clause}" if one.clause else one.phrase)


def _find_places(references: Sequence[Reference], views: Sequence[int]) -> tuple[Place, ...]:
    """What the references of a row point at: a mark in the picture of its frame, a thing in the first one."""
    places = []
    for number, one in enumerate(references, start=1):
        if one.mark is not None:
            shown = views.index(one.mark.frame)
            places.append(Place("mark", one.mark.number, one.phrase, shown, one.mark.xy))
        else:
            places.append(Place("thing", number, _name(one), 0, one.box_xyxy, one.mask))
    return tuple(places)


def _notes(said: Counter[str], balance: bool) -> list[str]:
    """Lines of the card on how many rows say what, and on balance."""
    count, numbers = said.total(), said["number"]
    return [
        f"Spatial questions: {count}, {count - numbers} with a word and {numbers} with a number; {said['yes']} yes and "
        f"{said['no']} no. Each comparison has its twin with A and B swapped, in the same split. Balance by names is "
        f"{'on' if balance else 'off'}. The blind test is made on at most {MOST_ROWS} rows of a type, drawn by chance.",
        "`reward` is what `instructions.asking.reward.reward` takes as `solution`. Rows of one `group` ask the "
        "same of the same things; those of type `unseen` repeat a question where a thing is out of view.",
        "`unit` and `sigma` are those of the exact number in `solution`, one standard deviation, the scale's included.",
    ]
