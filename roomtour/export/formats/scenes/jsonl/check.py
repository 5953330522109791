"""Check the open format: every field of every row, and every reference between rows."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter

from roomtour.export.core.checking import SPLITS, DatasetCheck, RowCheck, is_focal_length
from roomtour.export.core.streams import shards
from roomtour.export.formats.scenes.jsonl.write import FILES, OBJECTS, ROW_TYPES, SCENES

_SAME_PLACE = 1e-6
TRAJECTORIES, TRAINING, INSTRUCTIONS = "trajectories.jsonl", "training.jsonl", "instructions.jsonl"


def check(data: DatasetCheck) -> None:
    """Every field of every row, and every reference between rows."""
    if all([data.require_file(name) for name in FILES]):
        references = _References()
        for name in FILES:
            adapters = [TypeAdapter(kind) for kind in ROW_TYPES[name]]
            known = {field.name for kind in ROW_TYPES[name] for field in fields(kind)}
            for file in shards(data.folder / name):
                for row in data.records(file.name):
                    if _fits(row, adapters, known):
                        references.check(name, row, row.record)


def _fits(row: RowCheck, adapters: list[TypeAdapter[Any]], known: set[str]) -> bool:
    """Whether the fields of each class are there and of its types, and no others; what is wrong is noted."""
    line, strange = json.dumps(row.record), row.record.keys() - known
    for field in strange:
        row.bad(field, "a field of the format", "it")
    return all([row.fit_class(adapter, line) for adapter in adapters]) and not strange


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

    def check(self, name: str, check: RowCheck, row: Mapping[str, Any]) -> None:
        """Note what is wrong with a row whose fields have the right types; `name` tells what it is."""
        checks = {
            SCENES: self._check_scene,
            TRAJECTORIES: self._check_trajectory,
            TRAINING: self._check_training,
            OBJECTS: self._check_object,
            INSTRUCTIONS: self._check_instruction,
        }
        self._check_provenance(name, check, row)
        if name == SCENES or row["tour"] in self._times:
            checks.get(name, self._check_row)(check, row)

    def _check_provenance(self, name: str, check: RowCheck, row: Mapping[str, Any]) -> None:
        tour = row["tour"]
        check.need(row["split"] in SPLITS, "split", f"one of {', '.join(SPLITS)}", row["split"])
        for field in ("tour", "licence", "software"):
            check.need(row[field].strip(), field, "a text", row[field])
        same = tuple(row[field] for field in ("split", "source_file", "source_sha256", "licence", "software"))
        if name == SCENES:
            check.need(tour not in self._source, "tour", "a tour no other row has", tour)
            self._source[tour] = same
        elif tour not in self._source:
            check.bad("tour", f"a tour of {SCENES}", tour)
        elif same != self._source[tour]:
            check.bad("split, source_file, licence, software", f"as in {SCENES}", same)
        if name != SCENES:
            key = (name, tour, row["id"])
            check.need(key not in self._ids, "id", "an id no other row of the tour has", row["id"])
            self._ids.add(key)

    def _check_scene(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        tour = row["tour"]
        times = {frame["index"]: frame["time_s"] for frame in row["frames"]}
        self._times[tour] = times
        check.need(len(times) >= len(row["frames"]), "frames", "every frame once", "a frame twice")
        ordered = [frame["time_s"] for frame in row["frames"]]
        if any(after <= before for before, after in pairwise(ordered)):
            check.bad("frames", "increasing times", "a frame that is not later")
        for model in row["models"]:
            key = (tour, model["name"])
            check.need(key not in self._posed, "models.name", "a name no other model has", model["name"])
            self._posed[key] = {pose["frame"]: pose["translation"] for pose in model["poses"]}
            camera = model["camera"]
            if not is_focal_length(camera["params"][0], camera["width"], camera["height"]):
                check.bad("models.camera", "a focal length of a lens for rooms", camera["params"])
            self._status[key] = model["scale"]["status"]
            unit = "unit" if model["scale"]["status"] == "relative" else "m"
            if model["unit"] != unit:
                check.bad("models.unit", f"{unit} for scale {model['scale']['status']}", model["unit"])
            for pose in model["poses"]:
                if times.get(pose["frame"]) != pose["time_s"]:
                    check.bad("models.poses", "frames of the scene with their times", pose["frame"])
                if abs(sum(value**2 for value in pose["quat_wxyz"]) - 1.0) > 1e-6:
                    check.bad("models.poses.quat_wxyz", "a unit quaternion", pose["quat_wxyz"])
        for line in row["spatial_lines"]:
            check.need(line["frame"] in times, "spatial_lines", "frames of the scene", line["frame"])
        self._check_floor(check, row)

    def _check_floor(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        models = {model["name"] for model in row["models"]}
        rooms = {room["id"]: room["model"] for room in row.get("rooms", ())}
        for field in ("floor_plans", "rooms", "doorways"):
            for item in row.get(field, ()):
                check.need(item["model"] in models, f"{field}.model", "a model of the scene", item["model"])
        for room in row.get("rooms", ()):
            if not set(room["frames"]) <= self._posed.get((row["tour"], room["model"]), {}).keys():
                check.bad("rooms.frames", "frames with a pose in the model", room["frames"])
        for door in row.get("doorways", ()):
            known = [name for name in door["rooms"] if name is not None]
            if any(rooms.get(name) != door["model"] for name in known) or len(set(known)) < len(known):
                check.bad("doorways.rooms", "two rooms of its model, null where unknown", door["rooms"])

    def _check_trajectory(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        key = (row["tour"], row["model"])
        frames = [point["frame"] for point in row["points"]]
        self._trajectories[row["id"]] = key
        self._check_in_model(check, row, "points", frames)
        check.need(frames == sorted(set(frames)), "points", "different frames in time order", frames)
        for point in row["points"]:
            place = self._posed.get(key, {}).get(point["frame"])
            if place is not None and math.dist(place, point["position"]) > _SAME_PLACE:
                check.bad("points.position", f"that of the pose in {SCENES}, {place}", point["position"])
        if self._status.get(key) not in (None, row["scale_status"]):
            check.bad("scale_status", f"that of the model ({self._status[key]})", row["scale_status"])
        for decision in row["decisions"]:
            if decision["positive_frame"] not in frames or not set(decision["negative_frames"]) <= set(frames):
                check.bad("decisions", "candidates among the points", decision["positive_frame"])
            check.need(decision["negative_frames"], "decisions", "at least one negative", "none")

    def _check_training(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        frames = [view["frame"] for view in row["views"]]
        if self._trajectories.get(row["trajectory"]) != (row["tour"], row["model"]):
            check.bad("trajectory", f"a trajectory of {TRAJECTORIES} of the same tour and model", row["trajectory"])
        self._check_in_model(check, row, "views", frames)
        if frames != sorted(set(frames)) or len(frames) < 2:
            check.bad("views", "two or more different views in time order", frames)
        check.need(set(row["choices"]) <= set(frames[1:]), "choices", "views after the first", row["choices"])
        needs_actions = row["unit"] == "m"
        is_ended = row["actions"][-1:] == ["stop"] and "stop" not in row["actions"][:-1]
        if is_ended != needs_actions or (row["actions"] and not needs_actions):
            expected = "stop last and only there" if needs_actions else "none without metres"
            check.bad("actions", expected, row["actions"])

    def _check_object(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        self._objects.add((row["tour"], row["id"]))
        self._check_in_model(check, row, "frames", row["frames"])
        self._check_same_times(check, row, "frames")
        for observation in row["observations"]:
            if observation["object"] != row["id"] or observation["frame"] not in self._times[row["tour"]]:
                check.bad("observations", "of this object, in frames of the scene", observation["object"])
            x1, y1, x2, y2 = observation["box_xyxy"]
            check.need(x2 >= x1 and y2 >= y1, "observations.box_xyxy", "x1 <= x2 and y1 <= y2", observation["box_xyxy"])

    def _check_instruction(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        if self._trajectories.get(row["trajectory"]) != (row["tour"], row["model"]):
            check.bad("trajectory", f"a trajectory of {TRAJECTORIES} of the same tour and model", row["trajectory"])
        self._check_row(check, row)
        unknown = [name for name in row["objects"] if (row["tour"], name) not in self._objects]
        check.need(not unknown, "objects", f"objects of {OBJECTS}", unknown)
        check.need(not (not row["text"].strip() and row["accepted"]), "text", "a text", row["text"])

    def _check_row(self, check: RowCheck, row: Mapping[str, Any]) -> None:
        """What holds for the rows of every kind of data."""
        self._check_in_model(check, row, "views", row["views"])
        self._check_same_times(check, row, "views")
        if len(row["images"]) != len(row["views"]):
            check.bad("images", f"{len(row['views'])} names", f"{len(row['images'])}")
        status = self._status.get((row["tour"], row["model"]))
        if status not in (None, row["scale_status"]):
            check.bad("scale_status", f"that of the model ({status})", row["scale_status"])

    def _check_in_model(self, check: RowCheck, row: Mapping[str, Any], field: str, frames: list[int]) -> None:
        # Rows about frames without a pose name no model.
        posed = self._posed.get((row["tour"], row["model"])) if row["model"] else self._times[row["tour"]]
        if posed is None:
            check.bad("model", f"a model of {SCENES}", row["model"])
        elif not set(frames) <= posed.keys():
            check.bad(field, "frames with a pose in the model", sorted(set(frames) - posed.keys()))

    def _check_same_times(self, check: RowCheck, row: Mapping[str, Any], field: str) -> None:
        times = [self._times[row["tour"]].get(frame) for frame in row[field]]
        if list(row["frame_times_s"]) != times:
            check.bad("frame_times_s", "the times of the frames in the scene", row["frame_times_s"])
