"""Which pictures of a tour are kept: a few per second, by presentation time, the sharper ones, in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import cv2
from annotated_types import Ge, Gt, Le

from recon.errors import ReconError
from recon.findings import Finding, attach_to_errors
from recon.pictures import write_picture_file
from recon.ranges import Positive, Share
from recon.records import Frame, SourceInfo
from recon.video.blanks import TOUCH_S, BlankFinder, join_blanks
from recon.video.decode import VideoSource
from recon.video.image_folder import FolderSource
from recon.video.picture import LightCheck, Picture
from recon.video.picture_motion import PictureMotion
from recon.video.shots import CutFinder, make_short_shot_findings, shot_of
from recon.video.transitions import Transition, TransitionFinder, TransitionOptions, make_transition_findings

_SHARPEST_WITHIN = 0.25  # The sharpest frame within this share of the sampling interval around each tick is kept
JPEG_QUALITY = 92  # of written frames, 1 to 100: artefacts stay below what features notice
_LEAST_FRAMES = 3  # fewer cannot give a walk
_LOOKED_AT_FPS = 30.0
"""Frames looked at per second, for cuts and for the sharpest one: a 120 fps recording has no more to say."""


@dataclass(frozen=True, kw_only=True)
class SampleOptions:
    """Which pictures are kept and how large."""

    fps: Annotated[float, Gt(0), Le(1000)] = 3.0
    """Frames kept per second of video (1/s): a walker moves about 40 cm between two."""
    max_shift: Share = 0.15
    """How far the picture may move between two kept frames, as a share of its longer side, and half as far where it is
    plain: where the camera turns faster, up to four times as many frames are kept. 0 keeps the same number per second
    throughout."""
    short_side: Annotated[int, Ge(64), Le(4320)] = 360
    """Shorter side of a kept frame (px): enough for thousands of features; smaller videos are not enlarged."""
    until_s: Positive | None = None
    """Read only this many seconds from the first frame on (s): a quick try of a long tour; all by default."""


@dataclass(frozen=True)
class SampledTour:
    """A tour as frames: what it was read from, what was kept, where it was cut, and what a user should know."""

    source: SourceInfo
    frames: tuple[Frame, ...]
    cuts_s: tuple[float, ...]
    """Time of the first picture of every shot but the first; a gradual transition is a shot of its own."""
    findings: tuple[Finding, ...]
    transitions: tuple[Transition, ...] = ()

    @property
    def mixed_shots(self) -> frozenset[int]:
        """Numbers of the shots that are transitions."""
        return frozenset(shot_of(transition.begin_s, self.cuts_s) for transition in self.transitions)


def sample_tour(
    source: Path,
    frames_dir: Path,
    options: SampleOptions = SampleOptions(),
    transitions: TransitionOptions = TransitionOptions(),
    image_fps: float | None = None,
    rotate_deg: int = 0,
    stretch: float = 1.0,
    progress: Callable[[float], None] | None = None,
) -> SampledTour:
    """Decode a tour once and keep a few frames per second.

    Times are the presentation times of the file: a video whose first frame is shown at 5 s has its first frame at 5 s.
    Ticks lie at `t0 + k / fps`, t0 being the first frame, and closer where the picture moves faster than `max_shift`
    per tick. Every frame belongs to its nearest tick, and each tick keeps one of its frames: the sharpest of those
    within a quarter of the interval, else the nearest. So a source slower than `fps` keeps every frame once. A
    folder of images is sampled by the same rule.

    Args:
        source: A video file, or a folder of images in natural order.
        frames_dir: Empty folder (made if absent) for `000001.jpg`, `000002.jpg`, ...
        options: Rate and size.
        transitions: How dissolves and fades are found.
        image_fps: Rate at which a folder of images was taken; needed for folders, ignored for videos.
        rotate_deg: Clockwise turn (0, 90, 180, 270) for pictures that lie on their side though the file says nothing.
        stretch: Widens the upright pictures by this factor: for films squeezed sideways though the file says nothing.
        progress: Told the fraction done, 0 to 1.

    Returns:
        Frames numbered from 1 without gaps, with their shots, and findings about the source.

    Raises:
        ReconError: If the source cannot be read, is too short, dark or blank.
        OSError: If a frame cannot be written (the owner of the folder knows what to say about it).
    """
    findings: list[Finding] = []
    looked_at = RateLimit(max(_LOOKED_AT_FPS, 4 * options.fps))
    picker = TickPicker(options.fps)
    cutter, mixer, light = CutFinder(), TransitionFinder(transitions), LightCheck()
    blanks = BlankFinder()
    motion = PictureMotion() if options.max_shift else None
    kept: list[Frame] = []  # of shot 0 until all cuts are known
    with attach_to_errors(findings):
        with open_source(source, options.short_side, image_fps, rotate_deg, stretch) as tour, ExitStack() as at_end:
            at_end.callback(lambda: findings.extend(tour.findings()))

            def keep(choice: Choice | None) -> None:
                if choice is None:
                    return
                image_rgb, time_s, name = choice.picture.image_rgb(), choice.picture.time_s, choice.picture.name
                (height, width), number = image_rgb.shape[:2], len(kept) + 1
                frame = Frame(number, time_s, f"{number:06d}.jpg", width, height, choice.sharpness, 0, name)
                frames_dir.mkdir(parents=True, exist_ok=True)
                image_bgr = cv2.cvtColor(image_rgb, cv2.COLOR_RGB2BGR)
                write_picture_file(frames_dir / frame.image, image_bgr, cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY)
                kept.append(frame)
                light.look(image_rgb)
                if progress is not None:
                    progress(tour.fraction_done())

            first_s: float | None = None
            shortened = False
            for picture in tour.pictures():
                first_s = picture.time_s if first_s is None else first_s
                shortened = options.until_s is not None and picture.time_s - first_s >= options.until_s
                if shortened:
                    break
                if looked_at.lets_through(picture.time_s):
                    thumb_bgr = picture.thumb_bgr()
                    cutter.offer(picture.time_s, thumb_bgr)
                    mixer.offer(picture.time_s, thumb_bgr)
                    blanks.offer(picture.time_s, thumb_bgr)
                    wanted_fps = motion.offer(picture.time_s, thumb_bgr) / options.max_shift if motion else 0.0
                    keep(picker.offer(picture, wanted_fps))
            keep(picker.finish())
            info = tour.info()
        if shortened:
            message = f"read only up to {options.until_s:g} s, as --sample.until-s asked"
            findings.append(Finding("info", "sample.shortened", "tour", message))
        if progress is not None:
            progress(1.0)

        cuts_s = cutter.cuts_s()
        mixed = join_blanks(mixer.transitions(), cuts_s, blanks.stretches()) if transitions.find else ()
        # A quick dissolve can look like a cut as well: one change of the picture is one boundary.
        spans = [(transition.begin_s, transition.end_s) for transition in mixed]
        hard_cuts_s = [
            cut_s for cut_s in cuts_s if not any(begin - TOUCH_S <= cut_s <= end + TOUCH_S for begin, end in spans)
        ]
        cuts_s = tuple(sorted({*hard_cuts_s, *(time_s for span in spans for time_s in span)}))
        frames = tuple(replace(frame, shot=shot_of(frame.time_s, cuts_s)) for frame in kept)
        if len(frames) < _LEAST_FRAMES:
            faster = ", or try a higher --sample.fps" if info.frame_count >= _LEAST_FRAMES else ""
            raise ReconError(
                f"{source}: too short: {len(frames)} frames from {info.duration_s:.2f} s at {options.fps:g} frames per "
                f"second, need at least {_LEAST_FRAMES}. Give a longer tour{faster}."
            )
        tour_s = (frames[0].time_s, *cuts_s, frames[-1].time_s)
        begins_s = {begin for begin, _ in spans}
        spans_s = [span for span in pairwise(tour_s) if span[0] not in begins_s]
        findings += cutter.findings(hard_cuts_s)
        findings += make_transition_findings(
            mixed, sum(any(o.begin_s <= f.time_s < o.end_s for o in mixed) for f in frames)
        )
        findings += make_short_shot_findings(spans_s if cuts_s else ())
        findings += light.findings(str(source))
        extra = len(frames) - 1 - round((frames[-1].time_s - frames[0].time_s) * options.fps)
        if info.kind == "images" and info.fps > options.fps and not shortened:
            message = (
                f"kept {len(frames)} of {info.frame_count} pictures at --sample.fps {options.fps:g}, the others get no "
                f"poses; --sample.fps {info.fps:g} keeps each"
            )
            findings.append(Finding("info", "sample.thinned", "tour", message))
        if motion and extra > 0:
            message = f"{extra} of {len(frames)} frames are extra ones, kept where the camera turns fast"
            findings.append(Finding("info", "sample.denser", "tour", message))
        if info.fps < options.fps * 0.99:
            message = (
                f"the source has {info.fps:.3g} frames per second, {options.fps:g} were asked for: each is kept once"
            )
            findings.append(Finding("info", "sample.slow_source", "tour", message))
        return SampledTour(info, frames, cuts_s, tuple(findings), mixed)


@dataclass(frozen=True, eq=False)
class Choice:
    """The picture a tick kept."""

    picture: Picture
    sharpness: float


class TickPicker:
    """Keeps one picture per tick of a grid that starts at the first picture; holds one picture at a time.

    The grid is regular, `fps` ticks per second, and denser where more are asked for.
    """

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._within = _SHARPEST_WITHIN + 1e-6  # presentation times are rounded
        self._t0_s: float | None = None
        self._last_s = 0.0
        self._surplus = 0.0
        self._tick = 0
        self._best: Picture | None = None
        self._rank: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def offer(self, picture: Picture, wanted_fps: float = 0.0) -> Choice | None:
        """Take the next picture in time order; returns the choice of the tick before when a new tick begins.

        Args:
            picture: The next one.
            wanted_fps: Ticks per second wanted since the picture before; fewer than the regular ones change nothing.
        """
        if self._t0_s is None:
            self._t0_s = self._last_s = picture.time_s
        denser = min(max(wanted_fps - self._fps, 0.0), (_MOST_DENSER - 1) * self._fps)
        self._surplus += denser * (picture.time_s - self._last_s)
        self._last_s = picture.time_s
        position = (picture.time_s - self._t0_s) * self._fps + self._surplus
        tick = int(position + 0.5)
        finished = None
        if tick != self._tick:
            finished, self._tick = self.finish(), tick
        distance = abs(position - tick)
        # Inside the window the sharpest wins, then the nearest; outside the nearest does, and loses to anything inside.
        inside = distance <= self._within
        rank = (1.0, picture.sharpness(), -distance) if inside else (0.0, 0.0, -distance)
        if self._best is None or rank > self._rank:
            self._best, self._rank = picture, rank
        return finished

    def finish(self) -> Choice | None:
        """The choice of the tick in progress, if it has one."""
        best, self._best = self._best, None
        if best is None:
            return None
        inside, sharpness, _ = self._rank
        return Choice(best, sharpness if inside else best.sharpness())


_MOST_DENSER = 4  # times as many ticks: a shaken camera must not fill the disk


class RateLimit:
    """Lets at most one picture per slot of `1 / fps` through."""

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._t0_s: float | None = None
        self._slot: int | None = None

    def lets_through(self, time_s: float) -> bool:
        """Whether the picture at this time is the first of its slot."""
        if self._t0_s is None:
            self._t0_s = time_s
        slot = round((time_s - self._t0_s) * self._fps)  # rounded, so that times with jitter around the slots all pass
        if slot == self._slot:
            return False
        self._slot = slot
        return True


def open_source(
    source: Path, short_side: int, image_fps: float | None, rotate_deg: int, stretch: float
) -> VideoSource | FolderSource:
    """A tour to iterate over, its pictures at that shorter side or smaller."""
    if source.is_dir():
        return FolderSource(source, short_side, image_fps, rotate_deg, stretch)
    return VideoSource(source, short_side, rotate_deg, stretch)


SAME_TIME_S = 1e-4  # seconds: times of one picture read twice differ by rounding only
_JPEG_QUALITY = 95  # 1 to 100; above that of the sampled frames, for the network sees finer detail


def take_larger_pictures(
    source: Path,
    frames: Sequence[Frame],
    folder: Path,
    short_side: int,
    image_fps: float | None = None,
    rotate_deg: int = 0,
    stretch: float = 1.0,
) -> bool:
    """Decode a tour once more and write the pictures of some frames.

    Returns:
        Whether every frame was found again. Not where the file has changed since.

    Raises:
        ReconError: If the source cannot be read any more.
    """
    folder.mkdir(parents=True)
    waiting = list(reversed(frames))
    with open_source(source, short_side, image_fps, rotate_deg, stretch) as tour:
        for picture in tour.pictures():
            if not waiting or picture.time_s > waiting[-1].time_s + SAME_TIME_S:
                break
            if picture.time_s < waiting[-1].time_s - SAME_TIME_S:
                continue
            image_bgr = cv2.cvtColor(picture.image_rgb(), cv2.COLOR_RGB2BGR)
            write_picture_file(folder / waiting.pop().image, image_bgr, cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY)
    return not waiting
