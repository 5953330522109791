"""What may be asked of the things and pairs of one view, type by type; the rest is counted with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from instructions.asking.counts import NotAsked
from instructions.asking.gates import hide_pair, spans_picture
from instructions.questions.core.asker import Asker
from instructions.questions.core.types import QuestionType
from instructions.questions.core.world import Ids
from instructions.questions.things.registry import THING_TYPES

_FROM_EYE = frozenset({"ratio_distance", "camera_distance"})
"""Types that are ahead of nobody: there is a distance also where the camera looks down."""


def propose_things(asker: Asker, not_asked: NotAsked) -> Mapping[QuestionType, Sequence[Ids]]:
    """The things, or pairs of things, of a view that each type may be tried with; none of a type that is not for it.

    Args:
        asker: Of the one view.
        not_asked: Counts things and pairs that cannot be asked about, and types that do not exist in the view.
    """
    hidden = find_hidden(asker)
    not_asked.update(("thing", reason) for reason in hidden.values())
    clear = [one for one in asker.view.things if one.id not in hidden]
    pairs: list[Ids] = []
    for a, b in combinations(clear, 2):
        if (reason := hide_pair(a, b, asker.bars)) is not None:
            not_asked["pair", reason] += 1
        else:
            pairs.append((a.id, b.id))
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
    spans = (one.id for one in view.things if spans_picture(one, view.size, asker.bars))
    return dict.fromkeys(spans, "spans_picture") | asker.hidden


def _find_lack(asker: Asker, kind: QuestionType) -> str | None:
    """Why a type does not exist in this view."""
    if kind.upright and not asker.is_upright:
        return "not_upright"
    sides = kind.dimension in ("lateral", "ahead", "width") and kind.name not in _FROM_EYE
    return "no_sides" if sides and not asker.view.viewer.has_sides else None
