"""Gradual transitions of an edited tour: dissolves (cross-fades) and fades, beside the hard cuts of `shots`.

While one shot dissolves into another, every picture is a mixture of the two: as a point in the space of pictures it
moves on the straight line from the last whole picture of the one to the first whole picture of the other. Under a
moving camera it moves on a curve, because a picture half way through a turn is a shifted copy of its neighbours and not
their mean. So a stretch is a transition where its ends show different places, and what lies between is much better
explained as a mixture of both ends than as a shifted copy of either. In a fade one end is a plain picture.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.findings import Finding
from recon.ranges import NotNegative, Share
from recon.video.picture import Image

_LOOKS_PER_S = 15.0
_LENGTHS = (4, 6, 9, 13, 18, 26)
"""Looks from end to end of the stretches that are tried: 0.27 to 1.7 s, each about 1.4 times the one before."""
_GRID_PX = 32
"""Longer side of the pictures that are compared: blobs of a twentieth of the view, which outlast a hand's shake."""
_REACH = (4, 2)
"""How far a picture may have moved along its longer and shorter side (grid pixels): an eighth of the view."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class TransitionOptions:
    """How dissolves and fades are found. The bars were set on made edits of real walks (benchmarks/edited_tours.py)."""

    find: bool = True
    """Look for them; false for a tour that nobody edited, and that they are found in."""
    min_change: NotNegative = 0.8
    """The ends of a stretch differ by this share of what both show (squared contrast); unrelated pictures by 1."""
    max_bend: NotNegative = 0.6
    """Mean distance of the pictures between from the straight line, as a share of its length; a turn bends by more."""
    max_step: Share = 0.5
    """Largest part of the change between two looks (1/15 s); more is a cut."""
    max_mixed: Share = 0.6
    """What a mixture of the ends may leave unexplained of the middle (share of its variance)."""
    max_gain: Share = 0.8
    """A mixture leaves at most this share of what a shifted copy of one end leaves; in a turn it leaves nearly all."""
    min_single: Share = 0.1
    """A shifted copy of one end leaves at least this share of the middle's variance: less is that end, turned a bit."""
    max_detail: Share = 0.8
    """Fine detail of the pictures between, as a share of what its ends would have side by side: mixed details fade."""


@dataclass(frozen=True)
class Transition:
    """A stretch in which one shot becomes another."""

    begin_s: float
    """The first picture that is mixed."""
    end_s: float
    """The first picture after it that is whole."""


@dataclass(frozen=True, eq=False)
class Look:
    """A small grey copy of a picture, with its time."""

    time_s: float
    grey: Floats  # (h, w)
    detail: float
    """Variance of what is finer than a tenth of the thumbnail: it falls where two pictures lie on each other."""


