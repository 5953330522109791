"""The embedded writer: measured facts of a view put into questions, answers and reasons, in both modes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from instructions.asking.draws import Draw
from instructions.claims.stated import StatedClaim
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.judge import Earlier, find_phrases, judge_row
from instructions.regions.measured.facts import find_facts, find_more_facts
from instructions.regions.measured.region_fact import TYPES, RegionFact, load_wordings, rate_difficulty
from instructions.regions.options import RegionOptions
from instructions.regions.question_types import find_type
from instructions.regions.records import KIND, Mode, Parts, Qar, RegionView
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
    writing = _Writing(ViewRows(view, region_view, perception, options, seed, encoder))
    draws = {mode: Draw(seed, view.tour, KIND, view.model.name, view.frame, mode) for mode in MODES}
    queues = {mode: _in_turn(facts, draws[mode]) for mode in MODES}
    for call in range(options.calls):
        for mode in MODES:
            writing.ask(mode, queues[mode], draws[mode], call, MODES)
    if writing.count_kept() < LEAST_ROWS:
        # Of a view with few facts each may be asked in either way of naming, and then what is plain to see.
        for more in (facts, find_more_facts(view)):
            for mode in MODES:
                draw = Draw(seed, view.tour, KIND, view.model.name, view.frame, mode, "again")
                writing.ask(mode, _in_turn(more, draw), draw, options.calls - 1, (mode,), LEAST_ROWS)
    return writing.told


@dataclass
class ViewRows:
    """The rows of one view while they are written: each is judged beside those that were kept before it."""

    view: View
    record: RegionView
    perception: str
    options: RegionOptions
    seed: int
    encoder: SentenceEncoder | None
    earlier: list[Earlier] = field(default_factory=list)
    """Kept rows, and probes that a writer has seen, of which none is repeated."""

    def write(
        self,
        mode: Mode,
        parts: Parts,
        claims: Sequence[StatedClaim],
        reasons: Sequence[StatedClaim],
        *,
        about: Sequence[str | int],
        **more: Any,
    ) -> Qar:
        """A row with its verdicts, kept or rejected; `keep` has later ones held against it.

        Args:
            mode: How it names things.
            parts: Its texts.
            claims: Of the answer.
            reasons: Of the rationale.
            about: What tells it from the other rows of its mode and view.
            more: Its other fields.
        """
        view = self.view
        row = Qar(
            id=f"{view.tour}_r{row_id(self.seed, view.tour, KIND, view.frame, mode, *about)}",
            tour=view.tour,
            model=view.model.name,
            views=(view.frame,),
            scale_status=view.model.scale.status,
            perception=self.perception,
            seed=self.seed,
            accepted=True,
            view=self.record.id,
            mode=mode,
            type=find_type(parts.question),
            **parts._asdict(),
            **more,
        )
        return judge_row(row, view, claims, reasons, self.earlier, self.options, self.encoder)

    def keep(self, row: Qar) -> None:
        """Remember a row, if it is accepted."""
        if row.accepted:
            self.earlier.append((row.text, frozenset(row.mentioned)))


class _Writing:
    """The facts of one view that were told so far."""

    def __init__(self, rows: ViewRows) -> None:
        self.rows = rows
        self.told: list[WrittenFact] = []
        self._asked: set[tuple[object, ...]] = set()
        """What was asked, with the mode."""
        self._names = {mode: _find_names(rows.view, mode) for mode in MODES}

    def count_kept(self) -> int:
        return sum(one.row.accepted for one in self.told)

    def ask(
        self, mode: Mode, facts: Iterator[RegionFact], draw: Draw, call: int, others: Sequence[Mode], until: int = 0
    ) -> None:
        """Rows of a mode up to those of this call, or until so many of the view are kept (0: however many).

        No fact is asked that was asked in one of the other modes; `draw` picks wordings.
        """
        view, names = self.rows.view, self._names[mode]
        written = sum(one.row.mode == mode for one in self.told)
        while written < ROWS_PER_CALL * (call + 1) and not (until and self.count_kept() >= until):
            fact = next(facts, None)
            if fact is None:
                return
            key = find_key(fact)
            if any((key, other) in self._asked for other in others) or not _fits_mode(fact, mode, names):
                continue
            said = _put_into_words(fact, names, draw)
            if said is None:
                continue
            parts, reasons = said
            objects = [view.numbers[number] for number in fact.numbers]
            row = self.rows.write(
                mode,
                parts,
                fact.claims,
                reasons,
                about=(fact.type, fact.task, *objects, parts.question),
                writer="embedded",
                task=fact.task,
                round=written // ROWS_PER_CALL,
                difficulty=rate_difficulty(view, fact),
                solution=fact.solution,
            )
            if row.rejected_because == "repeat":
                continue  # the same wording of a like fact: another fact is asked, and nothing is lost
            self._asked.add((key, mode))
            written += 1
            self.told.append(WrittenFact(row, fact))
            self.rows.keep(row)


def state_facts(view: View, seed: int) -> list[tuple[str, RegionFact]]:
    """Everything measured of a view as the answers of mode `id`, each with its fact, in any number."""
    names = _find_names(view, "id")
    draw = Draw(seed, view.tour, KIND, view.model.name, view.frame, "statements")
    facts = [fact for fact in find_facts(view) if _fits_mode(fact, "id", names)]
    return [(said[0].answer, fact) for fact in facts if (said := _put_into_words(fact, names, draw)) is not None]


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
) -> tuple[Parts, list[StatedClaim]] | None:
    """The texts of a fact, and the claims of its rationale; None where no wording keeps its type."""
    wordings = load_wordings()[fact.type, fact.task]
    things = {slot: names[number] for slot, number in zip("AB", fact.numbers, strict=False)}
    for wording in draw.shuffle(wordings):
        with suppress(KeyError):  # the wording tells something that is not known here
            parts = wording.fill(things, fact.words)
            if find_type(parts.question) == fact.type:
                return parts, wording.find_reasons(fact)
    return None
