"""Left, right and behind in a cloud from a stated place and facing: stand here, face that, where is a third thing?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from math import atan2, degrees, hypot

import numpy as np

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.cloud_tasks import CloudThings
from instructions.dialogues.records import CloudBox, Evidence, Turn
from instructions.dialogues.talks.walk_talk import find_quarter
from instructions.wording.english import is_plural

_AWAY_M = 1.0
"""Metres on the floor plan between the three middles: what is nearer has no direction that a person would name."""
_STANDS_M = 0.3
"""Above the floor: one stands at what stands there, not at what hangs on a wall."""
_SLACK_DEG = 10.0
"""From the edge of a quarter, besides the errors of the boxes."""
_QUARTERS = {"on your left": -90.0, "on your right": 90.0, "behind you": 180.0}
_ASKED = (
    "Stand at {place} and face {facing}: {is} {thing} on your left, on your right or behind you?",
    "Imagine standing at {place}, looking towards {facing}. On which side {is} {thing}, left, right or behind?",
)


def ask_from_places(things: CloudThings, draw: Draw) -> Iterator[tuple[Turn, Evidence]]:
    """Turns about things that are there only once, sides by turns so that none is the usual answer."""
    found: dict[str, list[tuple[Turn, Evidence]]] = {words: [] for words in _QUARTERS}
    for place, facing, thing in _find_triples(things):
        measured = measure_side(things, place, facing, thing)
        if measured is None:
            continue
        words, bearing, slack = measured
        name = f"from {place.object} to {facing.object}: {thing.object}"
        objects = (place.object, facing.object, thing.object)
        evidence = Evidence(name, f"{bearing:.0f} degrees to the right", objects, bearing, "deg", slack / 2, slack)
        be, it = ("are", "They are") if is_plural(thing.name) else ("is", "It is")
        names = {"place": f"the {place.name}", "facing": f"the {facing.name}", "thing": f"the {thing.name}", "is": be}
        question = draw.pick(_ASKED).format(**names)
        found[words].append((Turn(question, f"{it} {words}.", "place", (name,)), evidence))
    lots = [sorted(turns, key=lambda _: draw.uniform()) for turns in found.values()]
    while any(lots):
        for lot in sorted(lots, key=lambda _: draw.uniform()):
            if lot:
                yield lot.pop()


def _find_triples(things: CloudThings) -> Iterator[tuple[CloudBox, CloudBox, CloudBox]]:
    """Where one may stand, and two other things of the same room."""
    for place in things.alone:
        if place.center[2] - place.lengths[2] / 2 <= _STANDS_M:
            around = [one for one in things.alone if one is not place and things.are_together(place.object, one.object)]
            yield from ((place, facing, thing) for facing, thing in permutations(around, 2))


def measure_side(
    things: CloudThings, place: CloudBox, facing: CloudBox, thing: CloudBox
) -> tuple[str, float, float] | None:
    """Where a thing is for who stands at one and faces another: in words, degrees to the right of ahead, and the error
    allowed for; None where that is not sure.
    """
    stand, ahead, there = (np.array(one.center[:2]) for one in (place, facing, thing))
    look, way = ahead - stand, there - stand
    far, away = float(np.hypot(*look)), float(np.hypot(*way))
    if min(far, away) < _AWAY_M or place.center == thing.center:
        return None
    bearing = degrees(atan2(-(look[0] * way[1] - look[1] * way[0]), float(look @ way)))
    # Where one stands is a middle, and people stand beside things: half of a thing's width counts as error.
    errors = [2 * things.known[one.object].sigma + hypot(*one.lengths[:2]) / 4 for one in (place, facing, thing)]
    slack = degrees(atan2(errors[0] + errors[1], far) / 2 + atan2(errors[0] + errors[2], away) / 2) + _SLACK_DEG
    words = find_quarter(bearing, slack, _QUARTERS)
    return None if words is None else (words, bearing, slack)
