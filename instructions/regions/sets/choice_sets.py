"""Comparison tasks of our own rows: options that are true of other regions or views, measured to be false of this one.

The shapes are those of VCR (four answers, then four rationales), of Sherlock's comparison (ten statements about a
region) and of its retrieval (one true statement of fifty).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from instructions.asking.draws import Draw
from instructions.claims.stated import StatedClaim, restate
from instructions.claims.view_claims import Verdict, find_false
from instructions.regions.facts_qar import state_facts
from instructions.regions.judge import judge_claims
from instructions.regions.options import RegionOptions
from instructions.regions.records import KIND, Choice, ChoiceSet, ChoiceTask, Parts, Qar
from instructions.regions.rules import find_mentions
from instructions.regions.sets.shuffle import renumber
from instructions.rows import row_id
from instructions.view import View

VCR_OPTIONS = 4
STATEMENTS: Mapping[ChoiceTask, int] = {"comparison": 10, "acc50": 50}
TASKS: tuple[ChoiceTask, ...] = ("vcr", "comparison", "acc50")
MOST_TRUE = 3
"""True statements of a comparison: people in Sherlock found few of ten fitting."""
LEAST_WORDS = 4
"""A statement stands without its question; `Yes.` does not."""


@dataclass(frozen=True)
class ChoiceSets:
    """Of a tour."""

    sets: tuple[ChoiceSet, ...]
    left_out: Mapping[str, int]
    """Sets that could not be made, by reason."""


@dataclass(frozen=True)
class _Statement:
    """An answer that stands alone, with the regions that it names in order of first mention."""

    text: str
    row: Qar | None
    """None for a fact of a view that no row tells."""
    numbers: tuple[int, ...]
    claims: tuple[StatedClaim, ...]


def make_choice_sets(
    views: Sequence[View], rows: Sequence[Qar], options: RegionOptions = RegionOptions(), *, seed: int = 0
) -> ChoiceSets:
    """Make at most `options.choices` sets of each task.

    Returns:
        Sets in the order of tasks and draws. A row for which too few options are measured to be false is counted.
    """
    if options.choices == 0:
        return ChoiceSets((), {})
    by_frame = {(view.tour, view.model.name, view.frame): view for view in views}
    kept = [row for row in rows if row.accepted and _place(row) in by_frame]
    left_out: Counter[str] = Counter()
    sets: list[ChoiceSet] = []
    for task in TASKS:
        maker = _Maker(by_frame, kept, options, seed, task)
        made = 0
        for row in _shuffle(kept, seed, task):
            if made == options.choices:
                break
            found = maker.make(row)
            if isinstance(found, ChoiceSet):
                sets.append(found)
                made += 1
            elif found is not None:
                left_out[found] += 1
    return ChoiceSets(tuple(sets), dict(left_out))


_Options = tuple[int | None, str | None, Sequence[Choice], Sequence[Choice]]
"""Of a set: the region and the question that it is about, answers and rationales; not mixed yet."""


class _Maker:
    """Sets of one task over a tour."""

    def __init__(
        self,
        views: Mapping[tuple[str, str, int], View],
        rows: Sequence[Qar],
        options: RegionOptions,
        seed: int,
        task: ChoiceTask,
    ) -> None:
        self._views, self._rows, self._options, self._seed = views, rows, options, seed
        self._task: ChoiceTask = task
        told = [] if task == "vcr" else [one for row in rows if (one := self._state_row(row)) is not None]
        self._by_row = {one.row.id: one for one in told if one.row is not None}
        more = _state_facts(views.values(), seed) if task == "acc50" else []
        texts = {one.text for one in told}
        self._statements = [*told, *(one for one in more if one.text not in texts)]
        self._asked: set[tuple[str, int]] = set()

    def make(self, row: Qar) -> ChoiceSet | str | None:
        """The set about a row, why there is none, or None for a row that does not suit the task."""
        view = self._views[_place(row)]
        draw = Draw(self._seed, row.tour, KIND, self._task, row.id)
        found = self._ask(row, view) if self._task == "vcr" else self._tell(row, view, draw)
        if found is None or isinstance(found, str):
            return found
        region, question, answers, rationales = found
        name = f"{row.tour}_c{row_id(self._seed, row.tour, KIND, self._task, row.id)}"
        mixed = [tuple(draw.shuffle(options)) for options in (answers, rationales)]
        return ChoiceSet(name, row.tour, row.view, self._task, row.id, region, question, mixed[0], mixed[1])

    def _state_row(self, row: Qar) -> _Statement | None:
        if row.mode != "id":
            return None
        return _state(row.answer, row, _find_claims(row.verdicts[: row.of_answer], self._views[_place(row)]))

    def _judge(self, view: View, claims: Sequence[StatedClaim]) -> tuple[Verdict, ...]:
        return judge_claims(claims, view, "id", self._options.bars)

    def _ask(self, row: Qar, view: View) -> _Options | str | None:
        """Four answers and four rationales: those of like rows, with their numbers put for this row's."""
        if len(row.answer.split()) < LEAST_WORDS:
            return None
        answers, rationales = [Choice(row.answer, row.id, 1.0)], [Choice(row.rationale, row.id, 1.0)]
        # Of the same type only: else the topic alone tells the right one. The most alike ones come first.
        alike = [one for one in self._rows if one.id != row.id and (one.mode, one.type) == (row.mode, row.type)]
        others = sorted(_shuffle(alike, self._seed, row.id), key=lambda one: one.task != row.task)
        for other in others:
            if len(answers) == len(rationales) == VCR_OPTIONS:
                break
            put = _match(other, row)
            if put is None:
                continue
            # Words mean the same things in every view; numbers those of their own.
            place = view if other.mode == "description" else self._views[_place(other)]
            parts = other.verdicts[: other.of_answer], other.verdicts[other.of_answer :]
            claims, reasons = ([_put(claim, put) for claim in _find_claims(part, place)] for part in parts)
            answer, rationale = (renumber(text, put, other.id) for text in (other.answer, other.rationale))
            if len(answer.split()) >= LEAST_WORDS:
                _add(answers, VCR_OPTIONS, answer, other, self._judge(view, claims))
            _add(rationales, VCR_OPTIONS, rationale, other, self._judge(view, reasons))
        if len(answers) < VCR_OPTIONS:
            return "vcr: too few answers that are false here"
        if len(rationales) < VCR_OPTIONS:
            return "vcr: too few rationales that are false here"
        return None, row.question, answers, rationales

    def _tell(self, row: Qar, view: View, draw: Draw) -> _Options | str | None:
        """Statements about the first region that the row's answer names."""
        mine = self._by_row.get(row.id)
        if mine is None:
            return None
        region, count = mine.numbers[0], STATEMENTS[self._task]
        if (row.view, region) in self._asked:
            return None  # one set for each region of a view
        others = [number for number in view.numbers if number != region]
        if not self._holds(view, mine.claims):
            return f"{self._task}: nothing measured is true without its question"
        options = [Choice(mine.text, row.id, 1.0)]
        if self._task == "comparison":
            for other in self._statements:
                if len(options) == MOST_TRUE:
                    break
                if other.row is None or other.row.view != row.view or other.numbers[0] != region:
                    continue
                if other.text not in {option.text for option in options} and self._holds(view, other.claims):
                    options.append(Choice(other.text, other.row.id, 1.0))
        for other in draw.shuffle(self._statements):
            if len(options) == count:
                break
            if len(other.numbers) - 1 > len(others):
                continue
            drawn = draw.shuffle(others)
            put = dict(zip(other.numbers, (region, *drawn), strict=False))
            verdicts = self._judge(view, [_put(claim, put) for claim in other.claims])
            _add(options, count, renumber(other.text, put, row.id), other.row, verdicts)
        if len(options) < count:
            return f"{self._task}: too few statements that are false here"
        self._asked.add((row.view, region))
        return region, None, options, ()

    def _holds(self, view: View, claims: Sequence[StatedClaim]) -> bool:
        """Whether something is measured to be true, and nothing false."""
        verdicts = self._judge(view, claims)
        return find_false(verdicts) is None and any(verdict.state == "true" for verdict in verdicts)


