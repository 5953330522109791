"""Where a model is torn: matched keypoints of neighbouring frames lie on different points of it.

When a stretch of frames is registered in a wrong place, its matches with the frames before and after cannot become
common points; each side keeps points of its own. Nothing of that shows in the reprojection error. On an office walk, at
most 9 % of the matches across a place of a sound model lay on two points, 12 % with all of its ten frames per second.
Where frames hung in a wrong place by 0.3 to 2 m, or the walk was bent, it was 13 to 100 %. It costs a tenth of a
second, asks planes and turns on the spot too, and needs few matches, so it sees what `contradictions` cannot.

A model must have its tracks merged (`densify` does): before that, up to 22 % lie on two points in sound models too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.audit.verdict import Verdict, count_across
from recon.colmap.database import list_verified_pairs, open_database
from recon.colmap.observations import NO_POINT, keypoints_by_frame
from recon.geometry import Camera
from recon.ranges import AtLeastOne, NotNegative, Share


@dataclass(frozen=True, kw_only=True)
class TornOptions:
    """When a place of a model counts as torn."""

    reach: AtLeastOne = 12  # frames between the two of a pair; matches of revisits do not localise a fault
    max_share: Share = 0.125  # share of the matches across a place that may lie on two points
    min_matches: AtLeastOne = 8  # such matches that a torn place has at least
    apart_px: NotNegative = 0.0
    """Two points count as two where one of them, seen by the other's frame, lies this far from the matched keypoint; 0
    counts any two. Learned keypoints of one corner lie up to 3 px apart and split into several points beside each
    other: 10 to 40 % of the matches of sound stretches."""


TORN_LEARNED = TornOptions(apart_px=8.0, max_share=0.33)
"""For models of learned keypoints, whose matches pass no ratio test: on a home walk up to 26 % of the matches lay on
two points that far apart where the path was that of SIFT, 39 to 60 % where the camera turned past a wall and scale
broke."""


def find_torn_seams(
    model: pycolmap.Reconstruction, database_path: Path, options: TornOptions = TornOptions()
) -> list[Verdict]:
    """The steps of a model, from one frame to the next, that its matches do not hold together, in time order.

    Their value is the share of the matches across whose two keypoints lie on different points.
    """
    frames = sorted(model.reg_image_ids())
    place = {frame: number for number, frame in enumerate(frames)}
    points = {frame: keypoints.points for frame, keypoints in keypoints_by_frame(model).items()}
    counted: list[tuple[int, int, int, int]] = []
    with open_database(database_path) as database:
        for first, second, _ in list_verified_pairs(database, place, options.reach):
            matches = database.read_two_view_geometry(first, second).inlier_matches
            one, other = points[first][matches[:, 0]], points[second][matches[:, 1]]
            known = (one != NO_POINT) & (other != NO_POINT)
            two = known & (one != other)
            if options.apart_px > 0 and two.any():
                two[two] = _misses_px(model, first, one[two], second, other[two]) > options.apart_px
            counted.append((place[first], place[second], int(two.sum()), int(known.sum())))
    begins, ends, two, known = np.array(counted, np.int64).reshape(-1, 4).T
    apart, asked = count_across(len(frames), begins, ends, two), count_across(len(frames), begins, ends, known)
    return [
        Verdict(
            False,
            "torn",
            float(apart[k] / asked[k]),
            options.max_share,
            (frames[k], frames[k + 1]),
            f"{apart[k]:.0f} of {asked[k]:.0f} matches across it join two different points",
        )
        for k in range(len(frames) - 1)
        if apart[k] >= options.min_matches and apart[k] / asked[k] > options.max_share
    ]


def _misses_px(
    model: pycolmap.Reconstruction, first: int, one: NDArray[np.int64], second: int, other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """How far from each other the two points of each match lie, in the frame where that is more, in pixels."""
    near, far = (np.array([model.point3D(point).xyz for point in points.tolist()]) for points in (one, other))
    misses = np.zeros(len(one))
    for frame in (first, second):
        image = model.image(frame)
        camera = Camera.from_colmap(model.camera(image.camera_id))
        pose = image.cam_from_world().matrix()
        seen = [camera.project(points @ pose[:, :3].T + pose[:, 3]) for points in (near, far)]
        away = np.linalg.norm(seen[0] - seen[1], axis=1)
        misses = np.maximum(misses, np.where(np.isfinite(away), away, np.inf))  # one of them lies behind the camera
    return misses


def frames_beside(place: tuple[int, int], among: Collection[int]) -> list[int]:
    """Those frames on both sides of a bad place from which a walk may be mapped again, the most promising first."""
    before, after = place
    return [
        frame for frame in (before, after, before - _RESTART_GAP_FRAMES, after + _RESTART_GAP_FRAMES) if frame in among
    ]


_RESTART_GAP_FRAMES = 10
"""Frames from the place, where pairs are better: some frames beside a tear have no pair to start with, or a bad one."""
