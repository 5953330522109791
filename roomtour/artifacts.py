"""What lies where in a run folder: one table of path, record type and stage.

`roomtour.run.Run`, `RunData`, the open export format and the page on the run folder are made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from instructions.dialogues.records import Cloud, Context
from instructions.dialogues.tasks.annotations import Annotation
from instructions.navigation.records import Instruction, ViewDescription
from instructions.questions.core.records import ThinkingTalk
from instructions.records import (
    Detection,
    FrameRoom,
    LabelFrequency,
    Observation,
    RoomSpan,
    Scan,
    SceneObject,
    SpatialLine,
)
from instructions.regions.records import ChoiceSet, Pair, RegionView, Verbalization
from recon.records import MergeAttempt
from roomtour.files.records import read_jsonl, write_jsonl
from roomtour.kinds import KIND_NAMES, KINDS
from trajectories.records import DecisionPoint, Doorway, FloorPlan, Room, TrainingTrajectory, Trajectory, ViewChange

T = TypeVar("T")


@dataclass(frozen=True)
class Artifact(Generic[T]):
    """One file or folder of a run."""

    name: str
    """How Python and error messages call it."""
    path: str
    """Relative to the run folder."""
    stage: str
    """What makes it; its files are whole once the manifest calls this stage done."""
    text: str
    """What it holds, for people."""
    record: type[T] | None = None
    """Type of each line of a JSONL file; None for files of another form."""
    is_optional: bool = False
    """Not every run has it: an imported one, or one of a perception that knows less, has no rows of it."""
    noun: str = ""
    """What its rows are to people, where a format asks for them: `accepted texts`."""
    is_open: bool = False
    """The open export format writes its rows as they are, with their source."""

    def read(self, run: Path) -> tuple[T, ...]:
        """The rows of a run folder.

        Raises:
            RoomtourError: Naming file, line and field of what cannot be read.
        """
        if self.record is None:
            raise AssertionError(f"{self.name} is no file of rows")
        path = run / self.path
        return () if self.is_optional and not path.exists() else read_jsonl(path, self.record)

    def write(self, folder: Path, rows: Iterable[T]) -> None:
        """Write the rows below a folder, which takes the place of the run folder."""
        if self.record is None:
            raise AssertionError(f"{self.name} is no file of rows")
        path = folder / self.path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_jsonl(path, rows, self.record)


def _rows(
    name: str, path: str, record: type[T], text: str, noun: str = "", *, is_open: bool = False,
    is_optional: bool = False,
) -> Artifact[T]:  # fmt: skip
    """Rows of the stage that the folder is named after."""
    return Artifact(name, path, path.partition("/")[0], text, record, is_optional, noun, is_open)


_optional = partial(_rows, is_optional=True)
"""Rows that not every run has."""


# fmt: off
SOURCE: Artifact[None] = Artifact("source", "source.json", "sample", "the source and its sampled frames")
FRAMES: Artifact[None] = Artifact("frames", "frames", "sample", "sampled frames as images, numbered from 1")
MASK: Artifact[None] = Artifact("mask", "mask.png", "sample",
    "where bars and watermarks are, if there are any; no features are taken there")
FRAME_TABLE: Artifact[None] = Artifact("frame_table", "frames.parquet", "clips",
    "presentation time, shot, clip and sharpness of every frame")
CLIPS: Artifact[None] = Artifact("clips", "clips.json", "clips", "shots and clips")
DATABASE: Artifact[None] = Artifact("database", "recon/database.db", "features",
    "one COLMAP database of features and matches per tour; image id = frame number")
SUB_MODELS: Artifact[None] = Artifact("sub_models", "recon/clips", "sfm",
    "every sub-model of every clip as `CLIP/K/`, COLMAP format")
MERGED: Artifact[None] = Artifact("merged", "recon/merged", "merge", "merged models as `K/`, COLMAP format")
MERGE_LOG = Artifact("merge_attempts", "recon/merge_log.jsonl", "merge",
    "every merge that was tried, with its errors and verdict", MergeAttempt)
VISION: Artifact[None] = Artifact("vision", "vision/index.json", "vision",
    "names the results of learned models that this run uses; they lie beside it, per frame and model")
SCENE: Artifact[None] = Artifact("scene", "scene", "scene",
    "the upright, scaled scene: `scene.json`, and `models/K/` in COLMAP format, z up")
TRAJECTORIES = _rows("trajectories", "trajectories/trajectories.jsonl", Trajectory,
    "one per connected walk, with view changes and candidates", noun="walks", is_open=True)
VIEW_CHANGES = _rows("view_changes", "trajectories/view_changes.jsonl", ViewChange,
    "turns of the camera, in time order")
CANDIDATES = _rows("candidates", "trajectories/candidates.jsonl", DecisionPoint,
    "decision points with the frame that was walked to and those that were not")
TRAINING = _optional("training", "trajectories/training.jsonl", TrainingTrajectory,
    "the walks cut for training, with discrete actions", is_open=True)
FURTHER_WALKS = _optional("further_walks", "trajectories/further_walks.jsonl", Trajectory,
    "parts of the walks (`ID_sN`) and the ways back (`ID_back`), for exports that ask for them")
OBJECTS = _rows("objects", "perception/objects.jsonl", SceneObject, "things found in the scene", noun="things")
OBSERVATIONS = _rows("observations", "perception/observations.jsonl", Observation, "where frames see the objects")
SPATIAL_LINES = _rows("spatial_lines", "perception/spatial_lines.jsonl", SpatialLine, "one line of words per frame")
FRAME_ROOMS = _optional("frame_rooms", "perception/frame_rooms.jsonl", FrameRoom,
    "room type of each frame; empty where nothing knows rooms")
ROOM_SPANS = _optional("room_spans", "perception/room_spans.jsonl", RoomSpan,
    "stays in one type of room, in time order; empty where nothing knows rooms")
DETECTIONS = _optional("detections", "perception/detections.jsonl", Detection,
    "what the detector found in single frames, joined into objects or not; empty for embedded perception")
LABEL_FREQUENCIES = _optional("label_frequencies", "perception/label_frequencies.jsonl", LabelFrequency,
    "how frequent kinds of things are, where a file of boxes (LVIS) tells it")
ANNOTATIONS = _optional("annotations", "perception/annotations.jsonl", Annotation,
    "what people or other programs say of frames: keypoints, read words, captions, questions with answers")
SCANS = _optional("scans", "perception/scans.jsonl", Scan,
    "what imported scenes say of themselves: name, video, floor area, stated counts")
DEPTH: Artifact[None] = Artifact("depth", "perception/depth", "perception", "depth of every registered frame")
MEASURED_POINTS: Artifact[None] = Artifact(
    "measured_points", "perception/measured_points", "perception",
    "points on surfaces by measured depth, one file per model; only where depth lies beside given poses",
    is_optional=True,
)
FLOOR_PLANS = _optional("floor_plans", "plan/floor_plans.jsonl", FloorPlan, "one per model that was walked in")
ROOMS = _optional("rooms", "plan/rooms.jsonl", Room, "rooms with their polygons; empty where nothing knows rooms")
DOORWAYS = _optional("doorways", "plan/doorways.jsonl", Doorway, "where the walk goes from room to room")
FURTHER_INSTRUCTIONS = _optional("further_instructions", "navigation/further_rows.jsonl", Instruction,
    "what is written about them, accepted and rejected")
VIEW_DESCRIPTIONS = _optional("view_descriptions", "navigation/views.jsonl", ViewDescription,
    "what each view shows, as question and answer", noun="descriptions of views")
UNPOSED_DESCRIPTIONS = _optional("unposed_descriptions", "navigation/unposed.jsonl", Instruction,
    "what frames without a pose show, stretch by stretch, accepted and rejected")
REGION_VIEWS = _optional("region_views", "regions/views.jsonl", RegionView, "views with their numbered regions")
VERBALIZATIONS = _optional("verbalizations", "regions/verbalizations.jsonl", Verbalization,
    "each view in words: what a writer of questions gets to read")
REGION_PAIRS = _optional("region_pairs", "regions/pairs.jsonl", Pair,
    "kept rows with a twin that is false by one change, and why")
REGION_CHOICES = _optional("region_choices", "regions/choices.jsonl", ChoiceSet,
    "comparison tasks: options of which those of other regions or views are measured to be false")
DIALOGUE_CONTEXTS = _optional("dialogue_contexts", "dialogues/contexts.jsonl", Context,
    "what was known of each view and cloud that is talked about, line by line with its source")
CLOUDS = _optional(
    "clouds", "dialogues/clouds.jsonl", Cloud,
    "point clouds with the boxes of their things; the points lie in `clouds/NAME.npy`, float32 (N, 6)",
    noun="point clouds",
)
THINKING = _optional(
    "thinking", "spatial/thinking.jsonl", ThinkingTalk,
    "questions that take several measures, with the talk that leads to the answer, accepted and rejected",
    noun="talks of thinking",
)
REPORT: Artifact[None] = Artifact("report", "report.html", "report",
    "one offline page: figures, findings, map, contact sheet, tables, rows beside their frames")
# fmt: on
_REJECTED = "rows of `{}` that were not kept, each with its reason"
_COUNTS = "how many rows were written, kept, and rejected by reason"

_STAGES = (
    *(SOURCE, FRAMES, MASK, FRAME_TABLE, CLIPS, DATABASE, SUB_MODELS, MERGED, MERGE_LOG, VISION, SCENE),
    *(TRAJECTORIES, VIEW_CHANGES, CANDIDATES, TRAINING, FURTHER_WALKS),
    *(OBJECTS, OBSERVATIONS, SPATIAL_LINES, FRAME_ROOMS, ROOM_SPANS, DETECTIONS, LABEL_FREQUENCIES, ANNOTATIONS, SCANS),
    *(DEPTH, MEASURED_POINTS, FLOOR_PLANS, ROOMS, DOORWAYS),
)
KEPT_ROWS: Mapping[str, Artifact] = {
    kind.name: _rows(
        kind.rows, f"{kind.name}/rows.jsonl", kind.record, kind.text, f"accepted {kind.noun}", is_open=True
    )
    for kind in KINDS
}
"""By kind of data: its accepted rows."""
REJECTED_ROWS: Mapping[str, Artifact] = {
    kind.name: _rows(f"rejected_{kind.rows}", f"{kind.name}/rejected.jsonl", kind.record, _REJECTED.format(kind.name))
    for kind in KINDS
}
"""By kind of data: the rows that did not hold."""
ROW_COUNTS: Mapping[str, Artifact] = {
    name: Artifact(f"{name}_counts", f"{name}/counts.json", name, _COUNTS) for name in KIND_NAMES
}
"""By kind of data: its counts, which add up."""
PROGRAM_SOURCES: Artifact[None] = Artifact(
    "program_sources",
    "programs/sources",
    "programs",
    "programs that a language model wrote, as `SHA256.py`; what each returned stands in its row",
    is_optional=True,
)

ARTIFACTS: Mapping[str, Artifact] = {
    artifact.name: artifact
    for artifact in (
        *(*_STAGES, *KEPT_ROWS.values(), *REJECTED_ROWS.values(), *ROW_COUNTS.values()),
        *(FURTHER_INSTRUCTIONS, VIEW_DESCRIPTIONS, UNPOSED_DESCRIPTIONS, THINKING, PROGRAM_SOURCES),
        *(REGION_VIEWS, VERBALIZATIONS, REGION_PAIRS, REGION_CHOICES, DIALOGUE_CONTEXTS, CLOUDS, REPORT),
    )
}
"""By name, in the order in which stages make them."""
