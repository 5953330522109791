"""What is laid over the picture rather than part of the place: letterbox and pillarbox bars, watermarks, a clock.

Such things stand still while everything else moves, so features on them vote for a camera that stands still. Frames of
a tour are compared at the same pixel: bars keep one colour over their rows or columns, a watermark keeps its edges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.findings import Finding
from recon.geometry import Array
from recon.numerals import list_some
from recon.pictures import read_picture_file
from recon.records import Frame
from recon.video.picture import Image

_FRAMES = 60  # frames compared; more add nothing new
_LEAST_FRAMES = 10  # fewer different frames cannot tell what stands still from what was seen twice
_MOVED_LEVELS = 6.0  # Mean change of gray between two frames that count as different; hand shake and noise stay below
_BAR_RANGE = 14.0  # gray levels a bar may vary in over time and over its length: compression, no content
_BAR_SHARE = 0.9  # share of a row's pixels that must be bar; the rest may carry a clock or a title
_MOST_BAR = 0.42  # of one side's length per bar; what leaves less than a sixth of the picture is no tour
_LEAST_BAR_PX = 3  # lines or columns: encoders leave one or two dark ones at a border
_EDGE_LEVELS = 6.0  # gray levels per pixel from which a gradient is an edge: above noise and compression
_EDGE_SHARE = 0.5
"""Share of the frames in which a watermark's pixel is an edge of one direction; white letters vanish on white walls. In
clean tours no pixel reaches 0.4, of letters at 30 % opacity hundreds reach 0.6."""
_EDGE_FRAMES = 14  # the same in frames, for short tours, in which more happens by chance
_EDGE_PURITY = 0.7  # Length of the sum of a pixel's edges over the sum of their lengths; 1 if all have one direction
_LEAST_EDGE_PX = 20  # still edge pixels of a mark; fewer are a speck on the lens or noise. Set by hand.
_JOIN_PX = 11  # letters of one mark are at most this far apart
_MARGIN_PX = 5  # descriptors reach further than their keypoint
_MOST_MARKED = 0.25
"""A larger share of the picture is no overlay: the camera stood still, or something is mounted before it."""


@dataclass(frozen=True, eq=False)
class Overlays:
    """What no keypoint may come from."""

    mask: Image  # (H, W), 255 where the picture shows the place, 0 where something is laid over it (COLMAP's rule)
    findings: tuple[Finding, ...]


def no_overlays(frames: Sequence[Frame]) -> Overlays:
    """A mask of the frames' size that masks nothing."""
    return Overlays(np.full((frames[0].height, frames[0].width), 255, np.uint8), ())


def find_overlays(frames_dir: Path, frames: Sequence[Frame]) -> Overlays:
    """Find bars and watermarks in the sampled frames.

    Returns:
        A mask of the frames' size, white where nothing was found or the frames differ too little to tell.
    """
    grays = _different(frames_dir, frames)
    nothing = no_overlays(frames)
    if len(grays) < _LEAST_FRAMES:
        return nothing
    stack, mask = np.stack(grays), nothing.mask
    shape = (frames[0].height, frames[0].width)
    low, middle, high = np.percentile(stack, (5, 50, 95), axis=0).astype(np.float32)
    still = high - low <= _BAR_RANGE
    top, bottom, left, right = *_edge_runs(still, middle), *_edge_runs(still.T, middle.T)
    findings = _bar_findings(top, bottom, left, right, shape)
    top, bottom, left, right = (size and size + _MARGIN_PX for size in (top, bottom, left, right))
    mask[:top] = mask[shape[0] - bottom :] = 0
    mask[:, :left] = mask[:, shape[1] - right :] = 0
    marks, boxes = _marks(stack, mask)
    if boxes and np.mean(marks) <= _MOST_MARKED:
        mask[marks] = 0
        places = list_some([f"{x}-{x + w} x {y}-{y + h}" for x, y, w, h in boxes], 4)
        message = f"a static overlay (watermark, title, clock) covers pixels {places}"
        findings.append(Finding("info", "mask.watermark", "tour", f"{message}; no features are taken there"))
    elif boxes:
        message = (
            f"{np.mean(marks):.0%} of the picture has edges that never move: the camera stood still for most of the "
            "tour, or something is mounted before it; nothing is masked there"
        )
        findings.append(Finding("warning", "mask.still_edges", "tour", message))
    return Overlays(mask, tuple(findings))


