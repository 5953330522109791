"""Whether a thing can be what it is called: how long and high it is, how high above the floor, and what holds it.

An empty wall that fills the picture is called a refrigerator, a black wall cabinet a screen: networks see no size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from instructions.perception.models.light.labels import Word
from instructions.perception.things.lift import Lifted
from instructions.records import Detection, Support
from recon.geometry import Array
from recon.records import SceneModel

LEAST_FIT = 0.45
"""A thing that fits its word less is none: about 1.3 sigma beyond what such things are like."""
_SIGMA = 0.10
"""How far a length taken from box edges is off, as a share, beside the scale; boxes are a little wide or narrow ..."""
_SIGMA_M = 0.03
"""... and by at least this."""
_MOST_SIGMA = 0.30
"""A nominal metre is good to this share; of a scale that is not known no more is said."""
_WRONG_SUPPORT = 0.3
"""How well a thing fits a word whose things are held otherwise: what pictures show under it is wrong once in three."""
_EDGE_PX = 3.0
"""A box that ends this near the border of the picture is cut there."""
_TWO = 2
"""Views that show a thing whole; one may be wrong."""


@dataclass(frozen=True)
class Measures:
    """What pictures say of a thing, in (nominal) metres; None where too few show that side whole."""

    length_m: float | None
    height_m: float | None
    bottom_m: float | None
    """Above the floor; None also where the floor is not known."""
    top_m: float | None
    shape: float | None = None
    """Length by height, of the views that show both whole; the broadest fourth of them, for a view aslant is
    narrower."""
    support: Support | None = None


def measure_views(members: Sequence[Lifted], detections: Sequence[Detection], model: SceneModel) -> Measures:
    """Measure a thing in the pictures that show it whole: box edges at the depth of the thing.

    Args:
        members: The thing's detections in the world.
        detections: All detections; `Lifted.row` points into them.
        model: Their model.
    """
    metre = model.nominal_metre
    lengths: list[float] = []
    heights: list[float] = []
    bottoms: list[float] = []
    tops: list[float] = []
    shapes: list[float] = []
    for one in members:
        x0, y0, x1, y1 = detections[one.row].box_xyxy
        middle = ((x0 + x1) / 2, (y0 + y1) / 2)
        rays = model.camera.rays([(x0, middle[1]), (x1, middle[1]), (middle[0], y0), (middle[0], y1)])
        left, right, upper, lower = model.world_from_cam[one.frame] @ (rays * one.distance)
        is_wide = x0 > _EDGE_PX and x1 < model.camera.width - _EDGE_PX
        has_top, has_bottom = y0 > _EDGE_PX, y1 < model.camera.height - _EDGE_PX
        if is_wide:
            lengths.append(float(np.linalg.norm(right - left)) / metre)
        if has_top and has_bottom:
            heights.append(float(np.linalg.norm(upper - lower)) / metre)
            if is_wide:
                shapes.append(lengths[-1] / heights[-1])
        if model.floor_z is not None:
            if has_top:
                tops.append((float(upper[2]) - model.floor_z) / metre)
            if has_bottom:
                bottoms.append((float(lower[2]) - model.floor_z) / metre)
    shape = float(np.percentile(shapes, 75)) if len(shapes) >= _TWO else None
    return Measures(_median(lengths), _median(heights), _median(bottoms), _median(tops), shape)


@dataclass(frozen=True)
class Fit:
    """How well a thing fits a word."""

    fit: float
    """1 where it is all that such a thing can be; less the further off."""
    reason: str | None
    """What fits least, None if all does."""


def judge_fit(word: Word, found: Measures, relative_sigma: float) -> Fit:
    """Judge a thing by what things of its word are like.

    Each measure that lies outside the word's bounds counts as an error of measurement would: exp(-d^2 / 2) at d sigma
    beyond the bound; measures are taken as independent.

    Args:
        word: With its bounds.
        found: What is known of the thing; None counts as fitting.
        relative_sigma: How far lengths of the model may be off, as a share.
    """
    share = float(np.hypot(_SIGMA, min(relative_sigma, _MOST_SIGMA)))
    bottom = None if word.bottom_m is None else (-np.inf, word.bottom_m)
    rows = (
        (found.length_m, word.length_m, "{:.2f} m long", share, _SIGMA_M),
        (found.height_m, word.height_m, "{:.2f} m high", share, _SIGMA_M),
        (found.bottom_m, bottom, "begins {:.2f} m above the floor", share, _SIGMA_M),
        (found.top_m, word.top_m, "ends {:.2f} m above the floor", share, _SIGMA_M),
        (found.shape, word.shape, "{:.2f} times as long as high", _SIGMA, 0.0),
    )
    fit, reason, least = 1.0, None, 1.0
    for value, bounds, text, share_off, least_off in rows:
        if value is None or bounds is None or bounds[0] <= value <= bounds[1]:
            continue
        bound = bounds[0] if value < bounds[0] else bounds[1]
        own = float(np.exp(-0.5 * ((value - bound) / (share_off * abs(bound) + least_off)) ** 2))
        fit *= own
        if own < least:
            least, reason = own, text.format(value)
    if found.support is not None and word.support and found.support not in word.support:
        fit *= _WRONG_SUPPORT
        if least > _WRONG_SUPPORT:
            reason = f"held by the {found.support}"
    return Fit(fit, reason)


def _median(values: Sequence[float] | Array) -> float | None:
    return float(np.median(values)) if len(values) >= _TWO else None
