"""What an import format is, what it reads, and what a run folder needs of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.annotations import Annotation
from instructions.records import Detection, FrameRoom, LabelFrequency, Observation, Scan, SceneObject
from recon.findings import Finding
from recon.ranges import Seed
from recon.records import Scene
from roomtour.artifacts import DEPTH, FRAMES
from roomtour.files.depth import STEP_PX, write_depth_map
from trajectories.records import Room


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    """What people may say about a source."""

    detections: Path | None = None
    """Boxes of things: COCO or LVIS json, or JSONL with one image per line."""
    keep_all: bool = False
    """Keep images that show no place too: screenshots, paintings, products on white."""
    perception: Literal["auto", "light", "models", "none"] = "auto"
    """Networks that find things, floor and depth of pictures where nobody gives them; `auto`: light ones if they are
    here."""
    videos: Path | None = None
    """Folder of the scans' videos, each where its meta file says."""
    scene: str = ""
    """Only the scene of this name, of a source that holds several; empty for all, each a model of one run."""
    preset: str = ""
    """A simulator's camera that no file tells, by name; its lengths are then assumed."""
    handedness: Literal["left", "right"] = "left"
    """Of a simulator's world whose files do not tell it."""
    licence: str = "unknown"
    """Of the source; stands in every dataset made of it."""
    seed: Seed = 0
    """Seed of every random choice."""


@dataclass(frozen=True, eq=False)
class Imported:
    """What a source holds, as a run folder needs it. Pictures and depth go to the `ImportFolder` while it is read."""

    scene: Scene
    objects: tuple[SceneObject, ...] = ()
    observations: tuple[Observation, ...] = ()
    detections: tuple[Detection, ...] = ()
    frame_rooms: tuple[FrameRoom, ...] = ()
    rooms: tuple[Room, ...] = ()
    frequencies: tuple[LabelFrequency, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    scans: tuple[Scan, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class ImportFolder:
    """Where a format puts what is too large to hand over. Laid out as a run folder; put in place when all is read."""

    root: Path

    def add_picture(self, name: str, data: bytes) -> None:
        """Keep the picture of a frame: `name` is its `Frame.image`, `data` a whole PNG or JPEG file."""
        folder = self.root / FRAMES.path
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    def add_depth(self, frame: int, depth: NDArray[np.float32]) -> None:
        """Keep the depth of a frame, (height, width) in the unit of its model, NaN where unknown."""
        folder = self.root / DEPTH.path
        folder.mkdir(parents=True, exist_ok=True)
        write_depth_map(folder, frame, depth[::STEP_PX, ::STEP_PX])


@dataclass(frozen=True)
class ImportFormat:
    """One row of the table of formats."""

    name: str
    text: str
    """What it reads, for people."""
    read: Callable[[Path, str, ImportFolder, ImportOptions], Imported]
    """Takes the source, the tour's name (the id of the scene), the folder for pictures and depth, and the options.
    Raises InstructionError or RoomtourError: one line naming file, found and needed."""
    takes: Sequence[str] = field(default=())
    """Options beside licence and seed that it reads, such as `detections`."""
    list_scenes: Callable[[Path], Sequence[str]] | None = None
    """Names of the scenes of a source, where one may hold several."""
