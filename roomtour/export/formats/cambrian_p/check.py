"""Check questions for Cambrian-P by what its loader opens, and by what it would leave out or take for another place."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import av
import av.error
import numpy as np

from recon.arrays import load_arrays
from roomtour.export.core.checking import (
    SPLITS,
    Id,
    RelativePath,
    Row,
    RowCheck,
    json_lines,
    objects,
    read_json,
)
from roomtour.export.core.records import Problem
from roomtour.export.core.turns import Turns, check_turns
from roomtour.export.core.view_videos import VIDEO_TOKEN
from roomtour.export.formats.cambrian_p.write import INTRINSICS, LOOKUP, MANIFEST, MOST_FRAMES, POSES


class _Question(Row):
    id: Id
    video: RelativePath
    conversations: Turns


class _Video(Row):
    video: RelativePath
    pose_path: RelativePath
    intrinsics_path: RelativePath
    rgb_relative_to: Literal["data"]
    max_velocity: float
    max_rotation_rate: float


def recognise(path: Path) -> bool:
    """Whether the folder holds a manifest beside poses."""
    return any((folder / MANIFEST).is_file() and (folder / LOOKUP).is_file() for folder in path.glob("*"))


def check(path: Path) -> list[Problem]:
    """Every broken rule of a folder."""
    problems: list[Problem] = []
    ids: set[Any] = set()
    stems: set[Any] = set()
    for split in SPLITS:
        if split != "train" and not (path / split).exists():
            continue
        known: set[str] = set()
        lookup = f"{split}/{LOOKUP}"
        for row in objects(read_json(path, lookup, list, problems), lookup, problems):
            video = row.fit(_Video)
            if video is not None:
                row.new("video", Path(video.video).stem, stems)
                known.add(Path(video.video).stem)
                _check_video(row, video, path / split)
        _check_rows(path, f"{split}/{MANIFEST}", known, ids, problems)
    return problems


def _check_rows(path: Path, name: str, known: set[str], ids: set[Any], problems: list[Problem]) -> None:
    if not (path / name).is_file():
        problems.append(Problem(name, None, "file", "a file of rows", "no such file"))
        return
    for number, record in json_lines(path / name, problems, name):
        row = RowCheck(name, number, record, problems)
        item = row.fit(_Question)
        if item is None:
            continue
        row.new("id", item.id, ids)
        if not ((path / name).parent / item.video).is_file():
            row.bad("video", "a file that is there: the loader takes the next row", item.video)
        elif Path(item.video).stem not in known:
            row.bad("video", f"a video of {LOOKUP}, by the name of its file", item.video)
        check_turns(row, item.conversations, VIDEO_TOKEN)


def _check_video(row: RowCheck, video: _Video, folder: Path) -> None:
    try:
        with av.open(str(folder / video.video)) as container:
            frames = sum(1 for _ in container.decode(video=0))
    except (OSError, av.error.FFmpegError, IndexError) as error:
        return row.bad("video", "a video that can be read", f"{video.video}: {error}")
    if not 2 <= frames <= MOST_FRAMES:
        row.bad("video", f"2 to {MOST_FRAMES} frames: of more the loader takes a stretch by chance", frames)
    poses = _read(row, "pose_path", folder / video.pose_path, POSES, (frames, 4, 4))
    if poses is not None:
        turns = poses[:, :3, :3]
        is_rigid = np.allclose(turns @ turns.transpose(0, 2, 1), np.eye(3), atol=1e-4)
        if not (is_rigid and (np.linalg.det(turns) > 0).all() and (poses[:, 3] == [0, 0, 0, 1]).all()):
            row.bad("pose_path", "rotations and places", video.pose_path)
    pinholes = _read(row, "intrinsics_path", folder / video.intrinsics_path, INTRINSICS, (frames, 4))
    if pinholes is not None and (pinholes <= 0).any():
        row.bad("intrinsics_path", "fx, fy, cx and cy above 0", video.intrinsics_path)
    return None


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
