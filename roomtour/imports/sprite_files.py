"""The files of one SPRITE scene, read and checked; what does not fit is dropped, named and counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from math import isfinite, prod
from pathlib import Path

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from instructions.errors import InstructionError
from instructions.language.quoting import name as plain_words
from instructions.records import Vec3
from recon.given_files import list_files
from roomtour.imports.records import read_source_json

SAME_SIZE_M = 0.001
"""Sizes told twice must agree this well."""
SAME_VOLUME = 0.05
"""Share by which a stated volume may differ from the product of the sizes."""


Quat = tuple[float, float, float, float]
_Turn = tuple[float, float, float] | Quat
"""Angles in degrees about x, y, z, or a quaternion x, y, z, w."""


class _Turned(BaseModel):
    rotation: _Turn

    @property
    def quat_xyzw(self) -> Quat | None:
        """None where three angles tell the rotation."""
        return self.rotation if len(self.rotation) == 4 else None


class _Box(_Turned):
    rotation: _Turn = (0.0, 0.0, 0.0)
    center: Vec3
    sizes: Vec3 | None = None
    half_extents: Vec3 | None = Field(None, validation_alias=AliasChoices("half_extents", "half_extent"))
    volume: float | None = None

    @property
    def full_sizes(self) -> Vec3 | None:
        """As stated, else twice the half ones."""
        half = self.half_extents
        return self.sizes or (None if half is None else (2 * half[0], 2 * half[1], 2 * half[2]))


class _Thing(BaseModel):
    object_name: str
    id: str | int
    category: str
    appear: list[int | str]
    obb: _Box


@dataclass(frozen=True)
class SpriteThing:
    """One thing in the file's own axes."""

    name: str
    """What people call it: the file's `id`; `object_name` is the simulator's own."""
    category: str
    center: Vec3
    sizes: Vec3
    """Full lengths."""
    quat_xyzw: Quat | None
    """Of an oriented box; None where sizes lie along the world's axes."""
    appear: tuple[int, ...]


class SpritePose(_Turned):
    """The agent at one frame, in the file's own axes."""

    position: Vec3

    @property
    def yaw_deg(self) -> float:
        """Clockwise from +z, seen from above; of three angles."""
        return self.rotation[1]


@dataclass(eq=False)
class SpriteScene:
    """One scene, and what was dropped of it by reason."""

    number: str
    things: list[SpriteThing] = field(default_factory=list)
    poses: dict[int, SpritePose] = field(default_factory=dict)
    images: dict[int, Path] = field(default_factory=dict)
    dropped: dict[str, list[str]] = field(default_factory=dict)
    """Reason in words to the names it is true of."""
    uncounted: set[str] = field(default_factory=set)
    """Categories of which things were left out; empty text if one of no known category was."""
    has_poses: bool = True
    """Whether there is a file of poses; without it only the world itself is known."""

    def drop(self, reason: str, name: str) -> None:
        """Remember what was left out."""
        self.dropped.setdefault(reason, []).append(name)


def list_scenes(folder: Path) -> list[str]:
    """Names of the scenes, in the order of their numbers.

    Raises:
        InstructionError: If the folder holds none.
    """
    names = [path.stem for path in list_files(folder / "metainfo") if path.suffix == ".json"]
    if not names:
        raise InstructionError(f"{folder}: no scene; need metainfo/N.json as SPRITE writes it")
    return sorted(names, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))


