"""The views of a row as a video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import av
import cv2
import numpy as np
from av.error import FFmpegError

from roomtour.export.core.run_files import read_image
from roomtour.export.core.talks.talk import Talk

_CRF = "20"
VIDEO_FPS = 2.0
"""Frames per second of the videos of questions; none asks for a time in seconds."""
VIDEO_TOKEN = "<video>"
VIDEO_MEDIA = ("video", "vsi", "scan")
"""What questions are about whose views are a video."""


def place_video(talk: Talk, folder: Path, frames_per_second: float = VIDEO_FPS) -> str:
    """Write the views of a talk as a video into a folder, unless they are there already; its file name."""
    views = sha256("\n".join(image.name for image in talk.images).encode()).hexdigest()[:16]
    name = f"{talk.tour}_{views}.mp4"
    if not (folder / name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_video([Path(image.path) for image in talk.images], talk.tour, folder / name, frames_per_second)
    return name


def write_video(
    pictures: Sequence[Path], tour: str, path: Path, frames_per_second: float, short_side_px: int | None = None
) -> None:
    """Write H.264 at a constant rate: every picture once, the last row or column cut where a side is odd.

    Args:
        pictures: In order.
        tour: Whose pictures they are, for errors.
        path: Of the video.
        frames_per_second: Its rate.
        short_side_px: Pictures are scaled down to this; None leaves them as they are.

    Raises:
        RoomtourError: If a picture of the run is gone or damaged.
    """
    rate = Fraction(frames_per_second).limit_denominator(1000)
    with av.open(str(path), "w", options={"movflags": "+faststart"}) as container:
        stream = container.add_stream("libx264", rate=rate)
        # One thread and no analysis ahead: the same frames are the same bytes. With `medium` small ones were not.
        stream.options = {"crf": _CRF, "preset": "ultrafast", "threads": "1"}
        stream.pix_fmt = "yuv420p"
        for place, picture_path in enumerate(pictures):
            image = _read_rgb(picture_path, tour, short_side_px)
            if place == 0:
                stream.height, stream.width = image.shape[:2]
            picture = av.VideoFrame.from_ndarray(image, format="rgb24")
            picture.pts, picture.time_base = place, 1 / rate
            container.mux(stream.encode(picture))
        container.mux(stream.encode())


def _read_rgb(path: Path, tour: str, short_side_px: int | None) -> np.ndarray:
    image = cv2.cvtColor(read_image(path, tour), cv2.COLOR_BGR2RGB)
    scale = 1.0 if short_side_px is None else short_side_px / min(image.shape[:2])
    if scale < 1.0:
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    height, width = (side - side % 2 for side in image.shape[:2])
    return np.ascontiguousarray(image[:height, :width])


@dataclass(frozen=True)
class Film:
    """A video that can be read."""

    frames: int
    width: int
    height: int
    rate: float
    """Frames per second; 0 where the file does not say."""


def measure_film(path: Path) -> Film | str:
    """A video as its frames are, or why it cannot be read."""
    try:
        with av.open(str(path), options={"protocol_whitelist": "file"}) as container:
            stream = container.streams.video[0]
            frames = sum(1 for _ in container.decode(stream))
            return Film(frames, stream.width, stream.height, float(stream.average_rate or 0))
    except (OSError, FFmpegError, IndexError) as error:
        return f"{path.name} cannot be read: {error}"
