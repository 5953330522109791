"""Check the open format: every field of every row, and every reference between rows."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from roomtour.export.core.checking import SPLITS, is_focal_length, json_lines, misfits
from roomtour.export.core.records import Problem, format_value
from roomtour.export.core.streams import shards
from roomtour.export.formats.jsonl.write import FILES, OBJECTS, ROW_TYPES, SCENES

_SAME_PLACE = 1e-6
TRAJECTORIES, TRAINING, INSTRUCTIONS = "trajectories.jsonl", "training.jsonl", "instructions.jsonl"


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of scenes."""
    return (path / SCENES).is_file()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    missing = [name for name in FILES if not (path / name).is_file()]
    problems += [Problem(name, None, "file", "a file", "no such file") for name in missing]
    if missing:
        return problems
    references = _References()
    for name in FILES:
        for file in shards(path / name):
            for number, row in _rows(file, name, problems):
                problems += references.check(name, file.name, number, row)
    return problems


def _rows(file: Path, name: str, problems: list[Problem]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line numbers from 1 and the rows whose fields all fit; `name` tells what the rows are."""
    adapters = [TypeAdapter(kind) for kind in ROW_TYPES[name]]
    known = {field.name for kind in ROW_TYPES[name] for field in fields(kind)}
    for number, row in json_lines(file, problems):
        line = json.dumps(row)
        found = [problem for adapter in adapters for problem in _misfits(adapter, line, file.name, number)]
        found += [
            Problem(file.name, number, field, "a field of the format", "it") for field in row if field not in known
        ]
        problems += found
        if not found:
            yield number, row


def _misfits(adapter: TypeAdapter[Any], line: str, name: str, number: int) -> list[Problem]:
    """Fields of one class that are missing or of another type."""
    try:
        adapter.validate_json(line, strict=True)
    except ValidationError as error:
        return list(misfits(error, name, number, root="row"))
    return []


class _References:
    """What earlier rows defined, and whether later rows fit it."""

    def __init__(self) -> None:
        self._source: dict[str, tuple[Any, ...]] = {}
        self._times: dict[str, dict[int, float]] = {}
        self._posed: dict[tuple[str, str], dict[int, list[float]]] = {}
        self._status: dict[tuple[str, str], str] = {}
        self._trajectories: dict[str, tuple[str, str]] = {}
        self._objects: set[tuple[str, str]] = set()
        self._ids: set[tuple[str, str, str]] = set()

    def check(self, name: str, file: str, number: int, row: Mapping[str, Any]) -> Iterator[Problem]:
        """Problems of one row whose fields have the right types; `name` tells what it is, `file` where it stands."""
        checks = {
            SCENES: self._scene,
            TRAJECTORIES: self._trajectory,
            TRAINING: self._training,
            OBJECTS: self._object,
            INSTRUCTIONS: self._instruction,
        }
        for field, expected, found in self._provenance(name, row):
            yield Problem(file, number, field, expected, found)
        if name == SCENES or row["tour"] in self._times:
            for field, expected, found in checks.get(name, self._row)(row):
                yield Problem(file, number, field, expected, found)

    def _provenance(self, name: str, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        tour = row["tour"]
        if row["split"] not in SPLITS:
            yield "split", f"one of {', '.join(SPLITS)}", format_value(row["split"])
        for field in ("tour", "licence", "software"):
            if not row[field].strip():
                yield field, "a text", format_value(row[field])
        same = tuple(row[field] for field in ("split", "source_file", "source_sha256", "licence", "software"))
        if name == SCENES:
            if tour in self._source:
                yield "tour", "a tour no other row has", format_value(tour)
            self._source[tour] = same
        elif tour not in self._source:
            yield "tour", f"a tour of {SCENES}", format_value(tour)
        elif same != self._source[tour]:
            yield "split, source_file, licence, software", f"as in {SCENES}", format_value(same)
        if name != SCENES:
            key = (name, tour, row["id"])
            if key in self._ids:
                yield "id", "an id no other row of the tour has", format_value(row["id"])
            self._ids.add(key)

    def _scene(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        tour = row["tour"]
        times = {frame["index"]: frame["time_s"] for frame in row["frames"]}
        self._times[tour] = times
        if len(times) < len(row["frames"]):
            yield "frames", "every frame once", "a frame twice"
        ordered = [frame["time_s"] for frame in row["frames"]]
        if any(after <= before for before, after in pairwise(ordered)):
            yield "frames", "increasing times", "a frame that is not later"
        for model in row["models"]:
            key = (tour, model["name"])
            if key in self._posed:
                yield "models.name", "a name no other model has", format_value(model["name"])
            self._posed[key] = {pose["frame"]: pose["translation"] for pose in model["poses"]}
            camera = model["camera"]
            if not is_focal_length(camera["params"][0], camera["width"], camera["height"]):
                yield "models.camera", "a focal length of a lens for rooms", format_value(camera["params"])
            self._status[key] = model["scale"]["status"]
            unit = "unit" if model["scale"]["status"] == "relative" else "m"
            if model["unit"] != unit:
                yield "models.unit", f"{unit} for scale {model['scale']['status']}", format_value(model["unit"])
            for pose in model["poses"]:
                if times.get(pose["frame"]) != pose["time_s"]:
                    yield "models.poses", "frames of the scene with their times", format_value(pose["frame"])
                if abs(sum(value**2 for value in pose["quat_wxyz"]) - 1.0) > 1e-6:
                    yield "models.poses.quat_wxyz", "a unit quaternion", format_value(pose["quat_wxyz"])
        for line in row["spatial_lines"]:
            if line["frame"] not in times:
                yield "spatial_lines", "frames of the scene", format_value(line["frame"])
        yield from self._floor(row)

    def _floor(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        models = {model["name"] for model in row["models"]}
        rooms = {room["id"]: room["model"] for room in row.get("rooms", ())}
        for field in ("floor_plans", "rooms", "doorways"):
            for item in row.get(field, ()):
                if item["model"] not in models:
                    yield f"{field}.model", "a model of the scene", format_value(item["model"])
        for room in row.get("rooms", ()):
            if not set(room["frames"]) <= self._posed.get((row["tour"], room["model"]), {}).keys():
                yield "rooms.frames", "frames with a pose in the model", format_value(room["frames"])
        for door in row.get("doorways", ()):
            known = [name for name in door["rooms"] if name is not None]
            if any(rooms.get(name) != door["model"] for name in known) or len(set(known)) < len(known):
                yield "doorways.rooms", "two rooms of its model, null where unknown", format_value(door["rooms"])

    def _trajectory(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        key = (row["tour"], row["model"])
        frames = [point["frame"] for point in row["points"]]
        self._trajectories[row["id"]] = key
        yield from self._in_model(row, "points", frames)
        if frames != sorted(set(frames)):
            yield "points", "different frames in time order", format_value(frames)
        for point in row["points"]:
            place = self._posed.get(key, {}).get(point["frame"])
            if place is not None and math.dist(place, point["position"]) > _SAME_PLACE:
                yield "points.position", f"that of the pose in {SCENES}, {place}", format_value(point["position"])
        if self._status.get(key) not in (None, row["scale_status"]):
            yield "scale_status", f"that of the model ({self._status[key]})", format_value(row["scale_status"])
        for decision in row["decisions"]:
            if decision["positive_frame"] not in frames or not set(decision["negative_frames"]) <= set(frames):
                yield "decisions", "candidates among the points", format_value(decision["positive_frame"])
            if not decision["negative_frames"]:
                yield "decisions", "at least one negative", "none"

    def _training(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        frames = [view["frame"] for view in row["views"]]
        if self._trajectories.get(row["trajectory"]) != (row["tour"], row["model"]):
            yield (
                "trajectory",
                f"a trajectory of {TRAJECTORIES} of the same tour and model",
                format_value(row["trajectory"]),
            )
        yield from self._in_model(row, "views", frames)
        if frames != sorted(set(frames)) or len(frames) < 2:
            yield "views", "two or more different views in time order", format_value(frames)
        if not set(row["choices"]) <= set(frames[1:]):
            yield "choices", "views after the first", format_value(row["choices"])
        needs_actions = row["unit"] == "m"
        is_ended = row["actions"][-1:] == ["stop"] and "stop" not in row["actions"][:-1]
        if is_ended != needs_actions or (row["actions"] and not needs_actions):
            expected = "stop last and only there" if needs_actions else "none without metres"
            yield "actions", expected, format_value(row["actions"])

    def _object(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        self._objects.add((row["tour"], row["id"]))
        yield from self._in_model(row, "frames", row["frames"])
        yield from self._same_times(row, "frames")
        for observation in row["observations"]:
            if observation["object"] != row["id"] or observation["frame"] not in self._times[row["tour"]]:
                yield "observations", "of this object, in frames of the scene", format_value(observation["object"])
            x1, y1, x2, y2 = observation["box_xyxy"]
            if x2 < x1 or y2 < y1:
                yield "observations.box_xyxy", "x1 <= x2 and y1 <= y2", format_value(observation["box_xyxy"])

    def _instruction(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        if self._trajectories.get(row["trajectory"]) != (row["tour"], row["model"]):
            yield (
                "trajectory",
                f"a trajectory of {TRAJECTORIES} of the same tour and model",
                format_value(row["trajectory"]),
            )
        yield from self._row(row)
        unknown = [name for name in row["objects"] if (row["tour"], name) not in self._objects]
        if unknown:
            yield "objects", f"objects of {OBJECTS}", format_value(unknown)
        if not row["text"].strip() and row["accepted"]:
            yield "text", "a text", format_value(row["text"])

    def _row(self, row: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
        """What holds for the rows of every kind of data."""
        yield from self._in_model(row, "views", row["views"])
        yield from self._same_times(row, "views")
        if len(row["images"]) != len(row["views"]):
            yield "images", f"{len(row['views'])} names", f"{len(row['images'])}"
        status = self._status.get((row["tour"], row["model"]))
        if status not in (None, row["scale_status"]):
            yield "scale_status", f"that of the model ({status})", format_value(row["scale_status"])

    def _in_model(self, row: Mapping[str, Any], field: str, frames: list[int]) -> Iterator[tuple[str, str, str]]:
        posed = self._posed.get((row["tour"], row["model"]))
        if posed is None:
            yield "model", f"a model of {SCENES}", format_value(row["model"])
        elif not set(frames) <= posed.keys():
            yield field, "frames with a pose in the model", format_value(sorted(set(frames) - posed.keys()))

    def _same_times(self, row: Mapping[str, Any], field: str) -> Iterator[tuple[str, str, str]]:
        times = [self._times[row["tour"]].get(frame) for frame in row[field]]
        if list(row["frame_times_s"]) != times:
            yield "frame_times_s", "the times of the frames in the scene", format_value(row["frame_times_s"])
