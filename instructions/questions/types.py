"""The types of question: 43 of SpatialVLM (CVPR 2024) and twelve beyond, as one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from instructions.asking.bars import Dimension

Family: TypeAlias = str
"""`predicate`, `choice`, `class`, `estimate`, `ratio`, `clock`, `stands_on` and `unseen` ask about named things; the
families without names are called as their modules in `marks` say."""
Form = Literal["yes_no", "choice", "class", "number", "unseen"]
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
    """One type of question."""

    name: str
    family: Family
    form: Form
    dimension: Dimension
    """What it is about, which references must not give away."""
    objects: int
    """Things or marks that it names."""
    upright: bool
    """It exists only where the scene has a vertical."""
    level: Level
    comparison: Comparison | None = None
    word: str = ""
    """Of the comparison's words, the one that the question asks about; none for a class."""
    supposes: bool = False
    """It asks what would be if the viewer had stepped aside or turned."""
    has_twins: bool = False
    """Its questions about marks are asked both ways round."""

    @property
    def is_qualitative(self) -> bool:
        """Whether its answer is a word and no number."""
        return self.form != "number"

    @property
    def has_hours(self) -> bool:
        """Whether its answer is an hour of the clock."""
        return self.name.endswith("clock")

    @property
    def is_fixed(self) -> bool:
        """Whether the answer is the same from every frame that sees the things."""
        of_world = self.dimension in ("none", "height", "volume", "vertical")
        return of_world and self.form in ("yes_no", "class", "number")

    @property
    def has_twin(self) -> bool:
        """Whether it is asked both ways round."""
        return self.has_twins or self.family in ("predicate", "choice", "class")


def _list_types() -> list[QuestionType]:
    out: list[QuestionType] = []
    for one in COMPARISONS:
        common = (one.dimension, 2, one.upright, one.level, one)
        for word in (one.less, one.more) if one.dimension == "lateral" else (one.more, one.less):
            out.append(QuestionType(f"{word}_predicate", "predicate", "yes_no", *common, word))
            out.append(QuestionType(f"{word}_choice", "choice", "choice", *common, word))
        first, second = (one.less, one.more) if one.dimension == "lateral" else (one.more, one.less)
        out.append(QuestionType(f"{first}_{second}_class", "class", "class", *common))
    rows: tuple[tuple[str, Family, Dimension, Literal[1, 2], bool, Level], ...] = (
        ("distance", "estimate", "none", 2, False, "3d"),
        ("gap", "estimate", "none", 2, False, "3d"),
        ("height", "estimate", "height", 1, True, "3d_vertical"),
        ("width", "estimate", "width", 1, False, "3d"),
        ("elevation", "estimate", "vertical", 1, True, "3d_vertical"),
        ("vertical_distance", "estimate", "vertical", 2, True, "3d_vertical"),
        ("horizontal_distance", "estimate", "none", 2, True, "3d_vertical"),
        ("above_difference", "estimate", "vertical", 2, True, "3d_vertical"),
        ("below_difference", "estimate", "vertical", 2, True, "3d_vertical"),
        ("behind_difference", "estimate", "ahead", 2, False, "3d"),
        ("front_difference", "estimate", "ahead", 2, False, "3d"),
        ("left_difference", "estimate", "lateral", 2, False, "3d"),
        ("right_difference", "estimate", "lateral", 2, False, "3d"),
        ("ratio_distance", "ratio", "ahead", 2, False, "3d"),
        ("ratio_height", "ratio", "height", 2, True, "3d_vertical"),
        ("ratio_width", "ratio", "width", 2, False, "3d"),
        ("clock", "clock", "lateral", 1, True, "3d_vertical"),
        ("passage", "estimate", "none", 2, True, "3d_vertical"),
        ("stands_on", "stands_on", "vertical", 2, True, "3d_vertical"),
        ("camera_distance", "estimate", "ahead", 1, False, "3d"),
    )
    for name, family, dimension, objects, upright, level in rows:
        form: Form = "yes_no" if family == "stands_on" else "class" if family == "clock" else "number"
        out.append(QuestionType(name, family, form, dimension, objects, upright, level))
    lateral = COMPARISONS[0]
    for name, word in (("turn_left", "right"), ("turn_right", "left"), ("step_left", "right"), ("step_right", "left")):
        common = ("choice", "choice", lateral.dimension, 2, True, "3d_vertical", lateral)
        out.append(QuestionType(f"{name}_choice", *common, word, supposes=True))
    out.append(QuestionType("unseen", "unseen", "unseen", "none", 2, False, "2d"))
    return out


TYPES: Mapping[str, QuestionType] = {one.name: one for one in _list_types()}
"""By name."""
BEYOND = (
    "ratio_distance",
    "ratio_height",
    "ratio_width",
    "clock",
    "passage",
    "stands_on",
    "camera_distance",
    "turn_left_choice",
    "turn_right_choice",
    "step_left_choice",
    "step_right_choice",
    "unseen",
)
"""Those that the paper does not have; `ratio_height` and `ratio_width` are its one idea of relative size. `unseen` is
any other question of two things, asked where one of them is out of view."""
