"""Cambrian-P: a manifest of questions about videos, and a file of poses for each video."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from recon.records import SceneModel
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter, JsonLines, split_folders
from roomtour.export.core.talks.questions import ProgramTalks
from roomtour.export.core.talks.spool import TalkSpool
from roomtour.export.core.talks.talk import Talk
from roomtour.export.core.view_videos import VIDEO_MEDIA, VIDEO_TOKEN, place_video

LOADER = Loader("Cambrian-P", "cambrian-mllm/cambrian-p", "b3c1552", "2026-07-28", "cambrianp/train/train.py")
MANIFEST, LOOKUP, SOURCE = "train.jsonl", "poses.json", "roomtour"
MOST_FRAMES = 128
"""What the trainer's script shows of a video (`--frames_upbound`): of more it takes a stretch by chance, in which what
is asked about may be missing."""
POSES, INTRINSICS = "data", "intrinsics"
"""Keys of the archives."""

CONVENTION = f"""\
* `{{split}}/{MANIFEST}`: rows with `video` (`{SOURCE}/UID.mp4`) and `conversations`; the first value begins with
  `{VIDEO_TOKEN}` and a line break. Give it as `--json_file`, and the folder of the split as `--data_path`.
* `{{split}}/{LOOKUP}`: for each video its `pose_path` and `intrinsics_path`, and the largest step (`max_velocity`,
  `max_rotation_rate` in degrees) between two frames. Give it as `--vipe_cambrians_path`, and the folder of the split
  as `--vipe_cambrians_results_root` and `--vipe_cambrians_data_root`.
* `pose/UID.npz`: `{POSES}`, float32 (N, 4, 4), the world_from_cam of each frame of the video in order (OpenCV axes; the
  loader moves them so that the first is the identity). `intrinsics/UID.npz`: `{INTRINSICS}`, (N, 4): fx, fy, cx, cy in
  pixels of the video, whose pixels have whole numbers at their centers; lens distortion is left out.
* A video has exactly the views that its questions are about, at most {MOST_FRAMES}, which the trainer shows all."""


@dataclass(frozen=True, kw_only=True)
class CambrianPOptions(ExportOptions):
    """Options of the format."""

    balance: bool = True
    """Leave out questions whose answer the names would tell."""


def write(runs: Iterable[RunData], ledger: Ledger, options: CambrianPOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen."""
    ledger.counts.update({"rows": 0, "videos": 0})
    cameras: dict[str, _Posed] = {}
    with ExitStack() as stack:
        spool = stack.enter_context(TalkSpool(ledger, options.balance, form=None, sources=(ProgramTalks,)))
        folders = split_folders(ledger.out, options.splits)
        rows = {split: stack.enter_context(JsonLines(folder / MANIFEST, np.inf)) for split, folder in folders.items()}
        videos = {split: stack.enter_context(JsonArrayWriter(folder / LOOKUP)) for split, folder in folders.items()}
        for run in runs:
            cameras |= {image: one for model in run.scene.models for image, one in _know_cameras(run, model).items()}
            spool.take(run)
        placed: set[str] = set()
        for talk in spool.give():
            reason = _refuse(talk, cameras)
            if reason is not None:
                ledger.counts[talk.kind] -= 1
                ledger.dropped[reason] += 1
                continue
            name = place_video(talk, folders[talk.split] / SOURCE, 1.0)
            if name not in placed:
                placed.add(name)
                videos[talk.split].add(_write_poses(talk, cameras, folders[talk.split], Path(name).stem))
                ledger.counts["videos"] += 1
            ledger.counts["rows"] += rows[talk.split].add_all([_row(talk, name)])


@dataclass(frozen=True)
class _Posed:
    """The camera of one picture."""

    model: str
    """Tour and model."""
    world_from_cam: np.ndarray = field(repr=False)
    pinhole: tuple[float, float, float, float]


def _know_cameras(run: RunData, model: SceneModel) -> dict[str, _Posed]:
    """Cameras of the posed frames, by the path of their picture."""
    lens = model.camera
    pinhole = (lens.fx, lens.fy, lens.cx - 0.5, lens.cy - 0.5)
    frames = run.scene.frame_by_index
    return {
        str(run.frames_dir / frames[frame].image): _Posed(f"{run.scene.id} {model.name}", pose.matrix(), pinhole)
        for frame, pose in model.world_from_cam.items()
    }


def _refuse(talk: Talk, cameras: dict[str, _Posed]) -> str | None:
    if talk.more.get("medium") not in VIDEO_MEDIA:
        return "about single pictures, not a video"
    if len(talk.images) > MOST_FRAMES:
        return f"a video of more than {MOST_FRAMES} views"
    if not all(one.path in cameras for one in talk.images):
        return "a video with a view that has no pose"
    return None if len({cameras[one.path].model for one in talk.images}) == 1 else "a video of several models"


def _write_poses(talk: Talk, cameras: dict[str, _Posed], folder: Path, uid: str) -> dict[str, Any]:
    """Write poses and intrinsics of a video; returns what the lookup says of it."""
    seen = [cameras[one.path] for one in talk.images]
    poses = np.stack([one.world_from_cam for one in seen])
    paths = {"pose_path": f"pose/{uid}.npz", "intrinsics_path": f"intrinsics/{uid}.npz"}
    for path in paths.values():
        (folder / path).parent.mkdir(exist_ok=True)
    np.savez(folder / paths["pose_path"], data=poses.astype(np.float32))
    np.savez(folder / paths["intrinsics_path"], intrinsics=np.array([one.pinhole for one in seen], np.float32))
    cosines = (np.einsum("nij,nij->n", poses[1:, :3, :3], poses[:-1, :3, :3]) - 1.0) / 2.0
    return {
        "video": f"{SOURCE}/{uid}.mp4",
        "source": SOURCE,
        "rgb_relative_to": "data",
        **paths,
        "max_velocity": float(np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1).max(initial=0.0)),
        "max_rotation_rate": float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max(initial=0.0)),
    }


def _row(talk: Talk, video: str) -> dict[str, Any]:
    (question, answer), *_ = talk.turns
    return {
        "id": talk.id,
        "video": f"{SOURCE}/{video}",
        "conversations": [
            {"from": "human", "value": f"{VIDEO_TOKEN}\n{question}"},
            {"from": "gpt", "value": answer},
        ],
        "question_type": talk.type,
    }
