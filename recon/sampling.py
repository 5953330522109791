"""Which pictures of a tour are kept: a few per second, by presentation time, the sharper ones, in one pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import cv2
import numpy as np

from recon.decode import VideoSource
from recon.errors import ReconError
from recon.findings import Finding
from recon.image_folder import FolderSource
from recon.picture import Image, Picture
from recon.records import Frame, SourceInfo
from recon.shots import CutFinder, ShotOptions, shot_of
from recon.tour_checks import MIN_FRAMES, TourChecks

_LOOKED_AT_FPS = 30.0
"""Frames looked at per second, for cuts and for the sharpest one: a 120 fps recording has no more to say."""


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Which pictures are kept and how large."""

    fps: float = 3.0
    """Frames kept per second of video (1/s): a walker moves about 40 cm between two. Raise it for fast walks."""
    short_side: int = 360
    """Shorter side of a kept frame (px): enough for thousands of features; smaller videos are not enlarged."""
    sharpest_within: float = 0.25
    """The sharpest frame within this share of the sampling interval around each tick is kept; 0 keeps the nearest."""
    jpeg_quality: int = 92
    """Quality of the written frames (1..100): artefacts stay below what features notice."""

    def __post_init__(self) -> None:
        if not self.fps > 0:
            raise ReconError(f"--sample.fps is {self.fps:g}, need more than 0 frames per second. Try 3.")
        if self.short_side < 32:
            raise ReconError(f"--sample.short-side is {self.short_side}, need at least 32 px. Try 360.")
        if not 0 <= self.sharpest_within <= 0.5:
            raise ReconError(f"--sample.sharpest-within is {self.sharpest_within:g}, need 0 to 0.5. Try 0.25.")
        if not 1 <= self.jpeg_quality <= 100:
            raise ReconError(f"--sample.jpeg-quality is {self.jpeg_quality}, need 1 to 100. Try 92.")


@dataclass(frozen=True)
class SampledTour:
    """A tour as frames: what it was read from, what was kept, where it was cut, and what a user should know."""

    source: SourceInfo
    frames: tuple[Frame, ...]
    cuts_s: tuple[float, ...]
    """Time of the first picture of every shot but the first."""
    findings: tuple[Finding, ...]


def sample_tour(
    source: Path,
    frames_dir: Path,
    options: SampleOptions = SampleOptions(),
    shots: ShotOptions = ShotOptions(),
    image_fps: float | None = None,
    progress: Callable[[float], None] | None = None,
) -> SampledTour:
    """Decode a tour once and keep a few frames per second.

    Times are the presentation times of the file: a video whose first frame is shown at 5 s has its first frame at 5 s.
    Ticks lie at `t0 + k / fps`, t0 being the first frame. Every frame belongs to its nearest tick, and each tick keeps
    one of its frames: the sharpest of those within `sharpest_within` of the interval, else the nearest. So a source
    slower than `fps` keeps every frame once. A folder of images is sampled by the same rule.

    Args:
        source: A video file, or a folder of images in natural order.
        frames_dir: Empty folder (made if absent) for `000001.jpg`, `000002.jpg`, ...
        options: Rate and size.
        shots: How cuts are found.
        image_fps: Rate at which a folder of images was taken; needed for folders, ignored for videos.
        progress: Told the fraction done, 0 to 1.

    Returns:
        Frames numbered from 1 without gaps, with their shots, and findings about the source.

    Raises:
        ReconError: If the source cannot be read, is too short, dark or blank.
    """
    looked_at = TickPicker[None](max(_LOOKED_AT_FPS, 4 * options.fps), 0.0)
    picker = TickPicker[Picture](options.fps, options.sharpest_within)
    cutter, checks = CutFinder(shots), TourChecks()
    writer = _FrameWriter(frames_dir, options.jpeg_quality)

    def keep(choice: Choice[Picture] | None) -> None:
        if choice is not None:
            image_rgb = choice.item.image_rgb()
            writer.write(choice.time_s, choice.sharpness, image_rgb)
            checks.look(choice.time_s, image_rgb)
            if progress is not None:
                progress(tour.fraction_done())

    is_folder = source.is_dir()
    with FolderSource(source, options.short_side, image_fps) if is_folder else VideoSource(
        source, options.short_side
    ) as tour:
        for picture in tour.pictures():
            if not looked_at.is_new_tick(picture.time_s):
                continue
            cutter.offer(picture.time_s, picture.thumb_bgr())
            keep(picker.offer(picture.time_s, picture.sharpness, picture))
        keep(picker.finish())
        info = tour.info()
        findings = tour.findings()
    if progress is not None:
        progress(1.0)

    frames = tuple(writer.frames(cutter.cuts_s()))
    if len(frames) < MIN_FRAMES:
        raise ReconError(
            f"{source}: too short: {len(frames)} frames from {info.duration_s:.2f} s at {options.fps:g} frames per "
            f"second, need at least {MIN_FRAMES}. Give a longer tour, or try a higher --sample.fps."
        )
    findings += cutter.findings() + checks.findings(str(source), cutter.cuts_s(), options.fps, info)
    return SampledTour(info, frames, cutter.cuts_s(), tuple(findings))
