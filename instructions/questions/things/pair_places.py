"""Of two things: left and right, behind and in front, above and below, and by how much."""

from __future__ import annotations

from math import hypot

from instructions.asking.bars import Dimension
from instructions.facts.pairs import Pair
from instructions.facts.verdict import Verdict
from instructions.questions.core.types import COMPARISONS, TYPES
from instructions.questions.things.asker import COMPARED, ViewAsker
from instructions.view import SeenThing

_DIFFERENCES: dict[Dimension, tuple[str, str]] = {
    "lateral": ("right_difference", "left_difference"),
    "vertical": ("above_difference", "below_difference"),
    "ahead": ("behind_difference", "front_difference"),
}
"""By dimension: the type where A's value is the greater, and where it is the less."""


def ask_places(asker: ViewAsker, a: SeenThing, b: SeenThing, pair: Pair, sized: str | None) -> None:
    """Left and right, behind and in front, above and below, and by how much."""
    turned = hypot(pair.sigma, asker.turn_sigma * pair.distance)
    for comparison in COMPARISONS[:3]:
        dimension, kinds = comparison.dimension, COMPARED[comparison.dimension]
        more, less = (TYPES[name] for name in _DIFFERENCES[dimension])
        found = _judge(asker, dimension, a, b, pair)
        reason = asker.find_lack(kinds[0], sides=dimension != "vertical") or found.reason
        if reason:
            asker.refuse(reason, *kinds, more, less)
            continue
        asker.ask_compared(comparison, a, b, found, asker.unit)
        if found.state is None:
            asker.refuse("not_so", more, less)
            continue
        asked, other = (more, less) if found.state else (less, more)
        asker.refuse("not_so", other)
        said = pair.bottoms if dimension == "vertical" else found.value
        if dimension == "vertical" and (said > 0) != found.state:
            asker.refuse("not_so", asked)
        elif dimension == "vertical" and sized is not None:
            asker.refuse(sized, asked)
        else:
            asker.ask_length(asked, (a, b), abs(said), pair.sigma if dimension == "vertical" else turned)


def _judge(asker: ViewAsker, dimension: Dimension, a: SeenThing, b: SeenThing, pair: Pair) -> Verdict:
    if dimension == "vertical":
        return pair.is_above
    at = asker.view.standpoint
    return pair.is_right(at, (a.box, b.box)) if dimension == "lateral" else pair.is_behind(at)
