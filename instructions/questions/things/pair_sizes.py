"""Of two things: taller, wider, bigger, and how many times."""

from __future__ import annotations

from math import hypot

from instructions.asking.gates import hide_foot
from instructions.facts import sizes
from instructions.facts.measured import Measured
from instructions.facts.pairs import Pair, volume_sigma
from instructions.questions.core.types import COMPARISONS, TYPES
from instructions.questions.things.asker import COMPARED, ViewAsker
from instructions.view import SeenThing


def ask_sizes(asker: ViewAsker, a: SeenThing, b: SeenThing, pair: Pair, sized: str | None) -> None:
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
            values = tuple(
                Measured(name, value, unit, value * volume_sigma(x))
                for name, value, x in (("A", one, a), ("B", other, b))
            )
            if pair.is_bigger.reason:
                asker.refuse(pair.is_bigger.reason, *kinds)
            else:
                asker.ask_compared(comparison, a, b, pair.is_bigger, "ratio", values)
            continue
        one, other = pair.heights if dimension == "height" else (sizes.width(x.body, viewer) for x in (a, b))
        values = (
            Measured("A", one, asker.unit, 2**0.5 * a.sigma),
            Measured("B", other, asker.unit, 2**0.5 * b.sigma),
        )
        found = pair.is_taller if dimension == "height" else pair.is_wider(viewer)
        if found.reason:
            asker.refuse(found.reason, *kinds)
        else:
            asker.ask_compared(comparison, a, b, found, asker.unit, values)
        if ratio_kind is not None:
            relative = 2**0.5 * hypot(a.sigma / one, b.sigma / other)
            asker.ask_ratio(ratio_kind, a, b, one, other, relative)
