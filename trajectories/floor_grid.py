"""The floor of one model as a grid: what was walked, what was seen across, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from recon.ranges import AtLeastOne, Metres, NotNegative, Pixels, Step
from recon.records import CAMERA_HEIGHT_M, SceneModel
from trajectories.errors import TrajectoryError
from trajectories.records import Area, Trajectory

_MAX_RAYS = 60_000
"""More rays only repeat what these say; memory stays bounded."""
_MAX_CELLS = 4_000_000


@dataclass(frozen=True, kw_only=True)
class FloorOptions:
    """How the floor is sketched. Lengths in metres (nominal ones where the model has no scale)."""

    cell_m: Step = 0.1
    """Side of a cell: finer than a door leaf, coarser than the noise of the points."""
    body_m: Metres = 0.25
    """Around the walk this much is free: the walker's own shoulders went through."""
    low_m: NotNegative = 0.15
    """Points below this height are floor, carpets and thresholds, which nobody walks around."""
    high_m: Metres = 1.8
    """Points above this height are ceilings, lamps and the tops of door frames."""
    reach_m: Metres = 6.0
    """Points further from their camera are too uncertain for a wall."""
    min_views: AtLeastOne = 3
    """Points seen by fewer frames are too often false."""
    max_error_px: Pixels = 2.0
    """Points with a larger mean reprojection error too."""
    min_points: AtLeastOne = 2
    """A cell with fewer points is noise rather than a thing."""

    def __post_init__(self) -> None:
        if not (self.cell_m > 0 and self.reach_m > 0 and 0 <= self.low_m < self.high_m):
            raise TrajectoryError(
                f"floor options: cell {self.cell_m} m, reach {self.reach_m} m, {self.low_m} to {self.high_m} m high; "
                "need cell and reach above 0, and 0 <= low < high"
            )


@dataclass(frozen=True, eq=False)
class FloorGrid:
    """Cells of one model's floor; cell (row, column) covers y and x upwards from `origin`."""

    origin: Array  # (2,) x, y of the corner of cell (0, 0)
    cell: float
    """Side of a cell in the model's unit."""
    free: NDArray[np.bool_]  # (H, W) walked, or seen across with nothing in the way
    occupied: NDArray[np.bool_]  # (H, W) holds points at the height of a body; never free too

    def cells_of(self, places: Array) -> NDArray[np.int64]:
        """(N, 2) row and column of places (N, 2), clipped to the grid."""
        cells = np.floor((places - self.origin) / self.cell).astype(np.int64)[:, ::-1]
        return np.clip(cells, 0, np.array(self.free.shape) - 1)

    def areas_of(self, mask: NDArray[np.bool_], least_cells: int) -> tuple[Area, ...]:
        """Outlines of a mask (H, W) with their holes, largest first; pieces and holes of fewer cells are left out."""
        # Twice as fine, because OpenCV's outlines run through the middle of cells and lose half a cell on each side.
        image = np.kron(mask.astype(np.uint8), np.ones((2, 2), np.uint8))
        contours, tree = cv2.findContours(image, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
        found: list[tuple[float, Area]] = []
        for row, contour in enumerate(contours):
            size = cv2.contourArea(contour) / 4.0
            if tree[0][row][3] >= 0 or size < least_cells:
                continue
            holes, hole = [], int(tree[0][row][2])
            while hole >= 0:
                if cv2.contourArea(contours[hole]) / 4.0 >= least_cells:
                    holes.append(self._corners(contours[hole], clockwise=True))
                hole = int(tree[0][hole][0])
            found.append((size, Area(self._corners(contour, clockwise=False), tuple(holes))))
        return tuple(area for _, area in sorted(found, key=lambda entry: -entry[0]))

    def _corners(self, contour: NDArray, *, clockwise: bool) -> tuple[tuple[float, float], ...]:
        """World corners of a contour, straightened to within half a cell."""
        straight = cv2.approxPolyDP(contour, 1.0, closed=True).reshape(-1, 2)
        places = self.origin + (straight + 0.5) / 2.0 * self.cell
        x, y = places.T
        if (float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) > 0) == clockwise:
            places = places[::-1]
        return tuple((float(px), float(py)) for px, py in places)


