"""Which of all that may be asked is asked: caps, answers as even as the scene allows, nothing twice from one place."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.asking.names import word_cosine
from instructions.facts.viewer import Standpoint
from instructions.questions.core.asker import Asker
from instructions.questions.core.options import ChoiceOptions, ProgramChoiceOptions
from instructions.questions.core.types import NAMES_TELL, QuestionType
from instructions.questions.core.view_sets import Truth
from instructions.questions.core.world import Given, Ids
from instructions.questions.things.registry import propose_things

Item = TypeVar("Item")
_UNLIKE = 0.1
"""Weight of a comparison of sizes of things of two categories."""


@dataclass(eq=False)
class SetChooser:
    """Chooses among the truths of the views of a tour."""

    options: ProgramChoiceOptions
    not_asked: NotAsked
    _answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each label was an answer, by type: the rarest is asked next."""

    def choose(self, medium: str, truths: Mapping[str, Sequence[Truth]]) -> list[Truth]:
        """The truths of a set of views that are asked, every type in turn."""
        cap = self.options.rows_per_video if medium in ("video", "vsi", "scan") else self.options.rows_per_image
        most, most_type = cap or 10**9, self.options.rows_per_type or 10**9
        rows = 0
        kept: list[Truth] = []
        per_type: Counter[str] = Counter()
        for truth in _alternate([self._even(name, found) for name, found in sorted(truths.items())]):
            name = truth.kind.name
            count = _count_rows(truth.kind)
            if per_type[name] and per_type[name] + count > most_type:
                self.not_asked[name, "type_full"] += 1
            elif rows + count > most:
                self.not_asked[name, "views_full"] += 1
            else:
                kept.append(truth)
                self._answers[name, _answer_of(truth)] += 1
                rows += count
                per_type[name] += count
        return kept

    def _even(self, name: str, truths: Sequence[Truth]) -> Iterator[Truth]:
        """In an order in which the answer that was kept least often comes next; twins are even by themselves.

        What comes next is decided when it is asked for, so that what was kept until then counts, and nothing else.
        """
        left: dict[str, list[Truth]] = defaultdict(list)
        for truth in truths:
            left[_answer_of(truth)].append(truth)
        first = {answer: place for place, answer in enumerate(left)}
        while left:
            answer = min(left, key=lambda one: (self._answers[name, one], first[one]))
            yield left[answer].pop(0)
            if not left[answer]:
                del left[answer]


def _answer_of(truth: Truth) -> str:
    """What is to be as frequent as its like; the same for all of a form that has no like."""
    return str(truth.value) if truth.kind.is_evened else ""


def _alternate(lists: Iterable[Iterable[Item]]) -> Iterator[Item]:
    """One of each in turn until all are empty; nothing is drawn before it is asked for."""
    left = deque(map(iter, lists))
    while left:
        try:
            yield next(left[0])
            left.rotate(-1)
        except StopIteration:
            left.popleft()


@dataclass(eq=False)
class ViewChooser:
    """Finds what is asked of the views of a model, in time order; only what may be asked next is judged."""

    options: ChoiceOptions
    not_asked: NotAsked
    _asked: dict[tuple[str, ...], list[Standpoint]] = field(default_factory=lambda: defaultdict(list))

    def choose(self, asker: Asker, draw: Draw) -> list[Truth]:
        """The truths of a view that are asked, words and numbers in turn, every type as likely as any other."""
        proposed = list(propose_things(asker, self.not_asked).items())
        order = draw.shuffle(range(len(proposed)))
        pairs = {ids for _, things in proposed for ids in things}
        weights = {ids: _weigh(asker, ids) for ids in pairs}
        rows: Counter[Ids] = Counter()
        finders: dict[bool, list[Iterator[Truth]]] = {True: [], False: []}
        for kind, things in (proposed[place] for place in order):
            finders[kind.form != "number"].append(self._find_truths(asker, kind, things, weights, rows, draw))
        words, numbers = _alternate(finders[True]), _alternate(finders[False])
        kept: list[Truth] = []
        for truth in _alternate((words, numbers, numbers)):  # one with a word and its twin, then two with numbers
            kept.append(truth)
            for about in ((), tuple(sorted(truth.things))):
                rows[about] += _count_rows(truth.kind)
            self._asked[_key(truth.kind, truth.things)].append(asker.standpoint)
        return kept

    def _find_truths(
        self,
        asker: Asker,
        kind: QuestionType,
        things: Sequence[Ids],
        weights: Mapping[Ids, tuple[float, float]],
        rows: Counter[Ids],
        draw: Draw,
    ) -> Iterator[Truth]:
        """Truths of one type: pairs of unlike names first, by chance (Efraimidis and Spirakis 2006). `rows` counts
        those of the view, under no things, and of things in the order of their ids.
        """
        count, most = _count_rows(kind), self.options.rows_per_view or 10**9
        most_pair = self.options.rows_per_pair if kind.objects == 2 else 0
        here, again, again_deg = asker.standpoint, self.options.again_m * asker.metre, self.options.again_deg
        is_told = kind.has_twin and kind.dimension in NAMES_TELL
        lots = [-(draw.uniform() ** (1.0 / weights[thing][is_told])) for thing in things]
        for place in sorted(range(len(things)), key=lambda at: lots[at]):
            if rows[()] + count > most:
                self.not_asked[kind.name, "view_full"] += 1
                return
            ids = things[place]
            if rows[tuple(sorted(ids))] + count > (most_pair or 10**9):
                self.not_asked[kind.name, "pair_full"] += 1
            elif again > 0 and any(here.is_near(one, again, again_deg) for one in self._asked[_key(kind, ids)]):
                self.not_asked[kind.name, "asked_before"] += 1
            elif isinstance(found := asker.judge(kind, ids, Given()), str):
                self.not_asked[kind.name, found] += 1
            else:
                yield found


def _count_rows(kind: QuestionType) -> int:
    return 2 if kind.has_twin else 1


def _key(kind: QuestionType, things: Ids) -> tuple[str, ...]:
    return (kind.name, *sorted(things))


def _weigh(asker: Asker, things: Ids) -> tuple[float, float]:
    """How likely a pair is asked about before others, where places are compared, and where sizes and heights are.

    Of places 1 minus the likeness of two names, so that unlike things are asked about more often. Of sizes and heights
    the names of unlike things tell the answer, so there things of one category come first: an export keeps few of the
    others.
    """
    if len(things) < 2:
        return 1.0, 1.0
    one, other = (asker.known(name) for name in things)
    is_alike = one.category is not None and one.category == other.category
    return max(1.0 - word_cosine(one.alias, other.alias), 0.05), 1.0 if is_alike else _UNLIKE
