"""Videos of known faults, made from a sound one."""

from collections.abc import Callable, Iterable
from pathlib import Path

import av
import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]


def read_pictures(path: Path, from_s: float = 0.0) -> list[Picture]:
    with av.open(str(path)) as container:
        return [
            frame.to_ndarray(format="rgb24").astype(np.uint8)
            for frame in container.decode(video=0)
            if frame.time is not None and frame.time >= from_s
        ]


def write_video(path: Path, pictures: Iterable[Picture], rate: int = 10, crf: int = 20, key_each: int = 10) -> Path:
    with av.open(str(path), "w") as target:
        stream = None
        for picture in pictures:
            if stream is None:
                stream = target.add_stream("libx264", rate=rate)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt, stream.options = "yuv420p", {"crf": str(crf), "g": str(key_each), "preset": "ultrafast"}
            target.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        assert stream is not None
        target.mux(stream.encode())
    return path


def make_textured(seed: int) -> Picture:
    """A picture full of blobs: many features, unlike any other seed's."""
    small = np.random.default_rng(seed).integers(0, 255, (48, 64, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, (320, 240), interpolation=cv2.INTER_CUBIC), np.uint8)


def change(pictures: Iterable[Picture], edit: Callable[[Picture], NDArray]) -> Iterable[Picture]:
    return (np.ascontiguousarray(edit(picture)).astype(np.uint8) for picture in pictures)


def pan_over(seed: int, seconds: float, size: tuple[int, int] = (270, 480), rate: int = 10) -> list[Picture]:
    """A camera that glides over a painted wall of its own."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 255, (24, 60, 3), dtype=np.uint8)
    smooth = cv2.resize(small, (2400, 960), interpolation=cv2.INTER_CUBIC)
    tiles = cv2.resize(rng.integers(0, 255, (60, 150, 3), dtype=np.uint8), (2400, 960), interpolation=cv2.INTER_NEAREST)
    wall = cv2.addWeighted(smooth, 0.8, tiles, 0.2, 0.0)  # edges: a wall without any would be a blurred one
    out = []
    for number in range(int(seconds * rate)):
        x, y = int(20 + 4 * number) % 1900, int(300 + 200 * np.sin(number / 15 + seed))
        out.append(np.ascontiguousarray(wall[y : y + size[0], x : x + size[1]]))
    return out
