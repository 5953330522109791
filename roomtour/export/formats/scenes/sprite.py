"""SPRITE's folders: one scene per model, in its left-handed world, or with turned boxes in a right-handed one."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from scipy.spatial.transform import Rotation

from instructions.records import Obb, SceneObject
from recon.conventions import heading_deg, opengl_pose, sprite_from_zup, sprite_yaw_deg, yup_from_zup
from recon.geometry import Array, Pose
from recon.ranges import Positive
from recon.records import SceneModel
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Id, Place, Text, must
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_frame
from roomtour.export.core.streams import FileRow, read_row_files
from roomtour.files.records import read_json
from roomtour.files.simulators import PRESETS

CONVENTION = """\
* `metainfo/N.json`, `image_metatinfo/N_frame_F.json` (spelt as SPRITE does), `camera_pose/N.json`, `objects/N.json`,
  `objects_num/N.json`, `images/N/frame_F.*`: one number per model, `scenes.json` says of which tour and model. A scan
  without cameras has no `camera_pose` and no pictures.
* Left-handed, y up, metres: our (x, y, z) is (x, z, y). `sizes` lie along the world's axes and `rotation` is 0; yaw
  (`rotation[1]` of a pose) is in degrees, clockwise from +z. A turned box becomes the one along the axes around it.
* With `turned=true` boxes and cameras have quaternions (x, y, z, w) in a right-handed, y-up world, as Habitat's:
  nothing is lost, also not how far a camera looks up or down.
* `position` of a pose is the eye, or with `preset` the agent below it. Frame numbers are the run's. `id` is what a
  thing is called, shared by those that nobody tells apart; `object_name` is category and id of the run."""
SCENES = "scenes.json"
FOLDERS = ("metainfo", "image_metatinfo", "camera_pose", "objects", "objects_num")
_LEVEL = 1e-3
"""Length on the floor of a direction below which it has no heading."""
_ALONG = 1e-6
"""How far the axes of a box may be from the world's to be along them."""


@dataclass(frozen=True, kw_only=True)
class SpriteOptions(ExportOptions):
    """Options of the format."""

    turned: bool = False
    """Boxes as they stand, with quaternions, in a right-handed world."""
    preset: str = ""
    """A simulator's camera, as an import takes it: `position` is the agent below the eye then."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preset and self.preset not in PRESETS:
            raise ValueError(f"preset is {self.preset!r}, need one of {', '.join(PRESETS)}, or none")
        if self.preset and self.turned:
            raise ValueError("preset does not go with turned: a simulator with quaternions has no such camera")


def write(runs: Iterable[RunData], ledger: Ledger, options: SpriteOptions) -> None:
    """Write every model that has cameras, and every imported scan without any, which has no file of poses."""
    ledger.counts.update({"scenes": 0, "things": 0, "images": 0})
    for name in FOLDERS:
        (ledger.out / name).mkdir()
    scenes: dict[str, dict[str, str]] = {}
    for run in runs:
        scanned = {scan.model for scan in run.scans}
        for model in run.scene.models:
            if not model.frames and model.name not in scanned:
                ledger.dropped["model without poses"] += 1
                continue
            number = str(len(scenes))
            scenes[number] = {"tour": run.scene.id, "model": model.name, "split": ledger.split}
            _write_scene(run, model, number, ledger, options)
    _write_json(ledger.out / SCENES, scenes)


def _write_scene(run: RunData, model: SceneModel, number: str, ledger: Ledger, options: SpriteOptions) -> None:
    mine = [one for one in run.objects if one.model == model.name]
    things = [_tell_thing(place, one, options) for place, one in enumerate(mine)]
    turned = sum(not options.turned and not _is_along(one.obb) for one in mine)
    ledger.dropped["turn of a box: written as the box along the axes around it"] += turned
    poses: dict[str, dict[str, Any]] = {}
    for frame, pose in model.world_from_cam.items():
        if not options.turned and float(np.hypot(*pose.forward[:2])) < _LEVEL:
            ledger.dropped["frame whose camera looks straight up or down, so has no yaw"] += 1
            continue
        poses[str(frame)] = _tell_pose(pose, options)
    for thing in things:
        thing["appear"] = [frame for frame in thing["appear"] if str(frame) in poses]
    _write_json(ledger.out / "metainfo" / f"{number}.json", things)
    if model.frames:
        _write_json(ledger.out / "camera_pose" / f"{number}.json", poses)
    _write_json(ledger.out / "objects" / f"{number}.json", {thing["id"]: thing["category"] for thing in things})
    _write_json(ledger.out / "objects_num" / f"{number}.json", dict(Counter(thing["id"] for thing in things)))
    images = ledger.out / "images" / number
    if model.frames:
        images.mkdir(parents=True)
    for frame in map(int, poses):
        shown = [thing for thing in things if frame in thing["appear"]]
        _write_json(ledger.out / "image_metatinfo" / f"{number}_frame_{frame}.json", shown)
        suffix = Path(run.scene.frame_by_index[frame].image).suffix
        copy_frame(run, frame, images / f"frame_{frame}{suffix}")
    ledger.counts.update({"scenes": 1, "things": len(things), "images": len(poses)})


def _tell_thing(place: int, thing: SceneObject, options: SpriteOptions) -> dict[str, Any]:
    category = thing.category or thing.alias
    own = f"{category}|{thing.id}"
    return {
        "object_name": own,
        "id": thing.alias,
        "category": category,
        "semantic_id": [place, [37 * place % 256, 91 * place % 256, 151 * place % 256], own],
        "appear": list(thing.frames),
        "obb": _tell_turned(thing.obb) if options.turned else _tell_along(thing.obb),
    }


def _tell_along(box: Obb) -> dict[str, Any]:
    """The box along the world's axes around it; the box itself where it lies along them."""
    half = np.abs(np.array(box.rotation)) @ np.array(box.half_extents)
    if _is_along(box):
        half = np.abs(np.round(np.array(box.rotation))) @ np.array(box.half_extents)
    return _tell_box(sprite_from_zup(box.center), sprite_from_zup(half), [0.0, 0.0, 0.0])


