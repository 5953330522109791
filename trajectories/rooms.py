"""Rooms and doorways: room labels of frames spread over the free floor from where the frames were taken."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

from recon.findings import Finding
from recon.geometry import Array
from recon.ranges import AtLeastOne, NotNegative
from trajectories.errors import TrajectoryError
from trajectories.floor_grid import FloorGrid
from trajectories.places import Places
from trajectories.records import Doorway, Room, Trajectory, TrajectoryPoint


@dataclass(frozen=True, kw_only=True)
class RoomOptions:
    """What counts as a room."""

    min_frames: AtLeastOne = 4
    """A stay of fewer frames is a glance into another room, or a wrong label."""
    same_door_cells: NotNegative = 12.0
    """Crossings between two rooms nearer than this many cells of the sketch are one doorway: a wide door."""

    def __post_init__(self) -> None:
        if self.min_frames < 1:
            raise TrajectoryError(f"room options: min_frames {self.min_frames}; need at least 1")


@dataclass(frozen=True)
class RoomsOfModel:
    """What the labels give for one model."""

    rooms: tuple[Room, ...]
    doorways: tuple[Doorway, ...]
    findings: tuple[Finding, ...]


_Visit = tuple[int, Sequence[TrajectoryPoint]]
"""A region, and a stay in it."""


@dataclass
class _Door:
    """A doorway that is still being collected."""

    rooms: tuple[int, int]
    crossings: list[tuple[int, int]] = field(default_factory=list)
    places: list[Array] = field(default_factory=list)

    @property
    def middle(self) -> Array:
        return np.mean(self.places, axis=0)

    def joins(self, rooms: set[int], place: Array, reach: float) -> bool:
        return set(self.rooms) == rooms and float(np.linalg.norm(self.middle - place)) <= reach


def find_rooms(
    model: str,
    grid: FloorGrid,
    walks: Sequence[Trajectory],
    room_of_frame: Mapping[int, str],
    options: RoomOptions = RoomOptions(),
    *,
    places: Places | None = None,
) -> RoomsOfModel:
    """Split the free floor by the labels of the frames.

    A label is a type, not an instance: every free cell takes the label of the frame nearest to it on foot, and each
    connected part of one label is a room. So two bedrooms are two rooms, and a kitchen visited twice is one. A label
    does not go through a door into a place where no frame bears it. What doors keep apart are the places.

    Returns:
        Rooms in the order in which the walks enter them, doorways in the order of their first crossing, and a finding
        that counts frames whose label was not believed. Empty without labels.
    """
    stays_of_walk = [_stays(walk, room_of_frame) for walk in walks]
    believed = [[stay for stay in stays if len(stay) >= options.min_frames] for stays in stays_of_walk]
    points = [point for stays in believed for stay in stays for point in stay]
    short = sum(len(stay) for stays in stays_of_walk for stay in stays) - len(points)
    findings = []
    if short:
        message = f"{short} frames in stays of fewer than {options.min_frames} frames; their room label is left out"
        findings.append(Finding("info", "rooms.short_stay", f"model {model}", message))
    if not points:
        return RoomsOfModel((), (), tuple(findings))
    regions, label_of_region = _regions(grid, points, [room_of_frame[point.frame] for point in points], places)
    frames_of: dict[int, list[int]] = {}
    visits: list[list[_Visit]] = []
    for stays in believed:
        visits.append([])
        for stay in stays:
            # The region of the stay's label that most of its frames stand in, unless others outvoted every one of them.
            cells = grid.cells_of(np.array([point.position[:2] for point in stay]))
            label = room_of_frame[stay[0].frame]
            stood = Counter(row for row in regions[tuple(cells.T)].tolist() if label_of_region[row] == label)
            if stood:
                region = stood.most_common(1)[0][0]
                frames_of.setdefault(region, []).extend(point.frame for point in stay)
                visits[-1].append((region, stay))
    id_of = {region: f"{model}_r{number}" for number, region in enumerate(frames_of)}
    rooms = [
        Room(id_of[region], model, label_of_region[region], grid.areas_of(regions == region, 1), tuple(sorted(frames)))
        for region, frames in frames_of.items()
    ]
    doorways = _doorways(model, visits, id_of, options.same_door_cells * grid.cell)
    return RoomsOfModel(tuple(rooms), tuple(doorways), tuple(findings))


def _stays(walk: Trajectory, room_of_frame: Mapping[int, str]) -> list[list[TrajectoryPoint]]:
    """Runs of labelled frames of a walk with one label; frames without a label do not end a run."""
    runs: list[list[TrajectoryPoint]] = []
    for point in walk.points:
        label = room_of_frame.get(point.frame)
        if label is None:
            continue
        if not runs or room_of_frame[runs[-1][-1].frame] != label:
            runs.append([])
        runs[-1].append(point)
    return runs


def _regions(
    grid: FloorGrid, points: Sequence[TrajectoryPoint], labels: Sequence[str], places: Places | None
) -> tuple[NDArray[np.int64], list[str]]:
    """Number of the region of each cell, -1 off the free floor, and the label of each region.

    A region is connected, and the frames nearest to its cells have one label; where frames in one cell differ, that of
    most of them.
    """
    cells = grid.cells_of(np.array([point.position[:2] for point in points]))
    names = list(dict.fromkeys(labels))
    votes: dict[tuple[int, int], Counter[str]] = defaultdict(Counter)
    for (row, column), label in zip(cells.tolist(), labels, strict=True):
        votes[row, column][label] += 1
    winners = np.array([names.index(count.most_common(1)[0][0]) for count in votes.values()])
    nearest = _nearest_on_foot(grid.free, np.array(list(votes)), winners)
    if places is not None:
        nearest[
            _beyond_doors(grid, nearest, np.array([point.position[:2] for point in points]), labels, names, places)
        ] = -1
    regions = np.full(grid.free.shape, -1, np.int64)
    label_of_region: list[str] = []
    for number, name in enumerate(names):
        parts, split = cv2.connectedComponents((nearest == number).astype(np.uint8), connectivity=8)
        for part in range(1, parts):
            regions[split == part] = len(label_of_region)
            label_of_region.append(name)
    return regions, label_of_region


def _beyond_doors(
    grid: FloorGrid,
    labels_of_cells: NDArray[np.int64],
    spots: Array,
    labels: Sequence[str],
    names: Sequence[str],
    places: Places,
) -> NDArray[np.bool_]:
    """Cells whose label is that of a frame behind a door: none of the frames in their own place bears it."""
    here = {(place, names.index(label)) for place, label in zip(places.at(spots).tolist(), labels, strict=True)}
    rows, columns = np.nonzero(labels_of_cells >= 0)
    centers = grid.origin + (np.column_stack([columns, rows]) + 0.5) * grid.cell
    out = np.zeros(labels_of_cells.shape, bool)
    for row, column, place in zip(rows.tolist(), columns.tolist(), places.at(centers).tolist(), strict=True):
        out[row, column] = place >= 0 and (place, int(labels_of_cells[row, column])) not in here
    return out


def _nearest_on_foot(
    free: NDArray[np.bool_], sources: NDArray[np.int64], values: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The value of the source nearest to each free cell over free cells; -1 where none leads to it."""
    free = free.copy()
    free[sources[:, 0], sources[:, 1]] = True
    index = np.full(free.shape, -1, np.int64)
    index[free] = np.arange(int(free.sum()))
    heads, tails, lengths = [], [], []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        one = index[: free.shape[0] - down, max(-right, 0) : free.shape[1] - max(right, 0)]
        other = index[down:, max(right, 0) : free.shape[1] + min(right, 0)]
        both = (one >= 0) & (other >= 0)
        heads.append(one[both])
        tails.append(other[both])
        lengths.append(np.full(int(both.sum()), np.hypot(down, right)))
    size = int(free.sum())
    graph = coo_array((np.concatenate(lengths), (np.concatenate(heads), np.concatenate(tails))), shape=(size, size))
    at = index[sources[:, 0], sources[:, 1]]
    distance, _, source = dijkstra(graph.tocsr(), directed=False, indices=at, min_only=True, return_predecessors=True)
    value_of = dict(zip(at.tolist(), values.tolist(), strict=True))
    out = np.full(free.shape, -1, np.int64)
    out[free] = [value_of[s] if np.isfinite(d) else -1 for s, d in zip(source.tolist(), distance, strict=True)]
    return out


def _doorways(
    model: str, visits: Sequence[Sequence[_Visit]], id_of: Mapping[int, str], same_door: float
) -> list[Doorway]:
    """Crossings between rooms, those of one pair of rooms that lie together as one doorway."""
    found: list[_Door] = []
    for visits_of_walk in visits:
        for (left, before), (entered, after) in pairwise(visits_of_walk):
            if left == entered:
                continue
            last, first = before[-1], after[0]
            place = (np.array(last.position[:2]) + np.array(first.position[:2])) / 2.0
            door = next((door for door in found if door.joins({left, entered}, place, same_door)), None)
            if door is None:
                door = _Door((left, entered))
                found.append(door)
            door.crossings.append((last.frame, first.frame))
            door.places.append(place)
    return [
        Doorway(
            id=f"{model}_d{number}",
            model=model,
            rooms=(id_of[door.rooms[0]], id_of[door.rooms[1]]),
            position=(float(door.middle[0]), float(door.middle[1])),
            crossings=tuple(door.crossings),
        )
        for number, door in enumerate(found)
    ]
