"""What pictures say of a sub-model's surfaces and sizes: a `SceneEvidence` for `recon.upright.scene.build_scene`."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import FrameResults
from instructions.perception.frames.segments import SegmentMap
from instructions.perception.interfaces import FoundBox
from instructions.perception.sizes.doors import DoorView, measure_doors
from instructions.perception.sizes.levels import find_level, find_top, group_places, split_things
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
_LEAST_POINTS = 5
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""
_LEAST_BOX_VIEWS = 3
"""A box's edge is a tenth of the box off in one frame."""


@dataclass(frozen=True, eq=False)
class BoxView:
    """The top of one detected thing in one frame, in the model's unit."""

    frame: int
    place: Array  # (2,) on the plan
    top: float
    """Above the floor."""


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
        metre, found = model.nominal_metre, self._measure_doors(model)
        classes = self._classes(model.tracks)
        heights = model.tracks.xyz - [0.0, 0.0, model.floor_z]
        for name, (word, low, high) in _LEVELS.items():
            for thing in split_things(heights[points_called(classes, word)], metre):
                _keep(found[name], find_level(thing[:, 2], low, high, metre))
        for name, (word, low, high) in _TOPS.items():
            for thing in split_things(heights[points_called(classes, word)], metre):
                _keep(found[name], find_top(thing[:, 2], low, high, metre))
        surfaces = surfaces_of(classes)
        ceiling = heights[surfaces == CEILING, 2]
        _keep(found["ceiling height"], find_level(ceiling, *_CEILING, metre, _CEILING_SHARE))
        for name, (word, low, high) in _BOXES.items():
            found[name] += [
                top for top in self._measure_boxes(model, word, surfaces) if low * metre <= top <= high * metre
            ]
        return [witness_of(name, sizes) for name, sizes in found.items() if sizes]

    def _measure_doors(self, model: SceneModel) -> dict[str, list[float]]:
        assert model.floor_z is not None
        metre, views = model.nominal_metre, list[DoorView]()
        for frame, pose in model.world_from_cam.items():
            segments = self._segments(frame)
            if segments is not None:
                views += measure_doors(frame, segments, model.camera, pose, model.floor_z, metre)
        found: dict[str, list[float]] = defaultdict(list)
        for rows in group_places(np.array([view.place for view in views]).reshape(-1, 2), _APART * metre):
            found[DOOR_HEIGHT].append(float(np.median([views[row].height for row in rows])))
        return found

    def _measure_boxes(self, model: SceneModel, word: str, surfaces: NDArray[np.uint8]) -> list[float]:
        """Heights of the things of one word, one each."""
        views: list[BoxView] = []
        for frame in model.frames:
            for box in self._results.boxes(frame):
                view = measure_top(frame, box, model, surfaces) if box.label == word else None
                if view is not None:
                    views.append(view)
        places: Array = np.array([view.place for view in views]).reshape(-1, 2)
        groups = group_places(places, _APART * model.nominal_metre)
        return [float(np.median([views[row].top for row in rows])) for rows in groups if len(rows) >= _LEAST_BOX_VIEWS]

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


def measure_top(frame: int, found: FoundBox, model: SceneModel, surfaces: NDArray[np.uint8]) -> BoxView | None:
    """Where the upper edge of a box lies above the floor; None where it is cut or nothing says how far it is.

    Args:
        frame: Frame index.
        found: The box.
        model: Upright model with a floor.
        surfaces: What each point of the model lies on; points of walls, floor and ceiling are not the thing.
    """
    x0, y0, x1, y1 = found.box_xyxy
    if y0 <= _EDGE_PX or model.floor_z is None:
        return None
    tracks, pose = model.tracks, model.world_from_cam[frame]
    rows = tracks.rows_of_frame(frame)
    away_x = np.abs(tracks.obs_xy[rows, 0] - (x0 + x1) / 2) <= _INNER * (x1 - x0) / 2
    away_y = np.abs(tracks.obs_xy[rows, 1] - (y0 + y1) / 2) <= _INNER * (y1 - y0) / 2
    points = tracks.obs_point[rows][away_x & away_y]
    points = points[np.isin(surfaces[points], (UNNAMED, THING))]
    if len(points) < _LEAST_POINTS:
        return None
    level = np.linalg.norm((tracks.xyz[points] - pose.center)[:, :2], axis=1)
    distance = float(np.median(level))
    ray = model.camera.rays([((x0 + x1) / 2, y0)])[0] @ pose.rotation.T
    along = float(np.linalg.norm(ray[:2]))
    if along < 1e-6:
        return None
    top = float(pose.center[2] + ray[2] / along * distance) - model.floor_z
    return BoxView(frame, np.median(tracks.xyz[points], axis=0)[:2], top)


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
