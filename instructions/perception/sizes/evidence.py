"""What pictures say of a sub-model's surfaces and sizes: a `SceneEvidence` for `recon.upright.scene.build_scene`.

Doors and boxes are measured frame by frame; furniture and ceilings from named points, by the level that most points of
a thing share, or by its top.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import FrameResults
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import FoundBox
from instructions.perception.sizes.doors import HeightView, measure_doors
from instructions.perception.sizes.point_words import name_points, points_called, surfaces_of
from recon.geometry import Array
from recon.records import (
    CEILING,
    DOOR_HEIGHT,
    THING,
    UNNAMED,
    ExpectedSize,
    Frame,
    SceneModel,
    SizeWitness,
    Tracks,
)

_APART = 0.6
"""Nominal metres between views of one door or box."""
_LEVELS = {
    "table height": ("table", 0.25, 1.35),
    "sofa level": ("sofa", 0.25, 1.1),
    "bed height": ("bed", 0.25, 0.9),
    "counter height": ("cabinet", 0.5, 2.6),
}
"""Kind: word, and between which heights in nominal metres its level is looked for."""
_TOPS = {"chair back height": ("chair", 0.5, 1.4)}
_BOXES = {"refrigerator height": ("refrigerator", 0.55, 2.6), "toilet height": ("toilet", 0.28, 1.15)}
_CEILING = (1.7, 4.5)
_CEILING_SHARE = 0.4
_INNER = 0.8
"""Part of the width and height of a box that is the thing rather than what stands beside it."""
_LEAST_BOX_POINTS = 5
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""
_LEAST_BOX_VIEWS = 3
"""A box's edge is a tenth of the box off in one frame."""
_SAME_TOP = 0.05
"""Of its height, by which two frames may differ on where a door ends."""
_ONE_FRAME_TRUST = 0.4
"""That a door which only one frame measures is one, and measured whole. Of ten on six tours four were right within 8 %,
the others were posts, and doors whose upper part was called wall. Of five that two frames measured alike one was 10 %
off."""

_POINTS_APART = 0.4
"""Nominal metres between points of one thing on the plan; tables stand further apart than their points."""
_LEAST_AROUND = 4
_LEVEL_BAND = 0.05
"""Nominal metres: thickness of a table top and of what triangulation adds."""
_LEAST_LEVEL_POINTS = 10
_LEAST_LEVEL_SHARE = 0.3
"""Of a thing's points in its fullest band; clutter without a level has less."""
_TOP_PERCENT = 95.0
"""The highest points are wrong matches now and then."""
_LEAST_TOP_POINTS = 20
"""With fewer, that percentile is the highest point itself."""


class PictureSizes:
    """Surfaces and sizes out of what light networks said of the frames, some or all of them."""

    def __init__(self, results: FrameResults, frames: Sequence[Frame]) -> None:
        """Take what the networks said, and the tour's frames."""
        self._results = results
        self._frames: Mapping[int, Frame] = {frame.index: frame for frame in frames}
        self._segments = lru_cache(maxsize=8)(self._read_segments)
        self._named: tuple[Tracks, NDArray[np.int64]] | None = None

    def surfaces(self, tracks: Tracks) -> NDArray[np.uint8]:
        """What each point (P,) lies on."""
        return surfaces_of(self._classes(tracks))

    def sizes(self, model: SceneModel) -> list[SizeWitness]:
        """Things of known size in the model, kind by kind; empty for a model without a floor."""
        if model.floor_z is None:
            return []
        metre, measured = model.nominal_metre, defaultdict[str, list[float]](list)
        classes = self._classes(model.tracks)
        heights = model.tracks.xyz - [0.0, 0.0, model.floor_z]
        for find, kinds in ((find_level, _LEVELS), (find_top, _TOPS)):
            for name, (word, low, high) in kinds.items():
                for thing in split_things(heights[points_called(classes, word)], metre):
                    _keep(measured[name], find(thing[:, 2], low, high, metre))
        surfaces = surfaces_of(classes)
        ceiling = heights[surfaces == CEILING, 2]
        _keep(measured["ceiling height"], find_level(ceiling, *_CEILING, metre, _CEILING_SHARE))
        for name, (word, low, high) in _BOXES.items():
            measured[name] += [
                top for top in self._measure_boxes(model, word, surfaces) if low * metre <= top <= high * metre
            ]
        doors = self._measure_doors(model, model.floor_z)
        return [*doors, *(witness_of(name, sizes) for name, sizes in measured.items() if sizes)]

    def _measure_doors(self, model: SceneModel, floor_z: float) -> list[SizeWitness]:
        """The doors that two frames measure alike; where there are none, those that one measures, and less sure."""
        views: list[HeightView] = []
        for frame, pose in model.world_from_cam.items():
            segments = self._segments(frame)
            if segments is not None:
                views += measure_doors(frame, segments, model.camera, pose, floor_z, model.nominal_metre)
        heights: list[float] = []
        alike: list[float] = []
        for door in _group_views(views, model.nominal_metre):
            heights.append(_median_height(door))
            same = {view.frame for view in door if abs(view.height - heights[-1]) <= _SAME_TOP / 2 * heights[-1]}
            alike += heights[-1:] if len(same) >= 2 else []
        if alike:
            return [witness_of(DOOR_HEIGHT, alike)]
        return [replace(witness_of(DOOR_HEIGHT, heights), trust=_ONE_FRAME_TRUST)] if heights else []

    def _measure_boxes(self, model: SceneModel, word: str, surfaces: NDArray[np.uint8]) -> list[float]:
        """Heights of the things of one word, one each."""
        views: list[HeightView] = []
        for frame in model.frames:
            for box in self._results.boxes(frame):
                view = measure_top(frame, box, model, surfaces) if box.label == word else None
                if view is not None:
                    views.append(view)
        things = _group_views(views, model.nominal_metre)
        return [_median_height(thing) for thing in things if len(thing) >= _LEAST_BOX_VIEWS]

    def _classes(self, tracks: Tracks) -> NDArray[np.int64]:
        """Names of the points; the same rows whatever frame the points are in, so they are found once per model."""
        if self._named is None or self._named[0].obs_point is not tracks.obs_point:
            self._named = (tracks, name_points(tracks, self._segments))
        return self._named[1]

    def _read_segments(self, frame: int) -> SegmentMap | None:
        known = self._frames[frame]
        return self._results.segments(frame, known.width, known.height)


