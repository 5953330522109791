"""The types about named things of one view: 43 of SpatialVLM (CVPR 2024) and twelve beyond."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from instructions.questions.core.asker import Judge
from instructions.questions.core.types import COMPARISONS, Comparison, Dimension, Family, Form, Level, QuestionType
from instructions.questions.things.comparisons import judge_comparison, judge_difference, judge_ratio
from instructions.questions.things.lengths import judge_apart, judge_clock, judge_length, judge_stands_on
from instructions.questions.things.supposing import judge_supposed


def _list_types() -> Iterator[QuestionType]:
    """In the order in which they are asked of one thing, and of two."""
    yield from _measure("height", 1, "height", judge_length, upright=True)
    yield from _measure("width", 1, "width", judge_length)
    yield from _measure("elevation", 1, "vertical", judge_length, upright=True)
    yield from _measure("camera_distance", 1, "ahead", judge_length)
    yield from _measure("clock", 1, "lateral", judge_clock, family="clock", form="label", upright=True)
    for one in COMPARISONS:
        yield from _compare(one)
        words = (one.more, one.less) if one.dimension in ("lateral", "vertical", "ahead") else ()
        for word in words:
            yield from _measure(f"{word}_difference", 2, one.dimension, judge_difference, upright=one.upright)
        if one.dimension in ("height", "width"):
            name = f"ratio_{one.dimension}"
            yield from _measure(name, 2, one.dimension, judge_ratio, family="ratio", upright=one.upright)
    lateral = COMPARISONS[0]
    for side, word in (("left", "right"), ("right", "left")):
        for move in ("turn", "step"):
            yield QuestionType(f"{move}_{side}_choice", "choice", "thing", lateral.dimension, 2, True, "3d_vertical",
                lateral, word, supposes=True, has_twin=True, judge=judge_supposed)  # fmt: skip
    yield from _measure("distance", 2, "none", judge_apart)
    yield from _measure("horizontal_distance", 2, "none", judge_apart, upright=True)
    yield from _measure("vertical_distance", 2, "vertical", judge_apart, upright=True)
    yield from _measure("gap", 2, "none", judge_apart)
    yield from _measure("passage", 2, "none", judge_apart, upright=True)
    yield from _measure("ratio_distance", 2, "ahead", judge_ratio, family="ratio")
    yield from _measure("stands_on", 2, "vertical", judge_stands_on, family="stands_on", form="yes_no", upright=True)
    yield QuestionType("unseen", "unseen", "label", "none", 2, False, "2d")


def _measure(
    name: str, things: int, dimension: Dimension, judge: Judge, *, family: Family = "estimate", form: Form = "number",
    upright: bool = False,
) -> Iterator[QuestionType]:  # fmt: skip
    level: Level = "3d_vertical" if upright else "3d"
    yield QuestionType(name, family, form, dimension, things, upright, level, judge=judge)


def _compare(one: Comparison) -> Iterator[QuestionType]:
    """Whether one of two has more, and less; which has; and which of the two words it is."""
    common = (one.dimension, 2, one.upright, one.level, one)
    words = (one.less, one.more) if one.dimension == "lateral" else (one.more, one.less)
    for word in words:
        yield QuestionType(
            f"{word}_predicate", "predicate", "yes_no", *common, word, has_twin=True, judge=judge_comparison
        )
        yield QuestionType(f"{word}_choice", "choice", "thing", *common, word, has_twin=True, judge=judge_comparison)
    yield QuestionType(f"{'_'.join(words)}_class", "class", "label", *common, has_twin=True, judge=judge_comparison)


THING_TYPES: Mapping[str, QuestionType] = {one.name: one for one in _list_types()}
"""By name."""
