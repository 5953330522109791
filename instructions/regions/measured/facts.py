"""What may be asked about a view: facts that are measured with room to spare, by task.

The writer's bars are stricter than those that texts are judged by, so that what it says stays true where a box is a
little off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations

import numpy as np

from instructions.claims.stated import StatedClaim
from instructions.claims.view_claims import ViewClaim, ViewClaimKind
from instructions.claims.view_judge import judge
from instructions.describing.lines import base_colour, find_side, measure_distance_m, say_side
from instructions.facts import sizes
from instructions.facts.pairs import MIN_RATIO, Pair
from instructions.facts.viewer import Standpoint
from instructions.regions.measured.fact_gates import (
    HEIGHTS_M,
    LEAST_SCORE_ALONE,
    LEAST_VISIBLE_KIND,
    LEAST_VISIBLE_SIZE,
    MOST_RELATIVE_SIGMA,
    ON_FLOORS,
    SEEN_IN_PART,
    SEEN_THROUGH,
    STRICT,
    UNDERFOOT,
    are_unlike,
    has_metres,
    has_sure_name,
    is_askable,
    is_seen_in_part,
    is_whole_in_height,
    margin_over,
    may_come_nearer,
    round_length,
    say_length,
)
from instructions.regions.measured.region_fact import RegionFact
from instructions.regions.measured.uses import find_use
from instructions.regions.rules import Parts, find_text_fault
from instructions.view import SeenThing, View
from instructions.wording.colors import COLORLESS
from instructions.wording.english import with_article

FOCUS_RATIO = 1.4
HAND_M = 0.10
"""What `right next to` means; told where the boxes are known as well as that."""
MOST_ROOMS = 2
"""Things of a view whose room is told: the largest ones."""
_FITS, _FITS_NOT = 0.80, 1.25
_MUCH = 1.5
"""Half as far again is much farther."""
_SEEN = {"left": "well to the left of", "middle": "near", "right": "well to the right of"}
"""Where a thing is that is surely on a side of the view, against its center."""


def find_facts(view: View) -> list[RegionFact]:
    """All facts of a view with numbered things, thing by thing and pair by pair."""
    things = _find_things(view, is_askable)
    found: list[RegionFact] = []
    for number, thing in things.items():
        found += _of_one(view, number, thing)
    found += _rooms(view, things)
    for a, b in permutations(things, 2):
        found += _of_two(view, a, things[a], b, things[b])
    for a, b in combinations(things, 2):
        found += _focus(view, a, things[a], b, things[b])
    return found


def _find_things(view: View, fits: Callable[[View, SeenThing], bool]) -> dict[int, SeenThing]:
    """The numbered things that may be asked about.

    Beside things with names those without are left out: what a detector that knows names had none for is mostly a
    piece of a wall or of another thing.
    """
    things = {
        number: thing
        for number, name in view.numbers.items()
        if (thing := view.find_thing(name)) is not None and fits(view, thing)
    }
    named = {number: thing for number, thing in things.items() if thing.category is not None}
    return named or things


def find_more_facts(view: View) -> list[RegionFact]:
    """What a view with few facts is asked besides: on which side each thing is or is not, and of what kind.

    The place of what the picture shows of a thing is plain to see where most of the thing is hidden, too.
    """
    found: list[RegionFact] = []
    for number, thing in _find_things(view, is_seen_in_part).items():
        found += _more_places(view, number, thing)
        found += _more_kinds(view, number, thing)
    return found


def _more_places(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    place = _find_place(view, number, thing)
    if place is None:
        yield from _sides_denied(view, number, thing)
        return
    words, claim, margin = place
    if not is_askable(view, thing):
        yield RegionFact("Scene", "side", (number,), words, (claim,), solution=str(claim.value), margin=margin)
    for other in _SEEN:
        told = {**words, "other": say_side(other)}
        if other == claim.value:
            yield RegionFact("Factual", "placed_yes", (number,), told, (claim,), solution="yes", margin=margin)
        else:
            both = (claim.model_copy(update={"value": other, "denied": True}), claim)
            yield RegionFact("Factual", "placed_no", (number,), told, both, solution="no", margin=margin)


def _find_place(view: View, number: int, thing: SeenThing) -> tuple[dict[str, str], StatedClaim, float] | None:
    """On which side of the view a thing surely is: its words, the claim, and the margin over the bar."""
    verdict = find_side(view, thing, STRICT)
    if verdict is None:
        return None
    side = str(verdict.claim.value)
    margin = margin_over((verdict.margin or 0.0) + STRICT.border_share, STRICT.border_share)
    claim = StatedClaim(says="side", thing=number, value=side)
    return {"side": say_side(side), "seen": f"{_SEEN[side]} the center of the view"}, claim, margin


def _sides_denied(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    """A thing between two sides is surely not on the third one."""
    for side in ("left", "right"):
        if judge(ViewClaim("side", side, (thing.id,), value=side), view, STRICT).state == "false":
            denied = StatedClaim(says="side", thing=number, value=side, denied=True)
            words = {"other": say_side(side)}
            yield RegionFact("Factual", "placed_not", (number,), words, (denied,), solution="no")


def _more_kinds(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    """What kind of thing it is, though little is seen of it; and whether it is this or that."""
    is_known = view.has_pose and thing.frames >= 3 and thing.visible_fraction >= LEAST_VISIBLE_KIND
    if thing.category is None or not is_known or not has_sure_name(view, thing):
        return
    kind = _find_kind(number, thing.category)
    words, claims = kind.words, kind.claims
    if not is_askable(view, thing):
        yield kind
    yield RegionFact("Factual", "kind_yes", (number,), words, claims, solution="yes", needs_numbers=True)
    others = [one for one in sorted(view.looked_for) if _is_other_kind(view, thing, one)]
    if others:
        # Another one for each thing of the tour, the same in all views.
        place = sum(map(ord, f"{thing.id} {thing.category}")) % len(others)
        told = {**words, "other": with_article(others[place])}
        both = (StatedClaim(says="kind", thing=number, value=others[place], denied=True), *claims)
        yield RegionFact("Factual", "kind_no", (number,), told, both, solution="no", needs_numbers=True)


def _find_kind(number: int, category: str) -> RegionFact:
    """What kind of thing it is, and what one has such things for where that is known."""
    words, use = {"noun": with_article(category)}, find_use(category)
    claims = (StatedClaim(says="kind", thing=number, value=category),)
    told = words if use is None else {**words, "use": use}
    return RegionFact("Type", "kind", (number,), told, claims, solution=category, needs_numbers=True)


def _is_other_kind(view: View, thing: SeenThing, kind: str) -> bool:
    """Whether a thing is measured not to be of a kind that people could not call it either."""
    if not are_unlike(kind, thing.category or "") or find_text_fault(Parts(kind, kind, kind)) is not None:
        return False
    return judge(ViewClaim("kind", kind, (thing.id,), value=kind), view, STRICT).state == "false"


def _of_one(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    colour = base_colour(thing)
    is_open = (thing.mask is None and thing.head in SEEN_THROUGH) or not COLORLESS.isdisjoint(
        {thing.category, thing.head}
    )
    # Dark grey is black to one person and, in more light, grey to another: neither is told.
    is_dark = thing.color is not None and thing.color.startswith("dark ")
    if colour is not None and thing.frames >= 2 and not is_open and not is_dark:
        words = {"color": colour}
        claim = StatedClaim(says="color", thing=number, value=colour)
        yield RegionFact("Attribute", "colour", (number,), words, (claim,), solution=colour, tells_word=True)
    yield from _place(view, number, thing)
    yield from _height(view, number, thing)
    if thing.category is None or not has_sure_name(view, thing):
        return
    # Of a single picture its detector has to be sure.
    if thing.frames >= 3 if view.has_pose else thing.score >= LEAST_SCORE_ALONE:
        yield _find_kind(number, thing.category)
        yield from _use(view, number, thing)


def _rooms(view: View, things: Mapping[int, SeenThing]) -> Iterator[RegionFact]:
    """The rooms of the largest things in view, where they are well known."""
    told = [
        (view.measure_share(thing), number)
        for number, thing in things.items()
        if judge(ViewClaim("room", "room", (thing.id,), value=thing.room), view, STRICT).state == "true"
    ]
    for _, number in sorted(told, reverse=True)[:MOST_ROOMS]:
        room = things[number].room or ""
        claims = (StatedClaim(says="room", thing=number, value=room),)
        yield RegionFact("Scene", "room", (number,), {"room": room}, claims, solution=room, tells_word=True)


def _use(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    use, place = find_use(thing.category or ""), _find_place(view, number, thing)
    if use is None or place is None:
        return
    words, claim, _ = place
    away = _nearest(view, thing)
    where = words["side"] if away is None else f"{words['side']}, about {say_length(away)} away"
    yield RegionFact("Purpose", "use", (number,), {"use": use, "where": where}, reasons=(claim,))


def _nearest(view: View, thing: SeenThing) -> float | None:
    """Metres to its nearest surface, where that is well known."""
    away = measure_distance_m(view, thing)
    is_whole = thing.visible_fraction >= LEAST_VISIBLE_SIZE and not may_come_nearer(view, thing)
    if away is None or not has_metres(view) or not is_whole:
        return None
    return away if thing.sigma <= MOST_RELATIVE_SIGMA * away * view.metre and away >= 0.4 else None


def _place(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    place = _find_place(view, number, thing)
    if place is None:
        return
    words, claim, margin = place
    away, reasons = _nearest(view, thing), ()
    if away is not None:
        words["distance"] = say_length(away)
        reasons = (StatedClaim(says="distance", thing=number, value=round_length(away)),)
    yield RegionFact("Scene", "side", (number,), words, (claim,), reasons, str(claim.value), margin)


def _height(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    floor_z = view.model.floor_z
    if not view.has_pose or floor_z is None or not has_metres(view):
        return
    body = thing.body
    tall = sizes.height(body)
    is_seen = thing.visible_fraction >= LEAST_VISIBLE_SIZE and thing.frames >= 3 and is_whole_in_height(view, thing)
    least, most = HEIGHTS_M.get(thing.category or "", (0.0, np.inf))
    if not least * view.metre <= tall <= most * view.metre:
        return
    if not is_seen or tall < 0.1 * view.metre or 2**0.5 * thing.sigma > MOST_RELATIVE_SIGMA * tall:
        return
    low = max(sizes.elevation(body, floor_z) / view.metre, 0.0)
    words = {
        "height": say_length(tall / view.metre),
        "bottom": say_length(low),
        "top": say_length(low + tall / view.metre),
    }
    claims = (StatedClaim(says="height", thing=number, value=round_length(tall / view.metre)),)
    task = "height" if low >= 0.1 else "height_floor"
    yield RegionFact("Attribute", task, (number,), words, claims, solution=words["height"])


def _of_two(view: View, m: int, a: SeenThing, n: int, b: SeenThing) -> Iterator[RegionFact]:
    if not view.has_pose:
        return
    pair, at = view.pair(a, b), view.standpoint
    yield from _across(view, m, a, n, b, pair, at)
    # What the far one hides may be nearer than what is known of it; so may it of a rug, whose end nobody sees well.
    is_deep = may_come_nearer(view, b) or (a.sigma > 0.0 and a.category in SEEN_IN_PART)
    if not is_deep and pair.is_nearer(at).state:
        yield from _depth(view, m, a, n, b, pair, at)
    if pair.may_touch and not (a.category in ON_FLOORS and b.category not in UNDERFOOT) and pair.stands_on.state:
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


def _deny(claims: tuple[StatedClaim, ...]) -> tuple[StatedClaim, ...]:
    """What says no to a relation the other way round, and says how it is."""
    (claim,) = claims
    return claim.model_copy(update={"thing": claim.other, "other": claim.thing, "denied": True}), claim


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
    claims = (_relate("right of" if found.state else "left of", m, n),)
    yield RegionFact("Relationship", "lateral", (m, n), words, claims, solution=way, margin=margin)
    yield RegionFact("Factual", "side_yes", (m, n), words, claims, solution="yes", margin=margin)
    yield RegionFact("Factual", "side_no", (m, n), words, _deny(claims), solution="no", margin=margin)


def _depth(view: View, m: int, a: SeenThing, n: int, b: SeenThing, pair: Pair, at: Standpoint) -> Iterator[RegionFact]:
    found = pair.is_nearer(at)
    near, far = (view.measure_range(one) for one in (a, b))
    if near <= 0.3 * view.metre or min(a.visible_fraction, b.visible_fraction) < LEAST_VISIBLE_SIZE:
        return
    margin = margin_over(found.value, found.margin)
    words = {"how": "much" if far >= _MUCH * near else "clearly"}
    near_m, far_m = (_nearest(view, one) for one in (a, b))
    reasons: tuple[StatedClaim, ...] = ()
    if near_m is not None and far_m is not None:
        words |= {"near": say_length(near_m), "far": say_length(far_m), "step": say_length(far_m - near_m)}
        away = ((m, near_m), (n, far_m))
        reasons = tuple(StatedClaim(says="distance", thing=one, value=round_length(length)) for one, length in away)
    claims = (_relate("nearer", m, n),)
    yield RegionFact("Relationship", "nearer", (m, n), words, claims, solution="nearer", margin=margin)
    if pair.turned.is_behind(at).state and (reasons or not has_metres(view)):
        yield RegionFact("Inference", "first", (m, n), words, claims, margin=margin)
    if reasons:
        yield RegionFact("Factual", "nearer_yes", (m, n), words, claims, reasons, "yes", margin)
        yield RegionFact("Factual", "nearer_no", (m, n), words, _deny(claims), reasons, "no", margin)


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
    claims = (_relate("taller", m, n),)
    yield RegionFact("Factual", "taller_yes", (m, n), {}, claims, solution="yes", margin=margin)
    yield RegionFact("Factual", "taller_no", (m, n), {}, _deny(claims), solution="no", margin=margin)


_TOPS = frozenset(
    {
        "table",
        "coffee table",
        "dining table",
        "side table",
        "desk",
        "counter",
        "kitchen island",
        "cabinet",
        "nightstand",
    }
    | {"dresser", "bench", "bed", "chest of drawers", "stool", "shelf"}
)
_PUT = frozenset(
    {"box", "basket", "vase", "lamp", "table lamp", "bowl", "monitor", "tv", "microwave", "printer", "plant", "laptop"}
    | {"potted plant"}
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


def _focus(view: View, m: int, a: SeenThing, n: int, b: SeenThing) -> Iterator[RegionFact]:
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