def _keep(sizes: list[float], size: float | None) -> None:
    if size is not None:
        sizes.append(size)


def split_things(points: Array, metre: float) -> list[Array]:
    """Points (N, 3) of one word as things, by gaps on the plan; those that belong nowhere are left out."""
    return [points[rows] for rows in cluster(points[:, :2], _POINTS_APART * metre, _LEAST_AROUND)]


def cluster(places: Array, apart: float, least_around: int) -> list[NDArray[np.int64]]:
    """Rows of places (N, 2) on the plan that belong together: `least_around` of them, or more, within `apart`."""
    from sklearn.cluster import DBSCAN  # 120 MB, which whoever only drives others does without

    if len(places) < least_around:
        return []
    owner = DBSCAN(eps=apart, min_samples=least_around).fit_predict(places)
    return [np.flatnonzero(owner == number) for number in range(int(owner.max()) + 1)]


def find_level(
    heights: Array, low: float, high: float, metre: float, least_share: float = _LEAST_LEVEL_SHARE
) -> float | None:
    """Height of the fullest band between two heights; None where points share no level.

    Args:
        heights: (N,) above the floor, in the model's unit.
        low: Least height in nominal metres.
        high: Most.
        metre: Length of a nominal metre in the model's unit.
        least_share: Of the points between the two that the band must hold.
    """
    inside = np.sort(heights[(heights >= low * metre) & (heights <= high * metre)])
    if len(inside) < _LEAST_LEVEL_POINTS:
        return None
    ends = np.searchsorted(inside, inside + _LEVEL_BAND * metre, side="right")
    counts = ends - np.arange(len(inside))
    best = int(np.argmax(counts))
    if counts[best] < max(_LEAST_LEVEL_POINTS // 2, least_share * len(inside)):
        return None
    return float(np.median(inside[best : ends[best]]))


def find_top(heights: Array, low: float, high: float, metre: float) -> float | None:
    """Height at which a thing ends; None where it has too few points or ends outside what is possible.

    Args:
        heights: (N,) above the floor, in the model's unit.
        low: Least height in nominal metres.
        high: Most.
        metre: Length of a nominal metre in the model's unit.
    """
    if len(heights) < _LEAST_TOP_POINTS:
        return None
    top = float(np.percentile(heights, _TOP_PERCENT))
    return top if low * metre <= top <= high * metre else None


def _group_views(views: Sequence[HeightView], metre: float) -> list[list[HeightView]]:
    """Views thing by thing: each stands near the next on the plan."""
    groups = cluster(np.array([view.place for view in views]), _APART * metre, 1)
    return [[views[row] for row in rows] for rows in groups]


def _median_height(views: Sequence[HeightView]) -> float:
    return float(np.median([view.height for view in views]))


def measure_top(frame: int, box: FoundBox, model: SceneModel, surfaces: NDArray[np.uint8]) -> HeightView | None:
    """Where the upper edge of a box lies above the floor; None where it is cut or nothing says how far it is.

    Args:
        frame: Frame index.
        box: What was found.
        model: Upright model with a floor.
        surfaces: What each point of the model lies on; points of walls, floor and ceiling are not the thing.
    """
    x0, y0, x1, y1 = box.box_xyxy
    if y0 <= _EDGE_PX or model.floor_z is None:
        return None
    tracks, pose = model.tracks, model.world_from_cam[frame]
    rows = tracks.rows_of_frame(frame)
    away_x = np.abs(tracks.obs_xy[rows, 0] - (x0 + x1) / 2) <= _INNER * (x1 - x0) / 2
    away_y = np.abs(tracks.obs_xy[rows, 1] - (y0 + y1) / 2) <= _INNER * (y1 - y0) / 2
    points = tracks.obs_point[rows][away_x & away_y]
    points = points[np.isin(surfaces[points], (UNNAMED, THING))]
    if len(points) < _LEAST_BOX_POINTS:
        return None
    level = np.linalg.norm((tracks.xyz[points] - pose.center)[:, :2], axis=1)
    distance = float(np.median(level))
    ray = model.camera.rays([((x0 + x1) / 2, y0)])[0] @ pose.rotation.T
    along = float(np.linalg.norm(ray[:2]))
    if along < 1e-6:
        return None
    top = float(pose.center[2] + ray[2] / along * distance) - model.floor_z
    return HeightView(frame, np.median(tracks.xyz[points], axis=0)[:2], top)


def witness_of(name: str, measured: Sequence[float]) -> SizeWitness:
    """Things of one kind of the table `expected.toml`.

    Args:
        name: A kind: `door height`.
        measured: One size per thing, in any unit.
    """
    row = _load_expected()[name]
    expected = tuple(ExpectedSize(float(size), float(spread), float(share)) for size, spread, share in row["sizes"])
    return SizeWitness(name, tuple(measured), expected, noise=float(row["noise"]), trust=float(row["trust"]))


@cache
def _load_expected() -> dict[str, Any]:
    """How large things of each kind usually are."""
    return tomllib.loads((files("instructions.perception.sizes") / "expected.toml").read_text(encoding="utf-8"))
