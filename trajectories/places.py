"""Places: the parts of a model's floor that narrow openings between walls keep apart, and these openings.

A place is known by its form alone, before anybody knows what kind of room it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.geometry import Array
from recon.records import SceneModel
from trajectories.errors import TrajectoryError
from trajectories.floor_grid import FloorOptions, sketch_floor
from trajectories.records import Trajectory

_AROUND = tuple((down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0))


@dataclass(frozen=True, kw_only=True)
class PlaceOptions:
    """What keeps two places apart. Lengths in metres (nominal ones where the model has no scale)."""

    low_m: float = 1.2
    """Points above this height stand for walls: tables, beds, sofas and most counters end below it."""
    high_m: float = 1.8
    """Points above this height may be the head of a door frame, which nobody runs into."""
    widest_m: float = 1.4
    """An opening is a door up to this width: single doors are 0.7 to 1.0 m wide, double ones up to 1.4."""
    narrowest_m: float = 0.5
    """A gap down to this width is a door: nobody walks through a narrower one, so what was seen through it, over a
    counter or between two cupboards, is a part of the same place."""
    widening: float = 1.3
    """On both sides the floor becomes wider than the opening by this factor; less is an uneven wall."""
    least_m2: float = 0.8
    """A smaller piece, such as what a few rays saw through a window, is no place: a toilet of 0.9 by 0.9 m is one."""

    def __post_init__(self) -> None:
        if not (0 <= self.low_m < self.high_m and 0 <= self.narrowest_m < self.widest_m and self.widening >= 1):
            raise TrajectoryError(
                f"place options: {self.low_m} to {self.high_m} m high, doors {self.narrowest_m} to {self.widest_m} m "
                f"wide, widening {self.widening}; need 0 <= low < high, 0 <= narrowest < widest, widening of at least 1"
            )


@dataclass(frozen=True)
class Opening:
    """A narrow passage between two places, in the model's unit."""

    places: tuple[int, int]
    position: tuple[float, float]
    width: float
    """Between what stands on both sides; known to about a cell on each."""
    heading_deg: float
    """The way through, from the first place into the second."""


@dataclass(frozen=True)
class Place:
    """A part of the floor that openings keep apart from the rest."""

    number: int
    area: float
    """In square units."""
    width: float
    """Of the widest circle on its floor."""
    walled: float
    """Share of its outline that stands at a wall or something else that was seen, 0 to 1; the rest was never seen."""


@dataclass(frozen=True, eq=False)
class Places:
    """The places of one model; cell (row, column) covers y and x upwards from `origin`."""

    origin: Array  # (2,)
    cell: float
    number: NDArray[np.int64]  # (H, W) number of the place, -1 where nobody knows
    places: tuple[Place, ...]
    openings: tuple[Opening, ...]

    def at(self, spots: Array) -> NDArray[np.int64]:
        """(N,) numbers of the places that spots (N, 2) lie in; -1 beyond them."""
        cells = np.floor((spots - self.origin) / self.cell).astype(np.int64)[:, ::-1]
        inside = np.all((cells >= 0) & (cells < np.array(self.number.shape)), axis=1)
        out = np.full(len(spots), -1, np.int64)
        out[inside] = self.number[cells[inside, 0], cells[inside, 1]]
        return out

    def last_before(self, starts: Array, ends: Array) -> NDArray[np.int64]:
        """(N,) the last place on the straight way from starts (N, 2) to ends (N, 2); -1 where there is none.

        What stands at a wall, or is one, lies in no place; it belongs to the one from which it was seen.
        """
        out = np.full(len(starts), -1, np.int64)
        for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
            steps = max(2, int(np.ceil(float(np.linalg.norm(end - start)) / (self.cell / 2))))
            found = self.at(np.linspace(start, end, steps))
            known = found[found >= 0]
            out[row] = known[-1] if len(known) else -1
        return out

    def place_of_thing(self, cameras: Array, spot: Array) -> int | None:
        """The place that a thing at `spot` (2,) stands in, by the cameras (N, 2) that see it; None if unknown."""
        votes = self.last_before(cameras, np.broadcast_to(spot, cameras.shape))
        known = Counter(votes[votes >= 0].tolist())
        return known.most_common(1)[0][0] if known else None


