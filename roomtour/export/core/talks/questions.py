"""Questions as talks, of both kinds: balanced over all tours, and guessed at blindly."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappush, heappushpop
from sys import intern
from typing import ClassVar

from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.asking.draws import Draw
from instructions.asking.reward import write_solution
from instructions.questions.core.records import TOO_CLOSE, Question, ThinkingTalk
from instructions.questions.quality.balance import Balanced, blind_item, find_surplus, unseen_items, weigh
from instructions.questions.quality.explain import rate_difficulty
from instructions.questions.quality.grades import say_truth
from instructions.questions.wording.words import LETTERS
from recon.numerals import count
from recon.records import measure_span_s
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.talk import Closing, Place, Talk, TalkSource, plain, tell_source

MOST_ROWS = 4000
"""Of a type: the share of right guesses is then known to 0.8 points, and a forest takes seconds."""

Items = tuple[BlindItem, ...]


@dataclass(eq=False)
class BlindSample:
    """Of each type at most `most` rows. Which they are hangs on their ids and on no order."""

    most: int = MOST_ROWS
    _rows: dict[str, list[tuple[float, str, Items]]] = field(default_factory=lambda: defaultdict(list))
    """Heaps by type: the row that goes next is first."""

    def add(self, kind: str, name: str, make: Callable[[], Items]) -> None:
        """Take a row of a type by its id; `make` is called if it is among those drawn so far."""
        heap, rank = self._rows[kind], -Draw("blind", name).uniform()
        if len(heap) < self.most:
            heappush(heap, (rank, name, make()))
        elif (rank, name) > heap[0][:2]:
            heappushpop(heap, (rank, name, make()))

    def items(self, gone: Collection[str]) -> list[BlindItem]:
        """What is drawn less the rows that are gone, in the order of ids."""
        rows = sorted((name, made) for heap in self._rows.values() for _, name, made in heap if name not in gone)
        return [item for _, made in rows for item in made]


def tell_blind_test(items: Sequence[BlindItem]) -> list[str]:
    """Lines of the card: the blind test type by type, or why there is none."""
    scores = guess_blind(items)
    if not scores:
        return ["Blind test: not made, it needs more rows, of two tours at least."]
    how = "forest on the texts alone, folds by tour; guess / chance, numbers by mean relative accuracy"
    return [f"Blind test ({how}):", *(_tell(score) for score in scores)]


def _tell(score: BlindScore) -> str:
    few = "" if score.is_tested else ", too few to judge"
    asked = f"{count(score.rows, 'row')}, {count(score.tours, 'tour')}"
    return f"`{score.kind}`: {score.score:.2f} / {score.chance:.2f} ({asked}{few})"


@dataclass(eq=False)
class QuestionTalks(TalkSource):
    """Memory holds what balance needs of each row, and what the blind test needs of those drawn for it."""

    title: ClassVar[str]
    _weighed: list[Balanced] = field(default_factory=list)
    _said: list[tuple[str, str, str]] = field(default_factory=list)
    """Of each row: `yes`, `no`, `number` or empty for other words; its medium; its family."""
    _blind: BlindSample = field(default_factory=BlindSample)
    _minutes: float = 0.0
    """Of all tours together."""

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        rows = run.list_accepted(self.kind)
        self._minutes += measure_span_s(run.scene.frames) / 60
        answered = {row.group: row for row in rows if row.type != "unseen"}
        for row in rows:
            if row.type != "unseen" or row.group in answered:
                self._weighed.append(weigh(row))
                self._said.append((_say_shortly(row), intern(row.medium), intern(row.family)))
                self._blind.add(intern(row.type), row.id, partial(_blind_items, row, answered.get(row.group)))
                yield self._talk(run, row, split)

    def _talk(self, run: RunData, row: Question, split: str) -> Talk:
        return Talk(
            **tell_source(run, split, row.views),
            id=row.id,
            kind=self.kind,
            turns=((plain(row.question), plain(row.answer)),),
            type=row.type,
            solution=plain(_solve(row)),
            choices=tuple(plain(choice) for choice in row.choices),
            unit=row.answer_unit if row.measured else "",  # type: ignore[arg-type]  # units of the types are units of talks
            sigma=row.measured.sigma if row.measured and row.form == "number" else None,
            scale_status=row.scale_status,
            places=_find_places(row),
            more={name: value for name, value in _tell_more(row).items() if name in self.columns},
        )

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._weighed:
            return Closing()
        gone = find_surplus(self._weighed) if balance else {}
        kept = [said for said, row in zip(self._said, self._weighed, strict=True) if row.id not in gone]
        words, media, families = (Counter(one[place] for one in kept) for place in range(3))
        by_medium = ", ".join(f"{number} about {medium}" for medium, number in sorted(media.items()))
        numbers = words["number"]
        notes = [
            f"{self.title}: {len(kept)}, {len(kept) - numbers} with a word and {numbers} with a number; "
            f"{words['yes']} yes and {words['no']} no. By what is shown: {by_medium}. "
            "Each comparison has its twin with A and B swapped, in the same "
            f"split. Balance by names is {'on' if balance else 'off'}. The blind test is made on at most {MOST_ROWS} "
            "rows of a type, drawn by chance.",
            "`reward` is what `instructions.asking.reward.reward` takes as `solution`; a video is given as its views. "
            "Rows of one `group` ask the same of the same things; those of type `unseen` repeat a question where a "
            "thing is out of view.",
            "`unit` and `sigma` are those of the exact number in `solution`, one standard deviation, the scale's "
            "included.",
        ]
        return Closing(gone, (*notes, *_tell_yield(families, self._minutes), *tell_blind_test(self._blind.items(gone))))


class SpatialTalks(QuestionTalks):
    """Of the kind `spatial`, with the questions that take several measures."""

    kind = "spatial"
    file = "questions"
    title = "Spatial questions"
    columns = ("twin", "difficulty", "group", "reward")

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        yield from super().take(run, split)
        for row in run.thinking:
            if row.accepted:
                yield _thought(run, row, split)


class ProgramTalks(QuestionTalks):
    """Of the kind `programs`."""

    kind = "programs"
    file = "programs"
    title = "Questions answered by programs"
    has_many_images = True
    columns = ("twin", "group", "medium", "category", "reward")


def _tell_yield(families: Counter[str], minutes: float) -> list[str]:
    """A line of the card: rows per minute of tour by family."""
    if minutes <= 0:
        return []
    rates = ", ".join(f"{name} {number / minutes:.1f}" for name, number in families.most_common())
    return [f"Yield, rows per minute of tour ({minutes:.1f} min): {families.total() / minutes:.1f} ({rates})."]


def _say_shortly(row: Question) -> str:
    if row.form == "number":
        return "number"
    return intern(str(row.truth)) if row.truth in ("yes", "no") else ""


def _blind_items(row: Question, answered: Question | None) -> tuple[BlindItem, ...]:
    """What stands for a row in the blind test; one about what is out of view stands beside its answered partner."""
    return unseen_items(row, answered) if row.type == "unseen" and answered is not None else (blind_item(row),)


def _tell_more(row: Question) -> dict[str, str]:
    difficulty = rate_difficulty(row)
    return {
        "twin": row.twin or "",
        "difficulty": "" if difficulty is None else f"{difficulty:.3f}",
        "group": row.group,
        "medium": row.medium,
        "category": row.category,
        "reward": _reward(row),
    }


def _solve(row: Question) -> str:
    """As one may compare it: the right option, the number, the word, or the names of things."""
    if row.is_choice and row.correct is not None:
        return row.choices[row.correct]
    said = say_truth(row)
    return ", ".join(said) if isinstance(said, tuple) else str(said)


def _reward(row: Question) -> str:
    """Empty where no code can verify an answer: the steps of a walk."""
    if row.form == "text":
        return ""
    if row.is_choice and row.correct is not None:
        return write_solution(row.form, LETTERS[row.correct], choices=len(row.choices))
    form = "label" if row.truth == TOO_CLOSE else row.form  # which is neither yes nor no
    return write_solution(form, say_truth(row), row.answer_unit)


def _thought(run: RunData, row: ThinkingTalk, split: str) -> Talk:
    """A question that takes several measures: the answer is the talk that leads to it, then the answer itself."""
    said = " ".join(f"{turn.ask} {turn.reply}" for turn in row.turns if turn.measured)
    phrase_of = {reference.object: plain(reference.name) for reference in row.references}
    solution = plain(phrase_of.get(row.truth, row.truth))
    return Talk(
        **tell_source(run, split, row.views[:1]),
        id=row.id,
        kind="spatial",
        turns=((plain(row.question), plain(f"{said} {row.conclusion} {row.answer}")),),
        type=f"thinking_{row.puzzle}",
        solution=solution,
        choices=tuple(plain(choice) for choice in row.choices),
        scale_status=row.scale_status,
        places=_find_places(row),
        more={
            "twin": "",
            "medium": "image",
            "reward": write_solution("yes_no" if row.truth in ("yes", "no") else "thing", solution),
        },
    )


def _find_places(row: Question | ThinkingTalk) -> tuple[Place, ...]:
    """What the references of a row point at: a mark in the picture of its frame, a named thing in the only one.

    Things get the numbers behind those of the marks. In one of several pictures nobody need look for a named thing.
    """
    marks, things = [], []
    for reference in row.references:
        if reference.mark is not None:
            picture = row.views.index(reference.frame) if reference.frame is not None else 0
            spot = reference.mark.xy or reference.box_xyxy
            phrase = "" if reference.is_surface or reference.mark.xy is None else plain(reference.phrase)
            marks.append(
                Place("mark", reference.mark.number, plain(reference.name), picture, spot, reference.mask, phrase)
            )
        elif len(row.views) == 1:
            things.append(reference)
    first = len(marks) + 1
    return (
        *marks,
        *(
            Place("thing", number, plain(reference.name), 0, reference.box_xyxy, reference.mask)
            for number, reference in enumerate(things, start=first)
        ),
    )
