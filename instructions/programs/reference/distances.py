"""Distances between things, what is near what, and what lies between two."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.between import distance
from instructions.facts.facing import measure_corridor, measure_reaches
from instructions.facts.gap import gap
from instructions.programs.world import Given, ProgramScene, ProgramThing

Things = Sequence[ProgramThing]


def measure_apart(a: ProgramThing, b: ProgramThing, given: Given) -> float:
    """Between the nearest points where that is asked for, else between the centres."""
    return gap(a.body, b.body) if given.sense == "nearest" else distance(a.body, b.body)


def measure_distance(things: Things, scene: ProgramScene, given: Given) -> float:
    """Between A and B."""
    return measure_apart(things[0], things[1], given)


def find_nearest(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one nearest to (or furthest from) A."""
    pick = min if given.word == "nearest" else max
    return pick(things[1:], key=lambda one: measure_apart(things[0], one, given)).id


def list_nearby(things: Things, scene: ProgramScene, given: Given) -> tuple[str, ...]:
    """Sorted ids of those whose centre is at most so far from A's."""
    return tuple(sorted(one.id for one in things[1:] if distance(things[0].body, one.body) <= given.within_m))


def is_between(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether the centre of A lies in the corridor from B to C on the floor plan."""
    along, beside, length = measure_corridor(*(one.body.center for one in things))
    start, end, half = measure_reaches(things[1].body, things[2].body)
    return start < along < length - end and beside <= half