def _place(row: Qar) -> tuple[str, str, int]:
    return row.tour, row.model or "", row.views[0]


def _state(text: str, row: Qar | None, claims: tuple[StatedClaim, ...]) -> _Statement | None:
    """The text as a statement, if it stands alone."""
    numbers = find_mentions(Parts("", text, ""))
    needs_question = len(text.split()) < LEAST_WORDS or text.startswith(("Yes", "No,"))
    return None if not numbers or needs_question else _Statement(text, row, numbers, claims)


def _state_facts(views: Iterable[View], seed: int) -> list[_Statement]:
    """What is measured of all views, told or not; each wording once."""
    out: dict[str, _Statement] = {}
    for view in views:
        for text, fact in state_facts(view, seed):
            one = _state(text, None, fact.claims)
            if one is not None:
                out.setdefault(text, one)
    return list(out.values())


def _add(options: list[Choice], most: int, text: str, row: Qar | None, verdicts: Sequence[Verdict]) -> None:
    """Add an option that is measured to be false, while there are too few."""
    false = find_false(verdicts)
    if len(options) < most and false is not None and text not in {option.text for option in options}:
        options.append(Choice(text, row.id if row is not None else None, 0.0, f"{false.claim.words!r}: {false.reason}"))


def _find_claims(verdicts: Iterable[Verdict], view: View) -> tuple[StatedClaim, ...]:
    """Claims by the numbers of a view; those about what it does not show are left out."""
    numbers = {name: number for number, name in view.numbers.items()}
    told = (restate(verdict.claim, numbers) for verdict in verdicts)
    return tuple(one for one in told if one is not None)


def _match(source: Qar, target: Qar) -> Mapping[int, int] | None:
    """Regions of a row that stand for those of another in its texts, none for words; None where they are too few."""
    if source.mode == "description":
        return {}
    if len(source.mentioned) > len(target.mentioned):
        return None
    return dict(zip(source.mentioned, target.mentioned, strict=False))


def _put(claim: StatedClaim, put: Mapping[int, int]) -> StatedClaim:
    """A claim about other regions."""
    a, b = (None if one is None else put.get(one, one) for one in (claim.thing, claim.other))
    return claim.model_copy(update={"thing": a, "other": b})


def _shuffle(rows: Sequence[Qar], seed: int, name: str) -> list[Qar]:
    """By chance, each place hanging on its own row: one row more moves no other."""
    return sorted(rows, key=lambda row: (Draw(seed, KIND, "choices", name, row.id).uniform(), row.id))
