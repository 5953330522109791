"""The corridor with things of known category, as a writer is given them, and what it writes of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from instructions.navigation.grammar_writer import WriterOptions, write_instructions
from instructions.navigation.records import Instruction
from instructions.records import Observation, RoomSpan, SceneObject
from instructions.tour import Tour
from tests.support.worlds.boxworld import CORRIDOR, Box, World, make_world, true_objects
from trajectories.records import Trajectory

NAMES = {"red": "sofa", "green": "lamp", "blue": "cabinet", "yellow": "chair", "white": "counter"}
COUNTER = Box("white", 5.7, 4.9, (3.3, 0.5, 1.4))
"""The walk ends at (6.8, 3.6) and looks along y: the counter is 1.05 m ahead, its middle 40 degrees to the left."""


@dataclass(frozen=True, eq=False)
class Furnished:
    """A walk with the things along it, and which frame names which."""

    world: World
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]

    def __getitem__(self, category: str) -> SceneObject:
        return next(one for one in self.objects if one.category == category)

    def seen(self, name: str) -> list[Observation]:
        return [one for one in self.observations if one.object == name]

    def but(self, *objects: SceneObject, seen: Iterable[Observation] = ()) -> Furnished:
        """With these things instead of those of their ids, or besides, and more observations."""
        new = {one.id: one for one in objects}
        kept = [new.pop(one.id, one) for one in self.objects]
        return replace(self, objects=(*kept, *new.values()), observations=(*self.observations, *seen))

    def only(self, *objects: SceneObject, seen: Iterable[Observation]) -> Furnished:
        return replace(self, objects=objects, observations=tuple(seen))

    def forget(self, name: str, frames: Sequence[int]) -> Furnished:
        """The same where no network named a thing in these frames."""
        one = next(one for one in self.objects if one.id == name)
        brief = replace(one, frames=tuple(frame for frame in one.frames if frame not in frames))
        kept = (one for one in self.observations if one.object != name or one.frame not in frames)
        return replace(self.but(brief), observations=tuple(kept))

    def write(
        self,
        walk: Trajectory | None = None,
        rooms: Sequence[RoomSpan] = (),
        options: WriterOptions = WriterOptions(),
    ) -> list[Instruction]:
        walks = [walk or self.world.trajectory]
        return write_instructions(Tour(self.world.scene, self.objects, self.observations, rooms=rooms), walks, options)

    def texts(self) -> list[str]:
        """The instructions."""
        return [row.text for row in self.write() if row.kind == "instruction"]

    def told(self, kind: str, walk: Trajectory | None = None) -> set[str | None]:
        """The objects of which claims of a kind are made."""
        checks = [check for row in self.write(walk) for check in row.claims]
        return {check.claim.object for check in checks if check.claim.kind == kind}


def furnish(*boxes: Box) -> Furnished:
    """The corridor and more boxes, each thing with the points of the model that lie on it."""
    world = make_world((*CORRIDOR, *boxes))
    objects, observations = true_objects(world)
    named = {}
    for one, box in zip(objects, world.boxes, strict=True):
        off = np.abs((world.model.tracks.xyz - box.center) @ box.axes)
        points = tuple(np.flatnonzero(np.all(off <= box.half + 0.01, axis=1)).tolist())
        named[one.id] = replace(one, category=NAMES[box.color], alias=NAMES[box.color], points=points)
    shown = tuple(_box_points(world, named[one.object], one) for one in observations)
    return Furnished(world, tuple(named.values()), shown)


def _box_points(world: World, thing: SceneObject, seen: Observation) -> Observation:
    """The observation with the box of all points of the thing that its frame follows."""
    tracks = world.model.tracks
    rows = tracks.rows_of_frame(seen.frame)
    pixels = tracks.obs_xy[rows][np.isin(tracks.obs_point[rows], thing.points)]
    if not len(pixels):
        return seen
    (x0, y0), (x1, y1) = pixels.min(axis=0).tolist(), pixels.max(axis=0).tolist()
    return replace(seen, box_xyxy=(x0, y0, x1, y1))
