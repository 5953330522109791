"""EmbodiedScan: a pickle of scenes for each split, with boxes of nine numbers, names and cameras."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import numpy as np
from pydantic import Field
from scipy.spatial.transform import Rotation

from instructions.dialogues.clouds.object_clouds import is_sure
from instructions.records import SceneObject
from recon.records import SceneModel
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, RelativePath, Text, Whole, is_pinhole, is_pose, must, there
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.pickles import dump_arrays
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import NO_DEPTH, SceneView, pinhole_matrices, write_views

FILES = "embodiedscan_infos_{split}.pkl"
SCANS = "arkitscenes/Training"
"""Begins the name of a scene: the loader asks for occupancy maps of scenes of other data sets, and stops at unknown
ones."""
PICTURES = "roomtour"
AXES = "ZXY"
"""Of the three angles of a box: turned about y, then x, then z."""
_THEIR_WORDS = {
    "sofa": "couch",
    "armchair": "chair",
    "rug": "carpet",
    "stuffed toy": "toy",
    "suitcase": "luggage",
    "television": "tv",
}
"""Names of ours that its 288 categories have another word for."""

CONVENTION = f"""\
* `embodiedscan_infos_{{split}}.pkl`: `metainfo.categories` (id by name) and `data_list`, a scene per model. Give the
  dataset as `data_root`, and `filter_empty_gt=False`: without occupancy maps the loader else leaves all scenes out.
* A scene: `sample_idx` (`{SCANS}/NAME`, a data set without occupancy maps), `axis_align_matrix` (the identity),
  `cam2img` and `depth_cam2img` (4 x 4, pixels of pictures and of depth), `images` with `img_path`, `depth_path` (16
  bit, millimeters), `cam2global` (4 x 4, OpenCV axes, meters, z up, floor at 0) and `visible_instance_ids` (places in
  `instances`), and `instances`.
* `bbox_3d`: x, y, z of the middle, lengths along the box's own axes, and three angles in radians, R = Rz Rx Ry;
  `bbox_label_3d` is an id of `categories`, `bbox_id` a number, `thing` its id in the run. Things whose name is not
  sure are left out. Names are EmbodiedScan's where it has a word; what a configuration does not name is not trained
  on."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the scenes of all tours; memory holds their boxes and cameras, for all splits share the categories."""
    scenes: dict[str, list[Any]] = {split: [] for split in options.splits}
    ledger.counts.update({"scenes": 0, "boxes": 0, "views": 0})
    for run in runs:
        for model in run.scene.models:
            name = f"{run.scene.id}_m{model.name}"
            views = write_views(run, model, ledger.out / PICTURES / name)
            if not views:
                ledger.dropped[NO_DEPTH] += 1
                continue
            things = [thing for thing in run.objects if thing.model == model.name and is_sure(thing)]
            unsure = sum(thing.model == model.name for thing in run.objects) - len(things)
            ledger.dropped["thing whose name is not sure"] += unsure
            scenes[ledger.split].append(_scene(run, model, name, views, things))
            ledger.counts.update({"scenes": 1, "boxes": len(things), "views": len(views)})
    names = sorted({box["name"] for listed in scenes.values() for scene in listed for box in scene["instances"]})
    categories = {name: number for number, name in enumerate(names, start=1)}
    for split, listed in scenes.items():
        for scene in listed:
            for box in scene["instances"]:
                box["bbox_label_3d"] = categories[box["name"]]
        metainfo = {"categories": categories, "dataset": PICTURES}
        dump_arrays({"metainfo": metainfo, "data_list": listed}, ledger.out / FILES.format(split=split))


