"""What an import format is, what it reads, and what a run folder needs of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.dialogues.tasks.annotations import Annotation
from instructions.errors import InstructionError
from instructions.records import Detection, LabelFrequency, Obb, Observation, Scan, SceneObject
from recon.findings import Finding
from recon.geometry import Array, Camera, Pose
from recon.given_files import describe_unread, read_given_text
from recon.ranges import Seed
from recon.records import Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from recon.video.picture import laplacian_variance
from roomtour.artifacts import DEPTH, FRAMES
from roomtour.files.arrays import STEP_PX, write_depth_map
from roomtour.files.records import parse_json


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


@dataclass(eq=False)
class Gathered:
    """What is read of a source, as a run folder needs it. Pictures and depth lie in the folder while it is read."""

    root: Path
    """Laid out as a run folder; put in place when all is read."""
    options: ImportOptions
    frames: list[Frame] = field(default_factory=list)
    models: list[SceneModel] = field(default_factory=list)
    objects: list[SceneObject] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    detections: list[Detection] = field(default_factory=list)
    annotations: list[Annotation] = field(default_factory=list)
    frequencies: list[LabelFrequency] = field(default_factory=list)
    scans: list[Scan] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    digest: Any = field(default_factory=sha256)
    """Of all that was read."""

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

    def add_frame(self, image_bgr: NDArray[np.uint8], data: bytes, suffix: str, shot: int) -> Frame:
        """Keep a picture as the next frame, a second after the one before."""
        index, (height, width) = len(self.frames) + 1, image_bgr.shape[:2]
        sharpness = laplacian_variance(cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY))  # pyright: ignore[reportArgumentType]
        self.frames.append(Frame(index, float(index - 1), f"{index:06d}{suffix}", width, height, sharpness, shot))
        self.add_picture(self.frames[-1].image, data)
        return self.frames[-1]

    def add_model(self, name: str, camera: Camera, world_from_cam: Mapping[int, Pose], scale: Scale) -> SceneModel:
        """Add a model without points."""
        none = np.zeros(0, np.int64)
        tracks = Tracks(np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), none, none, np.zeros((0, 2)))
        self.models.append(SceneModel(name, camera, dict(world_from_cam), tracks, scale, None, scale.source, 0.0))
        return self.models[-1]

    def add_thing(
        self,
        identity: str,
        model: str,
        names: tuple[str, str],
        obb: Obb,
        source: str,
        frames: Sequence[int] = (),
        *,
        ambiguous: bool,
    ) -> None:
        """Add a thing that the source knows, by its category and what texts call it."""
        fields = (*names, None, None, obb, (), tuple(frames), ambiguous, source)
        self.objects.append(SceneObject(identity, model, *fields, score=1.0))

    def tell_scene(self, source: Path, tour: str, fps: float, codec: str, frame_count: int) -> Scene:
        """All of it as a scene.

        Args:
            source: That was read.
            tour: Id of the scene.
            fps: As the tour's facts say.
            codec: The same.
            frame_count: Of the source, in which some pictures may have been left out.
        """
        first = self.frames[0] if self.frames else None
        info = SourceInfo(
            path=str(source),
            kind="images",
            width=first.width if first else 640,
            height=first.height if first else 480,
            duration_s=float(frame_count) if fps else (self.frames[-1].time_s if self.frames else 0.0),
            frame_count=frame_count,
            fps=fps,
            codec=codec,
            rotation_deg=0,
            sha256=self.digest.hexdigest(),
            licence=self.options.licence,
        )
        return Scene(tour, info, tuple(self.frames), (), tuple(self.models))


Imported = tuple[Scene, Gathered]
"""A scene, and what else was read."""


def read_source_json(path: Path) -> Any:
    """The value of a JSON file of a source.

    Raises:
        InstructionError: In one line, naming the file and where it breaks off.
    """
    try:
        return parse_json(read_given_text(path))
    except json.JSONDecodeError as error:
        raise InstructionError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InstructionError(f"{path}: cannot be read: {describe_unread(error)}") from error
    except ValueError as error:
        raise InstructionError(f"{path}: {error}") from error


def to_obb(center: Sequence[float] | Array, lengths: Sequence[float] | Array, rotation: Array) -> Obb:
    """A box of lengths along axes that are the columns of a rotation."""
    x, y, z, *half, a, b, c, d, e, f, g, h, i = (
        float(value) for value in (*center, *(length / 2 for length in lengths), *np.ravel(rotation))
    )
    return Obb((x, y, z), (half[0], half[1], half[2]), ((a, b, c), (d, e, f), (g, h, i)))


@dataclass(frozen=True)
class ImportFormat:
    """One row of the table of formats."""

    name: str
    read: Callable[[Path, str, Path, ImportOptions], Imported]
    """Takes the source, the tour's name (the id of the scene), the folder for pictures and depth, and the options.
    Raises InstructionError or RoomtourError: one line naming file, found and needed."""
    takes: Sequence[str]
    """Options beside licence and seed that it reads, such as `detections`."""
    list_scenes: Callable[[Path], Sequence[str]] | None = None
    """Names of the scenes of a source, where one may hold several."""
