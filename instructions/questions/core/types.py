"""What a type of question is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from instructions.asking.bars import Dimension
from instructions.questions.core.world import Given, Value

NAMES_TELL = ("height", "width", "volume", "vertical")
"""Dimensions in which the names of two things mostly tell the answer; where they lie to the viewer, they do not."""
Family: TypeAlias = str
"""`predicate`, `choice`, `class`, `estimate`, `ratio`, `clock`, `stands_on` and `unseen` ask about named things of one
view; the families without names are called as their modules in `marks` say, those about sets of views as in `sets`."""
Form = Literal["number", "yes_no", "label", "thing", "order", "things", "text"]
"""What an answer is: a number, yes or no, a word of few, one of the things, all of them in order, some, or words."""
Medium = Literal["image", "images", "video", "vsi", "scan"]
"""What a question is about; `vsi`: a video as VSI-Bench asks about it, `scan`: a world without known views."""
Level = Literal["2d", "3d", "3d_vertical"]


@dataclass(frozen=True)
class Comparison:
    """What a pair of words compares."""

    dimension: Dimension
    more: str
    """The word for the greater value, as in the types' names."""
    less: str
    say_more: str
    """The same in a sentence."""
    say_less: str
    upright: bool
    level: Level


COMPARISONS = (
    Comparison("lateral", "right", "left", "right", "left", False, "2d"),
    Comparison("vertical", "above", "below", "above", "below", True, "3d_vertical"),
    Comparison("ahead", "behind", "front", "behind", "in front of", False, "3d"),
    Comparison("height", "tall", "short", "taller", "shorter", True, "3d_vertical"),
    Comparison("width", "wide", "thin", "wider", "narrower", False, "3d"),
    Comparison("volume", "big", "small", "bigger", "smaller", True, "3d_vertical"),
)
"""A greater `ahead` is behind."""


@dataclass(frozen=True)
class QuestionType:
    """One type of question: all that is known of it before anything is asked."""

    name: str
    family: Family
    form: Form
    dimension: Dimension
    """What it is about, which references must not give away."""
    objects: int
    """Things or marks that it names, at least."""
    upright: bool
    """It exists only where the scene has a vertical."""
    level: Level
    comparison: Comparison | None = None
    word: str = ""
    """Of the comparison's words, the one that the question asks about; none for a class."""
    supposes: bool = False
    """It asks what would be if the viewer had stepped aside or turned."""
    has_twin: bool = False
    """It is also asked with its two things, or marks, swapped."""
    definition: str = ""
    """What is true, in a sentence."""
    media: tuple[Medium, ...] = ("image",)
    most_objects: int = 0
    """Things that it names at most, where more than `objects`; the first is what the others are held against."""
    unit: str = ""
    """Of the answer where the type fixes it: `m`, `cm`, `m2`, `m3`."""
    givens: tuple[Given, ...] = (Given(),)
    """What a question may ask for, one of these."""
    labels: tuple[str, ...] = ()
    """Words that answer it, where they are not those of `Given.word`."""
    sized: bool = False
    """The whole extent of the things must show."""
    template: str = ""
    """Name of its file of templates."""
    options: Literal["some", "always", "never"] = "never"
    """Whether it is multiple choice: some of its rows, or as the benchmark that defines it has it."""
    spellings: tuple[str, ...] = ()
    """Names of it in released files, the first as rows of these files spell it."""
    reference: Callable[..., Value] | None = None
    """The program that answers it: `(things, scene, given)`; see `sets.world`. None where measures of one view do."""
    judge: Callable[..., Any] | None = None
    """Whether a question of things in views may be asked: `(asker, kind, things, given)`."""

    @property
    def is_evened(self) -> bool:
        """Whether no answer of it is to be more frequent than another; twins are even by themselves."""
        return self.form in ("label", "yes_no") and not self.has_twin

    @property
    def is_fixed(self) -> bool:
        """Whether the answer is the same from every frame that sees the things."""
        of_world = self.dimension in ("none", "height", "volume", "vertical")
        return of_world and self.form in ("yes_no", "label", "number")

    @property
    def things(self) -> tuple[int, int]:
        """Least and most things that a question names."""
        return self.objects, max(self.objects, self.most_objects)

    def labels_of(self, given: Given) -> tuple[str, ...]:
        """The words that answer a question about views; none where the answer is no word."""
        if self.form == "yes_no":
            return ("yes", "no")
        return (self.labels or LABELS.get(given.word, QUADRANTS)) if self.form == "label" else ()


def about_views(
    family: Family,
    name: str,
    media: tuple[Medium, ...],
    form: Form,
    things: tuple[int, int],
    unit: str,
    dimension: Dimension,
    definition: str,
    givens: tuple[Given, ...] = (Given(),),
    options: Literal["some", "always", "never"] = "some",
    words: str = "",
    **more: Any,
) -> QuestionType:
    """A type about sets of views that a program over boxes answers; `words`: whose templates it takes."""
    level: Level = "2d" if family == "times" else "3d_vertical"
    return QuestionType(
        name, family, form, dimension, things[0], True, level,
        definition=definition, media=media, most_objects=things[1], unit=unit, givens=givens, options=options,
        template=words or name, **more,
    )  # fmt: skip


QUADRANTS = ("front-left", "front-right", "back-left", "back-right")
SIDES = ("left", "right")
LABELS: Mapping[str, tuple[str, ...]] = {"left_right": SIDES, "front_back": ("front", "back")}
ALL: tuple[Medium, ...] = ("image", "images", "video", "scan")
STILL: tuple[Medium, ...] = ("image", "images", "scan")
VIDEO: tuple[Medium, ...] = ("video",)
VSI: tuple[Medium, ...] = ("vsi",)
