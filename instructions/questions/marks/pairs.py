"""How the camera moved between views of one model, and what two views both show.

Motion is told in the axes of the view that is left: its ahead is that of a person who holds the camera level, so a
pitched or rolled picture changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from instructions.asking.draws import Draw
from instructions.facts.viewer import Viewer
from recon.geometry import Array
from recon.records import SceneModel

Number = TypeVar("Number", float, Array)
DRIFT_SHARE = 0.01
"""Of the way between two frames: how far their poses may be off against each other. Loops that were closed are within
half of it."""
DRIFT_DEG_PER_M = 0.5
"""Degrees by which a direction may be off after each (nominal) metre of way, bent by a lens that is a little wrong."""
LEAST_TURN_SIGMA_DEG = 0.5
"""No two frames have directions surer than that: rolling shutters shear every turning picture."""
LEAST_MOVED_M, LEAST_TURNED_DEG = 0.3, 15.0
"""(Nominal) metres or degrees between two pictures: less, and they are the same picture to the eye."""
LEAST_SHARED = 8
"""Points that two views share at least where one is compared with the other; with fewer nobody finds his way."""
MOST_PITCH_DEG = 45.0
"""Views pitched further show floor or ceiling, and nobody tells forward from up."""
LEAST_STEP_M, MOST_STEP_M = 0.4, 3.0
"""(Nominal) metres of walk from one picture of a walk to the next."""
LEAST_STEP_TURN_DEG = 20.0
"""A picture turned by so much is another one, though taken at the same place."""
_WALKS = (3, 4, 5, 4, 5, 4)
"""How many views the walks from one view have."""
_GRID = (5, 4)
"""Columns and rows of rays that stand for a picture."""
_REACH, _LEAST_REACH_M = 2.0, 6.0
"""Times the depth of what a view shows, and (nominal) metres: nothing further off than both is in it. Beside what is
near and has points a room may go on without any."""
_MARGIN = 0.15
"""Of the picture's size: what lies so little outside may be inside, with errors of pose and depth."""
_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, eq=False)
class Motion(Generic[Number]):
    """Motion of the camera from one view to another, or (N,) motions to N views; lengths in the unit of the model, in
    axes of the first.
    """

    ahead: Number
    right: Number
    up: Number
    length: Number
    turn_deg: Number
    """To the left positive, in (-180, 180]."""
    tilt_deg: Number
    """Upwards positive."""
    sigma: Number
    """Of any length."""
    turn_sigma_deg: Number

    def __getitem__(self: Motions, at: int) -> Motion[float]:
        """One of several."""
        return Motion(*(float(getattr(self, field.name)[at]) for field in fields(self)))

    @property
    def bearing_deg(self) -> float:
        """Direction of the place gone to from straight ahead, to the right positive."""
        return float(np.degrees(np.arctan2(self.right, self.ahead)))

    @property
    def bearing_sigma_deg(self) -> float:
        """One standard deviation of the bearing."""
        flat = max(float(np.hypot(self.ahead, self.right)), 1e-9)
        return float(np.hypot(self.turn_sigma_deg, np.degrees(np.arctan2(self.sigma, flat))))


Motions: TypeAlias = Motion[Array]