def _scene(
    run: RunData, model: SceneModel, name: str, views: Sequence[SceneView], things: Sequence[SceneObject]
) -> dict[str, Any]:
    place_of = {thing.id: place for place, thing in enumerate(things)}
    picture, depth = pinhole_matrices(model)
    visible: Mapping[int, list[int]] = {view.frame: [] for view in views}
    for observation in run.observations:
        if observation.object in place_of and observation.frame in visible:
            visible[observation.frame].append(place_of[observation.object])
    return {
        "sample_idx": f"{SCANS}/{name}",
        "axis_align_matrix": np.eye(4),
        "cam2img": picture,
        "depth_cam2img": depth,
        "images": [
            {
                "img_path": f"{PICTURES}/{name}/{view.picture}",
                "depth_path": f"{PICTURES}/{name}/{view.depth}",
                "cam2global": view.world_from_cam.matrix(),
                "visible_instance_ids": sorted(visible[view.frame]),
            }
            for view in views
        ],
        "instances": [
            {
                "bbox_3d": nine_numbers(thing),
                "bbox_id": number,
                "thing": thing.id,
                "name": _THEIR_WORDS.get(thing.category or "", thing.category or ""),
            }
            for number, thing in enumerate(things)
        ],
    }


def nine_numbers(thing: SceneObject) -> list[float]:
    """The box of a thing: middle, lengths, and the angles of `AXES` in radians."""
    box = thing.obb
    angles = Rotation.from_matrix(np.array(box.rotation)).as_euler(AXES)
    return [*map(float, box.center), *(2.0 * half for half in box.half_extents), *map(float, angles)]


_Pose = Annotated[Any, must(is_pose, "a 4 x 4 array, a rotation and a place")]
_Pinhole = Annotated[Any, must(is_pinhole, "a 4 x 4 array with focal lengths")]


class _Box(Row):
    bbox_3d: Annotated[
        list[Finite],
        Field(min_length=9, max_length=9),
        must(lambda box: min(box[3:6]) > 0, "lengths above 0"),
    ]
    bbox_label_3d: Whole
    bbox_id: Whole


class _Image(Row):
    img_path: Annotated[RelativePath, there()]
    depth_path: Annotated[RelativePath, there()]
    cam2global: _Pose
    visible_instance_ids: list[Whole]


class _Scene(Row):
    key = "sample_idx"
    sample_idx: Annotated[
        Text, must(lambda name: name.startswith(f"{SCANS}/"), f"{SCANS}/NAME: other data sets have occupancy maps")
    ]
    axis_align_matrix: _Pose
    cam2img: _Pinhole
    depth_cam2img: _Pinhole
    images: Annotated[list[_Image], Field(min_length=1)]
    instances: list[_Box]

    def check(self, row: RowCheck) -> None:
        """Boxes that views can show."""
        for image in self.images:
            if any(place >= len(self.instances) for place in image.visible_instance_ids):
                expected = f"places below {len(self.instances)}"
                row.bad("images.visible_instance_ids", expected, image.visible_instance_ids)
        ids = [box.bbox_id for box in self.instances]
        row.need(len(set(ids)) >= len(ids), "instances.bbox_id", "an id no other box of the scene has", ids)


def _check(data: DatasetCheck) -> None:
    """What the loader opens and indexes, without running what the pickle names."""
    for name, split in data.split_files(FILES):
        content = data.read_pickle(name)
        if content is None:
            continue
        info, scenes = content.get("metainfo"), content.get("data_list")
        categories = info.get("categories") if isinstance(info, dict) else None
        if not isinstance(categories, dict) or not isinstance(scenes, list):
            data.bad(name, "pickle", "metainfo.categories and data_list", list(content))
            continue
        for row in data.objects(scenes, name, split):
            scene = data.fit(row, _Scene)
            labels = [box.bbox_label_3d for box in scene.instances] if scene is not None else []
            if not set(labels) <= set(categories.values()):
                row.bad("instances.bbox_label_3d", "an id of the categories", labels)


EMBODIEDSCAN = ExportFormat(
    name="embodiedscan",
    summary="scenes with oriented boxes and names of things, and their views with cameras and depth",
    client="EmbodiedScan (OpenRobotLab/EmbodiedScan at fe26e4b of 2025-01-11, "
    "embodiedscan/datasets/embodiedscan_dataset.py), and the reader of MMScan",
    needs_scale=True,
    reads=("objects",),
    convention=CONVENTION,
    write=write,
    check=_check,
)
