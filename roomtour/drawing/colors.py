"""Colours of the page: readable on light and on dark ground, and never the only thing that carries a meaning."""

from __future__ import annotations

import numpy as np

# Okabe and Ito's palette for colour-blind readers, without black and with its yellow darkened for light ground.
OBJECT_COLORS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#a68a00", "#8672d8")

# From start to end of a walk: blue, violet, rose, orange, all of middling lightness.
_TIME_STOPS = np.array([(43, 122, 224), (132, 94, 214), (211, 84, 148), (235, 131, 52)], dtype=float)


def object_color(number: int) -> str:
    """Colour of the object with this number on the page, from 1. Colours repeat, so the number is always shown too."""
    return OBJECT_COLORS[(number - 1) % len(OBJECT_COLORS)]


def object_bgr(number: int) -> tuple[int, int, int]:
    """The same as blue, green and red, 0 to 255."""
    red, green, blue = rgb_of(object_color(number))
    return blue, green, red


def rgb_of(color: str) -> tuple[int, int, int]:
    """`#rrggbb` as three numbers."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def time_color(share: float) -> str:
    """Colour of a moment of the walk, from 0 (start) to 1 (end)."""
    stops = np.linspace(0.0, 1.0, len(_TIME_STOPS))
    red, green, blue = (round(float(np.interp(share, stops, channel))) for channel in _TIME_STOPS.T)
    return f"#{red:02x}{green:02x}{blue:02x}"


def text_on(color: str) -> str:
    """Black or white, whichever has more contrast with `#rrggbb` (WCAG 2: relative luminance, linear light)."""
    srgb = np.array(rgb_of(color)) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ (0.2126, 0.7152, 0.0722))
    return "#000" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "#fff"
