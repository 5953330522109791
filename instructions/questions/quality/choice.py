"""Which of all that may be asked is asked: caps, answers as even as the scene allows, nothing twice from one place."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from instructions.asking.counts import NotAsked
from instructions.asking.draws import Draw
from instructions.asking.names import word_cosine
from instructions.facts.viewer import Standpoint
from instructions.questions.core.options import ChoiceOptions, ProgramChoiceOptions
from instructions.questions.core.truths import Truth
from instructions.questions.core.types import NAMES_TELL
from instructions.view import View


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
            count = 2 if truth.kind.has_twin else 1
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
    evens = truth.kind.form in ("label", "yes_no") and not truth.kind.has_twin
    return str(truth.value) if evens else ""


def _alternate(lists: Iterable[Iterable[Truth]]) -> Iterator[Truth]:
    return (one for one in chain.from_iterable(zip_longest(*lists)) if one is not None)


@dataclass(eq=False)
class ViewChooser:
    """Chooses among the truths of the views of a model, in time order."""

    options: ChoiceOptions
    not_asked: NotAsked
    _asked: dict[tuple[str, ...], list[Standpoint]] = field(default_factory=lambda: defaultdict(list))

    def choose(self, view: View, truths: Sequence[Truth], draw: Draw) -> list[Truth]:
        """The truths of a view that are asked, words and numbers in turn, every type as likely as any other."""
        halves = [[one for one in truths if one.kind.is_qualitative is word] for word in (True, False)]
        rows = 0
        pairs: Counter[frozenset[str]] = Counter()
        kept: list[Truth] = []
        most, most_pair = (cap or 10**9 for cap in (self.options.rows_per_view, self.options.rows_per_pair))
        for truth in _in_turn(_by_type(halves[0], draw), _by_type(halves[1], draw)):
            things = frozenset(truth.things)
            count = 2 if truth.kind.has_twin else 1
            per_pair = pairs[things] + count
            if self._was_asked(view, truth):
                self.not_asked[truth.kind.name, "asked_before"] += 1
            elif rows + count > most:
                self.not_asked[truth.kind.name, "view_full"] += 1
            elif len(things) == 2 and per_pair > most_pair:
                self.not_asked[truth.kind.name, "pair_full"] += 1
            else:
                kept.append(truth)
                rows += count
                pairs[things] = per_pair
                self._asked[_key(truth)].append(view.standpoint)
        return kept

    def _was_asked(self, view: View, truth: Truth) -> bool:
        again = self.options.again_m * view.model.nominal_metre
        here = view.standpoint
        return again > 0 and any(here.is_near(one, again, self.options.again_deg) for one in self._asked[_key(truth)])


def _key(truth: Truth) -> tuple[str, ...]:
    return (truth.kind.name, *sorted(truth.things))


def _by_type(truths: Iterable[Truth], draw: Draw) -> Iterator[Truth]:
    """One of each type in turn; in a type, pairs of unlike names first, by chance (Efraimidis and Spirakis 2006)."""
    by_type: dict[str, list[tuple[float, int, Truth]]] = defaultdict(list)
    for place, truth in enumerate(truths):
        by_type[truth.kind.name].append((-(draw.uniform() ** (1.0 / _weight(truth))), place, truth))
    order = sorted(by_type, key=lambda _: draw.uniform())
    lists = [[truth for _, _, truth in sorted(by_type[name], key=lambda one: one[:2])] for name in order]
    return _alternate(lists)


def _weight(truth: Truth) -> float:
    """1 minus the likeness of two names, so that unlike things are asked about more often where places are compared.

    Of sizes and heights the names of unlike things tell the answer, so there things of one category come first: an
    export keeps few of the others.
    """
    if len(truth.things) < 2:
        return 1.0
    one, other = (truth.views.known[name].thing for name in truth.things)
    if truth.kind.has_twin and truth.kind.dimension in NAMES_TELL:
        return 1.0 if one.category is not None and one.category == other.category else _UNLIKE
    return max(1.0 - word_cosine(one.alias, other.alias), 0.05)


_UNLIKE = 0.1
"""Weight of a comparison of sizes of things of two categories."""


def _in_turn(one: Iterable[Truth], other: Iterable[Truth]) -> Iterator[Truth]:
    """By turns: one with a word and its twin, then two with numbers."""
    words, numbers = iter(one), iter(other)
    return _alternate((words, numbers, numbers))
