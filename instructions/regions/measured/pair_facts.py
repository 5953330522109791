"""Facts about two things of a view: sides, depth, support, neighbours, heights, what fits and what stands out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from instructions.claims.stated import StatedClaim
from instructions.claims.view_claims import ViewClaimKind
from instructions.facts.pairs import MIN_RATIO, Pair
from instructions.facts.viewer import Standpoint
from instructions.regions.measured.fact_gates import (
    LEAST_VISIBLE_SIZE,
    MOST_RELATIVE_SIGMA,
    SEEN_IN_PART,
    has_metres,
    has_sure_name,
    is_whole_in_height,
    margin_over,
    may_come_nearer,
    measure_nearest_m,
    round_length,
    say_length,
)
from instructions.regions.measured.region_fact import RegionFact
from instructions.view import SeenThing, View
from instructions.wording.english import with_article

FOCUS_RATIO = 1.4
HAND_M = 0.10
"""What `right next to` means; told where the boxes are known as well as that."""
_FITS, _FITS_NOT = 0.80, 1.25
_MUCH = 1.5
"""Half as far again is much farther."""


def find_pair_facts(view: View, m: int, a: SeenThing, n: int, b: SeenThing) -> Iterator[RegionFact]:
    """What may be asked of two things in this order, [m] and [n]; nothing without a pose."""
    if not view.has_pose:
        return
    pair, at = view.pair(a, b), view.standpoint
    yield from _across(view, m, a, n, b, pair, at)
    # What the far one hides may be nearer than what is known of it; so may it of a rug, whose end nobody sees well.
    is_deep = may_come_nearer(view, b) or (a.sigma > 0.0 and a.category in SEEN_IN_PART)
    if not is_deep and pair.is_nearer(at).state:
        yield from _depth(view, m, a, n, b, pair, at)
    if pair.may_touch and pair.stands_on.state:
        claims = (_relate("on", m, n),)
        yield RegionFact("Scene", "on", (m, n), {}, claims)
        yield RegionFact("Relationship", "on", (m, n), {}, claims, solution="on")
        if a.category and a.frames >= 3 and has_sure_name(view, a):
            words = {"noun": with_article(a.category)}
            kind = StatedClaim(says="kind", thing=m, value=a.category)
            yield RegionFact("Type", "kind_on", (m, n), words, (kind,), claims, a.category, needs_words=True)
    elif pair.may_touch and m < n and pair.is_next_to.state and a.support == b.support:
        yield from _next(view, m, n, pair)
    yield from _heights(view, m, a, n, b, pair)
    yield from _fit(view, m, a, n, b)


def _relate(says: ViewClaimKind, m: int, n: int) -> StatedClaim:
    return StatedClaim(says=says, thing=m, other=n)


def _ask_both_ways(
    task: str,
    numbers: tuple[int, int],
    words: Mapping[str, str],
    claim: StatedClaim,
    margin: float,
    reasons: tuple[StatedClaim, ...] = (),
) -> Iterator[RegionFact]:
    """A relation asked for as it is, and the other way round, which is denied."""
    denied = claim.model_copy(update={"thing": claim.other, "other": claim.thing, "denied": True})
    yield RegionFact("Factual", f"{task}_yes", numbers, words, (claim,), reasons, "yes", margin)
    yield RegionFact("Factual", f"{task}_no", numbers, words, (denied, claim), reasons, "no", margin)


def _across(view: View, m: int, a: SeenThing, n: int, b: SeenThing, pair: Pair, at: Standpoint) -> Iterator[RegionFact]:
    found = pair.is_right(at, (a.box, b.box))
    if found.state is None:
        return
    way, apart = "right" if found.state else "left", abs(found.value)
    words = {"way": way}
    margin = margin_over(apart, found.margin)
    # The width of the error of the boxes decides whether a length may be told.
    if has_metres(view) and found.sigma <= MOST_RELATIVE_SIGMA * apart:
        words["across"] = say_length(apart / view.metre)
    claim = _relate("right of" if found.state else "left of", m, n)
    yield RegionFact("Relationship", "lateral", (m, n), words, (claim,), solution=way, margin=margin)
    yield from _ask_both_ways("side", (m, n), words, claim, margin)


def _depth(view: View, m: int, a: SeenThing, n: int, b: SeenThing, pair: Pair, at: Standpoint) -> Iterator[RegionFact]:
    found = pair.is_nearer(at)
    near, far = (view.measure_range(one) for one in (a, b))
    if near <= 0.3 * view.metre or min(a.visible_fraction, b.visible_fraction) < LEAST_VISIBLE_SIZE:
        return
    margin = margin_over(found.value, found.margin)
    words = {"how": "much" if far >= _MUCH * near else "clearly"}
    near_m, far_m = (measure_nearest_m(view, one) for one in (a, b))
    reasons: tuple[StatedClaim, ...] = ()
    if near_m is not None and far_m is not None:
        words |= {"near": say_length(near_m), "far": say_length(far_m), "step": say_length(far_m - near_m)}
        away = ((m, near_m), (n, far_m))
        reasons = tuple(StatedClaim(says="distance", thing=one, value=round_length(length)) for one, length in away)
    claim = _relate("nearer", m, n)
    yield RegionFact("Relationship", "nearer", (m, n), words, (claim,), solution="nearer", margin=margin)
    if pair.turned.is_behind(at).state and (reasons or not has_metres(view)):
        yield RegionFact("Inference", "first", (m, n), words, (claim,), margin=margin)
    if reasons:
        yield from _ask_both_ways("nearer", (m, n), words, claim, margin, reasons)


def _next(view: View, m: int, n: int, pair: Pair) -> Iterator[RegionFact]:
    apart, claims = pair.gap / view.metre, (_relate("next to", m, n),)
    if apart >= HAND_M and has_metres(view):
        reasons = (StatedClaim(says="gap", thing=m, other=n, value=round_length(apart)),)
        words = {"apart": say_length(apart)}
        yield RegionFact("Relationship", "next", (m, n), words, claims, reasons, "next to")
    elif apart < HAND_M and pair.sigma <= HAND_M * view.metre:
        yield RegionFact("Relationship", "next_close", (m, n), {}, claims, solution="next to")


def _heights(view: View, m: int, a: SeenThing, n: int, b: SeenThing, pair: Pair) -> Iterator[RegionFact]:
    if view.model.floor_z is None or not pair.is_taller.state:
        return
    one, other = pair.heights
    seen = min(a.visible_fraction, b.visible_fraction) >= LEAST_VISIBLE_SIZE
    is_known = min(a.frames, b.frames) >= 3 or view.is_exact
    whole = is_whole_in_height(view, a) and is_whole_in_height(view, b)
    if not (seen and is_known and whole):
        return
    margin = margin_over(one / other - 1.0, MIN_RATIO - 1.0)
    yield from _ask_both_ways("taller", (m, n), {}, _relate("taller", m, n), margin)


_TOPS = frozenset(
    {"table", "coffee table", "dining table", "side table", "desk", "counter", "kitchen island", "cabinet", "bench"}
    | {"nightstand", "dresser", "bed", "chest of drawers", "stool", "shelf"}
)
_PUT = frozenset(
    {"box", "basket", "vase", "lamp", "table lamp", "bowl", "monitor", "tv", "microwave", "printer", "plant"}
    | {"laptop", "potted plant"}
)


def _fit(view: View, m: int, a: SeenThing, n: int, b: SeenThing) -> Iterator[RegionFact]:
    """Whether the footprint of a thing that one may carry is smaller than the top of one that holds things."""
    if a.category not in _PUT or b.category not in _TOPS or a.rests_on == b.id:
        return
    if min(a.visible_fraction, b.visible_fraction) < LEAST_VISIBLE_SIZE or min(a.frames, b.frames) < 3:
        return
    mine, its = sorted(a.body.half[:2]), sorted(b.body.half[:2])
    slack = 2 * max(a.sigma, b.sigma) / max(float(its[0]), 1e-9)
    need = max(float(mine[0] / its[0]), float(mine[1] / its[1]))
    if need + slack <= _FITS:
        yield RegionFact("Inference", "fits", (m, n), {}, solution="yes", margin=_FITS - need)
    elif mine[1] / its[1] - slack >= _FITS_NOT:
        margin = float(mine[1] / its[1]) - _FITS_NOT
        yield RegionFact("Inference", "fits_not", (m, n), {}, solution="no", margin=margin)


def find_focus(view: View, m: int, a: SeenThing, n: int, b: SeenThing) -> Iterator[RegionFact]:
    """The larger of two, if it is the more central one too."""
    one, other = (view.measure_share(thing) for thing in (a, b))
    if one < other:
        m, n, a, b, one, other = n, m, b, a, other, one
    if one >= FOCUS_RATIO * other and _off_centre(view, a) + 0.05 <= _off_centre(view, b):
        margin = margin_over(one / max(other, 1e-9), FOCUS_RATIO)
        yield RegionFact("Focus", "largest", (m, n), {}, margin=margin)


def _off_centre(view: View, thing: SeenThing) -> float:
    x0, y0, x1, y1 = thing.box
    return float(np.hypot((x0 + x1) / 2 / view.size[0] - 0.5, (y0 + y1) / 2 / view.size[1] - 0.5))
