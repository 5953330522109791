"""One picture of a tour before it is kept: lazily scaled, upright, in display colours.

Decoding hands out far more pictures than are kept, so each consumer asks only for what it needs: a thumbnail to find
cuts, a sharpness to choose by, and the full RGB image of the few that are written.

High dynamic range (PQ and HLG, BT.2100) goes to the 8-bit sRGB that the rest of roomtour works on by a fixed curve, so
that neighbouring frames keep the same colours: what is at or below HDR reference white (203 cd/m2, BT.2408) keeps its
place up to a knee, highlights above the knee roll off smoothly towards white.

Whether the kept ones have light and something in it is asked here too; what else a tour lacks, matches and models tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.errors import ReconError
from recon.findings import Finding
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
        """Variance of the Laplacian of the gray picture at its final size."""
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


def laplacian_variance(gray: Image) -> float:
    """Variance of the Laplacian: high for sharp pictures, low for blurred ones (Pech-Pacheco et al., 2000)."""
    _, deviation = cv2.meanStdDev(cv2.Laplacian(gray, cv2.CV_16S))
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


Transfer = Literal["pq", "hlg"]

_REFERENCE_WHITE = 203.0  # cd/m2, BT.2408
_HLG_PEAK = 1000.0  # cd/m2, nominal HLG display, for which the system gamma is 1.2
_KNEE = 0.8  # share of the SDR range that stays linear: walls and furniture, not lamps and windows
_BT2020_LUMA = np.array([0.2627, 0.6780, 0.0593])
_BT709_FROM_BT2020 = np.array(
    [[1.6605, -0.5876, -0.0728], [-0.1246, 1.1329, -0.0083], [-0.0182, -0.1006, 1.1187]]
)  # BT.2087


@cache
def _linear_table(transfer: Transfer) -> NDArray[np.float32]:
    """Light for each 16-bit code: cd/m2 over reference white for PQ, scene light 0..1 for HLG."""
    code = np.linspace(0.0, 1.0, 65536)
    if transfer == "pq":  # SMPTE ST 2084
        m1, m2, c1, c2, c3 = 0.1593017578125, 78.84375, 0.8359375, 18.8515625, 18.6875
        power = code ** (1 / m2)
        light = 10000.0 * (np.maximum(power - c1, 0.0) / (c2 - c3 * power)) ** (1 / m1) / _REFERENCE_WHITE
    else:  # ARIB STD-B67
        a = 0.17883277
        b, c = 1 - 4 * a, 0.5 - a * np.log(4 * a)
        light = np.where(code <= 0.5, code**2 / 3, (np.exp((code - c) / a) + b) / 12)
    return light.astype(np.float32)


@cache
def _srgb_table() -> NDArray[np.uint8]:
    """SRGB byte for linear light 0..1 in 4096 steps (finer than a byte needs above black)."""
    light = np.linspace(0.0, 1.0, 4096)
    coded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.round(255 * coded).astype(np.uint8)


def sdr_from_hdr(code_rgb: NDArray[np.uint16], transfer: Transfer) -> NDArray[np.uint8]:
    """Tone-map a (h, w, 3) picture of full-range 16-bit BT.2020 codes to 8-bit sRGB. Gray stays gray; order is kept."""
    light = _linear_table(transfer)[code_rgb]
    if transfer == "hlg":
        luma = light @ _BT2020_LUMA.astype(np.float32)
        light = light * (luma[..., None] ** 0.2) * (_HLG_PEAK / _REFERENCE_WHITE)
    # The strongest channel decides, so that a bright colour keeps its hue instead of clipping to another.
    peak = light.max(axis=-1, keepdims=True)
    rolled = np.where(peak <= _KNEE, peak, 1.0 - (1.0 - _KNEE) * np.exp((_KNEE - peak) / (1.0 - _KNEE)))
    light = light * (rolled / np.maximum(peak, 1e-6))
    light = np.clip(light @ _BT709_FROM_BT2020.T.astype(np.float32), 0.0, 1.0)
    return _srgb_table()[np.round(light * 4095).astype(np.uint16)]


_DARK_LEVEL = 12.0  # mean gray (0..255): below this noise outweighs the picture
BLANK_DEVIATION = 3.0  # standard deviation of gray: nothing to find a feature on
_MOST, _SOME = 0.8, 0.2
"""Share of the frames from which the whole tour is said to be so, and from which parts of it are. Set by hand."""


class LightCheck:
    """Collects two numbers per kept frame."""

    def __init__(self) -> None:
        self._brightness: list[float] = []
        self._deviation: list[float] = []

    def look(self, image_rgb: Image) -> None:
        """Take the next kept frame."""
        mean, deviation = cv2.meanStdDev(cv2.cvtColor(image_rgb, cv2.COLOR_RGB2GRAY))
        self._brightness.append(float(mean[0, 0]))
        self._deviation.append(float(deviation[0, 0]))

    def findings(self, source: str) -> list[Finding]:
        """What is wrong with parts of the tour.

        Raises:
            ReconError: If most frames are dark or blank.
        """
        dark = float(np.mean(np.array(self._brightness) < _DARK_LEVEL))
        blank = float(np.mean(np.array(self._deviation) < BLANK_DEVIATION))
        level = float(np.median(self._brightness))
        if dark >= _MOST:
            raise ReconError(
                f"{source}: too dark: {dark:.0%} of the frames have a mean brightness below {_DARK_LEVEL:g} of 255 "
                f"(median {level:.1f}). Film with the lights on, or brighten the video first. [sample.dark]"
            )
        if blank >= _MOST:
            raise ReconError(
                f"{source}: blank: {blank:.0%} of the frames are one flat colour (median brightness {level:.0f} of "
                f"255). Check that the video plays and shows rooms. [sample.blank]"
            )
        found = []
        if dark >= _SOME:
            message = f"{dark:.0%} of the frames are too dark to reconstruct; expect gaps there"
            found.append(Finding("warning", "sample.dark", "tour", message))
        if blank >= _SOME:
            message = f"{blank:.0%} of the frames are one flat colour; expect gaps there"
            found.append(Finding("warning", "sample.blank", "tour", message))
        return found
