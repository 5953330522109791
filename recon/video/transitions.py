"""Gradual transitions of an edited tour: dissolves (cross-fades) and fades, beside the hard cuts of `shots`.

While one shot dissolves into another, every picture is a mixture of the two: as a point in the space of pictures it
moves on the straight line from the last whole picture of the one to the first whole picture of the other. Under a
moving camera it moves on a curve, because a picture half way through a turn is a shifted copy of its neighbours and not
their mean. So a stretch is a transition where the pictures follow the line, their fine detail fades in the middle as it
does where two pictures lie on each other, no piece of one end is found in the other,
the camera did not turn from one to the other, the line is not the exposure's (pictures that are only brighter or darker
lie on one, too), and what its middle shows was not there all along: corners that are
followed back to the one end and on to the other, and look the same there, are of one take. In a fade one end is a plain
picture, and the line alone tells.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.findings import Finding
from recon.video.picture import BLANK_DEVIATION, Image
from recon.video.picture_motion import find_corners, flatten_contrast, track_corners
from recon.video.shots import Shift, list_times, measure_shift, measure_shifted_correlation

_LOOKS_PER_S = 15.0  # a dissolve of a quarter of a second has four looks
_LENGTHS = (4, 6, 9, 13, 18, 26)
"""Looks from end to end of the stretches that are tried: 0.27 to 1.7 s, each about 1.4 times the one before."""
_LONGEST_S = 3.5
"""Of a transition, twice the longest stretch that is tried. Where every stretch within five seconds looks mixed nobody
edited: a made walk in the dark, grainy and blurred, had lost 16 of its 55 frames to such a one."""
_GRID_PX = 32
"""Longer side of the pictures that are compared: blobs of a twentieth of the view, which outlast a hand's shake."""
Floats = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class TransitionOptions:
    """How dissolves and fades are found."""

    find: bool = True
    """Look for them; false for a tour that nobody edited, and that they are found in."""


@dataclass(frozen=True)
class Transition:
    """A stretch in which one shot becomes another."""

    begin_s: float  # the first picture that is mixed
    end_s: float  # the first picture after it that is whole


@dataclass(frozen=True, eq=False)
class Look:
    """A small gray copy of a picture, with its time."""

    time_s: float
    gray: Floats  # (h, w)
    thumb: Image  # the thumbnail, gray: (h, w)
    half: Image  # the thumbnail at half its size, gray: (h, w)
    detail: float
    """Variance of what is finer than a tenth of the thumbnail: it falls where two pictures lie on each other."""


