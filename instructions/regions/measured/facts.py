"""What may be asked about a view: facts that are measured with room to spare, by task.

The writer's bars are stricter than those that texts are judged by, so that what it says stays true where a box is a
little off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, permutations

from instructions.claims.stated import StatedClaim
from instructions.claims.view_claims import ViewClaim
from instructions.claims.view_judge import judge
from instructions.describing.lines import base_colour, find_side, say_side
from instructions.facts import sizes
from instructions.regions.measured.fact_gates import (
    LEAST_SCORE_ALONE,
    LEAST_VISIBLE_KIND,
    LEAST_VISIBLE_SIZE,
    MOST_RELATIVE_SIGMA,
    SEEN_THROUGH,
    STRICT,
    are_unlike,
    has_metres,
    has_sure_name,
    is_askable,
    is_seen_in_part,
    is_whole_in_height,
    margin_over,
    measure_nearest_m,
    round_length,
    say_length,
)
from instructions.regions.measured.pair_facts import find_focus, find_pair_facts
from instructions.regions.measured.region_fact import RegionFact, find_use
from instructions.regions.records import Parts
from instructions.regions.rules import find_text_fault
from instructions.view import SeenThing, View
from instructions.wording.colors import COLORLESS
from instructions.wording.english import with_article

MOST_ROOMS = 2
"""Things of a view whose room is told: the largest ones."""
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
        found += find_pair_facts(view, a, things[a], b, things[b])
    for a, b in combinations(things, 2):
        found += find_focus(view, a, things[a], b, things[b])
    return found


def _find_things(view: View, fits: Callable[[SeenThing], bool]) -> dict[int, SeenThing]:
    """The numbered things that may be asked about.

    Beside things with names those without are left out: what a detector that knows names had none for is mostly a
    piece of a wall or of another thing.
    """
    things = {
        number: thing
        for number, name in view.numbers.items()
        if (thing := view.find_thing(name)) is not None and fits(thing)
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
    if not is_askable(thing):
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
    if not is_askable(thing):
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
    # Dark gray is black to one person and, in more light, gray to another: neither is told.
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
    away = measure_nearest_m(view, thing)
    where = words["side"] if away is None else f"{words['side']}, about {say_length(away)} away"
    yield RegionFact("Purpose", "use", (number,), {"use": use, "where": where}, reasons=(claim,))


def _place(view: View, number: int, thing: SeenThing) -> Iterator[RegionFact]:
    place = _find_place(view, number, thing)
    if place is None:
        return
    words, claim, margin = place
    away, reasons = measure_nearest_m(view, thing), ()
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
    if not is_seen or tall < 0.1 * view.metre or 2**0.5 * thing.sigma > MOST_RELATIVE_SIGMA * tall:
        return
    low = max(sizes.elevation(body, floor_z) / view.metre, 0.0)
    tall_m = tall / view.metre
    words = {"height": say_length(tall_m), "bottom": say_length(low), "top": say_length(low + tall_m)}
    claims = (StatedClaim(says="height", thing=number, value=round_length(tall_m)),)
    task = "height" if low >= 0.1 else "height_floor"
    yield RegionFact("Attribute", task, (number,), words, claims, solution=words["height"])
