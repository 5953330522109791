"""Views of a scan's own video: evenly over its time, without poses, for whoever is to answer questions about it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from recon.findings import Finding
from recon.records import Frame
from recon.video.decode import VideoSource
from roomtour.imports.records import ImportFolder

MOST_VIEWS = 32
_SHORT_SIDE_PX = 480
_JPEG_QUALITY = 92


def take_views(
    video: Path, folder: ImportFolder, first: int, begin_s: float, shot: int
) -> tuple[list[Frame], list[Finding]]:
    """Keep at most 32 pictures of a video, evenly over its frames, the first and the last with them.

    Args:
        video: Any that can be decoded; larger pictures are made smaller.
        folder: Takes the pictures.
        first: Number of the first frame.
        begin_s: Its time in the tour.
        shot: Of all frames.

    Returns:
        The frames, and what was dropped or guessed in decoding.

    Raises:
        ReconError: If the file is no video, or none of its frames can be decoded.
    """
    with VideoSource(video, _SHORT_SIDE_PX) as source:
        count = sum(1 for _ in source.pictures())
        source.info()  # refuses what has no frame
        findings = source.findings()
    wanted = set(np.round(np.linspace(0, count - 1, min(count, MOST_VIEWS))).astype(int).tolist())
    frames: list[Frame] = []
    with VideoSource(video, _SHORT_SIDE_PX) as source:
        for place, picture in enumerate(source.pictures()):
            if place not in wanted:
                continue
            index, image = first + len(frames), picture.image_rgb()
            _, jpeg = cv2.imencode(
                ".jpg", cv2.cvtColor(image, cv2.COLOR_RGB2BGR), [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY]
            )
            name, (height, width) = f"{index:06d}.jpg", image.shape[:2]
            folder.add_picture(name, jpeg.tobytes())
            frames.append(Frame(index, begin_s + picture.time_s, name, width, height, picture.sharpness(), shot))
    return frames, findings