@dataclass(eq=False)
class ViewPairs:
    """All pairs of views of a model; views are given by their places in `frames`."""

    model: SceneModel
    viewers: Mapping[int, Viewer]
    points: Mapping[int, NDArray[np.int64]]
    """By frame: rows of the reliable tracks that it observes, sorted."""
    about: tuple[str | int, ...]
    """What random choices hang on."""

    def __post_init__(self) -> None:
        model, viewers = self.model, [self.viewers[frame] for frame in self.model.frames]
        self.metre = model.nominal_metre
        self.frames = np.array(model.frames, dtype=np.int64)
        self.place = {frame: at for at, frame in enumerate(model.frames)}
        self._eye = model.centers
        self._ahead = np.array([viewer.ahead for viewer in viewers]).reshape(-1, 3)
        self._right = np.array([viewer.right for viewer in viewers]).reshape(-1, 3)
        self._up = np.cross(self._right, self._ahead)
        axes = np.array([pose.forward for pose in model.world_from_cam.values()]).reshape(-1, 3)
        self._axis = axes
        self.pitch_deg = np.degrees(np.arcsin(np.clip(axes[:, 2], -1, 1))) if model.is_upright else np.zeros(len(axes))
        sigmas = [model.pose_sigma.get(frame) for frame in model.frames]
        self._place_sigma = np.array([sigma.position if sigma else 0.0 for sigma in sigmas])
        self._turn_sigma_deg = np.array([sigma.rotation_deg if sigma else 0.0 for sigma in sigmas])
        self._latest: tuple[int, Motions] | None = None
        self.list_walks, self.look_around = cache(self._list_walks), cache(self._look_around)
        self._farthest, self._are_apart = cache(self._find_farthest), cache(self._lie_apart)

    @cached_property
    def way(self) -> Array:
        """Length of the walk from its first frame to each: (F,), in the unit of the model."""
        steps = np.linalg.norm(np.diff(self._eye, axis=0), axis=1)
        return np.concatenate([[0.0], np.cumsum(steps)])

    @cached_property
    def headings_deg(self) -> Array:
        """Sum of the turns from the first frame to each, to the left positive: (F,); full circles count."""
        ahead, right = self._ahead[:-1], self._right[:-1]
        turns = -np.arctan2((self._ahead[1:] * right).sum(axis=1), (self._ahead[1:] * ahead).sum(axis=1))
        return np.degrees(np.concatenate([[0.0], np.cumsum(turns)]))

    @cached_property
    def point_counts(self) -> NDArray[np.int64]:
        """How many reliable points each view observes: (F,)."""
        return np.array([len(self.points[frame]) for frame in self.model.frames], dtype=np.int64)

    @cached_property
    def _shared(self) -> csr_matrix:
        counts = self.point_counts
        rows = np.repeat(np.arange(len(counts)), counts)
        columns = np.concatenate([self.points[frame] for frame in self.model.frames]) if len(counts) else rows
        ones = np.ones(len(rows), dtype=np.int32)
        seen = csr_matrix((ones, (rows, columns)), shape=(len(counts), len(self.model.tracks.xyz)))
        return csr_matrix(seen @ seen.T)

    def list_frames(self, *places: int) -> tuple[int, ...]:
        """The frames of views, in their order."""
        return tuple(int(self.frames[at]) for at in places)

    def count_shared(self, at: int) -> NDArray[np.int64]:
        """How many reliable points each view shares with one: (F,)."""
        row = slice(*self._shared.indptr[at : at + 2])
        out = np.zeros(len(self.frames), dtype=np.int64)
        out[self._shared.indices[row]] = self._shared.data[row]
        return out

    def share_points(self, at: int, other: int) -> int:
        """How many reliable points two views share."""
        return int(self.count_shared(at)[other])

    def find_changed(self, at: int) -> NDArray[np.bool_]:
        """Views from elsewhere, or turned elsewhere, than one: (F,)."""
        motion = self.measure_from(at)
        moved = motion.length >= LEAST_MOVED_M * self.metre
        return moved | (np.abs(motion.turn_deg) >= LEAST_TURNED_DEG)

    def find_level(self, at: int) -> NDArray[np.bool_]:
        """Views to which one tells directions, as neither is pitched too far: (F,)."""
        level = np.abs(self.pitch_deg) <= MOST_PITCH_DEG
        return level & level[at] & (np.abs(self.measure_from(at).tilt_deg) <= MOST_PITCH_DEG)

    def measure_from(self, at: int) -> Motions:
        """The motions from one view to all of them."""
        if self._latest is None or self._latest[0] != at:
            self._latest = at, self.measure_each(at, np.arange(len(self.frames)))
        return self._latest[1]

    def measure(self, at: int, to: int) -> Motion[float]:
        """The motion from one view to another."""
        if self._latest is not None and self._latest[0] == at:
            return self._latest[1][to]
        return self.measure_each(at, np.array([to]))[0]

    def measure_each(self, at: int | NDArray[np.int64], to: NDArray[np.int64]) -> Motions:
        """The motions from views to others: N of either, or from one to N."""
        step = self._eye[to] - self._eye[at]
        ahead, right, up = self._ahead[at], self._right[at], self._up[at]
        turn = -np.degrees(np.arctan2((self._ahead[to] * right).sum(-1), (self._ahead[to] * ahead).sum(-1)))
        if self.model.is_upright:
            tilt = self.pitch_deg[to] - self.pitch_deg[at]
        else:
            tilt = np.degrees(np.arcsin(np.clip((self._axis[to] * up).sum(-1), -1, 1)))
        way = np.abs(self.way[to] - self.way[at])
        sigma = np.sqrt((DRIFT_SHARE * way) ** 2 + self._place_sigma[at] ** 2 + self._place_sigma[to] ** 2)
        turned = self._turn_sigma_deg[at] ** 2 + self._turn_sigma_deg[to] ** 2 + LEAST_TURN_SIGMA_DEG**2
        return Motion(
            (step * ahead).sum(-1),
            (step * right).sum(-1),
            (step * up).sum(-1),
            np.sqrt((step * step).sum(-1)),
            turn,
            tilt,
            sigma,
            np.sqrt(turned + (DRIFT_DEG_PER_M * way / self.metre) ** 2),
        )

    def _list_walks(self, at: int) -> list[list[int]]:
        """Some walks of three to five views that begin with one, each overlapping with the view before it."""
        draw = Draw(*self.about, "walks", int(self.frames[at]))
        walks = [self._walk_on(at, draw, count) for count in _WALKS]
        return [walk for walk in walks if len(walk) > 2]

    def _walk_on(self, at: int, draw: Draw, count: int) -> list[int]:
        """So many views in the order of the walk, or as many as there are."""
        out = [at]
        while len(out) < count:
            at = out[-1]
            last = int(np.searchsorted(self.way, self.way[at] + MOST_STEP_M * self.metre, side="right"))
            rows = np.arange(at + 1, last)
            motion = self.measure_each(at, rows)
            steps = (self.way[rows] - self.way[at] >= LEAST_STEP_M * self.metre) | (
                np.abs(motion.turn_deg) >= LEAST_STEP_TURN_DEG
            )
            rows = rows[steps & (self.count_shared(at)[rows] >= LEAST_SHARED)]
            if not len(rows):
                break
            out.append(draw.pick(rows.tolist()))
        return out

    def are_apart(self, at: int, other: int) -> bool:
        """Whether surely nothing is in both views.

        They share no point, and no place within the depths that one shows would lie in the picture of the other,
        whatever hides it.
        """
        return self._are_apart(min(at, other), max(at, other))

    def _lie_apart(self, at: int, other: int) -> bool:
        return self.share_points(at, other) == 0 and not self._reaches(at, other) and not self._reaches(other, at)

    def _reaches(self, at: int, other: int) -> bool:
        """Whether something that one view may show lies within what another may show."""
        places = self.look_around(at)
        return bool(self.falls_inside(other, places, _MARGIN, _REACH * self._farthest(other)).any())

    def falls_inside(
        self, at: int, xyz: Array, margin: float = 0.0, farthest: float = float("inf")
    ) -> NDArray[np.bool_]:
        """Which places (N, 3) a view would show if nothing hid them: (N,).

        Args:
            at: The view.
            xyz: In the world.
            margin: Of the picture's size, by which it is wider on every side.
            farthest: Depth behind which nothing is shown.
        """
        pose = self.model.world_from_cam[int(self.frames[at])]
        local = (xyz - pose.center) @ pose.rotation
        depth = local[:, 2]
        x0, y0, x1, y1 = self.window
        wide, high = margin * (x1 - x0), margin * (y1 - y0)
        safe = np.maximum(depth, 1e-9)
        x, y = local[:, 0] / safe, local[:, 1] / safe
        inside = (x >= x0 - wide) & (x <= x1 + wide) & (y >= y0 - high) & (y <= y1 + high)
        return inside & (depth > 0) & (depth <= farthest)

    def _look_around(self, at: int) -> Array:
        """Places in the world (N, 3) that stand for what a view may show: its points, and a grid at their depths."""
        frame, tracks = int(self.frames[at]), self.model.tracks
        pose = self.model.world_from_cam[frame]
        xyz = tracks.xyz[tracks.obs_point[tracks.rows_of_frame(frame)]]
        xyz = xyz[np.isfinite(xyz).all(axis=1)]
        depths = pose.depths(xyz) if len(xyz) else np.zeros(0)
        xyz, depths = xyz[depths > 0], depths[depths > 0]
        at_depths = np.quantile(depths, _QUANTILES) if len(depths) else np.array([0.5, 1, 2, 4, 8]) * self.metre
        grid = (self._rays[None] * at_depths[:, None, None]).reshape(-1, 3)
        return np.vstack([pose @ grid, xyz])

    def _find_farthest(self, at: int) -> float:
        depths = self.model.world_from_cam[int(self.frames[at])].depths(self.look_around(at))
        return max(_REACH * float(np.quantile(depths, _QUANTILES[-1])), _LEAST_REACH_M * self.metre)

    @cached_property
    def _rays(self) -> Array:
        camera = self.model.camera
        x, y = (np.linspace(0, size, count) for size, count in zip((camera.width, camera.height), _GRID, strict=True))
        return camera.rays(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))

    @cached_property
    def window(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the picture at depth 1, at its widest: x0, y0, x1, y1."""
        x, y = self._rays[:, 0], self._rays[:, 1]
        return float(x.min()), float(y.min()), float(x.max()), float(y.max())


def find_held(held: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of some points (N,) are among sorted ones: (N,)."""
    if not len(held):
        return np.zeros(len(points), dtype=bool)
    return held[np.minimum(np.searchsorted(held, points), len(held) - 1)] == points
