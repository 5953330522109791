"""Sizes, volumes, and what is above what."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts import sizes
from instructions.facts.between import stands_on_gap, vertical_difference
from instructions.programs.world import Given, ProgramScene, ProgramThing

Things = Sequence[ProgramThing]


def estimate_size(things: Things, scene: ProgramScene, given: Given) -> float:
    """The named side of A."""
    return sizes.measure_named_side(things[0].body, given.side)


def estimate_size_cm(things: Things, scene: ProgramScene, given: Given) -> float:
    """The longest side of the box of A in centimetres, however the box stands."""
    return 100.0 * sizes.longest_side(things[0].body)


def compare_sizes(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one whose named side is greater, or smaller."""
    pick = max if given.word == "greater" else min
    return pick(things, key=lambda one: sizes.measure_named_side(one.body, given.side)).id


def estimate_volume(things: Things, scene: ProgramScene, given: Given) -> float:
    """Product of the full sides of A."""
    return sizes.volume(things[0].body)


def compare_volumes(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the largest, or smallest."""
    pick = max if given.word == "largest" else min
    return pick(things, key=lambda one: sizes.volume(one.body)).id


def find_tallest(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one with the largest extent along z."""
    return max(things, key=lambda one: sizes.height(one.body)).id


def is_above(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether the bottom of A is no lower than the top of B."""
    return stands_on_gap(things[0].body, things[1].body) >= 0.0


def is_below(things: Things, scene: ProgramScene, given: Given) -> bool:
    """Whether the top of A is no higher than the bottom of B."""
    return stands_on_gap(things[1].body, things[0].body) >= 0.0


def compare_heights(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the one whose centre is higher, or lower."""
    a_is_higher = vertical_difference(things[0].body, things[1].body) > 0.0
    return things[0 if a_is_higher == (given.word == "higher") else 1].id
