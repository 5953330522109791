"""Check SPRITE's folders: boxes whose numbers agree, frames with pose and picture, files that tell the same."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from roomtour.export.core.checking import Finite, Id, Positive, Row, RowCheck, Text, objects, read_json
from roomtour.export.core.records import Problem
from roomtour.export.formats.sprite.write import FOLDERS

_SAME_M = 1e-6
_SAME_VOLUME = 1e-6
_Vec = Annotated[list[Finite], Field(min_length=3, max_length=3)]
_Sides = Annotated[list[Positive], Field(min_length=3, max_length=3)]
_Rotation = Annotated[list[Finite], Field(min_length=3, max_length=4)]


class _Box(Row):
    center: _Vec
    sizes: _Sides
    half_extents: _Sides
    rotation: _Rotation
    position: _Vec
    volume: Positive


class _Thing(Row):
    object_name: Text
    id: Id
    category: Text
    semantic_id: Annotated[list[Any], Field(min_length=3, max_length=3)]
    appear: list[int]
    obb: _Box


class _Pose(Row):
    position: _Vec
    rotation: _Rotation


def recognise(path: Path) -> bool:
    """Whether the folder has scenes."""
    return any((path / "metainfo").glob("*.json")) and (path / "camera_pose").is_dir()


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    files = sorted((path / "metainfo").glob("*.json"))
    if not files and not (path / "metainfo").is_dir():  # a dataset of no runs has empty folders
        problems.append(Problem("metainfo", None, "file", "N.json of every scene", "no such file"))
    for file in files:
        _check_scene(path, file.stem, problems)
    return problems


def _check_scene(path: Path, number: str, problems: list[Problem]) -> None:
    listed, objects_of, counts = (
        read_json(path, f"{folder}/{number}.json", kind, problems)
        for folder, kind in ((FOLDERS[0], list), (FOLDERS[3], dict), (FOLDERS[4], dict))
    )
    told = f"{FOLDERS[2]}/{number}.json"
    has_frames = any((path / FOLDERS[1]).glob(f"{number}_frame_*.json"))
    has_cameras = has_frames or (path / told).exists() or (path / "images" / number).exists()
    poses = read_json(path, told, dict, problems) if has_cameras else None
    frames = _check_poses(path, number, poses or {}, problems)
    names: set[Any] = set()
    categories: dict[str, str] = {}
    rotations = {len(pose["rotation"]) for pose in (poses or {}).values() if _has_rotation(pose)}
    shown: dict[int, list[str]] = {frame: [] for frame in frames}
    for row in objects(listed, f"metainfo/{number}.json", problems):
        thing = row.fit(_Thing)
        if thing is None:
            continue
        row.new("object_name", thing.object_name, names)
        categories[thing.id] = thing.category
        _check_box(row, thing.obb)
        if rotations and len(thing.obb.rotation) not in rotations:
            row.bad("obb.rotation", "as many numbers as the poses have: one handedness", thing.obb.rotation)
        for frame in thing.appear:
            if frame not in frames:
                row.bad("appear", "frames with a pose", frame)
            else:
                shown[frame].append(thing.object_name)
    if objects_of is not None and objects_of != categories:
        problems.append(Problem(f"objects/{number}.json", None, "objects", "the things of metainfo", "others"))
    for name in [name for name in categories if name not in (counts or {})]:
        problems.append(Problem(f"objects_num/{number}.json", name, "count", "a count", "no such field"))
    for frame, wanted in shown.items():
        file = f"image_metatinfo/{number}_frame_{frame}.json"
        told = read_json(path, file, list, problems)
        if told is not None and [one.get("object_name") for one in told if isinstance(one, dict)] != wanted:
            problems.append(Problem(file, None, "object_name", f"{len(wanted)} things with this frame", "others"))


def _has_rotation(pose: object) -> bool:
    return isinstance(pose, dict) and isinstance(pose.get("rotation"), list)


def _check_poses(path: Path, number: str, poses: dict[str, Any], problems: list[Problem]) -> set[int]:
    frames: set[int] = set()
    for key, record in poses.items():
        row = RowCheck(f"camera_pose/{number}.json", key, record, problems)
        if row.fit(_Pose) is None:
            continue
        if not key.isdigit():
            row.bad("frame", "a number", key)
            continue
        if not any((path / "images" / number).glob(f"frame_{key}.*")):
            row.bad("frame", f"a picture images/{number}/frame_{key}", "no such file")
        frames.add(int(key))
    return frames


def _check_box(row: RowCheck, box: _Box) -> None:
    if any(abs(size - 2 * half) > _SAME_M for size, half in zip(box.sizes, box.half_extents, strict=True)):
        row.bad("obb.half_extents", "half of the sizes", box.half_extents)
    whole = math.prod(box.sizes)
    if abs(box.volume - whole) > _SAME_VOLUME * whole:
        row.bad("obb.volume", f"the product of the sizes, {whole:g}", box.volume)
    if len(box.rotation) == 4 and abs(math.hypot(*box.rotation) - 1) > 1e-6:
        row.bad("obb.rotation", "a unit quaternion", box.rotation)
