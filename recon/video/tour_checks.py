"""Looks at the kept frames while they are written: is there light, does the camera move, do neighbours overlap?

These are the tours no reconstruction can come out of; saying so here, with the reason, beats an empty model later.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from recon.errors import ReconError
from recon.findings import Finding
from recon.video.picture import Image, fit_size
from recon.video.picture_motion import track_corners
from recon.video.shots import shot_of

MIN_FRAMES = 3  # fewer frames than this cannot give a walk

_DARK_LEVEL = 12.0  # mean grey (0..255): below this noise outweighs the picture
_BLANK_DEVIATION = 3.0  # standard deviation of grey: nothing to find a feature on
_MOST = 0.8
"""Share of the frames, or of the steps between them, from which the whole tour is said to be so. Set by hand."""
_SOME = 0.2  # share from which parts of it are. Set by hand.
_LOOK_SHORT_SIDE_PX = 180
"""Of the pictures that are compared: half as many lines as the frames, a quarter of the pixels."""
_TRACKED_SHARE = 0.15  # of corners that survive forward and backward tracking; below, matching decides
_AGREEING_SHARE = 0.35  # of those that move as one similarity; chance and strong parallax give fewer
_MATCHES = 18  # that agree on one epipolar geometry: chance gives fewer
_STILL_EXTENT = 0.15  # in picture widths (and log of zoom): hand shake stays below, one step of a walk does not
_STILL_SPEED = 0.05  # the same per second, for shots too short to get far
_SLIDESHOW_SHOTS = 3  # still shots: two may be a title and an end card


@dataclass(frozen=True)
class Step:
    """How the picture as a whole moved between two kept frames."""

    begin_s: float
    end_s: float
    related: bool | None  # whether the two show one place; None where there is too little texture to tell
    motion: tuple[float, float, float] | None = None
    """Of the picture centre to the right and down, in picture widths, and the natural logarithm of the change of scale:
    walking forward zooms in. None where it could not be measured, as in fast moves."""


class TourChecks:
    """Collects a few numbers per kept frame; memory holds one small picture."""

    def __init__(self) -> None:
        self._before: tuple[float, Image] | None = None
        self._brightness: list[float] = []
        self._deviation: list[float] = []
        self._steps: list[Step] = []

    def look(self, time_s: float, image_rgb: Image) -> None:
        """Take the next kept frame."""
        grey: Image = cv2.cvtColor(image_rgb, cv2.COLOR_RGB2GRAY)  # pyright: ignore[reportAssignmentType]
        mean, deviation = cv2.meanStdDev(grey)
        self._brightness.append(float(mean[0, 0]))
        self._deviation.append(float(deviation[0, 0]))
        size = fit_size(grey.shape[1], grey.shape[0], _LOOK_SHORT_SIDE_PX)
        small: Image = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)  # pyright: ignore[reportAssignmentType]
        if self._before is not None:
            self._steps.append(measure_step(self._before[0], self._before[1], time_s, small))
        self._before = (time_s, small)

    def findings(self, source: str, cuts_s: Sequence[float]) -> list[Finding]:
        """What is wrong with the tour as a whole.

        Raises:
            ReconError: If most frames are dark or blank.
        """
        return [*self._light(source), *self._motion(cuts_s)]

    def _light(self, source: str) -> list[Finding]:
        dark = float(np.mean(np.array(self._brightness) < _DARK_LEVEL))
        blank = float(np.mean(np.array(self._deviation) < _BLANK_DEVIATION))
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

    def _motion(self, cuts_s: Sequence[float]) -> list[Finding]:
        shots: dict[int, list[Step]] = defaultdict(list)
        for step in self._steps:
            shot = shot_of(step.begin_s, cuts_s)
            if shot == shot_of(step.end_s, cuts_s):
                shots[shot].append(step)
        steps = [step for inside in shots.values() for step in inside]
        still = [inside for inside in shots.values() if _is_still(inside)]
        found = []
        if still and sum(map(len, still)) >= _MOST * len(steps):
            if len(still) >= _SLIDESHOW_SHOTS:
                message = (
                    f"{len(still)} of {len(cuts_s) + 1} shots are still pictures: a slideshow, not a tour; "
                    f"film one continuous walk"
                )
                found.append(Finding("warning", "sample.slideshow", "tour", message))
            else:
                extent = max(_extent(inside) for inside in still)
                message = (
                    f"the camera hardly moves ({extent:.0%} of the picture width over the whole tour), so nothing can "
                    f"be measured in 3D; walk through the rooms while filming"
                )
                found.append(Finding("warning", "sample.still", "tour", message))
        known = [step for step in steps if step.related is not None]
        unrelated = sum(step.related is False for step in known)
        if known and unrelated >= _SOME * len(known):
            message = (
                f"{unrelated} of {len(known)} neighbouring frames share nothing recognisable: unrelated pictures, or "
                f"the camera turns too fast; try a higher --sample.fps"
            )
            found.append(Finding("warning", "sample.unrelated", "tour", message))
        return found


def _is_still(steps: Sequence[Step]) -> bool:
    known = [step for step in steps if step.related is not None]
    if not known or sum(step.motion is not None for step in known) < _MOST * len(known):
        return False
    limit = min(_STILL_EXTENT, _STILL_SPEED * (steps[-1].end_s - steps[0].begin_s))
    return _extent(steps) < limit


def _extent(steps: Sequence[Step]) -> float:
    """How far the view wandered from one extreme to the other, in the direction where it did so most."""
    path = np.cumsum([step.motion or (0.0, 0.0, 0.0) for step in steps], axis=0)
    return float(np.ptp(np.vstack([np.zeros(3), path]), axis=0).max())


def measure_step(begin_s: float, before: Image, end_s: float, after: Image) -> Step:
    """Measure the motion of the whole picture, undisturbed by people moving in it.

    Corners are tracked forward and back (Lucas-Kanade) and one similarity is fitted to most of them (RANSAC). Where too
    few survive, matched ORB features that agree on an epipolar geometry tell a fast move from unrelated pictures.
    """
    corners = cv2.goodFeaturesToTrack(before, maxCorners=200, qualityLevel=0.01, minDistance=7)
    if corners is None or len(corners) < 8:
        return Step(begin_s, end_s, related=None)
    moved, kept = track_corners(before, after, corners)
    if kept.mean() >= _TRACKED_SHARE and kept.sum() >= 8:
        matrix, agreeing = cv2.estimateAffinePartial2D(corners[kept], moved[kept], ransacReprojThreshold=2.0)
        if matrix is not None and agreeing.sum() >= max(8, _AGREEING_SHARE * kept.sum()):
            height, width = before.shape
            centre = np.array([width / 2, height / 2])
            shift = (matrix[:, :2] @ centre + matrix[:, 2] - centre) / width
            zoom = max(float(np.hypot(matrix[0, 0], matrix[1, 0])), 1e-6)
            return Step(begin_s, end_s, True, (float(shift[0]), float(shift[1]), float(np.log(zoom))))
    return Step(begin_s, end_s, related=_epipolar_matches(before, after) >= _MATCHES)


def _epipolar_matches(before: Image, after: Image) -> int:
    orb = cv2.ORB_create(nfeatures=600, fastThreshold=8)  # pyright: ignore[reportAttributeAccessIssue]
    (points0, found0), (points1, found1) = (orb.detectAndCompute(image, None) for image in (before, after))
    if found0 is None or found1 is None or min(len(found0), len(found1)) < 8:
        return 0
    matches = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(found0, found1)
    close = [match for match in matches if match.distance < 64]
    if len(close) < 8:
        return 0
    at0 = np.array([points0[match.queryIdx].pt for match in close])
    at1 = np.array([points1[match.trainIdx].pt for match in close])
    cv2.setRNGSeed(0)
    _, inliers = cv2.findFundamentalMat(at0, at1, cv2.FM_RANSAC, 1.5, 0.99)
    return 0 if inliers is None else int(inliers.sum())
