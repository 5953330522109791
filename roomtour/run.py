"""A finished (or partly finished) run folder as typed objects, read when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from instructions.records import Detection, FrameRoom, Instruction, Observation, RoomSpan, SceneObject, SpatialLine
from recon.findings import Finding
from recon.records import MergeAttempt, Scene
from recon.upright.outline import SceneOutline, read_outline
from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData
from roomtour.files.models import INDEX, SubModelEntry, read_index
from roomtour.files.records import read_jsonl
from roomtour.review.ratings import load_ratings, mean_scores
from roomtour.store import MANIFEST, RunStore, StageEntry
from trajectories.records import Doorway, FloorPlan, Room, TrainingTrajectory, Trajectory

if TYPE_CHECKING:
    from roomtour.report.summary import RunSummary

T = TypeVar("T")


class Run:
    """What `roomtour process` made of one tour. Values are read from the run folder once, when first asked for."""

    def __init__(self, path: Path | str):
        self.path = Path(path)
        if not (self.path / MANIFEST).is_file():
            raise RoomtourError(f"{self.path}: no run folder (it has no {MANIFEST}); make one with: roomtour process")
        self._store = RunStore(self.path)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, stages done: {', '.join(self._store.stages) or 'none'})"

    @property
    def manifest(self) -> Mapping[str, Any]:
        """Versions, options, source: the manifest without its stages."""
        return self._store.facts

    @property
    def stages(self) -> Mapping[str, StageEntry]:
        """Finished stages by name, in run order."""
        return self._store.stages

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of every finished stage, in run order."""
        return tuple(finding for entry in self._store.stages.values() for finding in entry.findings)

    @cached_property
    def scene(self) -> Scene:
        """The upright scene, with the findings of all stages."""
        from recon.upright.scene_io import read_scene

        self._require("scene")
        return replace(read_scene(self.path / "scene"), findings=self.findings)

    @cached_property
    def scene_outline(self) -> SceneOutline:
        """The scene without its poses and points, which are read in no time."""
        self._require("scene")
        return read_outline(self.path / "scene")

    @cached_property
    def trajectories(self) -> tuple[Trajectory, ...]:
        """One per connected walk, with view changes and candidates."""
        return self._records("trajectories", "trajectories/trajectories.jsonl", Trajectory)

    @cached_property
    def training(self) -> tuple[TrainingTrajectory, ...]:
        """The walks cut for training; empty in a run of a version that did not cut them."""
        return self._records_if_there("trajectories/training.jsonl", TrainingTrajectory)

    @cached_property
    def floor_plans(self) -> tuple[FloorPlan, ...]:
        """One per model that was walked in; empty until the stage `plan` is done."""
        return self._records_if_there("plan/floor_plans.jsonl", FloorPlan)

    @cached_property
    def rooms(self) -> tuple[Room, ...]:
        """Rooms with their polygons; empty where nothing knows rooms."""
        return self._records_if_there("plan/rooms.jsonl", Room)

    @cached_property
    def doorways(self) -> tuple[Doorway, ...]:
        """Where the walk goes from room to room."""
        return self._records_if_there("plan/doorways.jsonl", Doorway)

    @cached_property
    def objects(self) -> tuple[SceneObject, ...]:
        """Things found in the scene."""
        return self._records("perception", "perception/objects.jsonl", SceneObject)

    @cached_property
    def observations(self) -> tuple[Observation, ...]:
        """Where frames see the objects."""
        return self._records("perception", "perception/observations.jsonl", Observation)

    @cached_property
    def spatial_lines(self) -> tuple[SpatialLine, ...]:
        """One line of words per registered frame."""
        return self._records("perception", "perception/spatial_lines.jsonl", SpatialLine)

    @cached_property
    def frame_rooms(self) -> tuple[FrameRoom, ...]:
        """Room type of each frame; empty where nothing knows rooms."""
        return self._records_if_there("perception/frame_rooms.jsonl", FrameRoom)

    @cached_property
    def room_spans(self) -> tuple[RoomSpan, ...]:
        """Stays in one type of room, in time order; empty where nothing knows rooms."""
        return self._records_if_there("perception/room_spans.jsonl", RoomSpan)

    @cached_property
    def detections(self) -> tuple[Detection, ...]:
        """What the detector found in single frames, joined into objects or not; empty for embedded perception."""
        return self._records_if_there("perception/detections.jsonl", Detection)

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """Instructions whose claims hold against the geometry."""
        return self._records("instructions", "instructions/instructions.jsonl", Instruction)

    @cached_property
    def rejected_instructions(self) -> tuple[Instruction, ...]:
        """Instructions that were not kept, with the reason."""
        return self._records("instructions", "instructions/rejected.jsonl", Instruction)

    @property
    def merge_attempts(self) -> tuple[MergeAttempt, ...]:
        """The merge log."""
        return self._records("merge", "recon/merge_log.jsonl", MergeAttempt)

    @property
    def sub_models(self) -> tuple[SubModelEntry, ...]:
        """The index of what structure from motion made of each clip."""
        self._require("sfm", f"recon/clips/{INDEX}")
        return read_index(self.path / "recon" / "clips")

    @property
    def data(self) -> RunData:
        """Everything exports and the report read."""
        return RunData(
            scene=self.scene,
            trajectories=self.trajectories,
            objects=self.objects,
            observations=self.observations,
            spatial_lines=self.spatial_lines,
            instructions=self.instructions + self.rejected_instructions,
            frames_dir=self.path / "frames",
            provenance=self._store.facts,
            training=self.training,
            floor_plans=self.floor_plans,
            rooms=self.rooms,
            doorways=self.doorways,
            ratings=mean_scores(load_ratings(self.path), self.instructions),
        )

    def summary(self) -> RunSummary:
        """The figures `roomtour show` prints."""
        from roomtour.report.summary import summarize_run

        return summarize_run(self)

    @property
    def files(self) -> dict[str, Path]:
        """What lies where, for people."""
        named = {
            "report": "report.html",
            "instructions": "instructions/instructions.jsonl",
            "trajectories": "trajectories/trajectories.jsonl",
            "scene": "scene/scene.json",
            "frames": "frames",
            "manifest": MANIFEST,
        }
        return {name: self.path / file for name, file in named.items() if (self.path / file).exists()}

    def _records(self, stage: str, file: str, kind: type[T]) -> tuple[T, ...]:
        self._require(stage, file)
        return read_jsonl(self.path / file, kind)

    def _records_if_there(self, file: str, kind: type[T]) -> tuple[T, ...]:
        return read_jsonl(self.path / file, kind) if (self.path / file).exists() else ()

    def _require(self, stage: str, file: str | None = None) -> None:
        """Refuse what is not there yet, or was taken away, in one line."""
        if stage not in self._store.stages:
            done = ", ".join(self._store.stages) or "none"
            raise RoomtourError(
                f"{self.path}: stage {stage} is not done (done: {done}). Run the same roomtour process command again."
            )
        if file is not None and not (self.path / file).exists():
            raise RoomtourError(f"{self.path / file}: missing. Make it again with: roomtour process --force {stage}")
