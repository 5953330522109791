"""Where a tour was cut, and clips that never cross a cut."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Literal

import cv2
import numpy as np
from annotated_types import Ge, Le

from recon.errors import ReconError
from recon.findings import Finding
from recon.numerals import count, list_some
from recon.ranges import NotNegative
from recon.records import Clip, Frame
from recon.video.picture import Image
from recon.video.picture_motion import Tracking, find_fine_detail, track_change

_JUMP_FACTOR = 1.8
"""A cut changes the picture this many times more than the frames around it; in a fast turn all of them change."""
_MIN_CHANGE = 15.0
"""Mean change of hue, saturation and brightness (0..255) below which nothing is a cut: dark or plain places."""
_SAME_SCENE = 0.45
"""Two pictures that correlate at least this well after a shift (-1..1) show one place: a fast turn, no cut."""
_MIN_SHOT_S = 1.0
"""A shot shorter than this that returns to the place before it is a flash, and its two cuts are dropped."""
_MOST_OVERLAP = 0.9
"""Share of a clip: each frame is then reconstructed ten times, and their number grows without bound towards 1."""


@dataclass(frozen=True, kw_only=True)
class ClipOptions:
    """How long the stretches are that are reconstructed on their own."""

    length_s: Annotated[float, Ge(1), Le(1_000_000)] = 100.0
    """Length of a clip (s): short enough for one reconstruction to stay true, long enough to see a few rooms."""
    overlap_s: NotNegative = 10.0
    """What neighbouring clips share (s): 30 frames at 3 frames per second, from which they are joined again."""

    def __post_init__(self) -> None:
        if not 0 <= self.overlap_s <= _MOST_OVERLAP * self.length_s:
            raise ReconError(
                f"--clips.overlap-s is {self.overlap_s:g}, need 0 to {_MOST_OVERLAP:g} of --clips.length-s "
                f"({self.length_s:g}). Try {self.length_s / 10:g}."
            )


@dataclass(frozen=True)
class _Look:
    time_s: float
    gray: Image
    hsv: Image
    change: float  # mean change of hue, saturation and value from the look before (0..255)


@dataclass(frozen=True)
class _Cut:
    before: _Look
    after: _Look  # the first picture of the new shot


class CutFinder:
    """Finds hard cuts in a stream of thumbnails; remembers only the last few of them.

    A picture that changes more than those around it (as in PySceneDetect's adaptive detector) is looked at closer: an
    edit is where corners can no longer be followed although they can before and after. It is a jump within one place
    where a shifted copy of one side, or many corners of one plane, are found in the other. Where too few corners tell,
    a larger change is asked for, and is none if one side is a shifted copy of the other. A very short shot that returns
    to the place before it is a flash. Doubt means no cut: a missed cut costs a clip that falls into two models, a false
    one tears a walk apart. Dissolves are found by `transitions`.
    """

    _WINDOW = 2

    def __init__(self) -> None:
        self._looks: deque[_Look] = deque(maxlen=2 * self._WINDOW + 2)
        self._cuts: list[_Cut | float] = []  # the last one whole, those before it as their time only
        self._flashes = 0
        self._jumps_s: list[float] = []

    def offer(self, time_s: float, thumb_bgr: Image) -> None:
        """Take the next thumbnail; all must have one size."""
        gray: Image = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY)  # pyright: ignore[reportAssignmentType]
        hsv: Image = cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2HSV)  # pyright: ignore[reportAssignmentType]
        change = sum(cv2.mean(cv2.absdiff(hsv, self._looks[-1].hsv))) / 3 if self._looks else 0.0
        self._looks.append(_Look(time_s, gray, hsv, change))
        if len(self._looks) < 2 * self._WINDOW + 2:
            return
        # Told `_WINDOW` pictures late, when those that follow are known.
        before, after, following = list(self._looks)[self._WINDOW : self._WINDOW + 3]
        cut = _Cut(before, after)
        verdict = self._judge(cut, following)
        if verdict == "jump":
            self._jumps_s.append(cut.after.time_s)
        elif verdict == "cut":
            self._add(cut)

    def _judge(self, cut: _Cut, following: _Look) -> Literal["cut", "jump"] | None:
        around = [look.change for look in list(self._looks)[1:] if look is not cut.after]
        usual = sum(around) / len(around)
        if cut.after.change < max(_LOOK_FACTOR * usual, _LOOK_CHANGE):
            return None
        step_s = cut.after.time_s - cut.before.time_s
        tracking = track_change([look.gray for look in self._looks]) if step_s <= _MOST_TRACKED_S else None
        is_broken = tracking is not None and tracking.is_broken
        if not is_broken and cut.after.change < max(_JUMP_FACTOR * usual, _MIN_CHANGE):
            return None
        if self._is_one_place(cut, tracking if is_broken else None):
            return "jump" if is_broken or self._is_jump(cut, following) else None
        return "cut"

    def _add(self, cut: _Cut) -> None:
        last = self._cuts[-1] if self._cuts else None
        if isinstance(last, _Cut):
            short = cut.after.time_s - last.after.time_s < _MIN_SHOT_S
            if short and self._same_scene(last.before, cut.after):
                self._cuts.pop()
                self._flashes += 1
                return
            self._cuts[-1] = last.after.time_s
        self._cuts.append(cut)

    def cuts_s(self) -> tuple[float, ...]:
        """Times of the first picture of each shot but the first, in order."""
        return tuple(cut.after.time_s if isinstance(cut, _Cut) else cut for cut in self._cuts)

    def findings(self, cuts_s: Sequence[float]) -> list[Finding]:
        """What was taken for a cut and what was not; `cuts_s` are those that are left."""
        found: list[Finding] = []
        if cuts_s:
            message = f"{len(cuts_s)} cuts, at {list_times(cuts_s)} s; clips do not cross them"
            found.append(Finding("info", "shots.cuts", "tour", message))
        if self._flashes:
            message = f"{self._flashes} flashes shorter than {_MIN_SHOT_S:g} s are not treated as cuts"
            found.append(Finding("info", "shots.flash", "tour", message))
        if self._jumps_s:
            times = count(len(self._jumps_s), "time")
            message = (
                f"the picture leaps {times} within one place, at {list_times(self._jumps_s)} s: "
                "jump cuts, or a whip of the camera; clips cross them, and the walk may leap there"
            )
            found.append(Finding("warning", "shots.jump", "tour", message))
        return found

    def _is_jump(self, cut: _Cut, following: _Look) -> bool:
        """Whether the picture leaps at a change within one place: more than it moves next, and not the light."""
        leap, then = measure_shift(cut.before.gray, cut.after.gray), measure_shift(cut.after.gray, following.gray)
        return np.hypot(leap.right, leap.down) > max(_LEAST_JUMP, _JUMP_RATIO * np.hypot(then.right, then.down))

    def _is_one_place(self, cut: _Cut, broken: Tracking | None) -> bool:
        """Whether both sides show one place; chance makes walls of one home alike, so a break asks for more."""
        if broken is None:
            return self._same_scene(cut.before, cut.after)
        alike = measure_shifted_correlation(cut.before.gray, cut.after.gray)
        return alike >= _SAME_ACROSS_BREAK or broken.agreeing >= _AGREEING

    def _same_scene(self, before: _Look, after: _Look) -> bool:
        return measure_shifted_correlation(before.gray, after.gray) >= _SAME_SCENE


def measure_shifted_correlation(before: Image, after: Image) -> float:
    """How well `after` contains a piece of `before`: the best normalised correlation over pieces and shifts, -1..1.

    The pieces are 0.65 of the picture wide and high, so a turn by up to a third of the view still matches. Brightness
    and contrast do not matter (lights switched on, automatic exposure); nor does smooth shading, which all walls share.
    Pieces without texture do not count. On real tours neighbours stay above 0.5, unrelated pictures below 0.4.
    """
    fine_before, fine_after = find_fine_detail(before), find_fine_detail(after)
    height, width = before.shape
    h, w = int(0.65 * height), int(0.65 * width)
    best = -1.0
    for y in (0, (height - h) // 2, height - h):
        for x in (0, (width - w) // 2, width - w):
            piece = fine_before[y : y + h, x : x + w]
            if piece.std() < 2.0:
                continue
            scores = cv2.matchTemplate(fine_after, piece, cv2.TM_CCOEFF_NORMED)
            best = max(best, float(scores[np.isfinite(scores)].max(initial=-1.0)))
    return best


@dataclass(frozen=True)
class Shift:
    """Where the middle of a picture went in another."""

    right: float  # share of the width
    down: float  # share of the height
    correlation: float  # of the two pieces' fine detail, -1..1


def measure_shift(before: Image, after: Image) -> Shift:
    """Find the middle piece of `before`, half as wide and high, in `after`, up to a quarter of the view away."""
    height, width = before.shape
    top, left = height // 4, width // 4
    piece = find_fine_detail(before)[top : height - top, left : width - left]
    scores = cv2.matchTemplate(find_fine_detail(after), piece, cv2.TM_CCOEFF_NORMED)
    scores = np.where(np.isfinite(scores), scores, -1.0)
    y, x = np.unravel_index(int(np.argmax(scores)), scores.shape)
    return Shift(float(x - left) / width, float(y - top) / height, float(scores.max()))


_LOOK_FACTOR, _LOOK_CHANGE = 1.404, 7.95
"""As `_JUMP_FACTOR` and `_MIN_CHANGE`, from which corners are followed: set on made edits of three tours, no uncut
video loses its corners at once from there on."""
_MOST_TRACKED_S = 0.07
"""From one picture to the next, for corners to tell: at ten pictures per second a turn of the head loses them, too."""
_SAME_ACROSS_BREAK = 0.6  # as `_SAME_SCENE`, where corners are lost at once; unrelated pictures: below 0.5
_AGREEING = 0.33  # of the corners move as one plane; of unrelated pictures at most 0.1
_LEAST_JUMP = 0.03  # of the view from one picture to the next: at 30 per second 60 degrees a second
_JUMP_RATIO = 3.0  # times the way to the picture after it


def make_short_shot_findings(spans_s: Sequence[tuple[float, float]]) -> list[Finding]:
    """One finding that names the shots (begin and end in seconds) that are too short, with their total length."""
    short = [(begin_s, end_s) for begin_s, end_s in spans_s if end_s - begin_s < _MIN_SHOT_S]
    if not short:
        return []
    total_s = sum(end_s - begin_s for begin_s, end_s in short)
    message = (
        f"{len(short)} of {len(spans_s)} shots last less than {_MIN_SHOT_S:g} s, {total_s:.2f} s in all, at "
        f"{list_times(short)} s: too short to reconstruct; their frames are kept apart"
    )
    return [Finding("warning", "shots.short", "tour", message)]


def list_times(times_s: Sequence[float | tuple[float, float]]) -> str:
    """Times, or spans of time, in words, the first six."""
    words = [f"{time_s[0]:.2f}-{time_s[1]:.2f}" if isinstance(time_s, tuple) else f"{time_s:.2f}" for time_s in times_s]
    return list_some(words)


def shot_of(time_s: float, cuts_s: Sequence[float]) -> int:
    """Number of the shot, from 0, that a picture at `time_s` belongs to."""
    return int(np.searchsorted(np.asarray(cuts_s), time_s, side="right"))


def make_clips(
    frames: Sequence[Frame], options: ClipOptions = ClipOptions(), mixed_shots: Collection[int] = ()
) -> list[Clip]:
    """Cut a tour into overlapping clips for reconstruction.

    Inside a shot a clip starts every `length_s - overlap_s`. What is left at the end becomes a clip of its own only if
    it would bring more new footage than it shares with the clip before (more than `overlap_s`); otherwise that clip is
    extended to the end of the shot, and is at most `length_s + overlap_s` long. A shot always yields a clip, however
    few frames it has: reconstruction reports those that are too small.

    Args:
        frames: In time order, with their shots.
        options: Length and overlap.
        mixed_shots: Shots that are transitions between two others: their frames show both and belong to no clip.

    Returns:
        Clips in time order, named `000`, `001`, ...; every other frame is in at least one. Empty for no frames.
    """
    stretches: list[tuple[int, tuple[int, ...]]] = []
    for shot, members in groupby(frames, key=lambda frame: frame.shot):
        if shot in mixed_shots:
            continue
        stretches += [(shot, stretch) for stretch in _stretches(list(members), options)]
    return [Clip(f"{number:03d}", shot, stretch) for number, (shot, stretch) in enumerate(stretches)]


def _stretches(frames: list[Frame], options: ClipOptions) -> list[tuple[int, ...]]:
    times_s = np.array([frame.time_s for frame in frames])
    stride_s = options.length_s - options.overlap_s
    stretches: list[tuple[int, ...]] = []
    number = 0
    while True:
        first_s = times_s[0] + number * stride_s
        last_s = first_s + options.length_s
        is_last = bool(times_s[-1] - last_s <= options.overlap_s)
        begin, end = np.searchsorted(times_s, [first_s, last_s])
        stretch = tuple(frame.index for frame in frames[begin : None if is_last else end])
        # Around a gap in the recording a clip can be empty, or bring nothing the one before has not.
        if stretch and (not stretches or stretch[-1] > stretches[-1][-1]):
            stretches.append(stretch)
        if is_last:
            return stretches
        number += 1