def shrink(time_s: float, thumb_bgr: Image) -> Look:
    """A thumbnail as a look."""
    height, width = thumb_bgr.shape[:2]
    scale = _GRID_PX / max(width, height)
    size = (round(width * scale), round(height * scale))
    grey = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY)
    half = cv2.resize(grey, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    fine = half.astype(np.float32) - cv2.boxFilter(half, cv2.CV_32F, (9, 9))
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    return Look(time_s, small, float(fine.var()))


@dataclass(frozen=True)
class Mixture:
    """How a picture between two others is best explained."""

    mixed: float
    """What a mixture of both, each shifted as fits best, leaves unexplained, as a share of the picture's variance; 1
    where every such mixture is one of a place with itself."""
    single: float
    """The same for a shifted copy of one of them, in any light where both show something."""
    share: float
    """Of the second in the mixture, 0 to 1."""


def explain(before: Floats, between: Floats, after: Floats, min_change: float = 0.8) -> Mixture:
    """Explain a picture (h, w) by shifted copies of two others that differ by `min_change` where they lie on it."""
    along, across = _REACH
    my, mx = (across, along) if between.shape[1] >= between.shape[0] else (along, across)
    height, width = between.shape
    middle = between[my : height - my, mx : width - mx].ravel()
    first, second = _shifted(before, my, mx), _shifted(after, my, mx)
    first_first, second_second = (first**2).sum(axis=1), (second**2).sum(axis=1)
    first_middle, second_middle, first_second = first @ middle, second @ middle, first @ second.T
    length = np.maximum(first_first[:, None] + second_second[None] - 2 * first_second, 1.0)
    dot = second_middle[None] - first_middle[:, None] - first_second + first_first[:, None]
    share = np.clip(dot / length, 0.0, 1.0)
    left_first = float(middle @ middle) - 2 * first_middle + first_first
    left_second = float(middle @ middle) - 2 * second_middle + second_second
    left = left_first[:, None] - 2 * share * dot + share**2 * length
    variance = max(float(((middle - middle.mean()) ** 2).sum()), len(middle) * 1.0)
    contrasts = [((ends - ends.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for ends in (first, second)]
    left[length < min_change * (contrasts[0][:, None] + contrasts[1][None])] = variance
    best = np.unravel_index(int(np.argmin(left)), left.shape)
    if min(contrasts[0].max(), contrasts[1].max()) < _PLAIN * max(contrasts[0].max(), contrasts[1].max()):
        single = min(float(left_first.min()), float(left_second.min())) / variance  # a fade: the light is what changes
    else:
        single = 1.0 - max(_best_correlation(first, middle), _best_correlation(second, middle)) ** 2
    return Mixture(max(float(left[best]), 0.0) / variance, single, float(share[best]))


def _best_correlation(copies: Floats, middle: Floats) -> float:
    """Largest correlation of any row (N, D) with a picture (D,), 0 to 1."""
    rows, wanted = copies - copies.mean(axis=1, keepdims=True), middle - middle.mean()
    lengths = np.linalg.norm(rows, axis=1) * float(np.linalg.norm(wanted)) + 1e-6
    return max(float((rows @ wanted / lengths).max()), 0.0)


def _shifted(image: Floats, my: int, mx: int) -> Floats:
    height, width = image.shape
    return np.stack(
        [
            image[my + dy : height - my + dy, mx + dx : width - mx + dx].ravel()
            for dy in range(-my, my + 1)
            for dx in range(-mx, mx + 1)
        ]
    )


class TransitionFinder:
    """Finds gradual transitions in a stream of thumbnails; remembers less than two seconds of them."""

    def __init__(self, options: TransitionOptions = TransitionOptions()) -> None:
        self._options = options
        self._looks: deque[Look] = deque(maxlen=_LENGTHS[-1] + 1)
        self._found: list[tuple[float, float]] = []
        self._next_s: float | None = None

    def offer(self, time_s: float, thumb_bgr: Image) -> None:
        """Take the next thumbnail in time order; all must have one size."""
        if not self._options.find or (self._next_s is not None and time_s < self._next_s - 1e-3):
            return
        self._next_s = time_s + 1.0 / _LOOKS_PER_S
        self._looks.append(shrink(time_s, thumb_bgr))
        looks = list(self._looks)
        for length in _LENGTHS:
            if len(looks) > length:
                self._found += find_mixed(looks[-length - 1 :], self._options)

    def transitions(self) -> tuple[Transition, ...]:
        """What was found so far, in time order; they do not touch."""
        groups: list[list[tuple[float, float]]] = []
        for stretch in sorted(self._found):
            if groups and stretch[0] <= max(end_s for _, end_s in groups[-1]):
                groups[-1].append(stretch)
            else:
                groups.append([stretch])
        return tuple(
            Transition(min(begin_s for begin_s, _ in group), max(end_s for _, end_s in group)) for group in groups
        )


def find_mixed(looks: Sequence[Look], options: TransitionOptions = TransitionOptions()) -> list[tuple[float, float]]:
    """Whether one shot becomes another between the first and the last of some looks.

    Returns:
        Times of the first mixed look and of the first whole one after it; empty if it does not.
    """
    pictures = np.stack([look.grey.ravel() for look in looks])
    begin, end = pictures[0], pictures[-1]
    change = end - begin
    squared = float(change @ change) + 1.0
    contrast = sum(float(((ends - ends.mean()) ** 2).sum()) for ends in (begin, end))
    if squared < options.min_change * (contrast + 1.0) or squared < _LEAST_CHANGE**2 * len(change):
        return []
    share = (pictures - begin) @ change / squared
    inside = np.clip(share, 0.0, 1.0)
    weight = 4 * inside * (1 - inside)
    if np.diff(share).max() > options.max_step or np.diff(share).min() < -_BACK or weight.mean() < _BETWEEN:
        return []
    bend = np.linalg.norm(pictures - begin - share[:, None] * change, axis=1) / np.sqrt(squared)
    if float(bend @ weight) > options.max_bend * float(weight.sum()):
        return []
    details = np.array([look.detail for look in looks])
    apart = (1 - inside) * details[0] + inside * details[-1] + 1.0
    if float((details / apart) @ weight) > options.max_detail * float(weight.sum()):
        return []
    # Around where both ends weigh the same in the mixture: a bright room outshines a dark one until late.
    weights = [float(ends.std()) + 1.0 for ends in (begin, end)]
    balance = float(np.clip(weights[0] / sum(weights), 0.5 - _ASIDE, 0.5 + _ASIDE))
    rows = sorted({int(np.argmin(np.abs(share - balance - aside))) for aside in (-_ASIDE, 0.0, _ASIDE)})
    if not all(_is_mixture(looks[0], looks[row], looks[-1], float(share[row]), options) for row in rows):
        return []
    mixed = np.flatnonzero((share > _WHOLE) & (share < 1 - _WHOLE))
    return [(looks[mixed[0]].time_s, looks[min(mixed[-1] + 1, len(looks) - 1)].time_s)]


def _is_mixture(before: Look, between: Look, after: Look, share: float, options: TransitionOptions) -> bool:
    """Whether shifted copies of both explain a picture, in the shares that the whole line gives, and no one of them."""
    found = explain(before.grey, between.grey, after.grey, options.min_change)
    if abs(found.share - share) > _ASIDE or found.single < options.min_single:
        return False
    return found.mixed <= min(options.max_mixed, options.max_gain * found.single)


_ASIDE = 0.2  # shares this far from each other are looked at, and must be told alike by the line and by the mixture
_PLAIN = 0.05  # share of the other end's variance: black, white, or a blank wall
_LEAST_CHANGE = 6.0  # root mean square of grey levels: less is noise
_BACK = 0.15  # the change never goes back by more
_BETWEEN = 0.25  # mean of 4 s (1 - s) over the shares s: a line that is walked evenly has 0.67, a cut 0
_WHOLE = 0.1


def tell_transitions(transitions: Sequence[Transition], frames_inside: int) -> list[Finding]:
    """One finding for all of them."""
    if not transitions:
        return []
    times = ", ".join(f"{one.begin_s:.2f}-{one.end_s:.2f}" for one in transitions[:8])
    times += ", ..." if len(transitions) > 8 else ""
    message = (
        f"{len(transitions)} gradual transitions (dissolves, fades), at {times} s; {frames_inside} frames inside them "
        f"belong to no clip"
    )
    return [Finding("info", "shots.transitions", "tour", message)]
