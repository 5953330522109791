"""Goes through all types, things and pairs of a view: what is true and may be asked, and why the rest may not."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_pair, spans_picture
from instructions.questions.core.asker import Asker, Judge
from instructions.questions.core.truths import Truth
from instructions.questions.core.types import COMPARISONS, TYPES, QuestionType
from instructions.questions.core.world import Given, Ids
from instructions.questions.things.comparisons import judge_comparison, judge_difference, judge_ratio
from instructions.questions.things.lengths import judge_apart, judge_clock, judge_length, judge_stands_on
from instructions.questions.things.supposing import judge_supposed

_DIFFERENCES = {
    "lateral": ("right_difference", "left_difference"),
    "vertical": ("above_difference", "below_difference"),
    "ahead": ("behind_difference", "front_difference"),
}
_FROM_EYE = frozenset({"ratio_distance", "camera_distance"})
"""Types that are ahead of nobody: there is a distance also where the camera looks down."""
_ONE: Mapping[str, Judge] = {
    **dict.fromkeys(("height", "width", "elevation", "camera_distance"), judge_length), "clock": judge_clock,
}  # fmt: skip
"""Judges of the types about one thing, in the order in which they are asked."""


def _list_pair_types() -> Mapping[str, Judge]:
    """The same of the types about two things."""
    out: dict[str, Judge] = {}
    for one in COMPARISONS:
        kinds = (kind.name for kind in TYPES.values() if kind.comparison is one and not kind.supposes)
        out |= dict.fromkeys(kinds, judge_comparison)
        out |= dict.fromkeys(_DIFFERENCES.get(one.dimension, ()), judge_difference)
        out |= dict.fromkeys({f"ratio_{one.dimension}"} & TYPES.keys(), judge_ratio)
    out |= dict.fromkeys(
        (f"{move}_{side}_choice" for side in ("left", "right") for move in ("turn", "step")), judge_supposed
    )
    out |= dict.fromkeys(("distance", "horizontal_distance", "vertical_distance", "gap", "passage"), judge_apart)
    return {**out, "ratio_distance": judge_ratio, "stands_on": judge_stands_on}


_TWO = _list_pair_types()


def find_truths(asker: Asker, not_asked: NotAsked) -> list[Truth]:
    """Go through all types, things and pairs of a view: what may be asked.

    Args:
        asker: Of the one view.
        not_asked: Filled with why the rest may not.
    """
    view = asker.view
    hidden = find_hidden(asker)
    out: list[Truth] = []
    for one in view.things:
        out += _ask(asker, _ONE, (one.id,), hidden.get(one.id), not_asked)
    for a, b in combinations(view.things, 2):
        reason = hidden.get(a.id) or hidden.get(b.id) or hide_pair(a, b, asker.bars)
        out += _ask(asker, _TWO, (a.id, b.id), reason, not_asked)
    return out


def find_hidden(asker: Asker) -> dict[str, str]:
    """Things that cannot be asked about in the view, by id, with the reason: also those whose middle nobody sees."""
    view = asker.view
    spans = (one.id for one in view.things if spans_picture(one, view.size, asker.bars))
    return dict.fromkeys(spans, "spans_picture") | asker.hidden


def _ask(
    asker: Asker, judges: Mapping[str, Judge], things: Ids, hidden: str | None, not_asked: NotAsked
) -> list[Truth]:
    out: list[Truth] = []
    for name, judge in judges.items():
        kind = TYPES[name]
        found = hidden or _find_lack(asker, kind) or asker.judge(kind, things, Given(), judge)
        if isinstance(found, str):
            not_asked[name, found] += 1
        else:
            out.append(found)
    return out


def _find_lack(asker: Asker, kind: QuestionType) -> str | None:
    """Why a type does not exist in this view."""
    if kind.upright and not asker.is_upright:
        return "not_upright"
    sides = kind.dimension in ("lateral", "ahead", "width") and kind.name not in _FROM_EYE
    return "no_sides" if sides and not asker.view.viewer.has_sides else None