def read_scene_files(folder: Path, number: str) -> SpriteScene:
    """Read the files of one scene.

    Raises:
        InstructionError: For broken JSON or a file of another form, naming file and line.
    """
    scene = SpriteScene(number)
    for path in sorted((folder / "images" / number).glob("frame_*.*")):
        digits = re.search(r"\d+$", path.stem)
        scene.images[int(digits[0]) if digits else -1] = path
    pose_file = folder / "camera_pose" / f"{number}.json"
    scene.has_poses = pose_file.exists()
    poses = read_source_json(pose_file) if scene.has_poses else {}
    if not isinstance(poses, dict):
        raise InstructionError(f"{folder}/camera_pose/{number}.json: need an object of frames, found a list")
    for key, raw in poses.items():
        pose = _read_pose(raw)
        if pose is None or not re.fullmatch(r"\d+", str(key)):
            scene.drop("a pose without finite position and rotation", f"frame {key}")
        else:
            scene.poses[int(key)] = pose
    listed = read_source_json(folder / "metainfo" / f"{number}.json")
    if not isinstance(listed, list):
        raise InstructionError(f"{folder}/metainfo/{number}.json: need a list of things, found an object")
    seen: set[str] = set()
    for place, raw in enumerate(listed):
        thing = _read_thing(raw, place, scene)
        if thing is None:
            continue
        own = str(raw["object_name"])
        if own in seen:
            scene.drop("an `object_name` that another thing has too", plain_words(own))
            scene.uncounted.add(thing.category)
            continue
        seen.add(own)
        scene.things.append(thing)
    _compare_counts(folder, scene)
    return scene


def _read_pose(raw: object) -> SpritePose | None:
    try:
        pose = SpritePose.model_validate(raw)
    except ValidationError:
        return None
    return pose if all(map(isfinite, (*pose.position, *pose.rotation))) else None


def _read_thing(raw: object, place: int, scene: SpriteScene) -> SpriteThing | None:
    try:
        entry = _Thing.model_validate(raw)
    except ValidationError:
        scene.drop("a thing without name, category, frames or box", f"entry {place + 1}")
        scene.uncounted.add("")
        return None
    name = _say(entry.id if isinstance(entry.id, str) else entry.object_name)
    category = _say(entry.category)
    if not name or not category:
        scene.drop("a thing without a name or category", f"entry {place + 1}")
        scene.uncounted.add(category)
        return None
    fault = _find_fault(entry.obb)
    if fault is not None:
        scene.drop(fault, name)
        scene.uncounted.add(category)
        return None
    box = entry.obb
    shown = []
    for frame in entry.appear if scene.has_poses else ():
        number = int(frame) if re.fullmatch(r"\d+", str(frame)) else -1
        if number in scene.poses:
            shown.append(number)
        else:
            scene.drop("a frame in `appear` without a pose", f"{name} in {str(frame)[:12]}")
    sizes = box.full_sizes or (0.0, 0.0, 0.0)
    return SpriteThing(name, category, box.center, sizes, box.quat_xyzw, tuple(sorted(set(shown))))


def _find_fault(box: _Box) -> str | None:
    """What a box contradicts itself in, or None."""
    half, sizes = box.half_extents, box.full_sizes
    volume = () if box.volume is None else (box.volume,)
    numbers = (*box.center, *(sizes or ()), *(half or ()), *box.rotation, *volume)
    if sizes is None or not all(map(isfinite, numbers)) or min(sizes) <= 0:
        return "a box without finite center and positive sizes"
    if half is not None and any(abs(size - 2 * side) > 2 * SAME_SIZE_M for size, side in zip(sizes, half, strict=True)):
        return "sizes and half_extents that differ by more than 1 mm"
    if box.volume is not None and abs(box.volume - prod(sizes)) > SAME_VOLUME * prod(sizes):
        return "a volume that differs from the sizes by more than 5 %"
    return None


def _say(spelt: str) -> str:
    """A name as people write it: `GarbageCan`, `garbage_can` to `garbage can`."""
    return plain_words(_JOINED.sub(" ", spelt).replace("_", " ")).lower()


_JOINED = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _compare_counts(folder: Path, scene: SpriteScene) -> None:
    """`objects_num` and `objects` against the things listed; both files are optional."""

    def read(name: str) -> dict[str, object]:
        path = folder / name / f"{scene.number}.json"
        counts = read_source_json(path) if path.exists() else {}
        return {_say(str(alias)): value for alias, value in counts.items()} if isinstance(counts, dict) else {}

    names = {thing.name: thing.category for thing in scene.things}
    for name, category in read("objects").items():
        if name in names and _say(str(category)) != names[name]:
            scene.drop("a category in `objects` that is not the thing's", name)
    aliases, categories = Counter(thing.name for thing in scene.things), Counter(names.values())
    for name, number in read("objects_num").items():
        if number not in (aliases[name], categories[name]):
            scene.drop("a count in `objects_num` that is not that of the things", name)
            scene.uncounted.add(names.get(name, name))
