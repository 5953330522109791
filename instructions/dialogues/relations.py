"""Relations of two things of a view or a scene: named only where geometry is sure, never guessed."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

from instructions.dialogues.records import Relation
from instructions.dialogues.talk_view import TalkThing, TalkView
from instructions.facts.overlap import measure_span_overlap
from instructions.facts.pairs import Pair
from instructions.facts.things import Thing
from instructions.facts.verdict import Verdict

_LEAST_HIDDEN = 0.6
"""Share of the shorter span in the picture over which what is in front must stand before the other."""


@lru_cache(maxsize=16)
def find_view_relations(view: TalkView, things: tuple[TalkThing, ...]) -> tuple[Relation, ...]:
    """`on`, `next to`, `left of`, `right of`, `nearer than` and `in front of` between things of a view."""
    out: list[Relation] = []
    at = view.standpoint
    for a, b in permutations(things, 2):
        pair = view.pair(a, b)
        out += find_scene_relations(pair)
        side = pair.is_right(at, (a.box, b.box))
        nearer = tell_nearer(view, a, b)
        if side.state is not None:
            out.append(_relate(pair, "right of" if side.state else "left of", side))
        if nearer is not None:
            out.append(nearer)
            front = pair.turned.is_behind(at)
            if front.state and measure_span_overlap(a.box, b.box, 0) >= _LEAST_HIDDEN:
                out.append(_relate(pair, "in front of", front))
    return tuple(out)


def find_scene_relations(pair: Pair) -> list[Relation]:
    """What holds of two things wherever one stands: `on`, and `next to`."""
    if pair.stands_on.state:
        return [_relate(pair, "on", pair.stands_on)]
    return [_relate(pair, "next to", pair.is_next_to)] if pair.is_next_to.state else []


def pair_of(a: Thing, b: Thing) -> Pair:
    """Two things of a cloud, in metres."""
    return Pair(a, b, 1.0, True)


def tell_nearer(view: TalkView, a: TalkThing, b: TalkThing) -> Relation | None:
    """`a nearer than b`, in the room and by what the picture shows of both."""
    pair = view.pair(a, b)
    found = pair.is_nearer(view.standpoint)
    return _relate(pair, "nearer than", found) if found.state and a.depth < b.depth else None


def _relate(pair: Pair, predicate: str, found: Verdict) -> Relation:
    value = found.value if predicate == "on" else abs(found.value)
    return Relation(pair.a.id, predicate, pair.b.id, value, found.margin)
