"""Pixel goals: where in a picture the walk leads next, as planners are taught to point at it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

import cv2
import numpy as np
from annotated_types import Ge, Lt

from recon.floor_masks import FloorMask, look_up
from recon.geometry import Array
from recon.ranges import AtLeastOne, Metres, Share
from recon.records import SceneModel
from trajectories.floor_grid import FloorOptions, lowest_sights, sketch_floor
from trajectories.records import Trajectory


@dataclass(frozen=True, kw_only=True)
class PixelGoalOptions:
    """What makes a place of the walk a goal. Lengths in metres (nominal ones where the model has no scale)."""

    reach_m: Metres = 6.0
    """No further away: half a degree of pitch moves the floor by 0.2 m there, and points too are trusted this far."""
    least_m: Metres = 0.5
    """No nearer: two steps ahead. Below the walker no level camera looks; a picture that does has a wrong pose."""
    max_detour: Annotated[float, Ge(1), Lt(10)] = 1.3
    """The walk to a goal is at most this much longer than the straight line: beyond, it goes around something."""
    slack_m: Metres = 0.1
    """A sight may pass this much below what is known to be empty: one cell of the floor's grid."""
    border: Share = 0.02
    """Share of the picture's sides along which no goal lies: hands and lenses are less exact there."""
    near: Share = 0.02
    """Share of the picture's width around a goal in which a nearer point that is not of the floor hides it."""
    clear_views: AtLeastOne = 1
    """How many such points hide it."""
    floor_share: Share = 0.5
    """Of what a segmenter says within `near` of a goal, this share is floor: poses and the floor's height are off by a
    few pixels, and at the foot of a wall or of furniture a goal is none."""
    asked_views: AtLeastOne = 3
    """Of a picture that no segmenter looked at, so many others that show the place are asked."""
    floor: FloorOptions = FloorOptions()
    """The grid of what was walked and seen across."""


@dataclass(frozen=True)
class PixelGoal:
    """The farthest place of the walked way that a picture still shows."""

    frame: int
    """The walker stood there at this frame."""
    xy_px: tuple[float, float]
    """Of the floor below, in the picture it is seen from; pixel centres at +0.5."""
    distance: float
    """From the foot of the camera, on the floor, in the model's unit."""


class PixelGoals:
    """Finds pixel goals in the pictures of one model."""

    def __init__(
        self,
        model: SceneModel,
        walks: Sequence[Trajectory],
        options: PixelGoalOptions = PixelGoalOptions(),
        *,
        floors: Mapping[int, FloorMask] | None = None,
    ) -> None:
        """Look at the floor once.

        Args:
            model: Upright. Without a floor nothing is a goal.
            walks: All walks of this model.
            options: What makes a goal.
            floors: Where pictures show the floor, of the frames that a segmenter looked at.
        """
        self._model, self._options, self._metre = model, options, model.nominal_metre
        self._floors = {frame: mask for frame, mask in (floors or {}).items() if frame in model.world_from_cam}
        self._grid = sketch_floor(model, walks, options.floor) if model.floor_z is not None else None
        if self._grid is not None:
            # What stands beside a sight hides it as soon as either is a cell off.
            self._empty_above = cv2.dilate(lowest_sights(model, self._grid, walks, options.floor), np.ones((3, 3)))

    def find(self, frame: int, way: Sequence[int]) -> PixelGoal | None:
        """The goal in the picture of a frame.

        Args:
            frame: From which one looks.
            way: Frames of the walk after it, in time order.

        Returns:
            The last place of the way that is in the picture, near enough, hidden by nothing, seen to be floor and
            reached without a detour; None where there is none.
        """
        if self._grid is None or self._model.floor_z is None or not way:
            return None
        model, options = self._model, self._options
        eye = model.world_from_cam[frame]
        feet = np.array([model.world_from_cam[one].center for one in (frame, *way)])
        feet[:, 2] = model.floor_z
        walked = np.cumsum(np.linalg.norm(np.diff(feet[:, :2], axis=0), axis=1))
        places = feet[1:]
        straight = np.linalg.norm(places[:, :2] - feet[0, :2], axis=1)
        pixels = model.camera.project(eye.inverse() @ places)
        size = np.array([model.camera.width, model.camera.height])
        with np.errstate(invalid="ignore"):
            inside = np.all((pixels >= options.border * size) & (pixels <= (1 - options.border) * size), axis=1)
        is_near = (straight >= options.least_m * self._metre) & (straight <= options.reach_m * self._metre)
        good = inside & is_near & (walked <= options.max_detour * straight)
        nearer = self._points_above_floor(frame)
        for row in np.flatnonzero(good)[::-1]:
            if (
                self._is_clear(eye.center, places[row])
                and not self._is_hidden(pixels[row], straight[row], nearer)
                and self._shows_floor(frame, places[row])
            ):
                x, y = (float(value) for value in pixels[row])
                return PixelGoal(way[row], (x, y), float(straight[row]))
        return None

    def _is_clear(self, eye: Array, place: Array) -> bool:
        """Whether the line of sight only passes through what is known to be empty."""
        assert self._grid is not None
        count = max(2, int(np.ceil(2 * np.linalg.norm(place[:2] - eye[:2]) / self._grid.cell)))
        line = eye + np.linspace(0.0, 1.0, count)[:, None] * (place - eye)
        rows, columns = self._grid.cells_of(line[:, :2]).T
        empty_above = self._empty_above[rows, columns]
        return bool(np.all(line[:, 2] - place[2] >= empty_above - self._options.slack_m * self._metre))

    def _points_above_floor(self, frame: int) -> Array:
        """Points that a frame sees and that are not of the floor: x and y in pixels, distance on the floor, (N, 3)."""
        model, tracks = self._model, self._model.tracks
        rows = tracks.rows_of_frame(frame)
        points = tracks.obs_point[rows]
        xyz = tracks.xyz[points]
        assert model.floor_z is not None
        keep = (xyz[:, 2] - model.floor_z > self._options.floor.low_m * self._metre) & (
            tracks.error_px[points] <= self._options.floor.max_error_px
        )
        away = np.linalg.norm(xyz[:, :2] - model.world_from_cam[frame].center[:2], axis=1)
        return np.column_stack([tracks.obs_xy[rows], away])[keep]

    def _is_hidden(self, pixel: Array, distance: float, points: Array) -> bool:
        near = np.linalg.norm(points[:, :2] - pixel, axis=1) <= self._options.near * self._model.camera.width
        return int(np.sum(near & (points[:, 2] < distance))) >= self._options.clear_views

    def _shows_floor(self, frame: int, place: Array) -> bool:
        """What the segmenter says of a place, in other pictures if it did not look at this one; true if it saw none."""
        near_first = [frame] if frame in self._floors else sorted(self._floors, key=lambda floor: abs(floor - frame))
        shares = (self._measure_floor(one, place) for one in near_first)
        told = list(islice((share for share in shares if share is not None), self._options.asked_views))
        return not told or float(np.mean(told)) >= self._options.floor_share

    def _measure_floor(self, frame: int, place: Array) -> float | None:
        """The share of floor around a place in a picture; None if it lies outside."""
        model, camera = self._model, self._model.camera
        (pixel,) = camera.project(model.world_from_cam[frame].inverse() @ place[None])
        size = (camera.width, camera.height)
        if not np.all((pixel >= 0) & (pixel < size)):
            return None
        steps = np.linspace(-1.0, 1.0, 5) * self._options.near * camera.width
        around = pixel + np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
        return float(look_up(self._floors[frame], around, size).mean())
