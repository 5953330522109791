"""All options of a run, composed from the stages' own option classes, and the YAML form of them."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, get_type_hints

import yaml
from pydantic import TypeAdapter, ValidationError

from instructions.language.options import LanguageOptions
from instructions.navigation.grammar_writer import WriterOptions
from instructions.perception.frames.room_types import RoomOptions
from instructions.perception.landmarks.landmarks import LandmarkOptions
from instructions.perception.models.options import VisionOptions
from instructions.perception.things.objects import ObjectOptions
from recon.mapping.sfm import SfmOptions
from recon.matching.features import FeatureOptions
from recon.matching.pairs import PairOptions
from recon.merging.merge import MergeOptions
from recon.pose_sources.options import PoseSourceOptions
from recon.upright.scene import SceneOptions
from recon.video.sampling import SampleOptions
from recon.video.shots import ClipOptions, ShotOptions
from roomtour.errors import RoomtourError
from trajectories.build import TrajectoryOptions
from trajectories.floor_plan import FloorPlanOptions


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How the input is read."""

    fps: float | None = None
    """Frames per second of a folder of images; a video brings its own times."""
    rotate: Literal[0, 90, 180, 270] = 0
    """Turn the pictures clockwise by so many degrees: for a video that lies on its side and does not say so."""
    mask_overlays: bool = True
    """Take no features from bars, watermarks, titles and clocks that stand still over the moving picture."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Every option of `roomtour process`, the same in Python, on the command line and in YAML."""

    poses: Path | None = None
    """Take the camera poses from here instead of structure from motion: a COLMAP model, TUM, transforms.json, ViPE."""
    input: InputOptions = InputOptions()
    """Reading the input"""
    sample: SampleOptions = SampleOptions()
    """Sampling frames"""
    shots: ShotOptions = ShotOptions()
    """Finding cuts"""
    clips: ClipOptions = ClipOptions()
    """Clips inside a shot"""
    features: FeatureOptions = FeatureOptions()
    """Keypoints and the camera"""
    pairs: PairOptions = PairOptions()
    """Which frames are matched"""
    recon: SfmOptions = SfmOptions()
    """Structure from motion per clip"""
    pose_source: PoseSourceOptions = PoseSourceOptions()
    """Reading and trusting --poses"""
    merge: MergeOptions = MergeOptions()
    """Merging sub-models"""
    scene: SceneOptions = SceneOptions()
    """Upright, scaled scene"""
    trajectory: TrajectoryOptions = TrajectoryOptions()
    """View changes and candidates"""
    plan: FloorPlanOptions = FloorPlanOptions()
    """Floor plan and rooms"""
    landmarks: LandmarkOptions = LandmarkOptions()
    """Embedded perception"""
    vision: VisionOptions = VisionOptions()
    """Learned models (--perception models)"""
    room_types: RoomOptions = RoomOptions()
    """Room type per frame (--perception models)"""
    objects: ObjectOptions = ObjectOptions()
    """Detections to things (--perception models)"""
    text: WriterOptions = WriterOptions()
    """Embedded writer, and what every writer may mention"""
    language: LanguageOptions = LanguageOptions()
    """Language model (--writer llm)"""
    perception: Literal["embedded", "models"] = "embedded"
    """What names and finds objects: landmarks out of the reconstruction, or learned models."""
    writer: Literal["embedded", "llm"] = "embedded"
    """What writes the instructions: the built-in grammar, or a language model."""
    seed: int = 0
    """Seed of every random choice."""
    workers: int = os.cpu_count() or 1
    """CPU threads used at once; 1 gives the same result every time."""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise RoomtourError(f"--workers is {self.workers}, need at least 1")
        if self.input.fps is not None and not self.input.fps > 0:
            raise RoomtourError(f"--input.fps is {self.input.fps}, need a positive rate")

    def to_dict(self) -> dict[str, Any]:
        """As plain nested values, the form of the YAML file and of the manifest."""
        return {**asdict(self), "poses": None if self.poses is None else str(self.poses)}


def config_from_dict(values: Any, where: str = "configuration") -> Config:
    """Build a Config from nested plain values; names may use `-` or `_`.

    Raises:
        RoomtourError: For an unknown key (lists the known ones) or a value of the wrong type.
    """
    known = _checked_keys(Config, values, where, ())
    try:
        return TypeAdapter(Config).validate_python(known)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise RoomtourError(f"{where}: {key} is {first['input']!r}: {first['msg'].lower()}") from error


def load_config(path: Path) -> Config:
    """Read a Config from a YAML file.

    Raises:
        RoomtourError: If the file cannot be read, is no YAML, or holds an unknown key or a wrong value.
    """
    try:
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RoomtourError(f"--config {path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise RoomtourError(f"--config {path}: not valid YAML: {' '.join(str(error).split())}") from error
    return config_from_dict({} if values is None else values, f"--config {path}")


def _checked_keys(cls: type, values: Any, where: str, inside: tuple[str, ...]) -> dict[str, Any]:
    """Give nested values with underscores in names, or name the first key `cls` does not have."""
    place = ".".join(inside) or "the top level"
    if not isinstance(values, dict):
        raise RoomtourError(f"{where}: {place} must be a mapping of option names to values, got {values!r}")
    hints = get_type_hints(cls)
    names = [field.name for field in fields(cls)]
    out: dict[str, Any] = {}
    for key, value in values.items():
        name = str(key).replace("-", "_")
        if name not in names:
            close = get_close_matches(name, names, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            raise RoomtourError(f"{where}: unknown key {key!r} at {place}.{hint} Known: {', '.join(names)}")
        kind = hints[name]
        nested = isinstance(kind, type) and is_dataclass(kind)
        out[name] = _checked_keys(kind, value, where, (*inside, name)) if nested else value
    return out
