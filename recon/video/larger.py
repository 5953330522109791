"""Pictures of sampled frames with more lines, from the file itself: keypoints of small and far things need them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2

from recon.pictures import write_picture_file
from recon.records import Frame
from recon.video.sampling import open_source

_SAME_S = 1e-4  # seconds: times of one picture read twice differ by rounding only
_JPEG_QUALITY = 95  # 1 to 100; above that of the sampled frames, for the network sees finer detail


def take_larger_pictures(
    source: Path,
    frames: Sequence[Frame],
    folder: Path,
    short_side: int,
    image_fps: float | None = None,
    rotate_deg: int = 0,
    stretch: float = 1.0,
) -> bool:
    """Decode a tour once more and write the pictures of some frames.

    Returns:
        Whether every frame was found again. Not where the file has changed since.

    Raises:
        ReconError: If the source cannot be read any more.
    """
    folder.mkdir(parents=True)
    waiting = list(reversed(frames))
    with open_source(source, short_side, image_fps, rotate_deg, stretch) as tour:
        for picture in tour.pictures():
            if not waiting or picture.time_s > waiting[-1].time_s + _SAME_S:
                break
            if picture.time_s < waiting[-1].time_s - _SAME_S:
                continue
            image_bgr = cv2.cvtColor(picture.image_rgb(), cv2.COLOR_RGB2BGR)
            write_picture_file(folder / waiting.pop().image, image_bgr, cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY)
    return not waiting
