"""Where a frame sees a thing by the points it is made of, whether or not anything named it there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from instructions.records import Box, SceneObject
from recon.geometry import Array
from recon.records import SceneModel

_LEAST_INSIDE = 0.6
"""Share of the frames that name a thing and see a point of it, in which the point lies in its box: others are of what
stands behind it or beside it, for boxes in the world hold those too."""


def find_tracked_pixels(model: SceneModel, thing: SceneObject, frame: int, boxes: Mapping[int, Box]) -> Array:
    """Pixels (N, 2) at which a frame observes points of a thing that lie in its boxes where frames name it.

    Args:
        model: With the tracks that the rows of `thing.points` belong to.
        thing: Of this model.
        frame: Of this model.
        boxes: Where frames name the thing, in pixels, by frame.
    """
    tracks = model.tracks
    rows = tracks.rows_of_frame(frame)
    points = tracks.obs_point[rows]
    is_its = np.isin(points, np.array(thing.points, dtype=np.int64))
    wanted = set(points[is_its].tolist())
    named: Counter[int] = Counter()
    inside: Counter[int] = Counter()
    for other, (x0, y0, x1, y1) in boxes.items() if wanted else ():
        there = tracks.rows_of_frame(other)
        for point, (x, y) in zip(tracks.obs_point[there].tolist(), tracks.obs_xy[there].tolist(), strict=True):
            if point in wanted:
                named[point] += 1
                inside[point] += x0 <= x <= x1 and y0 <= y <= y1
    sure = [point for point in wanted if named[point] and inside[point] >= _LEAST_INSIDE * named[point]]
    return tracks.obs_xy[rows][np.isin(points, np.array(sure, dtype=np.int64))]
