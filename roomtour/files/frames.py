"""What sampling and clipping leave in a run folder: source.json, mask.png, frames.parquet, clips.json."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from recon.pictures import read_picture_file
from recon.records import Clip, Frame
from recon.video.picture import Image
from recon.video.sampling import SampledTour
from roomtour.errors import RoomtourError
from roomtour.files.records import from_plain, read_json, to_plain, write_json


def write_source(path: Path, sampled: SampledTour) -> None:
    """Write source.json: the source's facts, the sampled frames, the cuts and the findings."""
    write_json(path, to_plain(sampled, SampledTour))


def read_source(path: Path) -> SampledTour:
    """Read what `write_source` wrote."""
    return from_plain(read_json(path), SampledTour, str(path))


def write_mask(path: Path, mask: Image) -> None:
    """Write mask.png: white where frames show the place, black where bars or a watermark lie over it."""
    _, png = cv2.imencode(".png", mask)
    path.write_bytes(png.tobytes())


def read_mask(path: Path) -> Image:
    """Read what `write_mask` wrote, (H, W)."""
    mask = read_picture_file(path, cv2.IMREAD_GRAYSCALE)
    if mask is None:
        raise RoomtourError(f"{path}: missing or no image. Make it again with: roomtour process --force sample")
    return mask.astype(np.uint8, copy=False)


def write_frames_table(path: Path, frames: Sequence[Frame], clips: Sequence[Clip]) -> None:
    """Write frames.parquet: one row per frame. `clip` is the first clip that holds the frame; clips.json has all."""
    import pyarrow as pa  # 34 MB, which the driver of a job of thousands of tours does without
    import pyarrow.parquet as pq

    first_clip: dict[int, str] = {}
    for clip in clips:
        for index in clip.frames:
            first_clip.setdefault(index, clip.name)
    columns = {
        "index": pa.array([frame.index for frame in frames], pa.int32()),
        "time_s": pa.array([frame.time_s for frame in frames], pa.float64()),
        "image": pa.array([frame.image for frame in frames], pa.string()),
        "source": pa.array([frame.source for frame in frames], pa.string()),
        "shot": pa.array([frame.shot for frame in frames], pa.int32()),
        "clip": pa.array([first_clip.get(frame.index) for frame in frames], pa.string()),
        "sharpness": pa.array([frame.sharpness for frame in frames], pa.float32()),
    }
    pq.write_table(pa.table(columns), path)


def write_clips(path: Path, clips: Sequence[Clip]) -> None:
    """Write clips.json."""
    write_json(path, to_plain(tuple(clips), tuple[Clip, ...]))


def read_clips(path: Path) -> tuple[Clip, ...]:
    """Read what `write_clips` wrote."""
    return from_plain(read_json(path), tuple[Clip, ...], str(path))