def _different(frames_dir: Path, frames: Sequence[Frame]) -> list[Image]:
    """Gray frames spread over the tour, each unlike the one before, so that a stop counts once."""
    kept: list[Image] = []
    for frame in frames[:: max(1, len(frames) // _FRAMES)]:
        gray = read_picture_file(frames_dir / frame.image, cv2.IMREAD_GRAYSCALE)
        if gray is None or gray.shape != (frame.height, frame.width):
            continue  # the features stage names it
        if not kept or float(cv2.absdiff(gray, kept[-1]).mean()) > _MOVED_LEVELS:
            kept.append(gray)  # pyright: ignore[reportArgumentType]
    return kept


def _edge_runs(still: NDArray[np.bool_], middle: NDArray[np.float32]) -> tuple[int, int]:
    """Rows from the first and from the last on that keep one colour."""
    colour = np.median(middle, axis=1, keepdims=True)
    share = (still & (np.abs(middle - colour) <= _BAR_RANGE)).mean(axis=1)
    runs = []
    for rows, colours in ((share, colour[:, 0]), (share[::-1], colour[::-1, 0])):
        is_bar = (rows >= _BAR_SHARE) & (np.abs(colours - colours[0]) <= _BAR_RANGE)
        run = len(is_bar) if is_bar.all() else int(np.argmin(is_bar))
        runs.append(run if _LEAST_BAR_PX <= run <= _MOST_BAR * len(share) else 0)
    return runs[0], runs[1]


def _bar_findings(top: int, bottom: int, left: int, right: int, shape: tuple[int, int]) -> list[Finding]:
    sides = {"top": top, "bottom": bottom, "left": left, "right": right}
    found = [f"{name} {size} px" for name, size in sides.items() if size]
    if not found:
        return []
    height, width = shape
    share = 1 - (height - top - bottom) * (width - left - right) / (height * width)
    message = (
        f"bars of one colour frame the picture ({', '.join(found)}; {share:.0%} of it); no features are taken there"
    )
    return [Finding("info", "mask.bars", "tour", message)]


def _marks(stack: NDArray[np.uint8], mask: Image) -> tuple[NDArray[np.bool_], list[tuple[int, int, int, int]]]:
    """Pixels of things with edges that stay, as filled boxes (x, y, w, h), outside of what is masked already."""
    edges = _still_edges(stack) & (mask > 0)
    joined = cv2.dilate(edges.astype(np.uint8), np.ones((_JOIN_PX, _JOIN_PX), np.uint8))
    count, labels = cv2.connectedComponents(joined)
    marks = np.zeros(edges.shape, bool)
    boxes = []
    for label in range(1, count):
        ys, xs = np.nonzero((labels == label) & edges)
        if len(ys) < _LEAST_EDGE_PX:
            continue
        y0, y1 = max(0, ys.min() - _MARGIN_PX), min(edges.shape[0], ys.max() + _MARGIN_PX + 1)
        x0, x1 = max(0, xs.min() - _MARGIN_PX), min(edges.shape[1], xs.max() + _MARGIN_PX + 1)
        marks[y0:y1, x0:x1] = True
        boxes.append((int(x0), int(y0), int(x1 - x0), int(y1 - y0)))
    return marks, boxes


def _still_edges(stack: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Pixels that are an edge of one direction in most frames, (H, W).

    A moving picture brings edges of all directions past a pixel; those of an overlay stay, half transparent ones too.
    """
    out = np.zeros(stack.shape[1:], bool)
    for first in range(0, stack.shape[1], _BAND_ROWS):
        last = min(first + _BAND_ROWS, stack.shape[1])
        rows = slice(max(0, first - 1), min(stack.shape[1], last + 1))
        dx, dy = (np.stack([_gradient(image[rows], axis) for image in stack]) for axis in (0, 1))
        strength = np.hypot(dx, dy)
        is_edge = strength >= _EDGE_LEVELS
        sum_x, sum_y = (dx * is_edge).sum(axis=0), (dy * is_edge).sum(axis=0)
        length = np.maximum(np.hypot(sum_x, sum_y), 1e-6)
        agreeing = is_edge & (dx * sum_x + dy * sum_y >= 0.8 * strength * length)
        purity = length / np.maximum((strength * is_edge).sum(axis=0), 1e-6)
        need = max(_EDGE_SHARE * len(stack), _EDGE_FRAMES)
        still = (agreeing.sum(axis=0) >= need) & (purity >= _EDGE_PURITY)
        out[first:last] = still[first - rows.start : last - rows.start]
    return out


_BAND_ROWS = 64  # bounds the memory: 60 frames of 640 px take 20 MB per band


def _gradient(image: Image, axis: int) -> Array:
    """Gray levels per pixel along x (0) or y (1)."""
    return cv2.Sobel(image, cv2.CV_32F, 1 - axis, axis, ksize=3, scale=1 / 8)  # pyright: ignore[reportReturnType]