def shrink(time_s: float, thumb_bgr: Image) -> Look:
    """A thumbnail as a look."""
    height, width = thumb_bgr.shape[:2]
    scale = _GRID_PX / max(width, height)
    size = (round(width * scale), round(height * scale))
    gray = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY)
    half = cv2.resize(gray, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    fine = half.astype(np.float32) - cv2.boxFilter(half, cv2.CV_32F, (9, 9))
    small = cv2.resize(gray, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    return Look(time_s, small, np.asarray(gray, np.uint8), np.asarray(half, np.uint8), float(fine.var()))


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
                self._found += find_mixed(looks[-length - 1 :])

    def transitions(self) -> tuple[Transition, ...]:
        """What was found so far, in time order; they do not touch."""
        joined: list[Transition] = []
        for begin_s, end_s in sorted(self._found):
            if joined and begin_s <= joined[-1].end_s:
                joined[-1] = Transition(joined[-1].begin_s, max(joined[-1].end_s, end_s))
            else:
                joined.append(Transition(begin_s, end_s))
        return tuple(transition for transition in joined if transition.end_s - transition.begin_s <= _LONGEST_S)


def find_mixed(looks: Sequence[Look]) -> list[tuple[float, float]]:
    """Whether one shot becomes another between the first and the last of some looks.

    Returns:
        Times of the first mixed look and of the first whole one after it; empty if it does not.
    """
    pictures = np.stack([look.gray.ravel() for look in looks])
    line = _measure_line(pictures)
    if line.change < _MIN_END_CHANGE:
        return []
    if looks[0].detail + looks[-1].detail < 2 * _LEAST_DETAIL:
        return []  # noise, of which a turn past a bare wall shows no less than a mixture
    share, weight = line.share, line.weight
    if np.diff(share).max() > _MAX_STEP:
        return []
    deviations = sorted(float(ends.std()) for ends in (pictures[0], pictures[-1]))
    if deviations[0] <= BLANK_DEVIATION and deviations[0] ** 2 < _PLAIN * deviations[1] ** 2:
        is_mixed = line.bend <= _MAX_FADE_BEND
    else:
        inside = np.clip(share, 0.0, 1.0)
        details = np.array([look.detail for look in looks])
        apart = (1 - inside) * details[0] + inside * details[-1] + 1.0
        detail = float((details / apart) @ weight) / float(weight.sum())
        most_same = max((bar.same for bar in _BARS if line.bend <= bar.bend and detail <= bar.detail), default=-1.0)
        if most_same <= 0 or measure_shifted_correlation(looks[0].half, looks[-1].half) > most_same:
            return []
        shifts = [measure_shift(one.half, other.half) for one, other in pairwise(looks)]
        # Whether the camera turned from one end to the other: blur takes the detail of a fast turn past near walls.
        turned = max(abs(sum(shift.right for shift in shifts)), abs(sum(shift.down for shift in shifts)))
        held = min(shift.correlation for shift in shifts)
        is_turn = turned > _TURNED_FAR or (turned > _TURNED and held > _HELD)
        is_mixed = not _is_swing(pictures, line, shifts) and not is_turn and not _is_one_take(looks, share)
    mixed = np.flatnonzero((share > _WHOLE) & (share < 1 - _WHOLE))
    if not is_mixed or not len(mixed):
        return []
    return [(looks[mixed[0]].time_s, looks[min(mixed[-1] + 1, len(looks) - 1)].time_s)]


@dataclass(frozen=True, eq=False)
class _Line:
    """How pictures lie on the straight line from the first to the last."""

    change: float  # squared difference of the ends, as a share of what both show (squared contrast)
    share: Floats  # (N,) How far along it each is: 0 the first, 1 the last
    weight: Floats  # (N,) 1 half way, 0 at both ends
    bend: float  # mean distance of those between from the line, as a share of its length


def _measure_line(pictures: Floats) -> _Line:
    """The line of pictures (N, P), in gray levels."""
    begin, end = pictures[0], pictures[-1]
    change = end - begin
    squared = float(change @ change) + 1.0
    contrasts = [float(((ends - ends.mean()) ** 2).sum()) for ends in (begin, end)]
    share = (pictures - begin) @ change / squared
    inside = np.clip(share, 0.0, 1.0)
    weight = 4 * inside * (1 - inside)
    off = np.linalg.norm(pictures - begin - share[:, None] * change, axis=1) / np.sqrt(squared)
    bend = float(off @ weight) / max(float(weight.sum()), 1e-6)
    return _Line(squared / (sum(contrasts) + 1.0), share, weight, bend)


def _is_swing(pictures: Floats, line: _Line, shifts: Sequence[Shift]) -> bool:
    """Whether the exposure made the line: pictures that are only brighter or darker lie on one, whatever they show.

    Brought to one brightness, mixtures still lie between their ends; a camera that went on leaves that line, while each
    picture shows what the one before it showed.
    """
    means = np.maximum(pictures.mean(axis=1), 1.0)
    if means.max() < _LEAST_SWING * means.min():
        return False
    evenly = _measure_line(pictures * (np.sqrt(means[0] * means[-1]) / means)[:, None])
    if evenly.change < _EVEN_CHANGE:
        return True
    inside = np.clip((line.share[1:] + line.share[:-1]) / 2, 0.0, 1.0)
    weight = inside * (1 - inside)
    held = float(np.array([shift.correlation for shift in shifts]) @ weight) / max(float(weight.sum()), 1e-6)
    return evenly.bend > _EVEN_BEND and held > _EVEN_HELD


_LEAST_SWING = 1.3  # of the brightest picture to the darkest, for the exposure to be asked about
_EVEN_CHANGE = 0.4  # Of what the ends of a dissolve show, once they are equally bright: unrelated pictures differ by 1
_EVEN_BEND = 0.42
"""Of equally bright pictures, off the line of their ends, where neighbours agree: 0.6 in the median of swings, 0.3 of
dissolves."""
_EVEN_HELD = 0.82
"""Mean correlation of neighbours in one take: 0.9 in the median of swings, 0.8 of dissolves. The three bars were set on
made edits and on four tours under a made swing of the exposure: 58 of 59 swings go, and 3 of 64 dissolves."""


def _is_one_take(looks: Sequence[Look], share: Floats) -> bool:
    """Whether the camera moved on from near the one end to near the other, seen by what its middle picture shows.

    In a mixture corners of the earlier shot are gone at the end, and those of the later one not there at the beginning.
    Where both move alike, a corner of the one turns into what the other shows there, and looks different.
    """
    first, last = int(np.flatnonzero(share <= _NEAR_END)[-1]), int(np.flatnonzero(share >= 1 - _NEAR_END)[0])
    middle = int(np.argmin(np.abs(share - 0.5)))
    if not first < middle < last:
        return False
    flat = {place: flatten_contrast(looks[place].thumb) for place in range(first, last + 1)}
    corners = find_corners(flat[middle])
    if corners is None or len(corners) < _LEAST_CORNERS:
        return False
    before, kept_before = _follow([flat[place] for place in range(middle, first - 1, -1)], corners)
    after, kept_after = _follow([flat[place] for place in range(middle, last + 1)], corners)
    before, after = before[kept_before & kept_after], after[kept_before & kept_after]
    height, width = flat[first].shape
    moved = np.linalg.norm(after - before, axis=1) > _MOVED * min(height, width)
    if moved.sum() <= _ONE_TAKE * len(corners):
        return False
    cv2.setRNGSeed(0)
    last_from_first, agree = cv2.findHomography(before, after, cv2.RANSAC, _AGREES_PX)
    if last_from_first is None:
        return False
    brought = cv2.warpPerspective(flat[first], last_from_first, (width, height))
    asked = np.flatnonzero(moved & (agree.ravel() > 0)).tolist()
    alike = sum(_correlate(_patch(brought, after[row]), _patch(flat[last], after[row])) > _ALIKE for row in asked)
    return alike > _ONE_TAKE * len(corners)


def _follow(pictures: Sequence[Image], corners: NDArray) -> tuple[NDArray, NDArray[np.bool_]]:
    """Where corners (N, 1, 2) of the first picture are in the last (N, 2), and which were followed all the way."""
    kept = np.ones(len(corners), bool)
    for before, after in pairwise(pictures):
        corners, found = track_corners(before, after, corners)
        kept &= found
    return corners[:, 0], kept


def _patch(picture: NDArray, middle_xy: NDArray) -> Floats:
    return cv2.getRectSubPix(picture, (_PATCH_PX, _PATCH_PX), middle_xy.tolist()).astype(np.float32)


def _correlate(one: Floats, other: Floats) -> float:
    one, other = one - one.mean(), other - other.mean()
    return float((one * other).sum() / (np.sqrt((one * one).sum() * (other * other).sum()) + 1e-6))


_LEAST_CORNERS = 10  # of the middle picture, of which a share is taken
_NEAR_END = 0.15
"""Share of the other end up to which a picture shows the one: what is mixed further has corners of both."""
_MOVED = 0.13
"""Of the shorter side: two shots that stand, or pan slowly the same way, keep corners that turn into each other."""
_AGREES_PX, _PATCH_PX = 3.0, 21
"""Of corners on one homography, and the side of the surroundings that are compared (thumbnails of 90 lines)."""
_ALIKE = 0.5  # least correlation of the surroundings of a corner at both ends
_ONE_TAKE = 0.18
"""Of the corners, moved and alike at both ends. Made dissolves of two pans of one speed have up to 0.11, a phone's turn
past a wall that was taken for a dissolve 0.22 to 0.47."""


_TURNED, _TURNED_FAR = 0.3, 0.6
"""Of the view, from end to end: what turns so far comes to other things without any edit."""
_HELD = 0.85  # Least correlation of neighbours in a turn; in the middle of a dissolve it falls, for both places move


@dataclass(frozen=True)
class _Bar:
    """What a dissolve may show at most."""

    bend: float
    """Mean distance of the pictures between from the straight line, as a share of its length; a turn bends by more."""
    detail: float
    """Fine detail of the pictures between, as a share of what its ends would have side by side: mixed details fade."""
    same: float
    """Correlation of the best piece of one end with the other, shifted as fits best: more is one place in a turn."""


_BARS = (_Bar(0.4, 0.7, 0.5), _Bar(0.55, 0.6, 0.3), _Bar(0.65, 0.63, 0.2))
"""The more a moving camera bends the line, the more of the rest must show. Set on made edits of the apartment, its bare
rooms and the office walk; `benchmarks/edited_tours.py` measures them on other walks."""
_MAX_FADE_BEND = 0.3  # the same mean distance where one end is plain
_PLAIN = 0.05
"""Share of the other end's variance: black, white, or a blank wall. It must be blank by itself too: a room in too
little light has a small share as well, and pale walls in too much have a deviation of 4 to 6 left."""
_LEAST_DETAIL = 6.0
"""Variance of the fine detail, in gray levels squared, of the two ends on average. Made dark, bare walls
with a sensor's noise have 0.6 to 5; the barest picture of a dark home has 32."""
_MIN_END_CHANGE = 0.7
"""Difference of the ends of a stretch, as a share of what both show (squared contrast); unrelated pictures: 1."""
_MAX_STEP = 0.45  # largest part of the change between two looks (1/15 s); more is a cut
_WHOLE = 0.1
"""Share of the later picture up to which a look shows the earlier one alone, and from 1 less it the later. By hand."""


def make_transition_findings(transitions: Sequence[Transition], frames_inside: int) -> list[Finding]:
    """One finding for all of them."""
    if not transitions:
        return []
    times = list_times([(transition.begin_s, transition.end_s) for transition in transitions])
    message = (
        f"{len(transitions)} gradual transitions (dissolves, fades), at {times} s; {frames_inside} frames inside them "
        f"belong to no clip"
    )
    return [Finding("info", "shots.transitions", "tour", message)]
