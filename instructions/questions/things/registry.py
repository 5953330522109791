"""The types about named things of one view, 43 of SpatialVLM (CVPR 2024) and twelve beyond, and what of a view each may
be tried with; the rest is counted with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_pair, spans_picture
from instructions.questions.core.asker import Asker, Judge
from instructions.questions.core.types import COMPARISONS, Comparison, Dimension, Family, Form, Level, QuestionType
from instructions.questions.core.world import Ids
from instructions.questions.things.comparisons import judge_comparison, judge_difference, judge_ratio, judge_supposed
from instructions.questions.things.lengths import judge_apart, judge_clock, judge_length, judge_stands_on

_FROM_EYE = frozenset({"ratio_distance", "camera_distance"})
"""Types that are ahead of nobody: there is a distance also where the camera looks down."""


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


def propose_things(asker: Asker, not_asked: NotAsked) -> Mapping[QuestionType, Sequence[Ids]]:
    """The things, or pairs of things, of the one view that each type may be tried with; none of a type that is not for
    it. What cannot be asked about is counted, and so are types that do not exist in the view.
    """
    hidden = find_hidden(asker)
    not_asked.update(("thing", reason) for reason in hidden.values())
    clear = [thing for thing in asker.view.referable if thing.id not in hidden]
    reasons = {(a.id, b.id): hide_pair(a, b, asker.bars) for a, b in combinations(clear, 2)}
    not_asked.update(("pair", reason) for reason in reasons.values() if reason is not None)
    pairs: list[Ids] = [pair for pair, reason in reasons.items() if reason is None]
    of_count: Mapping[int, list[Ids]] = {1: [(one.id,) for one in clear], 2: pairs}
    out: dict[QuestionType, Sequence[Ids]] = {}
    for kind in THING_TYPES.values() if clear else ():
        if kind.judge is None:
            continue
        if (lack := _find_lack(asker, kind)) is not None:
            not_asked[kind.name, lack] += 1
        else:
            out[kind] = of_count[kind.objects]
    return out


def find_hidden(asker: Asker) -> dict[str, str]:
    """Things that cannot be asked about in the view, by id, with the reason: also those whose middle nobody sees."""
    view = asker.view
    spans = (thing.id for thing in view.referable if spans_picture(thing, view.size, asker.bars))
    return dict.fromkeys(spans, "spans_picture") | asker.hidden


def _find_lack(asker: Asker, kind: QuestionType) -> str | None:
    """Why a type does not exist in this view."""
    if kind.upright and not asker.is_upright:
        return "not_upright"
    sides = kind.dimension in ("lateral", "ahead", "width") and kind.name not in _FROM_EYE
    return "no_sides" if sides and not asker.view.viewer.has_sides else None
