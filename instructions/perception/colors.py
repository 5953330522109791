"""Colour names measured from pixels: a small palette by lightness, chroma and hue in CIE Lab.

Hue borders were set on painted test colours and indoor photographs; wood, skin and warm lamp light all fall between
hues 45 and 95 degrees, so there only strong chroma counts as orange or yellow and the rest is brown or beige.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from instructions.wording.colors import NAMES
from recon.geometry import Array

NEUTRAL_CHROMA = 10.0
"""Less colour than this is black, gray or white; JPEG noise and white balance shift grays by about 5."""

_BROWN_CHROMA = 20.0
"""Lit and less colourful than this, warm colours are beige in a dim room; brown is a colour that one sees."""
_SHINES_THROUGH = 0.7
"""Share of what a colour takes around a thing that is taken for background inside its box, too."""
_TORN = 0.05
"""Colours that stand out from the background alike are told as neither."""

_HAS_DARK = {"gray", "red", "brown", "green", "turquoise", "blue", "purple"}
_HAS_LIGHT = {"gray", "green", "turquoise", "blue", "purple"}


def lab_from_rgb(rgb: ArrayLike) -> Array:
    """CIE Lab (D65) of colours (..., 3) in 0..255: L 0 to 100, a and b about -100 to 100."""
    values = np.asarray(rgb, dtype=np.float32).reshape(1, -1, 3) / np.float32(255)
    return cv2.cvtColor(values, cv2.COLOR_RGB2Lab).astype(np.float64).reshape(np.shape(rgb))


def base_names(lab: ArrayLike) -> NDArray[np.int64]:
    """Index into `NAMES` for each colour (N, 3), (N,)."""
    lightness, a, b = np.asarray(lab, dtype=np.float64).reshape(-1, 3).T
    chroma = np.hypot(a, b)
    hue = np.degrees(np.arctan2(b, a)) % 360.0
    neutral = chroma < np.where((lightness < 25) | (lightness > 85), 1.2, 1.0) * NEUTRAL_CHROMA
    reddish = (hue >= 345) | (hue < np.where(chroma > 55, 48, 40))
    warm = ~reddish & (hue < 80)
    golden = (hue >= 80) & (hue < 102)
    rules = [
        ("black", (lightness < 22) & (neutral | (chroma < 14))),
        ("white", neutral & (lightness >= 78)),
        ("gray", neutral),
        ("pink", reddish & (lightness > 58) & (chroma < 50)),
        ("red", reddish),
        ("orange", warm & (chroma >= 48) & (lightness >= 45)),
        ("yellow", golden & (chroma >= 45) & (lightness >= 55)),
        ("beige", (warm | golden) & ((lightness >= 62) | ((lightness >= 45) & (chroma < _BROWN_CHROMA)))),
        ("brown", (warm | (golden & (hue < 98)))),
        ("green", hue < 170),
        ("turquoise", hue < 215),
        ("blue", hue < 298),
        ("purple", np.ones(len(hue), dtype=bool)),
    ]
    return np.select([rule for _, rule in rules], [NAMES.index(name) for name, _ in rules])


def name_color(rgb: ArrayLike, min_share: float, around: ArrayLike = ()) -> str | None:
    """The colour word of a set of pixels: `dark red`, `white`, `light blue`.

    Args:
        rgb: Pixels (N, 3) in 0..255.
        min_share: Smallest share of the pixels that must carry the winning name.
        around: Pixels (M, 3) beside the thing: what it shares with them may be seen through it.

    Returns:
        The commonest name, beyond what is around, with `dark` or `light` by the median lightness of the pixels that
        carry it. None for no pixels, when no name reaches `min_share`, for a colourful thing has no colour to call it
        by, and when two names stand out from the background alike.
    """
    pixels, beside = (np.asarray(some).reshape(-1, 3) for some in (rgb, around))
    if len(pixels) == 0:
        return None
    lab = lab_from_rgb(pixels)
    names = base_names(lab)
    shares = _measure_shares(names)
    own = shares - _SHINES_THROUGH * _measure_shares(base_names(lab_from_rgb(beside))) if len(beside) else shares
    known = sorted(np.flatnonzero(shares >= min_share), key=lambda name: -own[name])
    if not known or (len(beside) and len(known) > 1 and own[known[0]] - own[known[1]] < _TORN):
        return None
    best = int(known[0])
    name, lightness = NAMES[best], float(np.median(lab[names == best, 0]))
    if name in _HAS_DARK and lightness < (42 if name == "gray" else 30):
        return f"dark {name}"
    if name in _HAS_LIGHT and lightness > (65 if name == "gray" else 70):
        return f"light {name}"
    return name


def _measure_shares(names: NDArray[np.int64]) -> Array:
    """Share of each name, (number of names,)."""
    return np.bincount(names, minlength=len(NAMES)) / max(len(names), 1)


def pixels_between(image_rgb: NDArray[np.uint8], xy: ArrayLike, shrink: float, count: int) -> NDArray[np.uint8]:
    """Pixels of the image inside the hull of some positions.

    A plain thing has its keypoints on its outline, so its colour is found between them rather than at them.

    Args:
        image_rgb: (H, W, 3).
        xy: Positions in pixels (N, 2), pixel centres at +0.5.
        shrink: The hull is drawn together to its centre by this share, away from the background.
        count: About this many pixels are taken, on a regular grid.

    Returns:
        (M, 3); none for fewer than three positions.
    """
    xy = np.asarray(xy, dtype=np.float64).reshape(-1, 2)
    if len(xy) < 3:
        return np.zeros((0, 3), dtype=np.uint8)
    hull = cv2.convexHull(xy.astype(np.float32))[:, 0]
    hull = hull.mean(axis=0) + (1.0 - shrink) * (hull - hull.mean(axis=0))
    mask = np.zeros(image_rgb.shape[:2], dtype=np.uint8)
    cv2.fillConvexPoly(mask, np.floor(hull).astype(np.int32), 1)
    step = max(1, int(np.sqrt(mask.sum() / count)))
    return image_rgb[::step, ::step][mask[::step, ::step] > 0]
