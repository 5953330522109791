"""Goes through all types, things and pairs of a view: what is true and may be asked, and why the rest may not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import hypot

from instructions.asking.bars import GateOptions
from instructions.asking.gates import hide_pair, hide_thing, lies_elsewhere, spans_picture
from instructions.facts.between import footprint_overlap
from instructions.facts.measured import Measured
from instructions.facts.pairs import MOST_INSIDE, Pair, PairTable
from instructions.questions.core.types import TYPES
from instructions.questions.things.asker import ViewAsker
from instructions.questions.things.one_thing import ask_single
from instructions.questions.things.pair_places import ask_places
from instructions.questions.things.pair_sizes import ask_sizes
from instructions.questions.things.supposing import ask_supposed
from instructions.view import SeenThing, View


def find_truths(view: View, pairs: PairTable, bars: GateOptions = GateOptions()) -> ViewAsker:
    """Go through all types, things and pairs of a view: what may be asked, and why the rest may not.

    Args:
        view: A frame with its things.
        pairs: Of the view's model; filled as needed.
        bars: Of the gates.
    """
    asker = ViewAsker(view, pairs, bars)
    _ask_all(asker)
    return asker


def _ask_all(asker: ViewAsker) -> None:
    view, bars = asker.view, asker.bars
    hidden = find_hidden(asker)
    for one in view.things:
        ask_single(asker, one, hidden.get(one.id))
    for a, b in combinations(view.things, 2):
        reason = hidden.get(a.id) or hidden.get(b.id) or hide_pair(a, b, bars)
        if reason is not None:
            asker.not_asked.update(dict.fromkeys(((kind, reason) for kind in _PAIR_TYPES), 1))
            continue
        _ask_pair(asker, a, b, asker.pairs.of(a.known, b.known))


def find_hidden(asker: ViewAsker) -> dict[str, str]:
    """Things that cannot be asked about in the view at all, by id, each with its reason."""
    view, bars = asker.view, asker.bars
    shared = asker.pairs.disputed | asker.pairs.share_place([one.known for one in view.things])
    pixels = view.model.camera.project(
        [view.pose.inverse() @ one.body.center for one in view.things] if view.things else [[0.0, 0.0, 1.0]]
    )
    hidden: dict[str, str] = {}
    for one, pixel in zip(view.things, pixels, strict=False):
        reason = hide_thing(one, view.size, asker.metre, bars)
        if reason is None and spans_picture(one, view.size, bars):
            reason = "spans_picture"
        if reason is None and one.sigma > 0 and lies_elsewhere(one, (float(pixel[0]), float(pixel[1])), bars):
            reason = "off_picture"
        if reason is None and one.id in shared:
            reason = "disputed"
        if reason is None:
            named = asker.find_names(one, "none")
            reason = named if isinstance(named, str) and named != "clause_tells" else None
        if reason is not None:
            hidden[one.id] = reason
    return hidden


def _ask_pair(asker: ViewAsker, a: SeenThing, b: SeenThing, pair: Pair) -> None:
    sized = asker.hide_sizes(a, b)
    is_inside = max(pair.inside) >= MOST_INSIDE
    ask_places(asker, a, b, pair, sized)
    ask_sizes(asker, a, b, pair, sized)
    ask_supposed(asker, a, b, pair)
    lengths: tuple[tuple[str, Callable[[], float], bool], ...] = (
        ("distance", lambda: pair.distance, False),
        ("horizontal_distance", lambda: pair.horizontal, False),
        ("vertical_distance", lambda: abs(pair.vertical), False),
        ("gap", lambda: pair.gap, True),
        ("passage", lambda: pair.passage, True),
    )
    for name, measure, needs_size in lengths:
        kind = TYPES[name]
        reason = asker.find_lack(kind, sides=False)
        if reason is None and needs_size:
            reason = sized or ("inside_other" if is_inside else None)
        if reason is None and name == "passage":
            reason = _off_floor(asker, a, b)
        if reason is not None:
            asker.refuse(reason, kind)
        else:
            asker.ask_length(kind, (a, b), measure(), pair.sigma)
    _ask_ratio_distance(asker, a, b)
    _ask_stands_on(asker, a, b, pair)


def _off_floor(asker: ViewAsker, *things: SeenThing) -> str | None:
    floor_z = asker.view.model.floor_z
    if floor_z is None:
        return "no_floor"
    reach = asker.bars.on_floor_m * asker.metre
    return "not_on_floor" if any(abs(one.body.bottom - floor_z) > reach for one in things) else None


def _ask_ratio_distance(asker: ViewAsker, a: SeenThing, b: SeenThing) -> None:
    kind = TYPES["ratio_distance"]
    one, other = (asker.view.viewer.range(x.body.center) for x in (a, b))
    relative = hypot(a.sigma / one, b.sigma / other, asker.eye_sigma / one, asker.eye_sigma / other)
    asker.ask_ratio(kind, a, b, one, other, relative)


def _ask_stands_on(asker: ViewAsker, a: SeenThing, b: SeenThing, pair: Pair) -> None:
    """Of the upper one whether it stands on the lower one."""
    kind = TYPES["stands_on"]
    if not asker.is_upright:
        asker.refuse("not_upright", kind)
        return
    if pair.bottoms < 0.0:
        a, b, pair = b, a, pair.turned
    found = pair.stands_on
    if found.state is None:
        asker.refuse(found.reason, kind)
        return
    evidence = (
        Measured("bottom of A above top of B", found.value, asker.unit, found.sigma),
        Measured("share of A's footprint over B", footprint_overlap(a.body, b.body), "ratio", 0.0),
    )
    asker.ask(kind, (a, b), value="yes" if found.state else "no", evidence=evidence)


_PAIR_TYPES = tuple(kind.name for kind in TYPES.values() if kind.objects == 2 and kind.form != "unseen")
