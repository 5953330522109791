"""XFeat: learned keypoints (Potje et al., CVPR 2024), found on a CPU by a network of 2.7 MB.

SIFT needs corners with contrast, and bare, dark and blurred rooms have few; XFeat gives 2 to 10 times the verified
matches there. On textured tours SIFT is as good, more exact, and cheaper.

The network takes a square of 640 pixels. The picture is stretched to it: that keeps all its pixels, and gave 20 to 95 %
more verified matches than borders around it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError, first_line
from recon.matching.interfaces import (
    CANDIDATES,
    ENOUGH,
    PLENTY,
    UNIT,
    CompactKeypoints,
    DescriptorSpace,
    Indices,
    Keypoints,
    PairMatch,
    spread_over_picture,
)
from recon.matching.sift import find_nearest, verify
from recon.tasks import THREADS_PER_TASK
from recon.video.picture import Image

SIDE = 640  # of the square that the network takes, in pixels
_CELL = 8  # pixels of the square per cell of the network's maps: its own stride
_INSTALL = 'pip install "roomtour[light]"'


_MIN_HEAT = 0.05  # probability that a pixel is a keypoint, of its cell of 8x8 pixels; its authors use 0.05
_MIN_SIMILARITY = 0.82
"""Cosine of two descriptors; its authors use 0.82. Ratios to the second best mean little for these descriptors."""
_MAX_ERROR_PX, _MIN_INLIERS = 1.5, 20  # of `verify`: without a ratio test more matches than SIFT's agree by chance


@dataclass(frozen=True)
class XFeat:
    """See `Features`. The network is loaded once per process, by the first picture."""

    weights: Path  # `xfeat.onnx` of its authors
    name: Literal["xfeat"] = "xfeat"
    is_gray: bool = False
    gaps: tuple[int, ...] = (1, 2, 3, 4, 6, 8, 12, 16)  # wider than of SIFT: they are found again from further away
    max_keypoints: int = 3000  # kept per frame, the surest first
    enough: int = ENOUGH
    plenty: int = PLENTY

    def detect(self, picture: Image, mask: Image | None) -> Keypoints:
        """Keypoints of an RGB picture (H, W, 3); none where the mask is 0.

        The first `enough` of them cover the picture by themselves.
        """
        height, width = picture.shape[:2]
        square = cv2.resize(picture, (SIDE, SIDE), interpolation=cv2.INTER_AREA)
        outputs = _session(self.weights).run(
            None, {"input": square.transpose(2, 0, 1)[None].astype(np.float32) / np.float32(255.0)}
        )
        features, logits, reliability = (np.asarray(output)[0] for output in outputs)
        heat = heat_map(logits)
        highest = cv2.dilate(heat, np.ones((5, 5), np.uint8))  # maxima within two pixels
        rows, columns = np.nonzero((heat == highest) & (heat > _MIN_HEAT))
        peaks = np.column_stack([columns, rows])
        if mask is not None:
            fine = cv2.resize(mask, (SIDE, SIDE), interpolation=cv2.INTER_NEAREST)
            peaks = peaks[fine[peaks[:, 1], peaks[:, 0]] > 0]
        sure = heat[peaks[:, 1], peaks[:, 0]] * _sample(reliability, peaks)[:, 0]
        peaks = peaks[np.argsort(-sure, kind="stable")[: self.max_keypoints]]
        first = spread_over_picture(peaks[: round(CANDIDATES * self.enough)], (SIDE, SIDE), self.enough)
        peaks = peaks[np.concatenate([first, np.setdiff1d(np.arange(len(peaks)), first)])]
        vectors = _sample(features, peaks)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        xy = (refine_peaks(heat, peaks) + 0.5) * np.array([width / SIDE, height / SIDE])
        return Keypoints(xy.astype(np.float32), pack_signed(vectors))

    def space(self, sample: NDArray[np.uint8]) -> DescriptorSpace:
        """The principal axes of a sample (S, 128)."""
        return DescriptorSpace(unpack_signed(sample), unpack_signed)

    def match(self, first: CompactKeypoints, second: CompactKeypoints) -> PairMatch:
        """Mutual nearest neighbours that look alike, verified."""
        matches = match_alike(first.vectors, second.vectors)
        return verify(first.xy, second.xy, matches, _MAX_ERROR_PX, _MIN_INLIERS)


@lru_cache(maxsize=1)
def _session(weights: Path) -> Any:
    """The network, ready to run.

    Raises:
        ReconError: If its runtime is not installed, or the file is no such network.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise ReconError(f"learned keypoints need onnxruntime: {_INSTALL}") from error
    setup = onnxruntime.SessionOptions()
    setup.intra_op_num_threads = setup.inter_op_num_threads = THREADS_PER_TASK
    setup.log_severity_level = 3  # errors only; they come as exceptions too
    try:
        return onnxruntime.InferenceSession(str(weights), setup, providers=["CPUExecutionProvider"])
    except Exception as error:  # the package has no base class of its own for these
        raise ReconError(f"{weights}: no network that onnxruntime can load: {first_line(error)}") from error


