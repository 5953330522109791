"""One model in a viser scene: each kind of mark is a layer of its own that can be shown and hidden."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import viser
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from recon.geometry import Array, Pose
from roomtour.drawing.colors import object_color, rgb_of
from roomtour.drawing.map_marks import find_heading
from roomtour.drawing.text import clock, format_signed_turn, printable
from roomtour.drawing.thumbnails import spread
from roomtour.view.shapes import (
    area_lines,
    box_lines,
    box_top,
    frustum_lines,
    lift_labels,
    path_lines,
    pick_camera,
    time_colors,
    turn_arrow,
)
from roomtour.view.tour import TourView, ViewModel
from trajectories.records import DecisionPoint, ViewChange

POSITIVE, NEGATIVE = (0, 158, 80), (220, 50, 47)
LEFT, RIGHT = (0, 114, 178), (213, 120, 0)
FREE, OCCUPIED = (70, 130, 180), (120, 110, 100)
HERE = (240, 180, 0)
LEADER = (140, 140, 140)

MAX_FRUSTA = 400
"""More of them hide the room; the path between them can be clicked all the same."""
MAX_NAME = 48
CEILING_SHARE = 0.85
"""Points above this share of the height are a layer of their own, so that one can look into the rooms from above."""

LAYERS = (
    ("points", "Points", True),
    ("ceiling", "Points near the ceiling", False),
    ("path", "Camera path, by time", True),
    ("cameras", "Cameras", True),
    ("turns", "View changes", True),
    ("choices", "Candidates (green right, red wrong)", True),
    ("boxes", "Object boxes", True),
    ("names", "Names of things that texts mention", True),
    ("other_names", "Names of other things", False),
    ("rooms", "Rooms", True),
    ("plan", "Floor plan", True),
    ("grid", "Grid", False),
)
"""Name in the scene, name on the panel, and whether it is shown at first."""


@dataclass(frozen=True, eq=False)
class _Label:
    """Words near a place."""

    name: str
    """In the scene."""
    text: str
    anchor: NDArray[np.float64]
    """(3,) what the words stand on."""
    height: float
    """Of a letter, in the unit of the model."""


_LETTER_WIDTH = 0.7
"""Of its height, in the viewer's font, with the edges around the words."""
_LINE_HEIGHT = 2.4
"""The same; seen from 45 degrees above, as a scene is at first, two thirds of it are left."""


