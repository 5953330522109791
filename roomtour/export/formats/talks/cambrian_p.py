"""Cambrian-P: a manifest of questions about videos, and a file of poses for each video."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np

from recon.arrays import load_arrays
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import Id, RelativePath, Turns, begin_with, there, turns_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import BalanceOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.questions import ProgramTalks
from roomtour.export.core.talks.spool import TalkSpool
from roomtour.export.core.talks.talk import Talk
from roomtour.export.core.talks.view_videos import VIDEO_MEDIA, VIDEO_TOKEN, measure_film, place_video

MANIFEST, LOOKUP, SOURCE = "{split}/train.jsonl", "{split}/poses.json", "roomtour"
MOST_FRAMES = 128
"""What the trainer's script shows of a video (`--frames_upbound`): of more it takes a stretch by chance, in which what
is asked about may be missing."""
Camera = tuple[str, np.ndarray, tuple[float, float, float, float]]
"""Tour and model, world_from_cam (4, 4), and fx, fy, cx, cy of one picture."""
POSES, INTRINSICS = "data", "intrinsics"
"""Keys of the archives."""

CONVENTION = f"""\
* `{MANIFEST}`: rows with `video` (`{SOURCE}/UID.mp4`) and `conversations`; the first value begins with
  `{VIDEO_TOKEN}` and a line break. Give it as `--json_file`, and the folder of the split as `--data_path`.
* `{LOOKUP}`: for each video its `pose_path` and `intrinsics_path`, and the largest step (`max_velocity`,
  `max_rotation_rate` in degrees) between two frames. Give it as `--vipe_cambrians_path`, and the folder of the split
  as `--vipe_cambrians_results_root` and `--vipe_cambrians_data_root`.
* `pose/UID.npz`: `{POSES}`, float32 (N, 4, 4), the world_from_cam of each frame of the video in order (OpenCV axes; the
  loader moves them so that the first is the identity). `intrinsics/UID.npz`: `{INTRINSICS}`, (N, 4): fx, fy, cx, cy in
  pixels of the video, whose pixels have whole numbers at their centers; lens distortion is left out.
* A video has exactly the views that its questions are about, at most {MOST_FRAMES}, which the trainer shows all."""


def write(runs: Iterable[RunData], ledger: Ledger, options: BalanceOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen."""
    ledger.counts.update({"rows": 0, "videos": 0})
    cameras: dict[str, Camera] = {}
    spool = TalkSpool(ledger, options.balance, form=None, sources=(ProgramTalks,))
    add_row, add_video = ledger.open_rows(MANIFEST, options, "rows"), ledger.open_rows(LOOKUP, options, "videos")
    for run in runs:
        cameras.update(_know_cameras(run))
        spool.take(run)
    placed: set[str] = set()
    for talk, seen in spool.build((), lambda talk: _find_cameras(talk, cameras), by_kind=False):
        folder = ledger.out / talk.split
        name = place_video(talk, folder / SOURCE, 1.0)
        if name not in placed:
            placed.add(name)
            add_video(_write_poses(seen, folder, Path(name).stem), talk.split)
        row: dict[str, Any] = {"id": talk.id, "video": f"{SOURCE}/{name}"}
        row |= {"conversations": turns_of(talk.turns[:1], VIDEO_TOKEN), "question_type": talk.type}
        add_row(row, talk.split)


def _know_cameras(run: RunData) -> Iterator[tuple[str, Camera]]:
    """The path of each posed picture, with its camera."""
    for model in run.scene.models:
        lens = model.camera
        pinhole = (lens.fx, lens.fy, lens.cx - 0.5, lens.cy - 0.5)
        for frame, pose in model.world_from_cam.items():
            path = str(run.frames_dir / run.scene.frame_by_index[frame].image)
            yield path, (f"{run.scene.id} {model.name}", pose.matrix(), pinhole)


def _find_cameras(talk: Talk, cameras: Mapping[str, Camera]) -> list[Camera] | str:
    """The cameras of the views of a talk, or why it cannot be written."""
    if talk.more.get("medium") not in VIDEO_MEDIA:
        return "about single pictures, not a video"
    if talk.places:
        return "about marks, and videos are plain"
    if len(talk.images) > MOST_FRAMES:
        return f"a video of more than {MOST_FRAMES} views"
    if not all(image.path in cameras for image in talk.images):
        return "a video with a view that has no pose"
    seen = [cameras[image.path] for image in talk.images]
    return seen if len({model for model, *_ in seen}) == 1 else "a video of several models"


