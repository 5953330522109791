"""Of two things: left and right, behind and in front, above and below, and by how much."""

from __future__ import annotations

from math import hypot

from instructions.asking.bars import Dimension
from instructions.asking.gates import Decision
from instructions.facts.overlap import measure_span_overlap
from instructions.facts.pairs import PairMeasures
from instructions.facts.views import SeenThing
from instructions.questions.things.asker import COMPARED, ViewAsker
from instructions.questions.types import COMPARISONS, TYPES

_DIFFERENCES: dict[Dimension, tuple[str, str]] = {
    "lateral": ("right_difference", "left_difference"),
    "vertical": ("above_difference", "below_difference"),
    "ahead": ("behind_difference", "front_difference"),
}
"""By dimension: the type where A's value is the greater, and where it is the less."""


def ask_places(
    asker: ViewAsker, a: SeenThing, b: SeenThing, pair: PairMeasures, sigma: float, sized: str | None, is_inside: bool
) -> None:
    """Left and right, behind and in front, above and below, and by how much."""
    viewer = asker.view.viewer
    turned = hypot(sigma, asker.turn_sigma * pair.distance)
    for comparison in COMPARISONS[:3]:
        dimension, kinds = comparison.dimension, COMPARED[comparison.dimension]
        more, less = (TYPES[name] for name in _DIFFERENCES[dimension])
        reason = asker.find_lack(kinds[0], sides=dimension != "vertical")
        if reason is None and is_inside and dimension != "vertical":
            reason = "inside_other"
        if reason is not None:
            asker.refuse(reason, *kinds, more, less)
            continue
        if dimension == "lateral":
            difference = viewer.lateral(a.body.center) - viewer.lateral(b.body.center)
            spread = (a.body.extent(viewer.right) + b.body.extent(viewer.right)) / 2
            decision, said = asker.decide(difference, turned, spread, pair), difference
        elif dimension == "ahead":
            difference = viewer.distance_ahead(a.body.center) - viewer.distance_ahead(b.body.center)
            spread = (a.body.extent(viewer.ahead) + b.body.extent(viewer.ahead)) / 2
            decision, said = asker.decide(difference, turned, spread, pair), difference
        else:
            decision, said = asker.decide(pair.vertical, sigma, sum(pair.heights) / 2, pair), pair.bottoms
        reason = _contradicts(asker, dimension, a, b, pair, decision)
        if reason is not None:
            asker.refuse(reason, *kinds, more, less)
            continue
        asker.ask_compared(comparison, a, b, decision, asker.unit)
        if decision.verdict == "too close":
            asker.refuse("not_so", more, less)
            continue
        asked, other = (more, less) if decision.verdict == "more" else (less, more)
        asker.refuse("not_so", other)
        if dimension == "vertical" and (said > 0) != (decision.verdict == "more"):
            asker.refuse("not_so", asked)
        elif dimension == "vertical" and sized is not None:
            asker.refuse(sized, asked)
        else:
            asker.ask_length(asked, (a, b), abs(said), sigma if dimension == "vertical" else turned)


def _contradicts(
    asker: ViewAsker, dimension: Dimension, a: SeenThing, b: SeenThing, pair: PairMeasures, decision: Decision
) -> str | None:
    """Why a place is not asked about although it may be decided."""
    if decision.verdict is None:
        return "undecided"
    if decision.verdict == "too close":
        return None
    is_more = decision.verdict == "more"
    if dimension == "lateral":
        step = (a.box[0] + a.box[2]) - (b.box[0] + b.box[2])
        overlap = measure_span_overlap(a.box, b.box, 0)
        return "image_disagrees" if (step > 0) != is_more or overlap > asker.bars.most_span_overlap else None
    if dimension == "ahead":
        viewer = asker.view.viewer
        depth_a, depth_b = (asker.view.pose.depths(one.body.center[None])[0] for one in (a, b))
        further = viewer.range(a.body.center) - viewer.range(b.body.center)
        agree = ((depth_a - depth_b) > 0) == is_more and (further > 0) == is_more
        return None if agree else "orders_disagree"
    return "side_by_side" if pair.beside > asker.bars.most_beside else None
