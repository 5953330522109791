"""What one camera sees: how far, how far ahead, and to which side."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.between import ahead_difference, lateral_difference
from instructions.programs.world import Given, ProgramScene, ProgramThing

Things = Sequence[ProgramThing]


def measure_range(things: Things, scene: ProgramScene, given: Given) -> float:
    """From the eye of the first view to the centre of A."""
    return scene.cameras[0].viewer.range(things[0].body.center)


def compare_ranges(things: Things, scene: ProgramScene, given: Given) -> str:
    """The id of the nearer, or further, of two."""
    pick = min if given.word == "nearer" else max
    return pick(things, key=lambda one: scene.cameras[0].viewer.range(one.body.center)).id


def direct_quadrants(things: Things, scene: ProgramScene, given: Given) -> str:
    """`front-left`, `front-right`, `back-left` or `back-right`: A against B."""
    viewer = scene.cameras[0].viewer
    ahead = ahead_difference(things[0].body, things[1].body, viewer)
    right = lateral_difference(things[0].body, things[1].body, viewer)
    return ("front" if ahead < 0 else "back") + "-" + ("right" if right > 0 else "left")


def direct_halves(things: Things, scene: ProgramScene, given: Given) -> str:
    """`left` or `right`, or `front` or `back`: A against B."""
    front, _, side = direct_quadrants(things, scene, given).partition("-")
    return side if given.word == "left_right" else front