def sketch_floor(
    model: SceneModel, walks: Sequence[Trajectory], options: FloorOptions = FloorOptions(), *, seed: int = 0
) -> FloorGrid | None:
    """Sketch the floor of one model from its walks and points.

    A cell is occupied where enough reliable points lie at the height of a body and rarely anything was seen through it;
    it is free where the walker went, or where rays to points passed at the height of a body and hit nothing. Only free
    cells joined with the walk count, so what is seen through a window is none.

    Args:
        model: Upright.
        walks: Of this model.
        options: Heights and sizes.
        seed: Chooses among rays where there are very many.

    Returns:
        The grid, or None for a model that nobody walks in.

    Raises:
        TrajectoryError: If the grid would be absurdly large for its cells.
    """
    walks = [walk for walk in walks if walk.points]
    if not walks:
        return None
    metre = model.nominal_metre
    cell = options.cell_m * metre
    path = np.concatenate([_dense([p.position for p in walk.points], cell / 2) for walk in walks])
    starts, ends, _ = _rays(model, options, metre, seed)
    margin = (options.body_m + 3 * options.cell_m) * metre
    corners = np.concatenate([path[:, :2], ends[:, :2]])
    origin = corners.min(axis=0) - margin
    width, height = np.ceil((corners.max(axis=0) + margin - origin) / cell).astype(int).tolist()
    if width * height > _MAX_CELLS:
        raise TrajectoryError(
            f"model {model.name}: its floor has {width} x {height} cells of {cell:.3g}, at most {_MAX_CELLS} fit. "
            "Try a larger cell_m"
        )
    grid = FloorGrid(origin, cell, np.zeros((height, width), bool), np.zeros((height, width), bool))
    floor_z = _floor_z(model, metre)
    band = (floor_z + options.low_m * metre, floor_z + options.high_m * metre)
    body = _find_walked_cells(grid, path[:, :2], options.body_m * metre)
    hits = _count(grid, ends[(ends[:, 2] > band[0]) & (ends[:, 2] < band[1])][:, :2])
    passes = _count_rays_across(grid, starts, ends, band)
    occupied = (hits >= options.min_points) & (hits >= passes) & ~body
    free = (body | (passes > 0)) & ~occupied
    _, parts = cv2.connectedComponents(free.astype(np.uint8), connectivity=4)
    walked = np.unique(parts[body & free])  # connected parts of the free cells that hold some of the walk
    return FloorGrid(origin, cell, np.isin(parts, walked[walked > 0]), occupied)


def lowest_sights(
    model: SceneModel, grid: FloorGrid, walks: Sequence[Trajectory], options: FloorOptions = FloorOptions()
) -> Array:
    """How far down each cell of the floor is known to be empty.

    Things stand on the floor, so what a ray passed over is lower than the ray. One point alone may be false, so the
    second lowest of the points that were seen across a cell counts; where somebody walked the floor itself is empty.

    Returns:
        (H, W) heights above the floor in the model's unit; infinite where nothing was seen across.
    """
    metre = model.nominal_metre
    starts, ends, points = _rays(model, options, metre, seed=0)
    lowest = np.full(grid.free.size, np.inf)
    parts = [
        (np.ravel_multi_index(tuple(grid.cells_of(places[:, :2]).T), grid.free.shape), places[:, 2], points[rows])
        for rows, places in _walk_rays(grid, starts, ends)
    ]
    if parts:
        cell, height, point = (np.concatenate(part) for part in zip(*parts, strict=True))
        order = np.lexsort((height, point, cell))
        cell, height, point = cell[order], height[order] - _floor_z(model, metre), point[order]
        first = np.append(True, (np.diff(cell) != 0) | (np.diff(point) != 0))  # the lowest of each point in each cell
        cell, height = cell[first], height[first]
        order = np.lexsort((height, cell))
        cell, height = cell[order], height[order]
        second = 1 + np.flatnonzero(np.append(True, np.diff(cell) != 0)[:-1] & (np.diff(cell) == 0))
        lowest[cell[second]] = height[second]
    lowest = lowest.reshape(grid.free.shape)
    path = np.concatenate([_dense([p.position for p in walk.points], grid.cell / 2) for walk in walks if walk.points])
    lowest[_find_walked_cells(grid, path[:, :2], options.body_m * metre)] = 0.0
    return lowest


