"""Goes through all types, things and pairs of a view: what is true and may be asked, and why the rest may not."""

from __future__ import annotations

from itertools import combinations

from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_pair, spans_picture
from instructions.questions.core.asker import Asker
from instructions.questions.core.truths import Truth
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Given, Ids
from instructions.questions.things.registry import THING_TYPES

_FROM_EYE = frozenset({"ratio_distance", "camera_distance"})
"""Types that are ahead of nobody: there is a distance also where the camera looks down."""


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
        out += _ask(asker, (one.id,), hidden.get(one.id), not_asked)
    for a, b in combinations(view.things, 2):
        reason = hidden.get(a.id) or hidden.get(b.id) or hide_pair(a, b, asker.bars)
        out += _ask(asker, (a.id, b.id), reason, not_asked)
    return out


def find_hidden(asker: Asker) -> dict[str, str]:
    """Things that cannot be asked about in the view, by id, with the reason: also those whose middle nobody sees."""
    view = asker.view
    spans = (one.id for one in view.things if spans_picture(one, view.size, asker.bars))
    return dict.fromkeys(spans, "spans_picture") | asker.hidden


def _ask(asker: Asker, things: Ids, hidden: str | None, not_asked: NotAsked) -> list[Truth]:
    out: list[Truth] = []
    for kind in THING_TYPES.values():
        if kind.objects != len(things) or kind.judge is None:
            continue
        found = hidden or _find_lack(asker, kind) or asker.judge(kind, things, Given())
        if isinstance(found, str):
            not_asked[kind.name, found] += 1
        else:
            out.append(found)
    return out


def _find_lack(asker: Asker, kind: QuestionType) -> str | None:
    """Why a type does not exist in this view."""
    if kind.upright and not asker.is_upright:
        return "not_upright"
    sides = kind.dimension in ("lateral", "ahead", "width") and kind.name not in _FROM_EYE
    return "no_sides" if sides and not asker.view.viewer.has_sides else None
