"""Check the open format: every field of every row, and every reference between rows."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter

from roomtour.export.core.checking import SPLITS, DatasetCheck, RowCheck
from roomtour.export.core.fields import is_focal_length
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.streams import rows_of, shards
from roomtour.export.formats.scenes.jsonl import CONVENTION, FILES, OBJECTS, ROW_TYPES, SCENES, write
from roomtour.kinds import KIND_NAMES, KINDS

_SAME_PLACE = 1e-6
TRAJECTORIES, TRAINING, INSTRUCTIONS = "trajectories.jsonl", "training.jsonl", "instructions.jsonl"
_SOURCE = ("split", "source_file", "source_sha256", "licence", "software")
Record = Mapping[str, Any]
"""A row whose fields have the right types."""


@dataclass
class _Tour:
    """What the rows of a tour so far define."""

    source: tuple[Any, ...]
    times: dict[int, float]
    posed: dict[str, dict[int, list[float]]]
    """By model and frame, the place of the camera."""
    status: dict[str, str]
    """Of the scale, by model."""
    ids: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    """By file and id of a row, its model."""


def _check(data: DatasetCheck) -> None:
    if not all([data.require_file(name) for name in FILES]):
        return
    tours: dict[str, _Tour] = {}
    for name in FILES:
        adapters = [TypeAdapter(kind) for kind in ROW_TYPES[name]]
        known = {column.name for kind in ROW_TYPES[name] for column in fields(kind)}
        for file in shards(data.folder / name):
            for row in data.records(file.name):
                line, strange = json.dumps(row.record), row.record.keys() - known
                for column in sorted(strange):
                    row.bad(column, "a field of the format", "it")
                if all([row.fit_class(adapter, line) for adapter in adapters]) and not strange:
                    _check_references(name, row, row.record, tours)


def _check_references(name: str, check: RowCheck, row: Record, tours: dict[str, _Tour]) -> None:
    check.need(row["split"] in SPLITS, "split", f"one of {', '.join(SPLITS)}", row["split"])
    for column in ("tour", "licence", "software"):
        check.need(row[column].strip(), column, "a text", row[column])
    source, tour = tuple(row[column] for column in _SOURCE), tours.get(row["tour"])
    if name == SCENES:
        check.need(tour is None, "tour", "a tour no other row has", row["tour"])
        tours[row["tour"]] = _check_scene(check, row, source)
        return None
    if tour is None:
        return check.bad("tour", f"a tour of {SCENES}", row["tour"])
    if source != tour.source:
        check.bad("split, source_file, licence, software", f"as in {SCENES}", source)
    check.need(row["id"] not in tour.ids[name], "id", "an id no other row of the tour has", row["id"])
    tour.ids[name][row["id"]] = row["model"]
    return _CHECKS.get(name, _check_row)(check, row, tour)


def _check_scene(check: RowCheck, row: Record, source: tuple[Any, ...]) -> _Tour:
    times = {frame["index"]: frame["time_s"] for frame in row["frames"]}
    models = {model["name"]: model for model in row["models"]}
    check.need(len(times) == len(row["frames"]), "frames", "every frame once", "a frame twice")
    if any(after["time_s"] <= before["time_s"] for before, after in pairwise(row["frames"])):
        check.bad("frames", "increasing times", "a frame that is not later")
    check.need(len(models) == len(row["models"]), "models.name", "a name no other model has", list(models))
    for model in row["models"]:
        camera, status = model["camera"], model["scale"]["status"]
        if not is_focal_length(camera["params"][0], camera["width"], camera["height"]):
            check.bad("models.camera", "a focal length of a lens for rooms", camera["params"])
        unit = "unit" if status == "relative" else "m"
        check.need(model["unit"] == unit, "models.unit", f"{unit} for scale {status}", model["unit"])
        for pose in model["poses"]:
            if times.get(pose["frame"]) != pose["time_s"]:
                check.bad("models.poses", "frames of the scene with their times", pose["frame"])
            if abs(math.hypot(*pose["quat_wxyz"]) - 1.0) > 1e-6:
                check.bad("models.poses.quat_wxyz", "a unit quaternion", pose["quat_wxyz"])
    for line in row["spatial_lines"]:
        check.need(line["frame"] in times, "spatial_lines", "frames of the scene", line["frame"])
    posed = {name: {pose["frame"]: pose["translation"] for pose in model["poses"]} for name, model in models.items()}
    rooms = {room["id"]: room["model"] for room in row.get("rooms", ())}
    for part in ("floor_plans", "rooms", "doorways"):
        for item in row.get(part, ()):
            check.need(item["model"] in models, f"{part}.model", "a model of the scene", item["model"])
    for room in row.get("rooms", ()):
        is_seen = set(room["frames"]) <= posed.get(room["model"], {}).keys()
        check.need(is_seen, "rooms.frames", "frames with a pose in the model", room["frames"])
    for door in row.get("doorways", ()):
        known = [name for name in door["rooms"] if name is not None]
        if any(rooms.get(name) != door["model"] for name in known) or len(set(known)) < len(known):
            check.bad("doorways.rooms", "two rooms of its model, null where unknown", door["rooms"])
    return _Tour(source, times, posed, {name: model["scale"]["status"] for name, model in models.items()})


def _check_trajectory(check: RowCheck, row: Record, tour: _Tour) -> None:
    frames = [point["frame"] for point in row["points"]]
    _check_in_model(check, row, tour, "points", frames)
    check.need(frames == sorted(set(frames)), "points", "different frames in time order", frames)
    for point in row["points"]:
        place = tour.posed.get(row["model"], {}).get(point["frame"]) or point["position"]
        if math.dist(place, point["position"]) > _SAME_PLACE:
            check.bad("points.position", f"that of the pose in {SCENES}, {place}", point["position"])
    for decision in row["decisions"]:
        if not {decision["positive_frame"], *decision["negative_frames"]} <= set(frames):
            check.bad("decisions", "candidates among the points", decision["positive_frame"])
        check.need(decision["negative_frames"], "decisions", "at least one negative", "none")


def _check_training(check: RowCheck, row: Record, tour: _Tour) -> None:
    frames, actions = [view["frame"] for view in row["views"]], row["actions"]
    _check_trajectory_of(check, row, tour)
    _check_in_model(check, row, tour, "views", frames)
    if frames != sorted(set(frames)) or len(frames) < 2:
        check.bad("views", "two or more different views in time order", frames)
    check.need(set(row["choices"]) <= set(frames[1:]), "choices", "views after the first", row["choices"])
    if row["unit"] != "m":
        check.need(not actions, "actions", "none without metres", actions)
    elif actions[-1:] != ["stop"] or "stop" in actions[:-1]:
        check.bad("actions", "stop last and only there", actions)


def _check_object(check: RowCheck, row: Record, tour: _Tour) -> None:
    _check_in_model(check, row, tour, "frames", row["frames"])
    for observation in row["observations"]:
        if observation["object"] != row["id"] or observation["frame"] not in tour.times:
            check.bad("observations", "of this object, in frames of the scene", observation["object"])
        x1, y1, x2, y2 = observation["box_xyxy"]
        check.need(x2 >= x1 and y2 >= y1, "observations.box_xyxy", "x1 <= x2 and y1 <= y2", observation["box_xyxy"])


def _check_instruction(check: RowCheck, row: Record, tour: _Tour) -> None:
    _check_trajectory_of(check, row, tour)
    _check_row(check, row, tour)
    unknown = set(row["objects"]) - tour.ids[OBJECTS].keys()
    check.need(not unknown, "objects", f"objects of {OBJECTS}", sorted(unknown))
    check.need(row["text"].strip() or not row["accepted"], "text", "a text", row["text"])


def _check_row(check: RowCheck, row: Record, tour: _Tour) -> None:
    """What holds for the rows of every kind of data."""
    _check_in_model(check, row, tour, "views", row["views"])
    check.need(len(row["images"]) == len(row["views"]), "images", f"{len(row['views'])} names", len(row["images"]))


def _check_trajectory_of(check: RowCheck, row: Record, tour: _Tour) -> None:
    if tour.ids[TRAJECTORIES].get(row["trajectory"]) != row["model"]:
        check.bad("trajectory", f"a trajectory of {TRAJECTORIES} of the same tour and model", row["trajectory"])


def _check_in_model(check: RowCheck, row: Record, tour: _Tour, name: str, frames: Sequence[int]) -> None:
    """Frames with a pose in the model of a row, their times, its scale; rows about frames without pose name none."""
    posed = tour.posed.get(row["model"]) if row["model"] else tour.times
    if posed is None:
        check.bad("model", f"a model of {SCENES}", row["model"])
    elif not set(frames) <= posed.keys():
        check.bad(name, "frames with a pose in the model", sorted(set(frames) - posed.keys()))
    times = [tour.times.get(frame) for frame in frames]
    if list(row.get("frame_times_s", times)) != times:
        check.bad("frame_times_s", "the times of the frames in the scene", row["frame_times_s"])
    status = tour.status.get(row["model"], row["scale_status"])
    check.need(row["scale_status"] == status, "scale_status", f"that of the model ({status})", row["scale_status"])


_CHECKS: Mapping[str, Callable[[RowCheck, Record, _Tour], None]] = {
    TRAJECTORIES: _check_trajectory,
    TRAINING: _check_training,
    OBJECTS: _check_object,
    INSTRUCTIONS: _check_instruction,
}

JSONL = ExportFormat(
    name="jsonl",
    summary="scenes, floor plans, trajectories, objects and instructions with the provenance of every row",
    client="any JSON reader",
    shows=("trajectories", "objects", "rooms", "frame_rooms"),
    kinds=KIND_NAMES,
    convention=CONVENTION,
    write=write,
    check=_check,
    rows=rows_of(*(f"{kind.rows}*.jsonl" for kind in KINDS)),
)