def _write_poses(seen: Sequence[Camera], folder: Path, uid: str) -> dict[str, Any]:
    """Write poses and intrinsics of a video; returns what the lookup says of it."""
    poses = np.stack([pose for _, pose, _ in seen])
    paths = {"pose_path": f"pose/{uid}.npz", "intrinsics_path": f"intrinsics/{uid}.npz"}
    for path in paths.values():
        (folder / path).parent.mkdir(exist_ok=True)
    np.savez(folder / paths["pose_path"], data=poses.astype(np.float32))
    np.savez(folder / paths["intrinsics_path"], intrinsics=np.array([pinhole for *_, pinhole in seen], np.float32))
    cosines = (np.einsum("nij,nij->n", poses[1:, :3, :3], poses[:-1, :3, :3]) - 1.0) / 2.0
    return {
        "video": f"{SOURCE}/{uid}.mp4",
        "source": SOURCE,
        "rgb_relative_to": "data",
        **paths,
        "max_velocity": float(np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1).max(initial=0.0)),
        "max_rotation_rate": float(np.degrees(np.arccos(np.clip(cosines, -1.0, 1.0))).max(initial=0.0)),
    }


def _read(row: RowCheck, field: str, file: Path, key: str, shape: tuple[int, ...]) -> np.ndarray | None:
    """The finite array of a file, one entry per frame; None after noting why there is none."""
    try:
        (array,) = load_arrays(file, (key,))
    except (OSError, ValueError) as error:
        row.bad(field, f"an archive with {key}", f"{file.name}: {error}")
        return None
    if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
        row.bad(field, f"{key}: finite numbers {shape}, an entry per frame", f"{array.dtype} {array.shape}")
        return None
    return array


class _Video(Row):
    video: RelativePath
    pose_path: RelativePath
    intrinsics_path: RelativePath
    rgb_relative_to: Literal["data"]
    max_velocity: float
    max_rotation_rate: float

    def check(self, row: RowCheck) -> None:
        """A pose and intrinsics for each frame."""
        row.new("video", Path(self.video).stem)
        film = measure_film(row.home / self.video)
        if isinstance(film, str):
            return row.bad("video", "a video that can be read", film)
        if not 2 <= film.frames <= MOST_FRAMES:
            expected = f"2 to {MOST_FRAMES} frames: of more the loader takes a stretch by chance"
            row.bad("video", expected, film.frames)
        poses = _read(row, "pose_path", row.home / self.pose_path, POSES, (film.frames, 4, 4))
        if poses is not None:
            turns = poses[:, :3, :3]
            is_rigid = np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(3), atol=1e-4)
            if not (is_rigid and (np.linalg.det(turns) > 0).all() and (poses[:, 3] == [0, 0, 0, 1]).all()):
                row.bad("pose_path", "rotations and places", self.pose_path)
        pinholes = _read(row, "intrinsics_path", row.home / self.intrinsics_path, INTRINSICS, (film.frames, 4))
        if pinholes is not None and (pinholes <= 0).any():
            row.bad("intrinsics_path", "fx, fy, cx and cy above 0", self.intrinsics_path)
        return None


class _Question(Row):
    id: Id
    video: Annotated[RelativePath, there()]  # of a lost one the loader takes the next row
    conversations: Annotated[Turns, begin_with(VIDEO_TOKEN)]

    def check(self, row: RowCheck) -> None:
        """A video with poses."""
        if Path(self.video).stem not in row.data.known["", "video"]:
            row.bad("video", f"a video of {LOOKUP}, by the name of its file", self.video)


CAMBRIAN_P = ExportFormat(
    name="cambrian-p",
    summary="questions about videos, with the pose of every frame",
    client="Cambrian-P (cambrian-mllm/cambrian-p at b3c1552 of 2026-07-28, cambrianp/train/train.py)",
    reads=("programs",),
    convention=CONVENTION,
    options=BalanceOptions,
    write=write,
    tables={LOOKUP: _Video, MANIFEST: _Question},
    rows=rows_of("*/train.jsonl"),
)
