"""A detector and a depth model that are right up to stated, seeded noise, on a rendered tour with known truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.results import (
    DEPTH_STEP_PX,
    FrameResults,
    PassRecord,
    VisionIndex,
    open_cache,
)
from instructions.perception.interfaces import FoundBox
from instructions.perception.masks import encode_mask
from recon.geometry import Array
from recon.records import Frame, Scale, SceneModel, Tracks
from roomtour.trial.rendered import RenderedTour, View

LEAST_SAMPLES = 12
"""A thing with fewer samples in view is too small in the image for any detector."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How wrong the models are; the defaults are about what is published for them."""

    missed: float = 0.25
    """Share of the visible things that a frame does not detect."""
    mislabelled: float = 0.05
    invented_per_frame: float = 0.5
    box: float = 0.04
    """Standard deviation of box edges, in sizes of the box."""
    depth_per_frame: float = 0.08
    """Relative standard deviation of a frame's whole depth map ..."""
    depth_per_sample: float = 0.03
    """... and of each sample."""

    def times(self, factor: float) -> Noise:
        """All of it scaled."""
        return Noise(**{name: value * factor for name, value in vars(self).items()})


@dataclass(frozen=True)
class Seen:
    """What the noisy models said, and what was really to be seen."""

    results: FrameResults
    shown: Counter[int]
    """Frames that show each thing well enough to be detected."""


def look(
    tour: RenderedTour, views: Sequence[View], folder: Path, noise: Noise, *, seed: int = 0, masks: bool = False
) -> Seen:
    """Write what noisy models say of the views, as the real passes do."""
    rng = np.random.default_rng(seed)
    kinds = ("depth", "boxes", "masks") if masks else ("depth", "boxes")
    index = VisionIndex(tuple(PassRecord(kind, f"noisy-{kind}@1", kind, kind == "depth") for kind in kinds))
    depth_maps, boxes, mask_files = (
        open_cache("depth", folder / "depth"),
        open_cache("boxes", folder / "boxes"),
        open_cache("masks", folder / "masks"),
    )
    categories = sorted({thing.category for thing in tour.things})
    shown: Counter[int] = Counter()
    for view in views:
        depth_maps.write(view.frame, _upsample(_noisy_depth(view, noise, rng), tour.step_px))
        found: list[FoundBox] = []
        runs = []
        for row, thing in enumerate(tour.things):
            samples = view.thing == row
            if samples.sum() < LEAST_SAMPLES:
                continue
            shown[row] += 1
            if rng.random() < noise.missed:
                continue
            label = thing.category if rng.random() >= noise.mislabelled else str(rng.choice(categories))
            found.append(FoundBox(label, float(rng.uniform(0.35, 0.9)), _noisy_box(samples, tour, noise, rng)))
            runs.append(encode_mask(_to_pixels(samples, tour)))
        for _ in range(rng.poisson(noise.invented_per_frame)):
            corner, size = rng.uniform((0, 0), (500, 280)), rng.uniform(30, 120, 2)
            box = (float(corner[0]), float(corner[1]), float(corner[0] + size[0]), float(corner[1] + size[1]))
            found.append(FoundBox(str(rng.choice(categories)), float(rng.uniform(0.3, 0.5)), box))
            inside = np.zeros((tour.camera.height, tour.camera.width), dtype=bool)
            inside[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] = True
            runs.append(encode_mask(inside))
        boxes.write(view.frame, found)
        if masks:
            mask_files.write(view.frame, runs)
    return Seen(FrameResults(folder, index), shown)


def model_of(tour: RenderedTour, views: Sequence[View], *, seed: int = 1, unit_m: float = 1.0) -> SceneModel:
    """The true poses with some true tracks per view, as a model with a scale; `unit_m` metres are its unit."""
    rng = np.random.default_rng(seed)
    points: list[Array] = []
    frames: list[NDArray[np.int64]] = []
    pixels: list[Array] = []
    for view in views:
        rows, columns = (rng.integers(0, size, 60) for size in view.depth.shape)
        xy = np.column_stack([columns, rows]).astype(np.float64) * tour.step_px + 0.5
        points.append(view.world_from_cam @ (tour.camera.rays(xy) * view.depth[rows, columns, None].astype(np.float64)))
        frames.append(np.full(60, view.frame))
        pixels.append(xy)
    xyz = np.concatenate(points) / unit_m
    poses = {
        view.frame: type(view.world_from_cam)(view.world_from_cam.rotation, view.world_from_cam.translation / unit_m)
        for view in views
    }
    tracks = Tracks(
        xyz=xyz,
        rgb=np.full((len(xyz), 3), 128, np.uint8),
        error_px=np.full(len(xyz), 0.3),
        obs_point=np.arange(len(xyz)),
        obs_frame=np.concatenate(frames),
        obs_xy=np.concatenate(pixels),
    )
    scale = Scale("metric", 1.0, 0.02, "truth") if unit_m == 1.0 else Scale("relative", 1.0, 1.0, "none")
    return SceneModel("0", tour.camera, poses, tracks, scale, 0.0, "truth", 0.3)


def frames_of(tour: RenderedTour, views: Sequence[View]) -> dict[int, Frame]:
    """Frames of the views, by index."""
    size = (tour.camera.width, tour.camera.height)
    return {view.frame: Frame(view.frame, view.time_s, f"{view.frame:06d}.jpg", *size, 1.0, 0) for view in views}


def _noisy_depth(view: View, noise: Noise, rng: np.random.Generator) -> NDArray[np.float32]:
    whole = np.exp(rng.normal(0.0, noise.depth_per_frame))
    return (view.depth * whole * np.exp(rng.normal(0.0, noise.depth_per_sample, view.depth.shape))).astype(np.float32)


def _noisy_box(
    samples: NDArray[np.bool_], tour: RenderedTour, noise: Noise, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    rows, columns = np.nonzero(samples)
    edges = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1], dtype=np.float64) * tour.step_px
    size = np.tile(edges[2:] - edges[:2], 2)
    edges += rng.normal(0.0, noise.box, 4) * size
    edges = np.clip(edges, 0.0, np.tile([tour.camera.width, tour.camera.height], 2))
    return (float(edges[0]), float(edges[1]), float(edges[2]), float(edges[3]))


def _to_pixels(samples: NDArray[np.bool_], tour: RenderedTour) -> NDArray[np.bool_]:
    full = np.kron(samples, np.ones((tour.step_px, tour.step_px), dtype=bool))
    return full[: tour.camera.height, : tour.camera.width]


def _upsample(depth: NDArray[np.float32], step_px: int) -> NDArray[np.float32]:
    """To the step that results are kept at."""
    times = step_px // DEPTH_STEP_PX
    return np.kron(depth, np.ones((times, times), dtype=np.float32))
