"""The plain scene that reference programs compute over: things with boxes, cameras, rooms. No picture, no detection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.viewer import Viewer
from instructions.records import Obb, Vec3
from recon.geometry import Pose

Value = bool | float | str | tuple[str, ...]
"""What a program returns: yes or no, a number in the stated unit, a label or an id, several of them."""


@dataclass(frozen=True)
class Given:
    """What a question asks for besides its things; empty where its type leaves no choice."""

    side: str = ""
    """`height`, `length`, `width` or `longest`."""
    word: str = ""
    """Which end is asked for (`largest`, `nearest`, `first`), or which pair of labels (`left_right`)."""
    sense: str = ""
    """`center` or `nearest`: where a distance is measured."""
    within_m: float = 0.0
    category: str = ""


@dataclass(frozen=True)
class ProgramThing:
    """A thing as programs see it."""

    id: str
    category: str
    obb: Obb
    appear: tuple[int, ...]
    """Views that show it, in time order."""
    room: str | None = None

    @cached_property
    def body(self) -> Body:
        """As a solid."""
        return Body.of_box(self.obb)


@dataclass(frozen=True)
class ProgramCamera:
    """The camera of one view: unit vectors in the world, z up."""

    frame: int
    position: Vec3
    forward: Vec3
    """Along the optical axis."""
    right: Vec3

    @classmethod
    def of(cls, frame: int, world_from_cam: Pose) -> ProgramCamera:
        """The camera of a pose."""
        position, forward, right = (
            (float(v[0]), float(v[1]), float(v[2]))
            for v in (world_from_cam.center, world_from_cam.forward, world_from_cam.right)
        )
        return cls(frame, position, forward, right)

    @cached_property
    def viewer(self) -> Viewer:
        """Who looks through it, level."""
        forward, right = np.array(self.forward), np.array(self.right)
        rotation = np.column_stack([right, np.cross(forward, right), forward])
        return Viewer.of(Pose(rotation, np.array(self.position)), upright=True)


@dataclass(frozen=True)
class ProgramScene:
    """One model with the views that questions are about."""

    things: Mapping[str, ProgramThing]
    cameras: tuple[ProgramCamera, ...]
    """Of the views, in time order; one for an image."""
    floor_area: float | None = None
    """Of all rooms, in square units; None where no room is known."""
    rooms: tuple[str, ...] = ()
    """Rooms in the order in which the camera is in them, a stay once; empty where nobody knows."""
    path: Sequence[Vec3] = field(default=())
    """Camera positions of the whole walk, not only of the views."""
    path_frames: Sequence[int] = field(default=())
    """Their frames."""
    floor_z: float | None = None
    """Of the floor; None where none was found."""


Things = Sequence[ProgramThing]
"""Of a reference program, in the order of the definition."""
Ids = tuple[str, ...]
"""The same things by id."""
Reference = Callable[[Things, ProgramScene, Given], Value]
"""A program that answers a type of question."""


def name_quadrant(is_ahead: bool, is_right: bool, given: Given) -> str:
    """`front-left`, `front-right`, `back-left` or `back-right`; one half of it where the question asks for that."""
    front, side = "front" if is_ahead else "back", "right" if is_right else "left"
    return {"left_right": side, "front_back": front}.get(given.word, f"{front}-{side}")


MOST = frozenset({"greater", "largest", "tallest", "higher", "further", "furthest", "last"})
"""Words for the end at which a measure is greatest."""


def pick_by(measure: Callable[[ProgramThing, ProgramScene, Given], float]) -> Reference:
    """The program that gives the id of the thing of which a measure is greatest, or least, as the question asks."""

    def pick(things: Things, scene: ProgramScene, given: Given) -> str:
        end = max if given.word in MOST else min
        return end(things, key=lambda one: measure(one, scene, given)).id

    return pick
