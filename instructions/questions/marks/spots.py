"""Points of a reconstruction that a view may be asked about: where each lies, how sure that is, and what shows it.

A spot is a track of the reconstruction on a surface that the view shows. Tracks that few frames saw, or all from one
side, have no sure depth. Beside an edge of depth nobody can tell which of two surfaces a mark means, and behind glass
and in mirrors things seem to lie where they do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from instructions.asking.draws import Draw
from instructions.facts.measured import Unit
from instructions.facts.reliable import reliable_points, triangulation_angles_deg
from instructions.facts.viewer import Viewer
from instructions.records import Box, Detection
from recon.geometry import Array, Pose
from recon.records import Scene, SceneModel

MOST_ERROR_PX = 2.0
LEAST_FRAMES = 4
"""A wrong match seldom agrees with the poses of four frames."""
LEAST_ANGLE_DEG = 1.5
"""Between the rays to a point, below which its depth is open."""
EDGE_SHARE = 1.0 / 30.0
"""Of the shorter side of the picture: tracks nearer than this to a spot must lie at its depth."""
SAME_DEPTH = 0.10
"""Relative difference of depth up to which tracks beside a spot are of its surface."""
APART_SHARE = 1.0 / 8.0
"""Of the shorter side of the picture: two marks are never nearer to each other."""
BORDER_SHARE = 1.0 / 20.0
"""Of the shorter side of the picture: a mark keeps so far from the border, where its number must be drawn."""
MOST_SPOTS = 24
"""Per view: more add rows alike, and none that is new."""
NEAREST_M, FURTHEST_M = 0.4, 10.0
"""(Nominal) metres from the camera within which tracks are believed."""
UNTRUE_SURFACES = frozenset(
    ["mirror", "window", "glass", "glass door", "screen", "tv", "television", "monitor", "person", "cat", "dog", "bird"]
)
"""What shows things where they are not, or moves by itself."""
LEAST_DETECTION_SCORE = 0.15
DRIFT_SHARE = 0.01
"""Of the way between two frames: how far their poses may be off against each other. Loops that were closed are within
half of it."""
LEAST_ERROR_PX = 0.7
"""No keypoint is placed better than this, however small its reprojection error came out."""


@dataclass(frozen=True, eq=False)
class Spot:
    """One point on a surface, in one view."""

    point: int
    """Row of the model's tracks."""
    frame: int
    xy: tuple[float, float]
    """Pixels of the sampled frame, pixel centers at +0.5."""
    xyz: Array  # (3,) in the world
    range: float
    """Distance from the eye, in the unit of the model."""
    depth: float
    """Along the optical axis."""
    sigma: float
    """Standard deviation of its place along the line of sight, in the unit of the model."""


@dataclass(frozen=True, eq=False)
class SpotView:
    """One frame with a pose, and the spots it shows."""

    frame: int
    time_s: float
    pose: Pose
    """world_from_cam."""
    viewer: Viewer
    spots: tuple[Spot, ...]
    """Well apart in the picture, in an order by chance."""
    points: NDArray[np.int64]
    """Rows of all reliable tracks that the frame observes, sorted."""


