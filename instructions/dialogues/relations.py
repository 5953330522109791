"""Relations of two things of a view or a scene: named only where geometry is sure, never guessed."""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations
from math import hypot

from instructions.dialogues.options import TalkGates
from instructions.dialogues.records import Relation
from instructions.dialogues.view_things import TalkThing, ViewThings
from instructions.facts.between import ahead_difference, footprint_overlap, lateral_difference, stands_on_gap
from instructions.facts.gap import gap
from instructions.facts.overlap import measure_span_overlap
from instructions.facts.views import Known

_SIDE_FLOOR_M = 0.15
"""Metres that left and right must differ by besides the picture."""


@lru_cache(maxsize=16)
def find_view_relations(view: ViewThings, things: tuple[TalkThing, ...]) -> tuple[Relation, ...]:
    """`on`, `next to`, `left of`, `right of`, `nearer than` and `in front of` between things of a view."""
    out: list[Relation] = []
    for a, b in permutations(things, 2):
        out += find_scene_relations(a.seen.known, b.seen.known, view.metre, view.gates)
        side = _tell_side(view, a, b)
        nearer = tell_nearer(view, a, b)
        out += [one for one in (side, nearer) if one is not None]
        if nearer is not None:
            front = _tell_front(view, a, b)
            out += [front] if front is not None else []
    return tuple(out)


def find_scene_relations(a: Known, b: Known, metre: float, gates: TalkGates) -> list[Relation]:
    """What holds of two things wherever one stands: `on`, and `next to`."""
    sigma = hypot(a.sigma, b.sigma)
    lift = stands_on_gap(a.body, b.body)
    near = gates.on_gap_m * metre
    one, other = a.thing.id, b.thing.id
    if abs(lift) <= near and sigma <= near:
        over = footprint_overlap(a.body, b.body)
        if over >= gates.on_share:
            return [Relation(one, "on", other, lift, near)]
    apart = gap(a.body, b.body)
    reach = gates.next_to_m * metre
    # Two boxes that overlap are badly known, or one holds the other: nobody says next to then.
    if apart > 0.0 and apart + gates.sigmas * sigma <= 1.6 * reach and apart <= reach:
        return [Relation(one, "next to", other, apart, reach)]
    return []


def tell_nearer(view: ViewThings, a: TalkThing, b: TalkThing) -> Relation | None:
    """`a nearer than b`, by the distance from the camera to the nearest points and by the centres alike."""
    mine, its = view.range_of[a.id], view.range_of[b.id]
    sigma = hypot(a.seen.sigma, b.seen.sigma)
    margin = max(view.gates.nearer * max(mine, its), view.gates.sigmas * sigma)
    centers = view.view.viewer.range(b.seen.body.center) - view.view.viewer.range(a.seen.body.center)
    if its - mine >= margin and centers >= margin and a.seen.seen.depth < b.seen.seen.depth:
        return Relation(a.id, "nearer than", b.id, its - mine, margin)
    return None


def _tell_side(view: ViewThings, a: TalkThing, b: TalkThing) -> Relation | None:
    """`a left of b` or `right of`, where picture and world agree."""
    if not view.view.viewer.has_sides:
        return None
    width = view.view.size[0]
    across = (a.seen.box[0] + a.seen.box[2] - b.seen.box[0] - b.seen.box[2]) / 2 / width
    if abs(across) < view.gates.apart or measure_span_overlap(a.seen.box, b.seen.box, 0) >= 0.5:
        return None
    lateral = lateral_difference(a.seen.body, b.seen.body, view.view.viewer)
    margin = max(_SIDE_FLOOR_M * view.metre, view.gates.sigmas * hypot(a.seen.sigma, b.seen.sigma))
    if abs(lateral) < margin or (lateral > 0) != (across > 0):
        return None
    return Relation(a.id, "right of" if across > 0 else "left of", b.id, abs(lateral), margin)


def _tell_front(view: ViewThings, a: TalkThing, b: TalkThing) -> Relation | None:
    """`a in front of b`: nearer, and over most of its width before the other in the picture."""
    if not view.view.viewer.has_sides or measure_span_overlap(a.seen.box, b.seen.box, 0) < 0.6:
        return None
    ahead = -ahead_difference(a.seen.body, b.seen.body, view.view.viewer)
    margin = max(_SIDE_FLOOR_M * view.metre, view.gates.sigmas * hypot(a.seen.sigma, b.seen.sigma))
    return Relation(a.id, "in front of", b.id, ahead, margin) if ahead >= margin else None
