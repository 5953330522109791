"""Small videos whose content, times and metadata are known, made with PyAV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import cv2
import numpy as np
from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.video.stream import VideoStream

TIME_BASE = Fraction(1, 12800)


def texture(seed: int, width: int = 320, height: int = 240) -> np.ndarray:
    """An RGB picture of soft blobs, unlike any other seed's."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 255, (max(2, height // 10), max(2, width // 10), 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


def pan(seed: int, count: int, step_px: int, width: int = 320, height: int = 240) -> list[np.ndarray]:
    """A camera that turns steadily: a window sliding over one wide texture."""
    wide = texture(seed, width + step_px * count, height)
    return [wide[:, step_px * k : step_px * k + width] for k in range(count)]


@dataclass(kw_only=True)
class Made:
    """How to write a video; times default to `fps`."""

    fps: int = 30
    times_s: Sequence[float] | None = None
    codec: str = "libx264"
    pix_fmt: str = "yuv420p"
    rotation_ccw_deg: float | None = None
    mirrored: bool = False
    pixel_aspect: Fraction | None = None
    options: dict[str, str] = field(default_factory=lambda: {"preset": "ultrafast", "crf": "12"})
    codec_attributes: dict[str, int] = field(default_factory=dict)
    container_options: dict[str, str] = field(default_factory=dict)


def write_video(path: Path, images_rgb: Iterable[np.ndarray], made: Made | None = None) -> Path:
    """Write RGB pictures as a video."""
    made = made or Made()
    with av.open(str(path), "w", options=made.container_options) as container:
        stream = None
        for number, image_rgb in enumerate(images_rgb):
            if stream is None:
                stream = _stream(container, image_rgb, made)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(image_rgb), format="rgb24")
            frame = frame.reformat(format=made.pix_fmt)
            time_s = number / made.fps if made.times_s is None else made.times_s[number]
            frame.pts, frame.time_base = round(time_s / TIME_BASE), TIME_BASE
            container.mux(stream.encode(frame))
        if stream is not None:
            container.mux(stream.encode(None))
    return path


def _stream(container: OutputContainer, image_rgb: np.ndarray, made: Made) -> VideoStream:
    stream = cast(VideoStream, container.add_stream(made.codec, rate=made.fps, options=made.options))
    stream.height, stream.width = image_rgb.shape[:2]
    stream.pix_fmt = made.pix_fmt
    stream.codec_context.time_base = TIME_BASE
    if made.pixel_aspect is not None:
        stream.codec_context.sample_aspect_ratio = made.pixel_aspect
    for name, value in made.codec_attributes.items():
        setattr(stream.codec_context, name, value)
    if made.rotation_ccw_deg is not None or made.mirrored:
        stream.set_display_rotation(made.rotation_ccw_deg or 0, hflip=made.mirrored)
    return stream


def write_sound(path: Path) -> Path:
    """Half a second of silence without pictures."""
    with av.open(str(path), "w") as container:
        stream = cast(AudioStream, container.add_stream("aac", rate=44100))
        for number in range(20):
            frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), dtype=np.float32), format="fltp", layout="mono")
            frame.sample_rate, frame.pts = 44100, number * 1024
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def corners(width: int = 96, height: int = 64) -> np.ndarray:
    """Red top left, green top right, blue bottom left, white bottom right: tells all eight orientations apart."""
    image = np.full((height, width, 3), 255, dtype=np.uint8)
    image[: height // 2, : width // 2] = (255, 0, 0)
    image[: height // 2, width // 2 :] = (0, 255, 0)
    image[height // 2 :, : width // 2] = (0, 0, 255)
    return image


def quadrant_colours(image_rgb: np.ndarray) -> list[str]:
    """Names of the four corners, top left, top right, bottom left, bottom right."""
    height, width = image_rgb.shape[:2]
    names = {"100": "red", "010": "green", "001": "blue"}
    out = []
    for y in (height // 4, height * 3 // 4):
        for x in (width // 4, width * 3 // 4):
            strong = "".join(str(int(value > 128)) for value in image_rgb[y, x])
            out.append(names.get(strong, "white"))
    return out


def flat(levels: Iterable[int], width: int = 64, height: int = 48) -> Iterator[np.ndarray]:
    """Flat gray pictures of given brightness."""
    for level in levels:
        yield np.full((height, width, 3), level, dtype=np.uint8)
