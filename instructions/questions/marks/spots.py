"""Points of a reconstruction that a view may be asked about: where each lies, how sure that is, and what shows it.

A spot is a track of the reconstruction on a surface that the view shows. Tracks that few frames saw, or all from one
side, have no sure depth. Beside an edge of depth nobody can tell which of two surfaces a mark means, and behind glass,
in mirrors and in a shining floor things seem to lie where they do not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

from instructions.asking.draws import Draw
from instructions.asking.gates import APART_SHARE
from instructions.facts.tracks import is_inside, reliable_points, triangulation_angles_deg
from instructions.facts.verdict import Unit
from instructions.facts.viewer import Viewer
from instructions.questions.marks.pairs import DRIFT_SHARE, ViewPairs, find_held
from instructions.records import Box, Detection
from recon.geometry import Array, Pose
from recon.records import Scene, SceneModel

MOST_ERROR_PX = 1.0
"""Mean reprojection error of a track: of those above, one in six is off by a tenth of its depth in front of a depth
sensor, of those below one in sixteen."""
LEAST_FRAMES = 4
"""A wrong match seldom agrees with the poses of four frames."""
LEAST_ANGLE_DEG = 1.5
"""Between the rays to a point, below which its depth is open."""
LEAST_SPOT_ANGLE_DEG = 5.0
"""The same for a mark: of tracks below, one in four is off by a tenth of its depth in front of a depth sensor, of those
above one in twenty."""
MOST_ERROR_SHARE = 1.25
"""Of the median reprojection error of the model's tracks, for a mark. In the made apartment 12 % of the tracks with the
greatest fifth of errors are off by more than a tenth of their depth, of the others 1 %."""
EDGE_SHARE = 1.0 / 30.0
"""Of the shorter side of the picture: tracks nearer than this to a spot must lie at its depth."""
SAME_DEPTH = 0.10
"""Relative difference of depth up to which tracks beside a spot are of its surface."""
BESIDE = 5
"""Tracks nearest to a spot in the picture whose middle depth must be its own too: a spot that stands alone in depth is
mostly a wrong match."""
BORDER_SHARE = 1.0 / 20.0
"""Of the shorter side of the picture: a mark keeps so far from the border, where its number must be drawn."""
MOST_SPOTS = 24
"""Per view: more add rows alike, and none that is new."""
NEAREST_M, FURTHEST_M = 0.4, 10.0
"""(Nominal) metres from the camera within which tracks are believed."""
FLOOR_SIGMA_M = 0.03
"""(Nominal) metres: of the height of a floor, however even it seems. Set by hand."""
NORMAL_95 = 1.645
"""Standard deviations from the mean to the 95 % quantile of a normal distribution."""
MIRRORED_M = 0.2
"""(Nominal) metres below the floor from which on a point is what a shining floor mirrors. A flight of stairs that leads
down is lost with it."""
UNTRUE_SURFACES = frozenset(
    ["mirror", "window", "glass", "glass door", "screen", "tv", "television", "monitor", "person", "cat", "dog", "bird"]
)
"""What shows things where they are not, or moves by itself."""
LEAST_DETECTION_SCORE = 0.15
LEAST_ERROR_PX = 0.7
"""No keypoint is placed better than this, however small its reprojection error came out."""
LEAST_SIGMA_SHARE = 0.02
"""Of the distance: what poses, lens and surfaces are off beside the keypoints. Against the depth sensor of a real walk
the median error is 2 %, 68 % are within 3.3 %; in the made apartment 0.4 %."""
ACROSS_SHARE = 1.0 / 3.0
"""Of a spot's error along the line of sight: its error across it. Views from other sides see that part of the error of
depth as one to the side."""


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
        counts = np.maximum(np.bincount(tracks.obs_point, minlength=len(tracks.xyz)), 2)
        usual = tracks.error_px[counts >= LEAST_FRAMES]
        most_px = MOST_ERROR_SHARE * float(np.median(usual)) if len(usual) else 0.0
        self._reliable = reliable_points(self.model, MOST_ERROR_PX, LEAST_FRAMES, LEAST_ANGLE_DEG)
        angles_deg = triangulation_angles_deg(self.model)
        self._is_sure = (angles_deg >= LEAST_SPOT_ANGLE_DEG) & (tracks.error_px <= most_px)
        angles = np.radians(np.maximum(angles_deg, 1e-3))
        errors = np.maximum(tracks.error_px, LEAST_ERROR_PX) / self.model.camera.fx
        self._sigma_share = np.hypot(2.0 * errors / (angles * np.sqrt(counts)), LEAST_SIGMA_SHARE)
        if self.model.has_clouds:  # no track: each point is one pixel with its depth
            self._reliable = self._is_sure = np.ones(len(tracks.xyz), dtype=bool)
            self._sigma_share = np.full(len(tracks.xyz), np.hypot(self.model.range_sigma, LEAST_SIGMA_SHARE))
        if self.is_upright and self.model.floor_z is not None:
            self._is_sure = self._is_sure & (tracks.xyz[:, 2] >= self.model.floor_z - MIRRORED_M * self.metre)
        self._untrue: dict[int, list[Box]] = defaultdict(list)
        for detection in self.detections:
            if detection.label.lower() in UNTRUE_SURFACES and detection.score >= LEAST_DETECTION_SCORE:
                self._untrue[detection.frame].append(detection.box_xyxy)

    @cached_property
    def views(self) -> Mapping[int, SpotView]:
        """By frame, in time order."""
        return {frame: self._look(frame) for frame in self.frames}

    @cached_property
    def floor_sigma(self) -> float:
        """Standard deviation of the height of the floor at any place, in the unit of the model.

        Where too little of the floor is measured to compare its parts, that of the heights of the cameras: who films
        holds the camera at about one height, so a model in which it rises and falls leans or bends.
        """
        spread = self.model.floor_range / (2.0 * NORMAL_95)
        if not spread and self.model.pose_sigma:
            spread = float(np.std(self.model.centers[:, 2]))
        return max(FLOOR_SIGMA_M * self.metre, spread)

    @cached_property
    def pairs(self) -> ViewPairs:
        """How the camera moved between views, and what they share."""
        viewers = {frame: view.viewer for frame, view in self.views.items()}
        points = {frame: view.points for frame, view in self.views.items()}
        return ViewPairs(self.model, viewers, points, (self.seed, self.scene.id, self.model.name))

    def drift(self, *frames: int) -> float:
        """Standard deviation of the place of one frame's eye against another's, over the way between them."""
        return DRIFT_SHARE * float(np.ptp([self.pairs.way[self.pairs.place[frame]] for frame in frames]))

    def find_seen(self, view: SpotView, spots: Iterable[Spot]) -> list[Spot]:
        """Those spots that another frame observes too."""
        spots = list(spots)
        held = find_held(view.points, np.array([spot.point for spot in spots], dtype=np.int64))
        return [one for one, seen in zip(spots, held.tolist(), strict=True) if seen]

    def place(self, view: SpotView, point: int) -> Spot | None:
        """The mark of a point in a view that observes it; None where no mark may stand there."""
        if not find_held(view.points, np.array([point])).any():
            return None
        points, pixels, depths, usable = self._observe(view.frame)
        spots = self._pick(view.frame, view.pose, points, pixels, depths, usable & (points == point))
        return spots[0] if spots else None

    def project(self, view: SpotView, xyz: Array) -> tuple[Array, float]:
        """Pixel (2,) of a world point in a view, NaN behind the camera, and its depth there."""
        local = (xyz - view.pose.center) @ view.pose.rotation
        return self.model.camera.project(local)[0], float(local[2])

    def _look(self, frame: int) -> SpotView:
        pose = self.model.world_from_cam[frame]
        viewer = Viewer.of(pose, upright=self.model.is_upright)
        time_s = self.scene.frame_by_index[frame].time_s
        points, pixels, depths, usable = self._observe(frame)
        seen = np.unique(points[usable])
        spots = self._pick(frame, pose, points, pixels, depths, usable)
        return SpotView(frame, time_s, pose, viewer, spots, seen)

    def _observe(self, frame: int) -> tuple[NDArray[np.int64], Array, Array, NDArray[np.bool_]]:
        """What a frame observes: rows of points, their pixels and depths, and which of them are reliable."""
        points, pixels, depths = self.model.observe(frame)
        return points, pixels, depths, self._reliable[points] & (depths > 0)

    def _pick(
        self, frame: int, pose: Pose, points: NDArray[np.int64], pixels: Array, depths: Array, usable: NDArray[np.bool_]
    ) -> tuple[Spot, ...]:
        camera = self.model.camera
        short = min(camera.width, camera.height)
        border = BORDER_SHARE * short
        low, high = np.array([border, border]), np.array([camera.width - border, camera.height - border])
        usable = usable & ((pixels >= low) & (pixels <= high)).all(axis=1)
        usable &= self._is_sure[points] & (depths >= NEAREST_M * self.metre) & (depths <= FURTHEST_M * self.metre)
        for box in self._untrue[frame]:
            usable &= ~is_inside(pixels, box)
        if not usable.any():
            return ()
        ahead = depths > 0
        tree = KDTree(pixels[ahead])
        around = depths[ahead]
        draw = Draw(self.seed, self.scene.id, "spots", self.model.name, frame)
        rng = np.random.default_rng(int(draw.uniform() * 2**53))
        left = rng.permutation(np.flatnonzero(usable))
        ranks = np.arange(1, min(BESIDE + 1, len(around)) + 1)
        nearest = around[tree.query(pixels[left], k=ranks)[1]]  # type: ignore[arg-type]  # the stubs know one number
        left = left[np.abs(np.median(nearest, axis=1) / depths[left] - 1.0) <= SAME_DEPTH]
        spots: list[Spot] = []
        while len(left) and len(spots) < MOST_SPOTS:
            row, left = left[0], left[1:]
            xy, share = pixels[row], float(self._sigma_share[points[row]])
            beside = around[tree.query_ball_point(xy, EDGE_SHARE * short)]
            if (np.abs(beside / depths[row] - 1.0) > max(SAME_DEPTH, 3.0 * share)).any():
                continue
            xyz = self.model.tracks.xyz[points[row]]
            away = float(np.linalg.norm(xyz - pose.center))
            spots.append(
                Spot(int(points[row]), frame, (float(xy[0]), float(xy[1])), xyz, away, float(depths[row]), away * share)
            )
            left = left[np.linalg.norm(pixels[left] - xy, axis=1) >= APART_SHARE * short]
        return tuple(spots)


@dataclass(frozen=True, eq=False)
class Slope:
    """How a measure changes where one spot moves."""

    spot: Spot
    gradient: Array  # (3,) of the measure by the spot's place


def find_sigma(tour: SpotTour, slopes: Iterable[Slope]) -> float:
    """Standard deviation of a measure to first order; slopes by the same spot are added up.

    A spot is off mostly along the line of sight of the view that shows it, so its error counts by how far the measure
    changes in that direction: how far apart two marks on a wall are is known if it is seen face on, at any depth.
    """
    gradients: dict[Spot, Array] = {}
    for slope in slopes:
        known = gradients.get(slope.spot)
        gradients[slope.spot] = slope.gradient if known is None else known + slope.gradient
    variance = 0.0
    for spot, gradient in gradients.items():
        sight = (spot.xyz - tour.model.world_from_cam[spot.frame].center) / spot.range
        along = float(gradient @ sight)
        across = max(float(gradient @ gradient) - along**2, 0.0)
        variance += spot.sigma**2 * (along**2 + ACROSS_SHARE**2 * across)
    return sqrt(variance)