def heat_map(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """How likely each pixel is a keypoint, (640, 640).

    Args:
        logits: (65, 80, 80): the 64 pixels of each cell, row by row, and none of them.
    """
    odds = np.exp(logits - logits.max(axis=0, keepdims=True))
    share = (odds / odds.sum(axis=0, keepdims=True))[: _CELL * _CELL]
    cells = share.shape[1]
    return share.reshape(_CELL, _CELL, cells, cells).transpose(2, 0, 3, 1).reshape(cells * _CELL, cells * _CELL)


def refine_peaks(heat: NDArray[np.float32], peaks: NDArray[np.int64]) -> NDArray[np.float64]:
    """Peaks (K, 2) to a fraction of a pixel: the centre of the heat in the 3x3 pixels around each."""
    padded = np.pad(heat.astype(np.float64), 1)
    x, y = peaks[:, 0], peaks[:, 1]
    around = np.stack([padded[y + 1 + dy, x + 1 + dx] for dy, dx in _AROUND], axis=1)
    total = np.maximum(around.sum(axis=1, keepdims=True), 1e-12)
    offsets = (around @ np.array([(dx, dy) for dy, dx in _AROUND], np.float64)) / total
    return peaks + offsets


_AROUND = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]


def _sample(maps: NDArray[np.float32], peaks: NDArray[np.int64]) -> NDArray[np.float32]:
    """(K, C) values of (C, 80, 80) maps at peaks of the square, bilinear, cell centres at their middle."""
    if not len(peaks):  # of which OpenCV makes an error
        return np.zeros((0, len(maps)), np.float32)
    at = ((peaks + 0.5) / _CELL - 0.5).astype(np.float32)
    values = cv2.remap(
        np.ascontiguousarray(maps.transpose(1, 2, 0)),
        np.ascontiguousarray(at[:, :1]),
        np.ascontiguousarray(at[:, 1:]),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    return np.asarray(values, np.float32).reshape(len(peaks), -1)


def pack_signed(vectors: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Unit vectors (K, 64) as (K, 128) bytes, positive parts before negative ones: the form of SIFT's descriptors.

    So a file holds every kind of keypoint alike, and lengths and small distances mean the same for each.
    """
    parts = np.concatenate([np.maximum(vectors, 0.0), np.maximum(-vectors, 0.0)], axis=1)
    return np.minimum(np.round(UNIT * parts), 255.0).astype(np.uint8)


def unpack_signed(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The vectors (K, 64) of `pack_signed`, 512 per unit."""
    wide = descriptors.astype(np.float32)
    half = wide.shape[1] // 2
    return wide[:, :half] - wide[:, half:]


def match_alike(first: NDArray[np.float32], second: NDArray[np.float32]) -> Indices:
    """Mutual nearest neighbours of unit vectors (K1, D) and (K2, D) that are similar enough; (M, 2) indices."""
    if not len(first) or not len(second):
        return np.zeros((0, 2), np.uint32)
    found = find_nearest(first, second, with_runner_up=False)
    rows = np.flatnonzero(found.is_mutual & (found.similarity > _MIN_SIMILARITY))
    return np.column_stack([rows, found.rows[rows]]).astype(np.uint32)
