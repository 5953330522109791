"""Check scenes for EmbodiedScan by what its loader opens and indexes, without running what the pickle names."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from roomtour.export.core.checking import SPLITS, Finite, RelativePath, Row, RowCheck, Text, Whole, must, objects
from roomtour.export.core.numpy_pickle import load_arrays
from roomtour.export.core.records import Problem
from roomtour.export.formats.embodiedscan.write import SCANS, file_name


def _is_matrix(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (4, 4) and bool(np.isfinite(value).all())


def _is_pose(value: Any) -> bool:
    if not _is_matrix(value):
        return False
    turn = value[:3, :3]
    is_turn = np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0
    return bool(is_turn and (value[3] == [0, 0, 0, 1]).all())


def _is_pinhole(value: Any) -> bool:
    return _is_matrix(value) and value[0, 0] > 0 and value[1, 1] > 0


_Pose = Annotated[Any, must(_is_pose, "a 4 x 4 array, a rotation and a place")]
_Pinhole = Annotated[Any, must(_is_pinhole, "a 4 x 4 array with focal lengths")]


class _Image(Row):
    img_path: RelativePath
    depth_path: RelativePath
    cam2global: _Pose
    visible_instance_ids: list[Whole]


class _Box(Row):
    bbox_3d: Annotated[
        list[Finite],
        Field(min_length=9, max_length=9),
        must(lambda box: min(box[3:6]) > 0, "lengths above 0"),
    ]
    bbox_label_3d: Whole
    bbox_id: Whole


class _Scene(Row):
    sample_idx: Annotated[
        Text, must(lambda name: name.startswith(f"{SCANS}/"), f"{SCANS}/NAME: other data sets have occupancy maps")
    ]
    axis_align_matrix: _Pose
    cam2img: _Pinhole
    depth_cam2img: _Pinhole
    images: Annotated[list[_Image], Field(min_length=1)]
    instances: list[_Box]


def recognise(path: Path) -> bool:
    """Whether the folder holds a file of scenes."""
    return any((path / file_name(split)).is_file() for split in SPLITS)


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    known: set[Any] = set()
    for split in SPLITS:
        name = file_name(split)
        if split != "train" and not (path / name).is_file():
            continue
        try:
            told = load_arrays(path / name)
        except OSError:
            problems.append(Problem(name, None, "file", "a file", "no such file"))
            continue
        except pickle.UnpicklingError as error:
            problems.append(Problem(name, None, "pickle", "plain values and arrays of numbers", str(error)))
            continue
        info, scenes = told.get("metainfo"), told.get("data_list")
        categories = info.get("categories") if isinstance(info, dict) else None
        if not isinstance(categories, dict) or not isinstance(scenes, list):
            problems.append(Problem(name, None, "pickle", "metainfo.categories and data_list", str(sorted(told))))
            continue
        for row in objects(scenes, name, problems):
            scene = row.fit(_Scene)
            if scene is not None:
                row.new("sample_idx", scene.sample_idx, known)
                _check_scene(row, scene, set(categories.values()), path)
    return problems


def _check_scene(row: RowCheck, scene: _Scene, labels: set[Any], path: Path) -> None:
    for image in scene.images:
        for field, name in (("img_path", image.img_path), ("depth_path", image.depth_path)):
            if not (path / name).is_file():
                row.bad(f"images.{field}", "a file that is there", name)
        if any(place >= len(scene.instances) for place in image.visible_instance_ids):
            row.bad("images.visible_instance_ids", f"places below {len(scene.instances)}", image.visible_instance_ids)
    unknown = [box.bbox_label_3d for box in scene.instances if box.bbox_label_3d not in labels]
    if unknown:
        row.bad("instances.bbox_label_3d", "an id of the categories", unknown)
    ids = [box.bbox_id for box in scene.instances]
    if len(set(ids)) < len(ids):
        row.bad("instances.bbox_id", "an id no other box of the scene has", ids)