class ModelLayers:
    """Draws one model into a scene, and takes it away again."""

    def __init__(self, scene: viser.SceneApi, tour: TourView, model: ViewModel) -> None:
        self.model = model
        self._scene = scene
        self._tour = tour
        self._roots = {
            name: scene.add_frame(f"/{name}", show_axes=False, visible=visible) for name, _, visible in LAYERS
        }
        self._mark = model.span / 40
        """Size of a mark in the unit of the model."""
        self._labels: list[_Label] = []
        """Those that are not in the scene yet."""
        self._draw_points()
        self._draw_path()
        self._draw_turns_and_choices()
        self._draw_objects()
        self._draw_floor()
        self._place_labels()

    def show(self, layer: str, visible: bool) -> None:
        """Show or hide one layer."""
        self._roots[layer].visible = visible

    def remove(self) -> None:
        """Take everything out of the scene."""
        for root in self._roots.values():
            root.remove()

    def add_camera(
        self, name: str, world_from_cam: Pose, image_rgb: NDArray[np.uint8] | None, size: float
    ) -> viser.CameraFrustumHandle:
        """Draw one camera with its picture.

        Args:
            name: In the scene.
            world_from_cam: Where it stands.
            image_rgb: (h, w, 3), already small; None draws the lines only.
            size: Relative to the marks of the scene.
        """
        camera = self.model.camera
        return self._scene.add_camera_frustum(
            name, fov=2 * float(np.arctan2(camera.height / 2, camera.fy)), aspect=camera.width / camera.height,
            scale=self._mark * size, thickness=2.0, thickness_units="screen", color=HERE, image=image_rgb,
            format="jpeg", jpeg_quality=80, wxyz=quat_wxyz(world_from_cam), position=world_from_cam.center,
            cast_shadow=False, receive_shadow=False,
        )  # fmt: skip

    def pick(self, origin: Sequence[float], direction: Sequence[float]) -> int | None:
        """The frame whose camera a click means, if it means one."""
        row = pick_camera(np.array(origin), np.array(direction), self.model.centers)
        return None if row is None else self.model.frames[row]

    def _draw_points(self) -> None:
        model = self.model
        low, high = model.bounds
        upper = model.xyz[:, 2] > low[2] + CEILING_SHARE * (high[2] - low[2])
        for layer, rows in (("points", ~upper), ("ceiling", upper)):
            if rows.any():
                self._scene.add_point_cloud(
                    f"/{layer}/cloud", model.xyz[rows], model.rgb[rows], point_size=model.span / 600,
                    point_shape="circle", point_shading="flat", precision="float32",
                )  # fmt: skip

    def _draw_path(self) -> None:
        model = self.model
        ends, colors = path_lines(model.frames, model.centers)
        self._add_shaded_lines("/path/walk", ends, colors, width_px=4.0)
        rows = spread(range(len(model.frames)), MAX_FRUSTA)
        poses = [model.world_from_cam[model.frames[row]] for row in rows]
        shades = time_colors(len(model.frames))[rows].repeat(8, axis=0)
        self._add_shaded_lines(
            "/cameras/frusta", frustum_lines(poses, model.camera, self._mark * 0.6), shades, width_px=1.5
        )

    def _draw_turns_and_choices(self) -> None:
        walks = [walk for walk in self._tour.trajectories if walk.model == self.model.name]
        for number, change in enumerate(change for walk in walks for change in walk.view_changes):
            self._draw_turn(number, change)
        for number, choice in enumerate(choice for walk in walks for choice in walk.decisions):
            self._draw_choice(number, choice)

    def _draw_turn(self, number: int, change: ViewChange) -> None:
        """An arc from the old heading to the new one, around where the camera turned."""
        pose, start = (self.model.world_from_cam.get(frame) for frame in (change.frame, change.first_frame))
        first_deg = None if start is None else find_heading(start)
        if pose is None or first_deg is None:
            return
        color = LEFT if change.angle_deg >= 0 else RIGHT
        ends, middle = turn_arrow(pose.center, first_deg, change.angle_deg, radius=self._mark * 1.3)
        self._lines(f"/turns/{number}", ends, color, width_px=4.0)
        frame = self._tour.frames.get(change.frame)
        when = f" at {clock(frame.time_s)}" if frame else ""
        self._label(f"/turns/{number}/label", format_signed_turn(change.angle_deg) + when, middle, size=0.4)

    def _draw_choice(self, number: int, choice: DecisionPoint) -> None:
        kinds = (("right", POSITIVE, (choice.positive_frame,), 1.25), ("wrong", NEGATIVE, choice.negative_frames, 1.0))
        for kind, color, frames, size in kinds:
            poses = [self.model.world_from_cam[frame] for frame in frames if frame in self.model.world_from_cam]
            if poses:
                ends = frustum_lines(poses, self.model.camera, self._mark * size)
                self._lines(f"/choices/{number}_{kind}", ends, color, width_px=3.0)

    def _draw_objects(self) -> None:
        items = [item for item in self._tour.objects.values() if item.model == self.model.name]
        if not items:
            return
        shades = [rgb_of(object_color(self._tour.number_of[item.id])) for item in items]
        ends = np.concatenate([box_lines(item.obb) for item in items])
        self._add_shaded_lines("/boxes/edges", ends, np.array(shades, dtype=np.uint8).repeat(12, axis=0), width_px=2.0)
        for item in items:
            number, layer = self._tour.number_of[item.id], "names" if item.id in self._tour.mentioned else "other_names"
            self._label(f"/{layer}/{number}", f"{number} {item.alias}", box_top(item.obb), size=0.4)

    def _draw_floor(self) -> None:
        """The floor plan, the rooms with their names, and a grid of metres where there are metres."""
        name, floor_z = self.model.name, self._floor_z
        for plan in self._tour.floor_plans:
            if plan.model == name:
                self._lines("/plan/free", area_lines(plan.free, floor_z), FREE, width_px=2.0)
                self._lines("/plan/occupied", area_lines(plan.occupied, floor_z), OCCUPIED, width_px=2.0)
        rooms = [room for room in self._tour.rooms if room.model == name and room.areas]
        labels = sorted({room.label for room in rooms})
        for number, room in enumerate(rooms):
            color = rgb_of(object_color(labels.index(room.label) + 1))
            self._lines(f"/rooms/{number}", area_lines(room.areas, floor_z), color, width_px=5.0)
            middle = np.array(room.areas[0].outline).mean(axis=0)
            self._label(f"/rooms/{number}/label", room.label, np.array([*middle, floor_z]), size=0.6)
        low, high = self.model.bounds
        step = 1.0 if self.model.scale.status != "relative" else self.model.span / 10
        middle = (low + high) / 2
        self._scene.add_grid(
            "/grid/floor", width=float(high[0] - low[0]), height=float(high[1] - low[1]), plane="xy", cell_size=step,
            section_size=5 * step, position=(float(middle[0]), float(middle[1]), floor_z), shadow_opacity=0.0,
        )  # fmt: skip

    @property
    def _floor_z(self) -> float:
        return self.model.floor_z if self.model.floor_z is not None else float(self.model.bounds[0][2])

    def _lines(self, name: str, ends: NDArray[np.floating], color: tuple[int, int, int], width_px: float) -> None:
        if len(ends):
            self._scene.add_line_segments(name, ends, color, thickness=width_px, thickness_units="screen")

    def _add_shaded_lines(
        self, name: str, ends: NDArray[np.floating], colors: NDArray[np.uint8], width_px: float
    ) -> None:
        """Lines (S, 2, 3) with a colour (S, 3) each; one part of the scene per colour, as viser pales mixed ones."""
        shades, shade_of = np.unique(colors, axis=0, return_inverse=True)
        for number, (red, green, blue) in enumerate(shades.tolist()):
            self._lines(f"{name}/{number}", ends[shade_of == number], (red, green, blue), width_px)

    def _label(self, name: str, text: str, position: NDArray[np.floating], size: float) -> None:
        """Words to be put near a place, once it is known which others are there."""
        shown = printable(text)
        shown = shown if len(shown) <= MAX_NAME else shown[: MAX_NAME - 1] + "…"
        self._labels.append(_Label(name, shown, np.asarray(position, dtype=float), self._mark * size))

    def _place_labels(self) -> None:
        """Put the words up: they grow as one comes near, none covers another; a line leads to what was lifted."""
        shown_first = {name: not shown for name, _, shown in LAYERS}
        labels = sorted(self._labels, key=lambda one: (shown_first[one.name.split("/")[1]], one.anchor[2]))
        if not labels:
            return
        widths = np.array([_LETTER_WIDTH * label.height * len(label.text) for label in labels])
        heights = np.array([_LINE_HEIGHT * label.height for label in labels])
        bottoms = lift_labels(np.array([label.anchor for label in labels]), widths, heights)
        for one, bottom in zip(labels, bottoms, strict=True):
            place = np.array([*one.anchor[:2], bottom])
            self._scene.add_label(
                one.name, one.text, position=place, font_size_mode="scene", font_scene_height=one.height,
                anchor="bottom-center",
            )  # fmt: skip
            if bottom > one.anchor[2]:
                self._lines(f"{one.name}_line", np.array([[one.anchor, place]]), LEADER, width_px=1.0)


def quat_wxyz(world_from_cam: Pose) -> Array:
    """The rotation of a pose as viser wants it, (4,)."""
    return Rotation.from_matrix(world_from_cam.rotation).as_quat(scalar_first=True)
