"""Dialogues about clouds: scenes as videos with poses for LLaVA-3D, and clouds of single things for PointLLM."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from instructions.asking.draws import Draw
from instructions.dialogues.clouds.object_clouds import POINTS, cut_object, is_sure, rows_by_cloud, talk_of_object
from instructions.dialogues.records import Cloud, Dialogue
from recon.records import SceneModel
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import (
    Finite,
    Id,
    RelativePath,
    Text,
    Turns,
    begin_with,
    is_matrix,
    is_pose,
    must,
    there,
    turns_of,
)
from roomtour.export.core.format import ExportFormat, each_run
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import NO_DEPTH, find_cloud_fault, pinhole_matrices, read_cloud, write_views
from roomtour.export.core.streams import FileRow, read_row_files, rows_of
from roomtour.export.core.talks.talk import plain
from roomtour.files.records import read_json

FILES, SCENES, MARK = "scenes_{split}.json", "scenes.json", "<video>"
DATASET = "roomtour-scannet"
"""The loader looks for `scannet` in the name of a frame, and stops where it finds no data set that it knows."""
LLAVA3D_CONVENTION = f"""\
* `scenes_{{split}}.json`: a list of {{id, video, target, conversations [{{from: human|gpt, value}}]}}. `video` is
  `{DATASET}/SCENE`; the first value begins with `{MARK}` and a line break. `answer_boxes` are those that the answer
  names, (cx, cy, cz, lx, ly, lz) in metres along the axes of the scene; the key is absent where it names none. There is
  no `target`: the loader takes its boxes for places that the question points at with `<boxes>`.
* `scenes.json`: by `video`: `intrinsic` and `depth_intrinsic` (4 x 4, pixels of pictures and of depth maps),
  `axis_align_matrix` (4 x 4, moves the world of the poses to the axes of the boxes: z up, floor at 0), and by frame
  (`{DATASET}/SCENE/NAME.jpg`, below `videos/`) its `pose` (4 x 4, world_from_cam, OpenCV axes, metres) and `depth`:
  16 bit PNG in millimetres, 0 where it is not known. The trainer reads it from
  `playground/data/annotations/embodiedscan_infos_full.json`.
* Give `videos` as `--video_folder`, by a path without `frames` and `openscan`."""


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the dialogues about clouds of all tours, one tour at a time."""
    scenes: dict[str, dict[str, Any] | None] = {}
    ledger.counts.update(scenes=0, dialogues=0)
    add = ledger.open_rows(FILES, options, "dialogues")
    for run in runs:
        models = {model.name: model for model in run.scene.models}
        clouds = {cloud.name: cloud for cloud in run.clouds}
        for row in run.list_accepted("dialogues"):
            if row.cloud is None:
                continue
            video = f"{DATASET}/{row.cloud}"
            if video not in scenes:
                cloud = clouds[row.cloud]
                scenes[video] = _write_scene(run, models[cloud.model], cloud, ledger)
            if scenes[video] is None:
                ledger.dropped[f"dialogue about a {NO_DEPTH}"] += 1
                continue
            add(_tell_row(row, video, run.scene.source.licence))
            ledger.labels[row.task or row.kind] += 1
    written = {video: scene for video, scene in scenes.items() if scene is not None}
    ledger.counts["scenes"] = len(written)
    (ledger.out / SCENES).write_text(json.dumps(written, allow_nan=False), encoding="utf-8")


def _write_scene(run: RunData, model: SceneModel, cloud: Cloud, ledger: Ledger) -> dict[str, Any] | None:
    """Copy the pictures and depth of a scene; returns what `scenes.json` says of it, None without depth."""
    views = write_views(run, model, ledger.out / "videos" / DATASET / cloud.name)
    picture, depth = pinhole_matrices(model)
    matrices = {
        "intrinsic": picture.tolist(),
        "depth_intrinsic": depth.tolist(),
        "axis_align_matrix": [list(line) for line in cloud.cloud_from_world],
    }
    frames = {
        f"{DATASET}/{cloud.name}/{view.picture}": {
            "pose": view.world_from_cam.matrix().tolist(),
            "depth": f"{DATASET}/{cloud.name}/{view.depth}",
        }
        for view in views
    }
    return {**matrices, **frames} if views else None


POINTED = "<boxes>"


_OTHER = re.compile("frames|openscan|(?:png|jpg)$")
"""It reads such videos otherwise."""
_Matrix = Annotated[Any, must(is_matrix, "4 x 4 finite numbers")]


def _tell_row(row: Dialogue, video: str, licence: str) -> dict[str, Any]:
    said = turns_of([(plain(turn.question), plain(turn.answer)) for turn in row.turns], MARK)
    out: dict[str, Any] = {"id": row.id, "video": video, "conversations": said, "licence": licence}
    boxes = row.truth.cloud_objects if row.truth is not None else ()
    if boxes:
        out["answer_boxes"] = [[round(value, 4) for value in (*box.center, *box.lengths)] for box in boxes]
    return out


_CloudBox = Annotated[
    list[Finite], Field(min_length=6, max_length=6), must(lambda box: min(box[3:]) > 0, "positive lengths")
]


class _Item(Row):
    id: Id
    video: Annotated[Text, must(lambda name: not _OTHER.search(name), "no name that another reader is for")]
    answer_boxes: list[_CloudBox] = Field(default_factory=list)
    conversations: Annotated[Turns, begin_with(MARK)]
    target: Annotated[
        Any, must(lambda boxes: boxes is None, f"none: no text has {POINTED}, so its boxes would go to another row")
    ] = None