@dataclass(eq=False)
class SpotTour:
    """The views of one model of a tour, and what is common to them."""

    scene: Scene
    model: SceneModel
    detections: Sequence[Detection]
    """Of all frames; their boxes tell where surfaces are not to be believed."""
    seed: int

    def __post_init__(self) -> None:
        tracks = self.model.tracks
        self.metre = self.model.nominal_metre
        self.has_scale = self.model.scale.status != "relative"
        self.unit: Unit = "m" if self.has_scale else "unit"
        self.is_upright = self.model.is_upright
        self.frames = self.model.frames
        self._reliable = reliable_points(self.model, MOST_ERROR_PX, LEAST_FRAMES, LEAST_ANGLE_DEG)
        counts = np.maximum(np.bincount(tracks.obs_point, minlength=len(tracks.xyz)), 2)
        angles = np.radians(np.maximum(triangulation_angles_deg(self.model), 1e-3))
        errors = np.maximum(tracks.error_px, LEAST_ERROR_PX) / self.model.camera.fx
        self._sigma_share = 2.0 * errors / (angles * np.sqrt(counts))
        self._untrue: dict[int, list[Box]] = defaultdict(list)
        for one in self.detections:
            if one.label.lower() in UNTRUE_SURFACES and one.score >= LEAST_DETECTION_SCORE:
                self._untrue[one.frame].append(one.box_xyxy)

    @cached_property
    def way(self) -> Mapping[int, float]:
        """Length of the walk from its first frame to each, in the unit of the model."""
        steps = np.linalg.norm(np.diff(self.model.centers, axis=0), axis=1)
        return dict(zip(self.frames, np.concatenate([[0.0], np.cumsum(steps)]).tolist(), strict=True))

    @cached_property
    def views(self) -> Mapping[int, SpotView]:
        """By frame, in time order."""
        return {frame: self._look(frame) for frame in self.frames}

    def drift(self, *frames: int) -> float:
        """Standard deviation of the place of one frame's eye against another's, over the way between them."""
        ways = [self.way[frame] for frame in frames]
        return DRIFT_SHARE * (max(ways) - min(ways))

    def sees(self, view: SpotView, spots: Iterable[Spot]) -> list[Spot]:
        """Those spots that another frame observes too."""
        return [one for one in spots if _holds(view.points, one.point)]

    def project(self, view: SpotView, xyz: Array) -> tuple[Array, float]:
        """Pixel (2,) of a world point in a view, NaN behind the camera, and its depth there."""
        depth = float(view.pose.depths(xyz[None])[0])
        return self.model.camera.project(view.pose.inverse() @ xyz[None])[0], depth

    def _look(self, frame: int) -> SpotView:
        model, tracks = self.model, self.model.tracks
        pose = model.world_from_cam[frame]
        rows = tracks.rows_of_frame(frame)
        points, pixels = tracks.obs_point[rows], tracks.obs_xy[rows]
        depths = pose.depths(tracks.xyz[points]) if len(points) else np.zeros(0)
        viewer = Viewer.of(pose, upright=model.is_upright)
        time_s = self.scene.frame_by_index[frame].time_s
        usable = self._reliable[points] & (depths > 0)
        seen = np.unique(points[usable])
        spots = self._pick(frame, pose, points, pixels, depths, usable)
        return SpotView(frame, time_s, pose, viewer, spots, seen)

    def _pick(
        self,
        frame: int,
        pose: Pose,
        points: NDArray[np.int64],
        pixels: Array,
        depths: Array,
        usable: NDArray[np.bool_],
    ) -> tuple[Spot, ...]:
        camera = self.model.camera
        short = min(camera.width, camera.height)
        border = BORDER_SHARE * short
        low, high = np.array([border, border]), np.array([camera.width - border, camera.height - border])
        usable = usable & ((pixels >= low) & (pixels <= high)).all(axis=1)
        usable &= (depths >= NEAREST_M * self.metre) & (depths <= FURTHEST_M * self.metre)
        for x0, y0, x1, y1 in self._untrue[frame]:
            x, y = pixels.T
            usable &= ~((x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1))
        if not usable.any():
            return ()
        ahead = depths > 0
        tree = cKDTree(pixels[ahead])
        around = depths[ahead]
        draw = Draw(self.seed, self.scene.id, "spots", self.model.name, frame)
        rng = np.random.default_rng(int(draw.uniform() * 2**53))
        spots: list[Spot] = []
        taken = np.zeros((0, 2))
        for row in rng.permutation(np.flatnonzero(usable)):
            xy = pixels[row]
            if len(taken) and np.linalg.norm(taken - xy, axis=1).min() < APART_SHARE * short:
                continue
            share = float(self._sigma_share[points[row]])
            beside = around[tree.query_ball_point(xy, EDGE_SHARE * short)]
            if (np.abs(beside / depths[row] - 1.0) > max(SAME_DEPTH, 3.0 * share)).any():
                continue
            xyz = self.model.tracks.xyz[points[row]]
            away = float(np.linalg.norm(xyz - pose.center))
            spots.append(
                Spot(int(points[row]), frame, (float(xy[0]), float(xy[1])), xyz, away, float(depths[row]), away * share)
            )
            taken = np.vstack([taken, xy])
            if len(spots) == MOST_SPOTS:
                break
        return tuple(spots)


def _holds(points: NDArray[np.int64], point: int) -> bool:
    at = int(np.searchsorted(points, point))
    return at < len(points) and int(points[at]) == point