def _tell_turned(box: Obb) -> dict[str, Any]:
    axes = np.column_stack([yup_from_zup(column) for column in np.array(box.rotation).T])
    quat = Rotation.from_matrix(axes).as_quat()
    return _tell_box(yup_from_zup(box.center), np.array(box.half_extents), quat.tolist())


def _tell_box(center: Array, half: Array, rotation: list[float]) -> dict[str, Any]:
    sizes = 2 * half
    return {
        "center": center.tolist(),
        "sizes": sizes.tolist(),
        "half_extents": half.tolist(),
        "rotation": rotation,
        "position": center.tolist(),
        "volume": float(np.prod(sizes)),
    }


def _is_along(box: Obb) -> bool:
    axes = np.abs(np.array(box.rotation))
    return bool(np.abs(axes - np.round(axes)).max() <= _ALONG)


def _tell_pose(world_from_cam: Pose, options: SpriteOptions) -> dict[str, Any]:
    if options.turned:
        glcam = opengl_pose(world_from_cam)
        turned = np.column_stack([yup_from_zup(column) for column in glcam.rotation.T])
        return {
            "position": yup_from_zup(glcam.center).tolist(),
            "rotation": Rotation.from_matrix(turned).as_quat().tolist(),
        }
    eye = PRESETS[options.preset].eye_m if options.preset else 0.0
    position = sprite_from_zup(world_from_cam.center - np.array([0.0, 0.0, eye]))
    return {"position": position.tolist(), "rotation": [0.0, sprite_yaw_deg(heading_deg(world_from_cam)), 0.0]}


