"""Close the loops of a walk that drifted: make one point of what two visits saw, and adjust with a wide loss.

A walk of a minute drifts by tens of pixels until it returns, too far for the thresholds by which tracks are completed
and looked for, so each visit keeps points of its own and nothing pulls them together. The verified matches between the
visits say which points are one. A loss as wide as the drift lets them pull; narrower ones settle the walk.

Look-alikes pull too. So the closed walk is kept only if most open revisits agree with it, and neighbouring frames do
not contradict it where they agreed before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pycolmap

from recon.adjust.refine import RefineOptions, adjust_and_filter, refine
from recon.audit.audit import Evidence, audit
from recon.audit.contradictions import ContradictionOptions
from recon.audit.revisits import LEAST_PLACES, OPEN_PX, count_places, list_revisits, residuals_px, spread_evenly
from recon.colmap.database import open_database
from recon.colmap.observations import NO_POINT, keypoints_by_frame

_WIDER = 2.0
"""The widest loss over the median residual of the open revisits. This and the next are set by hand: the office loop
and a made ring, 10 and 40 px open, closed with them at once, and no other value was measured."""
_NARROWER = 4.0  # each loss over the next


def close_loops(
    model: pycolmap.Reconstruction, database_path: Path, options: RefineOptions = RefineOptions(), seed: int = 0
) -> pycolmap.Reconstruction:
    """Close the loops of a refined model.

    Returns:
        A new model of the same frames; the model itself if it agrees with its revisits, if those that do not are of too
        few places to be believed, or if it could not be closed without contradicting neighbouring frames.
    """
    visits = list_revisits(model, database_path)
    asked = spread_evenly(visits)
    residuals = residuals_px(model, database_path, asked)
    opened = [pair for pair, px in residuals.items() if px > OPEN_PX]
    if count_places(opened) < LEAST_PLACES:
        return model
    closed = pycolmap.Reconstruction(model)
    _unite_points(closed, database_path, visits)
    frames = closed.reg_image_ids()
    width_px = _WIDER * float(np.median([residuals[pair] for pair in opened]))
    while width_px > options.loss_scale_px:
        kept_px = options.max_error_px / options.loss_scale_px * width_px
        adjust_and_filter(closed, frames, replace(options, loss_scale_px=width_px, max_error_px=kept_px))
        width_px /= _NARROWER
    refine(closed, database_path, frames, options, seed)
    still_open = sum(px > OPEN_PX for px in residuals_px(closed, database_path, opened).values())
    if sorted(closed.reg_image_ids()) != sorted(frames) or still_open > 0.5 * len(opened):
        return model
    pairs = Evidence(database_path=database_path, check=ContradictionOptions())
    anew = audit(closed, pairs).doubts
    return closed if not anew or len(anew) <= len(audit(model, pairs).doubts) else model


def _unite_points(model: pycolmap.Reconstruction, database_path: Path, visits: Iterable[tuple[int, int]]) -> None:
    """Make one point of the two that matched keypoints of two visits belong to, in place.

    Where one of the keypoints has no point it becomes an observation of the other's.
    """
    points = {frame: keypoints.points.copy() for frame, keypoints in keypoints_by_frame(model).items()}
    became: dict[int, int] = {}

    def find(point: int) -> int:
        while point in became:
            point = became[point]
        return point

    with open_database(database_path) as database:
        for first, second in visits:
            for one, other in database.read_two_view_geometry(first, second).inlier_matches.tolist():
                near, far = find(int(points[first][one])), find(int(points[second][other]))
                if near == far:
                    continue
                if NO_POINT in (near, far):
                    frame, keypoint = (first, one) if near == NO_POINT else (second, other)
                    known = max(near, far)
                    if not _sees(model, known, [frame]):
                        model.add_observation(known, pycolmap.TrackElement(frame, keypoint))
                        points[frame][keypoint] = known
                elif not _sees(model, near, [element.image_id for element in model.point3D(far).track.elements]):
                    became[near] = became[far] = model.merge_points3D(near, far)


def _sees(model: pycolmap.Reconstruction, point: int, frames: Iterable[int]) -> bool:
    """Whether one of the frames sees a point."""
    return not {element.image_id for element in model.point3D(point).track.elements}.isdisjoint(frames)
