"""High dynamic range (PQ and HLG, BT.2100) to the 8-bit sRGB pictures the rest of roomtour works on.

A fixed curve, so that neighbouring frames keep the same colours: what is at or below HDR reference white (203 cd/m2,
BT.2408) keeps its place up to a knee, highlights above the knee roll off smoothly towards white.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

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
    """Tone-map a (h, w, 3) picture of full-range 16-bit BT.2020 codes to 8-bit sRGB. Grey stays grey; order is kept."""
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
