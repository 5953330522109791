"""Scenes as videos with poses for LLaVA-3D's reader: rows with target boxes, and `scenes.json` with cameras."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from instructions.dialogues.records import Cloud, Dialogue
from recon.records import SceneModel
from roomtour.export.core.conversations import plain
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.scene_views import NO_DEPTH, pinhole_matrices, write_views
from roomtour.export.core.streams import JsonArrayWriter

MARK = "<video>"
LOADER = Loader("LLaVA-3D", "ZCMax/LLaVA-3D", "91d979d", "2025-10-21", "llava/train/train.py")
DATASET = "roomtour-scannet"
"""The loader looks for `scannet` in the name of a frame, and stops where it finds no data set that it knows."""
CONVENTION = f"""\
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


def file_name(split: str) -> str:
    """The rows of a split."""
    return f"scenes_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the dialogues about clouds of all tours, one tour at a time."""
    scenes: dict[str, dict[str, Any] | None] = {}
    ledger.counts.update(scenes=0, dialogues=0)
    with ExitStack() as stack:
        files = {split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split))) for split in options.splits}
        for run in runs:
            models = {model.name: model for model in run.scene.models}
            clouds = {cloud.name: cloud for cloud in run.clouds}
            for row in run.rows.get("dialogues", ()):
                if not row.accepted or row.cloud is None:
                    continue
                video = f"{DATASET}/{row.cloud}"
                if video not in scenes:
                    cloud = clouds[row.cloud]
                    scenes[video] = _write_scene(run, models[cloud.model], cloud, ledger)
                if scenes[video] is None:
                    ledger.dropped[f"dialogue about a {NO_DEPTH}"] += 1
                    continue
                files[ledger.split].add(_row(row, video, run.scene.source.licence))
                ledger.counts["dialogues"] += 1
                ledger.labels[row.task or row.kind] += 1
    written = {video: scene for video, scene in scenes.items() if scene is not None}
    ledger.counts["scenes"] = len(written)
    (ledger.out / "scenes.json").write_text(json.dumps(written, allow_nan=False), encoding="utf-8")


def _row(row: Dialogue, video: str, licence: str) -> dict[str, Any]:
    said = []
    for number, turn in enumerate(row.turns):
        mark = f"{MARK}\n" if number == 0 else ""
        said += [
            {"from": "human", "value": mark + plain(turn.question)},
            {"from": "gpt", "value": plain(turn.answer)},
        ]
    out: dict[str, Any] = {"id": row.id, "video": video, "conversations": said, "licence": licence}
    boxes = row.truth.cloud_objects if row.truth is not None else ()
    if boxes:
        out["answer_boxes"] = [[round(value, 4) for value in (*box.center, *box.lengths)] for box in boxes]
    return out


def _write_scene(run: RunData, model: SceneModel, cloud: Cloud, ledger: Ledger) -> dict[str, Any] | None:
    """Copy the pictures and depth of a scene; returns what `scenes.json` says of it, None without depth."""
    views = write_views(run, model, ledger.out / "videos" / DATASET / cloud.name)
    picture, depth = pinhole_matrices(model)
    matrices = {
        "intrinsic": picture.tolist(),
        "depth_intrinsic": depth.tolist(),
        "axis_align_matrix": [list(line) for line in cloud.cloud_from_world],
    }
    told = {
        f"{DATASET}/{cloud.name}/{view.picture}": {
            "pose": view.world_from_cam.matrix().tolist(),
            "depth": f"{DATASET}/{cloud.name}/{view.depth}",
        }
        for view in views
    }
    return {**matrices, **told} if views else None
