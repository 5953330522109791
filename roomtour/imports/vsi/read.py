"""VSI-Bench's meta files to a scene: boxes of scans, z up, without cameras and pictures."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.records import Obb, SceneObject, Vec3
from recon.findings import Finding
from recon.geometry import Camera
from recon.records import Scale, Scene, SceneModel, SourceInfo, Tracks
from roomtour.imports.records import Imported, ImportFolder, ImportOptions

SOURCE = "vsi"
_UNIT = 1e-2
"""How far axes may be from a rotation."""


class _Box(BaseModel):
    model_config = ConfigDict(extra="ignore")
    centroid: Vec3
    axesLengths: Vec3
    normalizedAxes: tuple[float, ...] | tuple[Vec3, Vec3, Vec3]


class _Scene(BaseModel):
    model_config = ConfigDict(extra="ignore")
    object_counts: dict[str, int]
    object_bbox: dict[str, list[Any]]
    room_size: float | None = None


def read_vsi(source: Path, tour: str, folder: ImportFolder, options: ImportOptions) -> Imported:
    """Read one meta file, or all of a folder.

    Raises:
        InstructionError: For a file that is no such file, naming it and the line.
    """
    paths = sorted(source.glob("*.json")) if source.is_dir() else [source]
    if not paths:
        raise InstructionError(f"{source}: no meta file (*.json)")
    models: list[SceneModel] = []
    objects: list[SceneObject] = []
    findings: list[Finding] = []
    digest = sha256()
    for path in paths:
        for name, raw in _read_file(path).items():
            digest.update(name.encode())
            model = str(len(models))
            models.append(_model(model))
            found, faults = _read_scene(path, name, raw, model)
            objects += found
            findings += faults
    if not models:
        raise InstructionError(f"{source}: names no scene")
    info = SourceInfo(str(source), "images", 640, 480, 0.0, 0, 0.0, "none", 0, digest.hexdigest(), options.licence)
    findings.append(
        Finding("info", "import.no_camera", tour, "the files hold no cameras: only questions about the world itself")
    )
    return Imported(scene=Scene(tour, info, (), (), tuple(models)), objects=tuple(objects), findings=tuple(findings))


def _read_file(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise InstructionError(f"{path}:{error.lineno}: not valid JSON: {error.msg}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise InstructionError(f"{path}: cannot be read ({type(error).__name__})") from error
    if not isinstance(value, dict):
        raise InstructionError(f"{path}: need an object of scenes, found a {type(value).__name__}")
    return value


def _read_scene(path: Path, name: str, raw: object, model: str) -> tuple[list[SceneObject], list[Finding]]:
    """The things of one scene; what does not fit is a finding."""
    where = f"{plain_words(name.replace('_', ' '))}"
    try:
        scene = _Scene.model_validate(raw)
    except ValidationError as error:
        raise InstructionError(f"{path}: scene {name[:60]}: {error.errors()[0]['msg']}") from error
    objects: list[SceneObject] = []
    findings: list[Finding] = []
    for category, boxes in scene.object_bbox.items():
        label = plain_words(category.replace("_", " ")).lower()
        stated = scene.object_counts.get(category)
        if stated is not None and stated != len(boxes):
            told = f"{label}: {stated} are stated, {len(boxes)} boxes are listed; no counting question is made of them"
            findings.append(Finding("warning", "import.counts", where, told))
        for place, one in enumerate(boxes):
            box = _read_box(one)
            if box is None:
                told = f"{label} {place + 1}: no finite box with three axes at right angles; left out"
                findings.append(Finding("warning", "import.dropped", where, told))
                continue
            objects.append(
                SceneObject(
                    id=f"{model}_{len(objects)}",
                    model=model,
                    category=label,
                    alias=label,
                    color=None,
                    size_word=None,
                    obb=box,
                    points=(),
                    frames=(),
                    ambiguous=len(boxes) > 1 or (stated or 0) > 1,
                    source=SOURCE,
                    score=1.0,
                )
            )
    return objects, findings


def _read_box(raw: object) -> Obb | None:
    """The box with its axes as columns: the file has them as rows, so its rotation is the transpose."""
    try:
        box = _Box.model_validate(raw)
    except ValidationError:
        return None
    axes = np.array(box.normalizedAxes, dtype=np.float64).reshape(-1)
    lengths = np.array(box.axesLengths)
    if axes.size != 9 or not (np.isfinite(axes).all() and np.isfinite(lengths).all()) or lengths.min() <= 0:
        return None
    if not all(map(math.isfinite, box.centroid)):
        return None
    rotation = axes.reshape(3, 3).T
    if np.abs(rotation.T @ rotation - np.eye(3)).max() > _UNIT:
        return None
    if np.linalg.det(rotation) < 0:  # the same box with one axis turned round
        rotation = rotation * np.array([1.0, 1.0, -1.0])
    rows = [(float(row[0]), float(row[1]), float(row[2])) for row in rotation]
    half = (float(lengths[0] / 2), float(lengths[1] / 2), float(lengths[2] / 2))
    return Obb(box.centroid, half, (rows[0], rows[1], rows[2]))


def _model(name: str) -> SceneModel:
    """A model without frames."""
    tracks = Tracks(
        np.zeros((0, 3)),
        np.zeros((0, 3), np.uint8),
        np.zeros(0),
        np.zeros(0, np.int64),
        np.zeros(0, np.int64),
        np.zeros((0, 2)),
    )
    camera = Camera("PINHOLE", 640, 480, (320.0, 320.0, 320.0, 240.0))
    return SceneModel(name, camera, {}, tracks, Scale("metric", 1.0, 0.01, "scan"), None, "scan", 0.0)
