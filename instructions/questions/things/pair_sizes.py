"""Of two things: taller, wider, bigger, and how many times."""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import compare_ratio, hide_foot
from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.facts.pairs import PairMeasures
from instructions.facts.views import SeenThing
from instructions.questions.things.asker import COMPARED, ViewAsker
from instructions.questions.types import COMPARISONS, TYPES


def ask_sizes(
    asker: ViewAsker, a: SeenThing, b: SeenThing, pair: PairMeasures, sigma: float, sized: str | None
) -> None:
    """Taller, wider, bigger, and how many times."""
    viewer = asker.view.viewer
    for comparison in COMPARISONS[3:]:
        dimension, kinds = comparison.dimension, COMPARED[comparison.dimension]
        ratio_kind = TYPES.get(f"ratio_{dimension}")
        both = (*kinds, ratio_kind) if ratio_kind else kinds
        reason = asker.find_lack(kinds[0], sides=dimension == "width") or sized
        if reason is None and dimension != "width":
            feet = (hide_foot(one.known, asker.view.model.floor_z, asker.metre) for one in (a, b))
            reason = next(filter(None, feet), None)
        if reason is None and dimension == "width":
            facing = max(sizes.measure_facing_deg(one.body, viewer) for one in (a, b))
            reason = "turned" if facing > asker.bars.most_turned_deg else None
        if reason is not None:
            asker.refuse(reason, *both)
            continue
        if dimension == "volume":
            one, other, unit = *pair.volumes, "m3" if asker.has_scale else "unit"
            relative = hypot(*(2**0.5 * x.sigma / (2 * side) for x in (a, b) for side in x.body.half))
            decision = compare_ratio(one / other, relative, asker.bars.min_volume_ratio, asker.bars)
            values = (Measured("A", one, unit, one * relative), Measured("B", other, unit, other * relative))
            if decision.verdict is None:
                asker.refuse("undecided", *kinds)
            else:
                asker.ask_compared(comparison, a, b, decision, "ratio", values)
            continue
        one, other = pair.heights if dimension == "height" else (sizes.width(x.body, viewer) for x in (a, b))
        values = (
            Measured("A", one, asker.unit, 2**0.5 * a.sigma),
            Measured("B", other, asker.unit, 2**0.5 * b.sigma),
        )
        decision = asker.decide(one - other, 2**0.5 * sigma, (one + other) / 2, pair)
        if decision.verdict is None:
            asker.refuse("undecided", *kinds)
        elif decision.verdict != "too close" and max(one, other) < asker.bars.min_ratio * min(one, other):
            asker.refuse("alike_in_size", *kinds)
        else:
            asker.ask_compared(comparison, a, b, decision, asker.unit, values)
        if ratio_kind is not None:
            relative = 2**0.5 * hypot(a.sigma / one, b.sigma / other)
            asker.ask_ratio(ratio_kind, a, b, one, other, relative)