def find_places(
    model: SceneModel, walks: Sequence[Trajectory], options: PlaceOptions = PlaceOptions(), *, seed: int = 0
) -> Places | None:
    """Split the floor of one model where it is narrow.

    The floor is what was walked or seen across, furniture included, up to what stands at the height of a head. Seen as
    a landscape whose height is the distance from the nearest wall, each room is a hill and each door a saddle.

    Returns:
        Places numbered by size, largest first; None for a model that nobody walks in.
    """
    body = sketch_floor(model, walks, seed=seed)
    head = sketch_floor(model, walks, FloorOptions(low_m=options.low_m, high_m=options.high_m), seed=seed)
    if body is None or head is None:
        return None
    metre = model.nominal_metre
    seen = cv2.morphologyEx((body.free | head.free).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)) > 0
    floor = (seen | body.free) & ~head.occupied
    cells_off = cv2.distanceTransform(floor.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
    clearance: Array = cells_off.astype(np.float64) * body.cell
    number, saddles = _split_at_saddles(clearance, options.widest_m * metre / 2, options.widening)
    walked = {point.position[:2] for walk in walks for point in walk.points}
    hills = number.max(initial=-1) + 1
    number = _join_gaps(number, saddles, clearance, body.cells_of(np.array(sorted(walked))), options, metre)
    sizes = np.bincount(number[number >= 0], minlength=hills) * body.cell**2
    large = [int(hill) for hill in np.argsort(-sizes, kind="stable") if sizes[hill] >= options.least_m2 * metre**2]
    rank = np.full(len(sizes) + 1, -1, np.int64)
    rank[large] = np.arange(len(large))
    number = rank[number]
    stands = cv2.dilate((head.occupied | body.occupied).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    places = tuple(_place(row, number == row, clearance, stands, body.cell) for row in range(len(large)))
    openings = [
        _opening((int(rank[one]), int(rank[other])), cell, number, floor, clearance, body.origin, body.cell)
        for (one, other), cell in saddles.items()
        if rank[one] >= 0 and rank[other] >= 0 and 2 * clearance[cell] >= options.narrowest_m * metre
    ]
    return Places(body.origin, body.cell, number, places, tuple(sorted(openings, key=lambda opening: opening.places)))


def _split_at_saddles(
    clearance: Array, widest: float, widening: float
) -> tuple[NDArray[np.int64], dict[tuple[int, int], tuple[int, int]]]:
    """Number of the hill of each cell (-1 where there is no floor), and the saddle cell between each two hills.

    Cells are taken from the highest down. Where two hills meet they become one, unless the saddle is at most `widest`
    high and both tops are higher by the factor `widening`. Saddles come out highest first.
    """
    height, width = clearance.shape
    number = np.full(clearance.shape, -1, np.int64)
    parent: list[int] = []
    top: list[float] = []
    met: list[tuple[int, int, tuple[int, int]]] = []

    def root(hill: int) -> int:
        while parent[hill] != hill:
            parent[hill] = parent[parent[hill]]
            hill = parent[hill]
        return hill

    order = np.argsort(-clearance, axis=None, kind="stable")
    for flat in order[: int((clearance > 0).sum())].tolist():
        row, column = divmod(flat, width)
        here = float(clearance[row, column])
        around = [
            (float(clearance[row + down, column + right]), root(int(number[row + down, column + right])))
            for down, right in _AROUND
            if 0 <= row + down < height and 0 <= column + right < width and number[row + down, column + right] >= 0
        ]
        if not around:
            number[row, column] = len(parent)
            parent.append(len(parent))
            top.append(here)
            continue
        number[row, column] = max(around)[1]  # the steepest way up, so that borders run across the saddles
        hills = sorted({hill for _, hill in around}, key=lambda hill: -top[hill])
        for hill in hills[1:]:
            first = root(hills[0])
            if here > widest or top[hill] < widening * here:
                parent[hill] = first
            else:
                met.append((first, hill, (row, column)))
    saddles: dict[tuple[int, int], tuple[int, int]] = {}
    for first, second, cell in met:  # highest first
        one, other = sorted((root(first), root(second)))
        if one != other:
            saddles.setdefault((one, other), cell)
    roots = np.array([root(hill) for hill in range(len(parent))] + [-1])
    return roots[number], saddles


def _join_gaps(
    number: NDArray[np.int64],
    saddles: Mapping[tuple[int, int], tuple[int, int]],
    clearance: Array,
    walked: NDArray[np.int64],
    options: PlaceOptions,
    metre: float,
) -> NDArray[np.int64]:
    """Hills that nobody walked on and no door leads to, as a part of the one that they were seen from."""
    narrowest = options.narrowest_m * metre / 2
    stays = set(number[walked[:, 0], walked[:, 1]].tolist())
    stays |= {hill for pair, cell in saddles.items() if clearance[cell] >= narrowest for hill in pair}
    joins = np.arange(number.max(initial=-1) + 2)
    joins[-1] = -1
    for pair in saddles:  # highest first: a gap leads to the nearest part that stays, over others if need be
        for gap, other in (pair, pair[::-1]):
            if gap not in stays and other in stays:
                joins[gap] = joins[other]
                stays.add(gap)
    return joins[number]


def _place(number: int, mask: NDArray[np.bool_], clearance: Array, stands: NDArray[np.bool_], cell: float) -> Place:
    edge = mask & (clearance <= cell)
    walled = float(stands[edge].mean()) if edge.any() else 0.0
    return Place(number, float(mask.sum()) * cell**2, float(2 * clearance[mask].max() - cell), walled)


def _opening(
    places: tuple[int, int],
    saddle: tuple[int, int],
    number: NDArray[np.int64],
    floor: NDArray[np.bool_],
    clearance: Array,
    origin: Array,
    cell: float,
) -> Opening:
    """Form of an opening from the cells around its saddle: what stands nearest on one side, and opposite to it."""
    middle = np.array(saddle, dtype=float)
    half = float(clearance[saddle]) / cell
    rows, columns = np.nonzero(~floor)
    away = np.column_stack([columns - middle[1], rows - middle[0]])
    reach = np.linalg.norm(away, axis=1)
    jamb = away[np.argmin(reach)]
    opposite = away @ jamb < -0.5 * reach * np.linalg.norm(jamb)
    other = away[opposite][np.argmin(reach[opposite])] if opposite.any() else -jamb
    across = jamb - other
    through = np.array([-across[1], across[0]])
    into = _middle_near(number == places[1], middle, 3 * half) - _middle_near(number == places[0], middle, 3 * half)
    if float(through @ into) < 0:
        through = -through
    spot = np.array([middle[1], middle[0]]) + (jamb + other) / 2
    position = origin + (spot + 0.5) * cell
    width = max(float(np.linalg.norm(across)) - 1.0, 1.0) * cell
    return Opening(
        places, (float(position[0]), float(position[1])), width, float(np.degrees(np.arctan2(through[1], through[0])))
    )


def _middle_near(mask: NDArray[np.bool_], cell: Array, reach: float) -> Array:
    """Middle (column, row) of the cells of a mask within `reach` cells of one; that cell itself if there is none."""
    rows, columns = np.nonzero(mask)
    near = np.hypot(rows - cell[0], columns - cell[1]) <= reach
    if not near.any():
        return np.array([cell[1], cell[0]])
    return np.array([columns[near].mean(), rows[near].mean()])
