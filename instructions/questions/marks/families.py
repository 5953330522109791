"""What a family of questions without names is made of. One module per family holds all of it: types, measure, gates,
words. A new type is one entry of its module's `TYPES` and one function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from math import hypot
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from instructions.asking.draws import Draw
from instructions.facts.verdict import Measured, Unit
from instructions.questions.core.types import QuestionType
from instructions.questions.core.view_sets import Refused, require
from instructions.questions.marks.pairs import Motions, ViewPairs
from instructions.questions.marks.spots import Spot, SpotTour, SpotView

Item = TypeVar("Item")
MOST_RELATIVE_SIGMA = 0.20
"""Of a number that is asked for, the error of the scale included: as of those about named things."""
_LATER = ("the second picture", "the third picture")
_PAIRS = ("marks 1 and 2", "marks 1 and 3", "marks 2 and 3")


@dataclass(frozen=True, kw_only=True)
class Found:
    """Something that may be asked about views, and what is true."""

    views: tuple[int, ...]
    """Frames in the order in which the pictures are shown."""
    marks: tuple[Spot, ...] = ()
    """Mark 1, mark 2 and so on, each in the picture of its frame."""
    truth: str
    """`yes`, `no`, one of the choices, or a number in full."""
    choices: tuple[str, ...] = ()
    """What may be answered, in the order in which the question says it; none for a number."""
    measured: Measured | None = None
    """The number that is asked for."""
    evidence: tuple[Measured, ...] = ()
    """What decided; of a comparison `difference` and `margin`."""
    words: Mapping[str, str] = field(default_factory=dict)
    """Of the templates' slots."""
    twin: Found | None = None
    """The same question the other way round, with the other answer; it has no twin itself."""


@dataclass(frozen=True, kw_only=True)
class MarkType(QuestionType):
    """One type of question without names."""

    pictures: int = 1
    """How many pictures the question shows; at least, where it may vary."""
    metric: bool = False
    """It is asked only where lengths are in metres."""
    find: Callable[[Start], Found]
    """One thing to ask that begins with a view; raises `Refused` where there is none."""
    questions: tuple[str, ...]
    """Templates; `{a}` is a slot of `Found.words`. The pictures are called the first, the second and so on."""
    offers_what_occurs: bool = False
    """Options that are hardly ever the answer in a tour are not offered there; the questions list the options."""
    answers: Mapping[str, tuple[str, ...]]
    """Templates by truth, or under `answer` for all others; `{truth}` is the truth, `{q}` the number in words."""


def tell_margin(difference: float, margin: float, unit: Unit) -> tuple[Measured, Measured]:
    """The evidence of a comparison: how large the difference is, and what it had to exceed."""
    return Measured("difference", difference, unit, 0.0), Measured("margin", margin, unit, 0.0)


def ask_whether(
    holds: bool, views: tuple[int, ...], marks: tuple[Spot, ...] = (), evidence: tuple[Measured, ...] = ()
) -> Found:
    """A question for yes or no."""
    truth = "yes" if holds else "no"
    return Found(views=views, marks=marks, truth=truth, choices=("yes", "no"), evidence=evidence)


