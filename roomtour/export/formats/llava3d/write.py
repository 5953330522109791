"""Scenes as videos with poses for LLaVA-3D's reader: rows with target boxes, and `scenes.json` with cameras."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from instructions.dialogues.records import Cloud, Dialogue
from recon.records import SceneModel
from roomtour.artifacts import DEPTH
from roomtour.export.core.conversations import plain
from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.files.depth import STEP_PX, depth_path, read_depth

MARK = "<video>"
DATASET = "roomtour"
MOST_FRAMES = 64
"""Of a scene, spread over its walk; the reader takes 20 to 32 of them."""
CONVENTION = f"""\
* `scenes_{{split}}.json`: a list of {{id, video, target, conversations [{{from: human|gpt, value}}]}}. `video` is
  `{DATASET}/SCENE`; the first value begins with `{MARK}` and a line break. `target.boxes` are those that the answer
  names, (cx, cy, cz, lx, ly, lz) in metres along the axes of the scene; the key is absent where it names none.
* `scenes.json`: by `video`: `intrinsic` and `depth_intrinsic` (4 x 4, pixels of pictures and of depth maps),
  `axis_align_matrix` (4 x 4, moves the world of the poses to the axes of the boxes: z up, floor at 0), and by frame
  (`{DATASET}/SCENE/NAME.jpg`, below `videos/`) its `pose` (4 x 4, world_from_cam, OpenCV axes, metres) and, where the
  run has depth, `depth`: 16 bit PNG in millimetres, 0 where it is not known."""


def file_name(split: str) -> str:
    """The rows of a split."""
    return f"scenes_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: ExportOptions) -> None:
    """Write the dialogues about clouds of all tours, one tour at a time."""
    scenes: dict[str, Any] = {}
    ledger.counts.update(scenes=0, dialogues=0)
    with ExitStack() as stack:
        files = {
            split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split)))
            for split in ["train"] + (["val"] if options.val_share > 0 else [])
        }
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
                    ledger.counts["scenes"] += 1
                files[ledger.split].add(_row(row, video, run.scene.source.licence))
                ledger.counts["dialogues"] += 1
                ledger.labels[row.task or row.kind] += 1
    (ledger.out / "scenes.json").write_text(json.dumps(scenes, allow_nan=False), encoding="utf-8")
    if scenes and not any(
        "depth" in one for scene in scenes.values() for one in scene.values() if isinstance(one, dict)
    ):
        ledger.card_notes.append("No depth maps: these runs have none, and LLaVA-3D's own reader needs them.")


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
        out["target"] = {"boxes": [[round(value, 4) for value in (*box.center, *box.lengths)] for box in boxes]}
    return out


def _write_scene(run: RunData, model: SceneModel, cloud: Cloud, ledger: Ledger) -> dict[str, Any]:
    """Copy the pictures and depth of a scene; returns what `scenes.json` says of it."""
    frames = list(model.world_from_cam)
    chosen = [
        frames[place] for place in np.linspace(0, len(frames) - 1, min(MOST_FRAMES, len(frames))).round().astype(int)
    ]
    folder = ledger.out / "videos" / DATASET / cloud.name
    folder.mkdir(parents=True, exist_ok=True)
    camera = model.camera
    # Their pixels have whole numbers at the centres; depth maps are samples at every fourth pixel from the first.
    intrinsic = np.diag([camera.fx, camera.fy, 1.0, 1.0])
    intrinsic[:2, 2] = camera.cx - 0.5, camera.cy - 0.5
    small = intrinsic.copy()
    small[:2] /= STEP_PX
    out: dict[str, Any] = {
        "intrinsic": intrinsic.tolist(),
        "depth_intrinsic": small.tolist(),
        "axis_align_matrix": [list(line) for line in cloud.cloud_from_world],
    }
    for frame in dict.fromkeys(chosen):
        suffix = Path(run.scene.frame_by_index[frame].image).suffix
        copy_frame(run, frame, folder / f"{frame:06d}{suffix}")
        told: dict[str, Any] = {"pose": model.world_from_cam[frame].matrix().tolist()}
        if _write_depth(run, frame, folder / f"{frame:06d}_depth.png"):
            told["depth"] = f"{DATASET}/{cloud.name}/{frame:06d}_depth.png"
        out[f"{DATASET}/{cloud.name}/{frame:06d}{suffix}"] = told
    return out


def _write_depth(run: RunData, frame: int, target: Path) -> bool:
    folder = run.frames_dir.parent / DEPTH.path
    if not depth_path(folder, frame).is_file():
        return False
    depth = read_depth(folder, frame)
    millimetres = np.where(np.isfinite(depth) & (depth > 0), np.clip(depth * 1000.0, 0, 65535), 0).astype(np.uint16)
    return bool(cv2.imwrite(str(target), millimetres))
