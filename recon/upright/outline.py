"""What `scene.json` says of a scene by itself: the figures of a summary, without poses, points or COLMAP."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import TypeAdapter, ValidationError

from recon.errors import ReconError
from recon.records import Frame, ModelHealth, Scale, ScaleStatus, SourceInfo, weakest_scale

Content = TypeVar("Content")


@dataclass(frozen=True)
class ModelOutline:
    """One model without its poses."""

    name: str
    frames: tuple[int, ...]  # registered frame indices
    scale: Scale
    path_length: float  # length of the camera path in `scale.unit`
    health: ModelHealth | None = None


@dataclass(frozen=True)
class SceneOutline:
    """A scene without its poses and points."""

    id: str
    source: SourceInfo
    frames: tuple[Frame, ...]
    models: tuple[ModelOutline, ...]

    @property
    def registered(self) -> int:
        """Frames with a pose in any model (a frame left in two unjoined models counts once)."""
        return len({frame for model in self.models for frame in model.frames})

    @property
    def scale_status(self) -> ScaleStatus:
        """The weakest status among the models; `relative` for none."""
        return weakest_scale(model.scale for model in self.models)


@dataclass(frozen=True)
class _OutlineFile(SceneOutline):
    """The fields of `scene.json` that an outline reads; the others are left to `read_scene`."""

    format: Literal[1] = 1


def read_outline(folder: Path) -> SceneOutline:
    """Read the outline of a scene written by `write_scene`.

    Raises:
        ReconError: If the file is missing or does not fit, naming it and the first wrong field.
    """
    return read_scene_file(folder, TypeAdapter(_OutlineFile))


def read_scene_file(folder: Path, adapter: TypeAdapter[Content]) -> Content:
    """Read `scene.json` as what `adapter` is of; raises as `read_outline`."""
    path = folder / "scene.json"
    try:
        return adapter.validate_json(path.read_bytes())
    except OSError as error:
        raise ReconError(f"{path}: {error.strerror or error}. Is this the scene folder of a run?") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        raise ReconError(f"{path}: field {field}: {first['msg'].lower()}. Make the scene again") from error