def _floor_z(model: SceneModel, metre: float) -> float:
    if model.floor_z is not None:
        return model.floor_z
    return float(np.median(model.centers[:, 2])) - CAMERA_HEIGHT_M * metre


def _rays(model: SceneModel, options: FloorOptions, metre: float, seed: int) -> tuple[Array, Array, NDArray[np.int64]]:
    """Camera centres and the reliable points they saw, (N, 3) each, and the rows (N,) of the points."""
    tracks = model.tracks
    length = np.bincount(tracks.obs_point, minlength=len(tracks.xyz))
    good = (length >= options.min_views) & (tracks.error_px <= options.max_error_px)
    row_of = {frame: row for row, frame in enumerate(model.frames)}
    rows = np.array([row_of.get(int(frame), -1) for frame in tracks.obs_frame], dtype=np.int64)
    keep = np.flatnonzero((rows >= 0) & good[tracks.obs_point])
    starts, ends = model.centers[rows[keep]], tracks.xyz[tracks.obs_point[keep]]
    near = np.flatnonzero(np.linalg.norm(ends - starts, axis=1) <= options.reach_m * metre)
    if len(near) > _MAX_RAYS:
        near = np.sort(np.random.default_rng(seed).choice(near, _MAX_RAYS, replace=False))
    return starts[near], ends[near], tracks.obs_point[keep[near]]


def _dense(places: Sequence[tuple[float, float, float]], step: float) -> Array:
    """Points along a polyline at most `step` apart, with its corners."""
    corners = np.array(places)
    counts = np.maximum(1, np.ceil(np.linalg.norm(np.diff(corners, axis=0), axis=1) / step)).astype(int)
    parts = [
        np.linspace(a, b, count, endpoint=False) for a, b, count in zip(corners, corners[1:], counts, strict=False)
    ]
    return np.concatenate([*parts, corners[-1:]])


def _count(grid: FloorGrid, places: Array) -> NDArray[np.int64]:
    """How many places fall into each cell."""
    rows, columns = grid.cells_of(places).T
    out = np.zeros(grid.free.shape, np.int64)
    np.add.at(out, (rows, columns), 1)
    return out


def _find_walked_cells(grid: FloorGrid, path: Array, body: float) -> NDArray[np.bool_]:
    """Cells within a body's reach of the walk."""
    away = np.ones(grid.free.shape, np.uint8)
    rows, columns = grid.cells_of(path).T
    away[rows, columns] = 0
    return cv2.distanceTransform(away, cv2.DIST_L2, cv2.DIST_MASK_PRECISE) * grid.cell <= body


def _count_rays_across(grid: FloorGrid, starts: Array, ends: Array, band: tuple[float, float]) -> NDArray[np.int64]:
    """How many rays pass each cell at the height of a body, up to one cell short of their point."""
    passes = np.zeros(grid.free.shape, np.int64)
    for _, places in _walk_rays(grid, starts, ends):
        passes += _count(grid, places[(places[:, 2] > band[0]) & (places[:, 2] < band[1]), :2])
    return passes


def _walk_rays(grid: FloorGrid, starts: Array, ends: Array) -> Iterator[tuple[NDArray[np.int64], Array]]:
    """Rows of the rays, and where (N, 3) each of them is, cell by cell up to one cell short of its point."""
    flat = np.linalg.norm(ends[:, :2] - starts[:, :2], axis=1)
    steps = np.maximum(np.floor((flat - grid.cell) / grid.cell).astype(int), 0)
    for step in range(1, int(steps.max(initial=0)) + 1):
        rows = np.flatnonzero(steps >= step)
        yield rows, starts[rows] + (step * grid.cell / flat[rows])[:, None] * (ends[rows] - starts[rows])
