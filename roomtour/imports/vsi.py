"""VSI-Bench's meta files to a scene: boxes of scans, z up, without cameras; views of their videos, without poses."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.records import Obb, Scan, Vec3
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Array, Camera
from recon.given_files import list_files
from recon.records import Frame, Scale
from recon.video.decode import VideoSource
from roomtour.imports.records import Gathered, Imported, ImportOptions, read_source_json, to_obb

SOURCE = "vsi"
_UNIT = 1e-2
"""How far axes may be from a rotation."""
_BOUNDS_M = 0.01
"""How far the corners of a box may be from the bounds that its file states."""
_CORNERS = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])


class _Box(BaseModel):
    model_config = ConfigDict(extra="ignore")
    centroid: Vec3
    axesLengths: Vec3
    normalizedAxes: tuple[float, ...] | tuple[Vec3, Vec3, Vec3]
    min: Vec3 | None = None
    max: Vec3 | None = None


class _Scene(BaseModel):
    model_config = ConfigDict(extra="ignore")
    object_counts: dict[str, int]
    object_bbox: dict[str, list[Any]]
    room_size: float | None = None
    dataset: str = ""
    video_path: str = ""


def read_vsi(source: Path, tour: str, root: Path, options: ImportOptions) -> Imported:
    """Read one meta file, or all of a folder.

    Raises:
        InstructionError: For a file that is no such file, naming it and the line.
    """
    paths = _list_files(source)
    read = Gathered(root, options)
    for path in paths:
        for name, raw in _read_file(path).items():
            if options.scene and name != options.scene:
                continue
            read.digest.update(name.encode())
            model = str(len(read.models))
            camera = Camera("PINHOLE", 640, 480, (320.0, 320.0, 320.0, 240.0))
            read.add_model(model, camera, {}, Scale("metric", 1.0, 0.01, "scan"))
            scan = _read_scene(path, name, raw, read)
            first = len(read.frames) + 1
            if options.videos is not None:
                _add_views(scan, options.videos, read)
            read.scans.append(replace(scan, views=tuple(range(first, len(read.frames) + 1))))
    if not read.models:
        raise InstructionError(f"{source}: names no scene{f' {options.scene[:60]}' if options.scene else ''}")
    message = "the files hold no cameras: only questions about the world itself"
    if options.videos is None:
        message += "; --videos FOLDER adds views of the scans' videos, which most datasets need"
    read.findings.append(Finding("info", "import.no_camera", tour, message))
    return read.tell_scene(source, tour, 0.0, "none", len(read.frames)), read


def list_scenes(source: Path) -> list[str]:
    """The scenes that a meta file names, or all of a folder.

    Raises:
        InstructionError: For a file that is no such file, naming it and the line.
    """
    return [name for path in _list_files(source) for name in _read_file(path)]


def _list_files(source: Path) -> list[Path]:
    paths = [path for path in list_files(source) if path.suffix == ".json"] if source.is_dir() else [source]
    if not paths:
        raise InstructionError(f"{source}: no meta file (*.json)")
    return paths


def _add_views(scan: Scan, videos: Path, read: Gathered) -> None:
    """Add views of the video of a scan; what keeps them out is a finding."""
    before = len(read.frames)
    try:
        add_views(_find_video(scan, videos), read, int(scan.model))
    except ReconError as error:
        del read.frames[before:]
        read.findings.append(Finding("warning", "import.no_video", scan.name, f"its questions have no views: {error}"))


def _find_video(scan: Scan, videos: Path) -> Path:
    path = videos / scan.video
    try:
        path.is_file()  # a path from the data may be too long, or no path at all
        is_below = bool(scan.video) and path.resolve().is_relative_to(videos.resolve())
    except (OSError, ValueError) as error:
        raise ReconError("its video_path is no path") from error
    if not is_below:
        raise ReconError(f"{plain_words(scan.video)[:80] or 'no path'}: not below {videos}")
    return path


def _read_file(path: Path) -> dict[str, Any]:
    value = read_source_json(path)
    if not isinstance(value, dict):
        raise InstructionError(f"{path}: need an object of scenes, found a {type(value).__name__}")
    return value


def _read_scene(path: Path, name: str, raw: object, read: Gathered) -> Scan:
    """A scene, whose things are added; what does not fit is a finding."""
    model, findings, before = read.models[-1].name, read.findings, len(read.objects)
    where = f"{plain_words(name.replace('_', ' '))}"
    try:
        scene = _Scene.model_validate(raw)
    except ValidationError as error:
        raise InstructionError(f"{path}: scene {name[:60]}: {error.errors()[0]['msg']}") from error
    uncounted: list[str] = []
    for category, boxes in scene.object_bbox.items():
        label = plain_words(category.replace("_", " ")).lower()
        stated = scene.object_counts.get(category)
        parsed = [_read_box(raw_box) for raw_box in boxes]
        if stated != len(boxes):
            said = "no number is" if stated is None else f"{stated} are"
            message = f"{label}: {said} stated, {len(boxes)} boxes are listed; no counting question is made of them"
            findings.append(Finding("warning", "import.counts", where, message))
        if stated != sum(isinstance(box, Obb) for box in parsed):
            uncounted.append(label)
        for place, box in enumerate(parsed):
            if isinstance(box, str):
                findings.append(Finding("warning", "import.dropped", where, f"{label} {place + 1}: {box}; left out"))
                continue
            ambiguous = len(boxes) > 1 or (stated or 0) > 1
            identity = f"{model}_{len(read.objects) - before}"
            read.add_thing(identity, model, (label, label), box, SOURCE, ambiguous=ambiguous)
    return Scan(
        model=model,
        name=name,
        dataset=plain_words(scene.dataset),
        video=scene.video_path,
        floor_area_m2=_read_area(scene.room_size, where, findings),
        counts=tuple(
            (plain_words(category.replace("_", " ")).lower(), count) for category, count in scene.object_counts.items()
        ),
        uncounted=tuple(uncounted),
    )


def _read_area(stated: float | None, where: str, findings: list[Finding]) -> float | None:
    if stated is None or (math.isfinite(stated) and stated > 0):
        return stated
    findings.append(Finding("warning", "import.dropped", where, f"room_size {stated}: no area above 0; left out"))
    return None


_NO_BOX = "no finite box with three axes at right angles"


def _read_box(raw: object) -> Obb | str:
    """The box with its axes as columns, since the file has them as rows; or why it is none."""
    try:
        box = _Box.model_validate(raw)
    except ValidationError:
        return _NO_BOX
    axes = np.array(box.normalizedAxes, dtype=np.float64).reshape(-1)
    lengths = np.array(box.axesLengths)
    if axes.size != 9 or not (np.isfinite(axes).all() and np.isfinite(lengths).all()) or lengths.min() <= 0:
        return _NO_BOX
    if not all(map(math.isfinite, box.centroid)):
        return _NO_BOX
    rotation = axes.reshape(3, 3).T
    if np.abs(rotation.T @ rotation - np.eye(3)).max() > _UNIT:
        return _NO_BOX
    if (off := _miss_bounds(box, rotation)) > _BOUNDS_M:
        turned = " (they are met with the axes as columns)" if _miss_bounds(box, rotation.T) <= _BOUNDS_M else ""
        return f"its corners are up to {off:.2f} m off the bounds that are stated{turned}"
    if np.linalg.det(rotation) < 0:  # the same box with one axis turned round
        rotation = rotation * np.array([1.0, 1.0, -1.0])
    return to_obb(box.centroid, lengths, rotation)


def _miss_bounds(box: _Box, rotation: Array) -> float:
    """How far the corners of a box are off its stated bounds, in metres; 0 where none are stated."""
    corners = np.array(box.centroid) + _CORNERS * box.axesLengths @ rotation.T
    misses = [
        float(np.abs(corner - stated).max())
        for corner, stated in ((corners.min(axis=0), box.min), (corners.max(axis=0), box.max))
        if stated is not None
    ]
    return max(misses, default=0.0)


MOST_VIEWS = 32
_SHORT_SIDE_PX = 480
_JPEG_QUALITY = 92


def add_views(video: Path, read: Gathered, shot: int) -> None:
    """Add at most 32 pictures of a video, evenly over its frames, the first and the last with them.

    Raises:
        ReconError: If the file is no video, or none of its frames can be decoded.
    """
    with VideoSource(video, _SHORT_SIDE_PX) as source:
        count = sum(1 for _ in source.pictures())
        source.info()  # refuses what has no frame
        read.findings += source.findings()
    wanted = set(np.round(np.linspace(0, count - 1, min(count, MOST_VIEWS))).astype(int).tolist())
    begin_s = read.frames[-1].time_s + 1.0 if read.frames else 0.0
    with VideoSource(video, _SHORT_SIDE_PX) as source:
        for place, picture in enumerate(source.pictures()):
            if place not in wanted:
                continue
            index, image = len(read.frames) + 1, picture.image_rgb()
            image_bgr = cv2.cvtColor(image, cv2.COLOR_RGB2BGR)
            jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes()
            name, (height, width) = f"{index:06d}.jpg", image.shape[:2]
            read.add_picture(name, jpeg)
            read.frames.append(Frame(index, begin_s + picture.time_s, name, width, height, picture.sharpness(), shot))
