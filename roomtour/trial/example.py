"""Views of the bundled example with what is seen in them: pictures, things with boxes, depth, rooms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.tags import category_of
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.light.labels import list_heads, words
from instructions.records import Box
from recon.video.decode import VideoSource
from roomtour.errors import RoomtourError
from roomtour.trial.rendered import EXAMPLE, RenderedTour

STEP_PX = 8
"""Between the rays that see the truth."""
_VIEWS = 16
"""Evenly over the tour: every room is seen, and a minute on a CPU suffices for the light models."""
_LEAST_RAYS = 20
"""A thing that fewer rays meet is too small or too much hidden to ask for."""


@dataclass(frozen=True, eq=False)
class TrueThing:
    """One thing in one view."""

    word: str
    box_xyxy: Box
    rays: NDArray[np.bool_]  # (h, w) at every `STEP_PX`-th pixel
    depth_m: float
    """Median along the optical axis."""


@dataclass(frozen=True, eq=False)
class TrueView:
    """One frame of the example."""

    image: RgbImage
    room: str
    things: tuple[TrueThing, ...]


def read_views(folder: Path = EXAMPLE, times_s: Sequence[float] | None = None) -> list[TrueView]:
    """Views of the example.

    Args:
        folder: That holds the video and its truth.
        times_s: When; evenly over the tour if not given.

    Raises:
        RoomtourError: If the example is not there.
    """
    if not (folder / "apartment.mp4").is_file() or not (folder / "apartment_truth").is_dir():
        raise RoomtourError(
            f"models check --try: {folder / 'apartment.mp4'} is not there. The example comes with the repository, not "
            "with the package: clone it and install it from there with pip install -e ."
        )
    tour = RenderedTour(folder / "apartment_truth", STEP_PX)
    if times_s is None:
        last_s = float(tour.poses[-1, 0])
        times_s = [last_s * (number + 0.5) / _VIEWS for number in range(_VIEWS)]
    views = tour.views(times_s)
    wanted = [view.time_s for view in views]
    images: list[RgbImage] = []
    with VideoSource(folder / "apartment.mp4", short_side=tour.camera.height) as video:
        for picture in video.pictures():
            if len(images) < len(wanted) and picture.time_s >= wanted[len(images)] - 1e-3:
                images.append(np.asarray(picture.image_rgb(), dtype=np.uint8))
    out = []
    for view, image in zip(views, images, strict=True):
        things = []
        for row, thing in enumerate(tour.things):
            rays = view.thing == row
            word = category_of(thing.category)
            if rays.sum() >= _LEAST_RAYS and list_heads(word) & words().keys():
                ys, xs = np.nonzero(rays)
                box = (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
                box_xyxy = tuple(float(side * STEP_PX) for side in box)
                depth = float(np.median(view.depth[rays]))
                things.append(TrueThing(word, (box_xyxy[0], box_xyxy[1], box_xyxy[2], box_xyxy[3]), rays, depth))
        out.append(TrueView(image, view.room, tuple(things)))
    return out
