"""Frames as small pictures inside the page: each is embedded once and may be shown many times."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from recon.pictures import read_picture_file
from recon.records import Frame
from roomtour.drawing.svg import Child, element, join
from roomtour.errors import RoomtourError

LONGER_SIDE_PX = 192
JPEG_QUALITY = 72

Item = TypeVar("Item")


class Thumbnails:
    """The pictures of one page. `show` may be called for any frame; frames without a picture get a plain box."""

    def __init__(self, frames: Mapping[int, Frame], frames_dir: Path) -> None:
        """Keep where pictures come from."""
        self._frames = frames
        self._dir = frames_dir
        self._jpeg_by_frame: dict[int, bytes | None] = {}

    def embed(self, frames: Iterable[int]) -> None:
        """Read and shrink these frames, so that `show` has a picture for them."""
        for frame in frames:
            if frame not in self._jpeg_by_frame and frame in self._frames:
                self._jpeg_by_frame[frame] = small_jpeg(self._dir, self._frames[frame].image)

    def has(self, frame: int) -> bool:
        """Whether the page holds a picture of the frame."""
        return self._jpeg_by_frame.get(frame) is not None

    def definitions(self) -> Markup:
        """The pictures themselves, hidden; belongs into the page once."""
        images = []
        for index, jpeg in self._jpeg_by_frame.items():
            if jpeg is None:
                continue
            frame = self._frames[index]
            href = data_address(jpeg)
            size = {"width": frame.width, "height": frame.height, "preserveAspectRatio": "none"}
            images.append(element("image", id=f"frame-{index}", href=href, **size))
        return element("svg", element("defs", images), class_="definitions", width=0, height=0, aria_hidden="true")

    def show(self, frame: int, label: str, *overlay: Child) -> Markup:
        """One picture.

        Args:
            frame: Frame index.
            label: What a reader who cannot see it is told.
            overlay: SVG in pixels of the frame, drawn on top.
        """
        known = self._frames.get(frame)
        width, height = (known.width, known.height) if known else (4, 3)
        if self.has(frame):
            content = join([element("use", href=f"#frame-{frame}"), *overlay])
        else:
            content = join([element("rect", width=width, height=height, class_="no-picture"), *overlay])
            label += " (image not readable)"
        return element(
            "svg", element("title", label), content,
            class_="thumbnail", viewBox=f"0 0 {width} {height}", role="img", aria_label=label,
        )  # fmt: skip


def spread(items: Sequence[Item], limit: int) -> list[Item]:
    """At most `limit` items, evenly over the sequence, first and last included."""
    if len(items) <= limit:
        return list(items)
    return [items[row] for row in np.linspace(0, len(items) - 1, limit).round().astype(int)]


def data_address(picture: bytes, kind: str = "jpeg") -> str:
    """The picture itself as an address, so that a page holds it."""
    return f"data:image/{kind};base64,{base64.b64encode(picture).decode('ascii')}"


def shrink(image_bgr: NDArray[np.uint8], longer_side_px: int) -> NDArray[np.uint8]:
    """A picture (h, w, 3) in at most so many pixels; a smaller one stays."""
    height, width = image_bgr.shape[:2]
    factor = min(1.0, longer_side_px / max(height, width))
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    return np.asarray(cv2.resize(image_bgr, size, interpolation=cv2.INTER_AREA), np.uint8)


def require_picture(path: Path) -> NDArray[np.uint8]:
    """A picture, (h, w, 3) BGR.

    Raises:
        RoomtourError: If it cannot be read.
    """
    image_bgr = read_picture_file(path)
    if image_bgr is None:
        raise RoomtourError(f"{path}: cannot be read as an image")
    return image_bgr.astype(np.uint8, copy=False)


def read_small(folder: Path, name: str, longer_side_px: int) -> NDArray[np.uint8] | None:
    """A picture of `folder`, (h, w, 3) BGR, shrunk to fit. None if it cannot be read or lies elsewhere."""
    if Path(name).name != name:  # a frame is a plain file of its folder, so nothing else gets onto the page
        return None
    image_bgr = read_picture_file(folder / name)
    return None if image_bgr is None else shrink(image_bgr.astype(np.uint8, copy=False), longer_side_px)


def to_jpeg(image_bgr: NDArray[np.uint8], quality: int = JPEG_QUALITY) -> bytes:
    """The picture as a JPEG file."""
    return cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def small_jpeg(folder: Path, name: str, longer_side_px: int = LONGER_SIDE_PX) -> bytes | None:
    """A picture of `folder` shrunk to fit, as a JPEG file; None as `read_small` has it."""
    small_bgr = read_small(folder, name, longer_side_px)
    return None if small_bgr is None else to_jpeg(small_bgr)