class _Frame(Row):
    name: Annotated[
        RelativePath,
        must(
            lambda name: any(known in name for known in ("scannet", "3rscan", "matterport")),
            "a name with scannet: the loader stops at others",
        ),
        there("videos"),
    ]
    pose: Annotated[Any, must(is_pose, "a rotation and a place, 4 x 4")]
    depth: Annotated[RelativePath, there("videos")]


class _Scene(Row):
    """A scene, its frames as a list with their names."""

    intrinsic: _Matrix
    depth_intrinsic: _Matrix
    axis_align_matrix: _Matrix
    frames: Annotated[list[_Frame], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """Frames of its data set."""
        dataset = row.record["video"].split("/")[0]
        strange = [frame.name for frame in self.frames if not frame.name.startswith(dataset)]
        row.need(not strange, "frames.name", f"a name that begins with {dataset}: others are no frames", strange)


def _check(data: DatasetCheck) -> None:
    """Every row has its scene with cameras and pictures."""
    scenes = data.read_json(SCENES, dict) or {}
    for video, scene in scenes.items():
        entries = scene if isinstance(scene, dict) else {}
        frames = [{"name": name, **entry} if isinstance(entry, dict) else entry for name, entry in entries.items()]
        frames = [frame for frame in frames if not isinstance(frame, list)]  # the matrices
        data.fit(RowCheck(data, SCENES, video, {"video": video, **entries, "frames": frames}), _Scene)
    for row, item in data.rows(FILES, _Item):
        row.need(item.video in scenes, "video", f"a scene of {SCENES}", item.video)


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows whose `images` are the frames of their `video`."""
    scenes = read_json(folder / SCENES)
    for file, row in read_row_files(folder, FILES.format(split="*")):
        video = str(row.pop("video", ""))
        yield file, {**row, "tour": video, "images": [name for name in scenes.get(video, ()) if name.startswith(video)]}


LLAVA3D = ExportFormat(
    name="llava3d",
    summary="talks and tasks about whole scenes, with their frames, poses and depth",
    client="LLaVA-3D (ZCMax/LLaVA-3D at 91d979d of 2025-10-21, llava/train/train.py)",
    needs_scale=True,
    reads=("clouds",),
    convention=LLAVA3D_CONVENTION,
    write=write,
    check=_check,
    rows=_read_rows,
)


OBJECT_FILES, POINT_MARK = "objects_{split}.json", "<point>"


POINTLLM_CONVENTION = f"""\
* `objects_{{split}}.json`: a list of {{object_id, conversation_type, conversations [{{from: human|gpt, value}}]}}; the
  first value begins with `{POINT_MARK}` and a line break. Types are `simple_description` (what it is called) and
  `single_round` (its size or colour, with options); name both to the reader, which by default takes the first only.
* `clouds/OBJECT_ID_{POINTS}.npy`: float32 ({POINTS}, 6), x y z in metres about the middle of the thing (the reader
  scales them to a ball), z up, r g b from 0 to 1. Where the cloud has fewer points of a thing, some are there twice."""


def _rows(run: RunData, ledger: Ledger, options: ExportOptions) -> Iterator[dict[str, Any]]:
    folder = ledger.out / "clouds"
    folder.mkdir(parents=True, exist_ok=True)
    rows = rows_by_cloud(run.rows.get("dialogues", ()))
    things = {thing.id: thing for thing in run.objects}
    for cloud in run.clouds:
        points = read_cloud(run, cloud.name)
        for box in cloud.boxes:
            thing = things.get(box.object)
            if thing is None or not is_sure(thing):
                ledger.dropped["thing whose name is not sure"] += 1
                continue
            draw = Draw(0, run.scene.id, "pointllm", box.object)
            cut = cut_object(points, box, draw)
            if cut is None:
                ledger.dropped["thing with too few points"] += 1
                continue
            name = f"{run.scene.id}_{box.object}"
            np.save(folder / f"{name}_{POINTS}.npy", cut, allow_pickle=False)
            ledger.counts["objects"] += 1
            for kind, (question, answer) in talk_of_object(thing, rows.get(cloud.name, ()), draw):
                ledger.labels[kind] += 1
                yield {
                    "object_id": name,
                    "conversation_type": kind,
                    "conversations": turns_of([(plain(question), plain(answer))], POINT_MARK),
                    "licence": run.scene.source.licence,
                }


class _ObjectItem(Row):
    object_id: Annotated[RelativePath, must(lambda name: "/" not in name, "a name without folders")]
    conversation_type: Literal["simple_description", "single_round"]
    conversations: Annotated[Turns, begin_with(POINT_MARK)]

    def check(self, row: RowCheck) -> None:
        """A cloud of colored points."""
        fault = find_cloud_fault(row.home / "clouds" / f"{self.object_id}_{POINTS}.npy", POINTS)
        if fault is not None:
            row.bad("object_id", f"a cloud, float32 ({POINTS}, 6), colours from 0 to 1", fault)


POINTLLM = ExportFormat(
    name="pointllm",
    summary="single things cut out of point clouds, with what they are called and their size and colour",
    client="PointLLM (OpenRobotLab/PointLLM at 77bf64c of 2025-05-22, pointllm/data/object_point_dataset.py)",
    needs_scale=True,
    reads=("clouds",),
    convention=POINTLLM_CONVENTION,
    rows=rows_of("objects_*.json"),
    write=each_run(OBJECT_FILES, _rows, "objects", "conversations", counted="conversations"),
    tables={OBJECT_FILES: _ObjectItem},
)
