"""Which of all that may be asked is asked: caps per type and set of views, and answers as even as the scene allows."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from instructions.asking.counts import NotAsked
from instructions.questions.core.options import ProgramChoiceOptions
from instructions.questions.core.truths import Truth


@dataclass(eq=False)
class Chooser:
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
        for truth in _in_turn([self._even(name, found) for name, found in sorted(truths.items())]):
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


def _in_turn(lists: Iterable[Iterator[Truth]]) -> Iterator[Truth]:
    return (one for one in chain.from_iterable(zip_longest(*lists)) if one is not None)