@dataclass(frozen=True, eq=False)
class Start:
    """The view of a tour that a question begins with, and the draw that makes every choice."""

    tour: SpotTour
    view: SpotView
    draw: Draw

    @property
    def pairs(self) -> ViewPairs:
        """The view and all others."""
        return self.tour.pairs

    @property
    def at(self) -> int:
        """Place of the view among all."""
        return self.pairs.place[self.view.frame]

    @property
    def motions(self) -> Motions:
        """From the view to all."""
        return self.pairs.measure_from(self.at)

    def lack(self, least: int, reason: str = "alike") -> Refused:
        """Nothing was found to ask about so many spots of the view: there are fewer, or for another reason."""
        return Refused("few_spots" if len(self.view.spots) < least else reason)

    def shuffle(self, items: Iterable[Item]) -> list[Item]:
        """The items in an order by chance."""
        return self.draw.shuffle(items)

    def pick_groups(self, size: int, tries: int = 24) -> Iterator[tuple[Spot, ...]]:
        """Groups of so many spots of the view, each in an order by chance; none where there are too few spots."""
        for _ in range(tries if len(self.view.spots) >= size else 0):
            yield tuple(self.draw.take(self.view.spots, size))

    def pick_row(self, mask: NDArray[np.bool_], wish: NDArray[np.bool_] | None = None, reason: str = "no_view") -> int:
        """The place of one that is true, by lot, of those wished for if there are such.

        Raises:
            Refused: For this reason, where none is true.
        """
        rows = np.flatnonzero(mask if wish is None or not (mask & wish).any() else mask & wish)
        require(len(rows) > 0, reason)
        return int(self.draw.pick(rows.tolist()))

    def pair(self, found: Found, other: Found) -> Found:
        """One of two questions by lot, with the other for its twin."""
        one, twin = self.shuffle((found, other))
        return replace(one, twin=twin)

    def ask_which(
        self,
        wanted: Spot,
        pair: tuple[Spot, ...],
        evidence: tuple[Measured, ...],
        *,
        choice: bool = True,
        before: tuple[Spot, ...] = (),
        views: tuple[int, ...] = (),
    ) -> Found:
        """Which of two marks it is, or (no `choice`) whether it is the first of them, with its twin. The answer is
        `wanted`, one of the pair; marks with lower numbers stand before. Without views, of this one.
        """
        names = f"mark {len(before) + 1}", f"mark {len(before) + 2}"
        views = views or (self.view.frame,)

        def ask(one: Spot, other: Spot) -> Found:
            marks = (*before, one, other)
            if not choice:
                return ask_whether(one is wanted, views, marks, evidence)
            return Found(views=views, marks=marks, truth=names[one is not wanted], choices=names, evidence=evidence)

        return self.pair(ask(*pair), ask(*pair[::-1]))

    def ask_pictures(
        self, places: Iterable[int], truth: str, choices: tuple[str, ...], evidence: tuple[Measured, ...]
    ) -> Found:
        """What is true of pictures, in which nothing is marked; views by their places, as they are shown."""
        return Found(views=self.pairs.list_frames(*places), truth=truth, choices=choices, evidence=evidence)

    def ask_later(self, wanted: int, pair: tuple[int, int], evidence: tuple[Measured, ...]) -> Found:
        """Which of two pictures that are shown after this one it is, with its twin; views by their places."""

        def ask(one: int, two: int) -> Found:
            return self.ask_pictures((self.at, one, two), _LATER[one != wanted], _LATER, evidence)

        return self.pair(ask(*pair), ask(*pair[::-1]))

    def ask_two_of_three(self, marks: tuple[Spot, ...], ends: Sequence[Spot], evidence: tuple[Measured, ...]) -> Found:
        """Which two of three marks of the view it is."""
        one, other = (number for number, spot in enumerate(marks, start=1) if spot in ends)
        truth, choices = f"marks {one} and {other}", tuple(self.shuffle(_PAIRS))
        return Found(views=(self.view.frame,), marks=marks, truth=truth, choices=choices, evidence=evidence)

    def ask_order(
        self,
        right: Sequence[int],
        evidence: tuple[Measured, ...],
        *,
        marks: tuple[Spot, ...] = (),
        views: tuple[int, ...] = (),
        say: Callable[[int], str] = str,
    ) -> Found:
        """In which order numbered marks or pictures are: the right one among four at most. Without views, of this."""
        others = [order for order in permutations(sorted(right)) if order != tuple(right)]
        orders = self.shuffle((right, *self.shuffle(others)[:3]))
        truth, *choices = (", ".join(map(say, order)) for order in (right, *orders))
        frames = views or (self.view.frame,)
        return Found(views=frames, marks=marks, truth=truth, choices=tuple(choices), evidence=evidence)

    def ask_length(
        self,
        name: str,
        value: float,
        sigma: float,
        *,
        marks: tuple[Spot, ...] = (),
        views: tuple[int, ...] = (),
        evidence: tuple[Measured, ...] = (),
    ) -> Found | None:
        """How long something is; None where that is not sure enough. Value and its error, without that of the scale,
        are in metres. Without views, of this one.
        """
        measured = Measured(name, value, "m", hypot(sigma, self.tour.model.scale.sigma * value))
        return ask_number(measured, views or (self.view.frame,), marks, evidence)


def ask_number(
    measured: Measured, views: tuple[int, ...], marks: tuple[Spot, ...] = (), evidence: tuple[Measured, ...] = ()
) -> Found | None:
    """The question for a positive number; None where its error is more than `MOST_RELATIVE_SIGMA` of it."""
    if measured.value <= 0 or measured.sigma > MOST_RELATIVE_SIGMA * measured.value:
        return None
    return Found(views=views, marks=marks, truth=repr(measured.value), measured=measured, evidence=evidence)
