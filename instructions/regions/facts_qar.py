"""The embedded writer: measured facts of a view put into questions, answers and reasons, in both modes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from instructions.asking.draws import Draw
from instructions.claims.stated import StatedClaim
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.judge import Earlier, find_phrases, judge_row
from instructions.regions.measured.facts import find_facts, find_more_facts
from instructions.regions.measured.region_fact import TYPES, RegionFact, Wording, load_wordings, rate_difficulty
from instructions.regions.options import RegionOptions
from instructions.regions.question_types import find_type
from instructions.regions.records import KIND, Mode, Qar, RegionView
from instructions.rows import row_id
from instructions.view import View
from instructions.wording.english import is_plural

ROWS_PER_CALL = 3
MODES: tuple[Mode, ...] = ("id", "description")
LEAST_ROWS = 6
"""Kept rows of a view under which its facts are asked in both modes."""


@dataclass(frozen=True)
class WrittenFact:
    """A row with the fact that it tells."""

    row: Qar
    fact: RegionFact


def write_facts(
    view: View,
    region_view: RegionView,
    perception: str,
    options: RegionOptions = RegionOptions(),
    *,
    seed: int = 0,
    encoder: SentenceEncoder | None = None,
) -> list[WrittenFact]:
    """Ask about what is measured of a view: per mode at most three rows a call, types in turn.

    Returns:
        Rows, kept and rejected, in the order written: the modes take turns call by call. None for a view of which
        nothing is measured.
    """
    facts = find_facts(view)
    writing = _Writing(view, region_view, perception, options, seed, encoder)
    both: AbstractSet[Mode] = frozenset(MODES)
    queues = {
        mode: _Queue(facts, Draw(seed, view.tour, KIND, view.model.name, view.frame, mode), both) for mode in MODES
    }
    for call in range(options.calls):
        for mode in MODES:
            writing.ask(mode, queues[mode], call)
    if writing.count_kept() < LEAST_ROWS:
        # Of a view with few facts each may be asked in either way of naming, and then what is plain to see.
        for more in (facts, find_more_facts(view)):
            for mode in MODES:
                draw = Draw(seed, view.tour, KIND, view.model.name, view.frame, mode, "again")
                writing.ask(mode, _Queue(more, draw, frozenset({mode})), options.calls - 1, until=LEAST_ROWS)
    return writing.told


class _Queue:
    """The facts that a mode may ask, in their order, with the chance that picks wordings."""

    def __init__(self, facts: Sequence[RegionFact], draw: Draw, others: AbstractSet[Mode]) -> None:
        self.draw = draw
        self.others = others
        """No fact that was asked in one of these modes."""
        self.facts = _in_turn(facts, draw)


@dataclass
class _Writing:
    """The rows of one view while they are written."""

    view: View
    region_view: RegionView
    perception: str
    options: RegionOptions
    seed: int
    encoder: SentenceEncoder | None
    told: list[WrittenFact] = field(default_factory=list)
    _earlier: list[Earlier] = field(default_factory=list)
    """Kept rows, of which none is repeated."""
    _asked: set[tuple[object, ...]] = field(default_factory=set)
    """What was asked, with the mode."""

    def __post_init__(self) -> None:
        self._names = {mode: _find_names(self.view, mode) for mode in MODES}

    def count_kept(self) -> int:
        return sum(one.row.accepted for one in self.told)

    def ask(self, mode: Mode, queue: _Queue, call: int, *, until: int | None = None) -> None:
        """Rows of a mode up to those of this call, or until so many of the view are kept."""
        names = self._names[mode]
        written = sum(one.row.mode == mode for one in self.told)
        while written < ROWS_PER_CALL * (call + 1):
            if until is not None and self.count_kept() >= until:
                return
            fact = next(queue.facts, None)
            if fact is None:
                return
            key = find_key(fact)
            if any((key, other) in self._asked for other in queue.others) or not _fits_mode(fact, mode, names):
                continue
            said = _put_into_words(fact, names, queue.draw)
            if said is None:
                continue
            texts, reasons = said
            objects = [self.view.numbers[number] for number in fact.numbers]
            row = make_row(
                self.view,
                self.region_view,
                mode,
                texts,
                about=(fact.type, fact.task, *objects, texts[0]),
                writer="embedded",
                task=fact.task,
                perception=self.perception,
                seed=self.seed,
                call=written // ROWS_PER_CALL,
                difficulty=rate_difficulty(self.view, fact),
                solution=fact.solution,
            )
            row = judge_row(row, self.view, fact.claims, reasons, self._earlier, self.options, self.encoder)
            if row.rejected_because == "repeat":
                continue  # the same wording of a like fact: another fact is asked, and nothing is lost
            self._asked.add((key, mode))
            written += 1
            self.told.append(WrittenFact(row, fact))
            if row.accepted:
                self._earlier.append((row.text, frozenset(row.mentioned)))


def state_facts(view: View, seed: int) -> list[tuple[str, RegionFact]]:
    """Everything measured of a view as the answers of mode `id`, each with its fact, in any number."""
    names = _find_names(view, "id")
    draw = Draw(seed, view.tour, KIND, view.model.name, view.frame, "statements")
    facts = [fact for fact in find_facts(view) if _fits_mode(fact, "id", names)]
    return [(said[0][1], fact) for fact in facts if (said := _put_into_words(fact, names, draw)) is not None]


def find_key(fact: RegionFact) -> tuple[object, ...]:
    """What a fact says, whichever way it is asked."""
    if fact.task.startswith(("placed", "kind_yes", "kind_no")):
        return (fact.task, fact.numbers, fact.words.get("other"))  # of a view with few facts a yes and each no
    task = fact.task.removesuffix("_yes").removesuffix("_no")
    task = {"lateral": "side", "first": "nearer", "kind_on": "on"}.get(task, task)
    if len(fact.numbers) == 1:
        return (task, fact.numbers)
    return (task, frozenset(fact.numbers))


def _find_names(view: View, mode: Mode) -> dict[int, tuple[str, bool]]:
    """How each thing is called, and whether that is a plural."""
    if mode == "id":
        return {number: (f"[{number}]", False) for number in view.numbers}
    return {number: (f"the {phrase}", is_plural(phrase)) for number, phrase in find_phrases(view).items()}


def _fits_mode(fact: RegionFact, mode: Mode, names: dict[int, tuple[str, bool]]) -> bool:
    if any(number not in names for number in fact.numbers):
        return False
    if mode == "id":
        return not fact.needs_words
    if fact.needs_numbers:
        return False
    return not (fact.tells_word and f" {fact.solution} " in f" {names[fact.numbers[0]][0]} ")


def _in_turn(facts: Sequence[RegionFact], draw: Draw) -> Iterator[RegionFact]:
    """One of each type in turn, by chance inside a type; facts about many different things first."""
    by_type: dict[str, list[tuple[float, int, RegionFact]]] = defaultdict(list)
    for place, fact in enumerate(facts):
        by_type[fact.type].append((draw.uniform(), place, fact))
    order = sorted(by_type, key=lambda kind: (draw.uniform(), TYPES.index(kind)))
    lists = {kind: [fact for _, _, fact in sorted(by_type[kind], key=lambda one: one[:2])] for kind in order}
    used: dict[int, int] = defaultdict(int)
    while any(lists.values()):
        for kind in order:
            if not lists[kind]:
                continue
            # Of the next few the one whose things were asked about least.
            asked = [sum([used[number] for number in fact.numbers]) for fact in lists[kind][:6]]
            fact = lists[kind].pop(asked.index(min(asked)))
            for number in fact.numbers:
                used[number] += 1
            yield fact


def _put_into_words(
    fact: RegionFact, names: dict[int, tuple[str, bool]], draw: Draw
) -> tuple[tuple[str, str, str], list[StatedClaim]] | None:
    """Question, answer and rationale, and the claims of the rationale; None where no wording keeps its type."""
    wordings = load_wordings()[fact.type, fact.task]
    things = {slot: names[number] for slot, number in zip("AB", fact.numbers, strict=False)}
    order = sorted(range(len(wordings)), key=lambda _: draw.uniform())
    for place in order:
        if (texts := _fill(wordings[place], things, fact)) is not None and find_type(texts[0]) == fact.type:
            return texts, wordings[place].find_reasons(fact)
    return None


def _fill(wording: Wording, things: dict[str, tuple[str, bool]], fact: RegionFact) -> tuple[str, str, str] | None:
    try:
        return wording.fill(things, fact.words)
    except KeyError:  # the wording tells something that is not known here
        return None


def make_row(
    view: View,
    region_view: RegionView,
    mode: Mode,
    texts: Sequence[str],
    *,
    about: Sequence[str | int],
    writer: str,
    task: str,
    perception: str,
    seed: int,
    call: int,
    **more: Any,
) -> Qar:
    """A row that nothing speaks against yet."""
    question, answer, rationale = texts
    return Qar(
        id=f"{view.tour}_r{row_id(seed, view.tour, KIND, view.frame, mode, *about)}",
        tour=view.tour,
        model=view.model.name,
        views=(view.frame,),
        scale_status=view.model.scale.status,
        perception=perception,
        writer=writer,
        seed=seed,
        accepted=True,
        view=region_view.id,
        mode=mode,
        type=find_type(question),
        task=task,
        question=question,
        answer=answer,
        rationale=rationale,
        mentioned=(),
        regions=(),
        verdicts=(),
        checked_share=None,
        round=call,
        **more,
    )
