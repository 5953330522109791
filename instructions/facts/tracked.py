"""Where a frame sees a thing by the points it is made of, whether or not anything named it there."""

from __future__ import annotations

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
    wanted = np.intersect1d(points, np.array(thing.points, dtype=np.int64))
    named, inside = np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
    for other, (x0, y0, x1, y1) in boxes.items() if len(wanted) else ():
        there = tracks.rows_of_frame(other)
        _, row, number = np.intersect1d(tracks.obs_point[there], wanted, return_indices=True)
        x, y = tracks.obs_xy[there][row].T
        named[number] += 1
        inside[number] += (x0 <= x) & (x <= x1) & (y0 <= y) & (y <= y1)
    sure = wanted[(named > 0) & (inside >= _LEAST_INSIDE * named)]
    return tracks.obs_xy[rows][np.isin(points, sure)]
