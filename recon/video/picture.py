"""One picture of a tour before it is kept: lazily scaled, upright, in display colours.

Decoding hands out far more pictures than are kept, so each consumer asks only for what it needs: a thumbnail to find
cuts, a sharpness to choose by, and the full RGB image of the few that are written.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.pictures import MOST_PIXELS

Image = NDArray[np.uint8]

THUMB_SHORT_SIDE_PX = 90  # enough to tell a cut from a turn; a quarter of the cost of the usual 180
LEAST_SIDE_PX = 32  # of a source's shorter side: less holds no features to match
MOST_ASPECT = 16.0
"""Longer by shorter side of a source. Cinemas show 2.8, panoramas 4; the small copies of a picture whose longer side is
fixed would lose their last line at 64."""


class Picture(Protocol):
    """What decoding hands out, from a video or from a folder."""

    @property
    def time_s(self) -> float:
        """Presentation time in seconds."""
        ...

    @property
    def name(self) -> str:
        """Of its file; empty for a picture of a video."""
        ...

    def thumb_bgr(self) -> Image:
        """A small (h, w, 3) BGR copy, not necessarily upright."""
        ...

    def sharpness(self) -> float:
        """Variance of the Laplacian of the grey picture at its final size."""
        ...

    def image_rgb(self) -> Image:
        """The upright (h, w, 3) picture at its final size."""
        ...


def require_usable_size(source: Path, width: int, height: int) -> None:
    """Refuse pictures that nothing can be made of.

    Raises:
        ReconError: Saying which side is out of range, and by how much.
    """
    short, long = sorted((width, height))
    if short < LEAST_SIDE_PX:
        wrong = f"the shorter side has {short} px, need at least {LEAST_SIDE_PX}"
    elif long > MOST_ASPECT * short:
        wrong = f"the longer side is {long / short:.0f} times the shorter one, need at most {MOST_ASPECT:g}"
    elif width * height > MOST_PIXELS:
        wrong = f"that is {width * height / 1e6:.0f} million pixels, need at most {MOST_PIXELS / 1e6:.0f}"
    else:
        return
    raise ReconError(f"{source}: its pictures are {width} x {height} px: {wrong}. Crop or scale it first.")


def fit_size(width: int, height: int, short_side: int) -> tuple[int, int]:
    """Even (width, height) with the shorter side at `short_side`, never larger than the source."""
    scale = min(1.0, short_side / min(width, height))
    return _even(width * scale, width), _even(height * scale, height)


def stretch_size(width: int, height: int, stretch: float) -> tuple[int, int]:
    """The size of pictures that are made `stretch` times as wide, so that their pixels are square."""
    return max(1, round(width * stretch)), height


def _even(length: float, limit: int) -> int:
    even = 2 * int(length / 2 + 0.5)
    return max(2, even if even <= limit else even - 2)


def laplacian_variance(grey: Image) -> float:
    """Variance of the Laplacian: high for sharp pictures, low for blurred ones (Pech-Pacheco et al., 2000)."""
    _, deviation = cv2.meanStdDev(cv2.Laplacian(grey, cv2.CV_16S))
    return float(deviation[0, 0]) ** 2


@dataclass(frozen=True)
class Orientation:
    """One of the eight ways a picture can be stored: transposed first, then mirrored."""

    transpose: bool = False
    mirror_x: bool = False
    mirror_y: bool = False

    @classmethod
    def from_display_matrix(cls, matrix: bytes | memoryview) -> Orientation:
        """Read FFmpeg's 3x3 fixed-point matrix (9 native int32, row vectors: x' = a x + c y, y' = b x + d y).

        Angles that are no multiple of 90 degrees go to the nearest one.
        """
        a, b, _, c, d = np.frombuffer(matrix, dtype=np.int32)[:5].tolist()
        if abs(b) + abs(c) > abs(a) + abs(d):
            return cls(transpose=True, mirror_x=c < 0, mirror_y=b < 0)
        return cls(transpose=False, mirror_x=a < 0, mirror_y=d < 0)

    @property
    def clockwise_deg(self) -> int:
        """Clockwise turn that stands the picture upright (0, 90, 180 or 270), mirroring aside."""
        if self.transpose:
            return 90 if self.mirror_x else 270
        return 180 if self.mirror_y else 0

    def turned(self, clockwise_deg: int) -> Orientation:
        """The same, turned further clockwise by a multiple of 90 degrees."""
        out = self
        for _ in range(clockwise_deg // 90 % 4):
            out = Orientation(not out.transpose, not out.mirror_y, out.mirror_x)
        return out

    def upright_size(self, width: int, height: int) -> tuple[int, int]:
        """Size after standing upright; its own inverse."""
        return (height, width) if self.transpose else (width, height)

    def upright(self, image: Image) -> Image:
        """The picture as it is to be shown."""
        if self.transpose:
            image = np.swapaxes(image, 0, 1)
        if self.mirror_x:
            image = image[:, ::-1]
        if self.mirror_y:
            image = image[::-1]
        return np.ascontiguousarray(image)