def _write_json(path: Path, content: Sequence[Any] | Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


_SAME = 1e-6
"""How far numbers that tell the same may differ: metres, and shares of a volume."""
_Sides = Annotated[list[Positive], Field(min_length=3, max_length=3)]
_Rotation = Annotated[
    list[Finite],
    Field(min_length=3, max_length=4),
    must(lambda turn: len(turn) == 3 or abs(math.hypot(*turn) - 1) <= _SAME, "three angles, or a unit quaternion"),
]


class _Pose(Row):
    position: Place
    rotation: _Rotation


class _Box(_Pose):
    center: Place
    sizes: _Sides
    half_extents: _Sides
    volume: Positive


class _Thing(Row):
    key = "object_name"
    object_name: Text
    id: Id
    category: Text
    semantic_id: Annotated[list[Any], Field(min_length=3, max_length=3)]
    appear: list[int]
    obb: _Box

    def check(self, row: RowCheck) -> None:
        """Numbers of the box that agree."""
        box, whole = self.obb, math.prod(self.obb.sizes)
        if any(abs(size - 2 * half) > _SAME for size, half in zip(box.sizes, box.half_extents, strict=True)):
            row.bad("obb.half_extents", "half of the sizes", box.half_extents)
        row.need(abs(box.volume - whole) <= _SAME * whole, "obb.volume", f"the product of sizes, {whole:g}", box.volume)


def _check(data: DatasetCheck) -> None:
    """Boxes whose numbers agree, frames with pose and picture, files that tell the same."""
    if not (data.folder / "metainfo").is_dir():  # which is empty in a dataset of no runs
        data.bad("metainfo", "file", "N.json of every scene", "no such file")
    for file in sorted((data.folder / "metainfo").glob("*.json")):
        _check_scene(data, file.stem)


def _check_scene(data: DatasetCheck, number: str) -> None:
    poses = _check_poses(data, number)
    rotations = {len(pose.rotation) for pose in poses.values()}
    things: list[_Thing] = []
    for row, thing in data.rows(f"metainfo/{number}.json", _Thing):
        things.append(thing)
        if rotations and len(thing.obb.rotation) not in rotations:
            row.bad("obb.rotation", "as many numbers as the poses have: one handedness", thing.obb.rotation)
        lost = [frame for frame in thing.appear if str(frame) not in poses]
        row.need(not lost, "appear", "frames with a pose", lost)
    for folder in ("objects", "objects_num"):
        content = data.read_json(f"{folder}/{number}.json", dict)
        if content is not None and content.keys() != {thing.id for thing in things}:
            data.bad(f"{folder}/{number}.json", folder, "the things of metainfo", "others")
    for frame in poses:
        file = f"image_metatinfo/{number}_frame_{frame}.json"
        content = data.read_json(file, list)
        wanted = [thing.object_name for thing in things if int(frame) in thing.appear]
        if content is not None and [entry.get("object_name") for entry in content if isinstance(entry, dict)] != wanted:
            data.bad(file, "object_name", f"{len(wanted)} things with this frame", "others")


def _check_poses(data: DatasetCheck, number: str) -> dict[str, _Pose]:
    """By number of the frame; none for a scan without cameras."""
    file, images = f"camera_pose/{number}.json", data.folder / "images" / number
    has_frames = any((data.folder / "image_metatinfo").glob(f"{number}_frame_*.json"))
    if not has_frames and not (data.folder / file).exists() and not images.exists():
        return {}
    poses: dict[str, _Pose] = {}
    for key, record in (data.read_json(file, dict) or {}).items():
        row = RowCheck(data, file, key, record)
        pose = row.fit(_Pose)
        row.need(key.isdigit() and any(images.glob(f"frame_{key}.*")), "frame", "a number with a picture", key)
        if pose is not None and key.isdigit():
            poses[key] = pose
    return poses


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """A row per frame with the things that it shows, by number of scene and of frame."""
    scenes = read_json(folder / SCENES)
    names = (path.stem for path in folder.glob(_FRAMES))
    things: dict[str, list[object]] = {name: [] for name in sorted(names, key=lambda name: (len(name), name))}
    for file, thing in read_row_files(folder, _FRAMES):
        things[Path(file).stem].append(thing)
    for name, shown in things.items():
        number, _, frame = name.partition("_frame_")
        names = ", ".join(str(thing.get("id")) for thing in shown if isinstance(thing, dict))
        row = {**scenes.get(number, {}), "id": name, "image": f"{number}/frame_{frame}", "text": names, "things": shown}
        yield "frames", row


_FRAMES = "image_metatinfo/*_frame_*.json"


SPRITE = ExportFormat(
    name="sprite",
    summary="scenes as SPRITE's files: things with boxes, cameras, what each frame shows, pictures",
    client="SPRITE's scripts; roomtour import --format sprite",
    reads=("objects",),
    needs_scale=True,
    convention=CONVENTION,
    options=SpriteOptions,
    write=write,
    check=_check,
    rows=_read_rows,
)
