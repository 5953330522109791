"""What the points of a reconstruction belong to: the word that the segments of several frames give them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.segments import SegmentMap, classes_of_kind
from instructions.perception.models.light.labels import ade_words, words
from recon.records import CEILING, FLOOR, THING, UNNAMED, WALL, Tracks

_LEAST_VIEWS = 2
"""One frame's segment ends beside the thing as often as on it."""
_LEAST_SHARE = 0.7
"""Of the frames that say anything; near the border between two things they differ."""
_SURFACES = {"floor": FLOOR, "ceiling": CEILING, "wall": WALL}
_IN_WALLS = ("door", "window", "curtain", "picture", "mirror")
"""What hangs on a wall or is part of one, and so is as plumb as the wall."""

SegmentsOf = Callable[[int], SegmentMap | None]
"""The segments of a frame, or None: not every frame needs them."""


def name_points(tracks: Tracks, segments_of: SegmentsOf) -> NDArray[np.int64]:
    """The segmenter's class of each point (P,), -1 where too few frames agree.

    Args:
        tracks: Points and where frames saw them.
        segments_of: Segments of each frame.
    """
    classes = len(ade_words())
    votes = np.zeros((len(tracks.xyz), classes), dtype=np.int32)
    for frame in np.unique(tracks.obs_frame).tolist():
        segments = segments_of(frame)
        if segments is not None:
            rows = tracks.rows_of_frame(frame)
            seen = np.minimum(segments.at(tracks.obs_xy[rows]), classes - 1)
            np.add.at(votes, (tracks.obs_point[rows], seen), 1)
    asked, most = votes.sum(axis=1), votes.max(axis=1, initial=0)
    sure = (most >= _LEAST_VIEWS) & (most >= _LEAST_SHARE * asked)
    return np.where(sure, votes.argmax(axis=1), -1)


def surfaces_of(classes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """What each point lies on (`recon.records`), out of `name_points`."""
    table = np.array([_surface_of(word) for word in ade_words()] + [UNNAMED], dtype=np.uint8)
    return table[classes]


def points_called(classes: NDArray[np.int64], word: str) -> NDArray[np.bool_]:
    """Which points (P,) are called so, or by a word of which it is the head."""
    return classes_of_kind(word, ade_words())[classes] & (classes >= 0)


def _surface_of(word: str) -> int:
    if word in _SURFACES:
        return _SURFACES[word]
    known = words().get(word)
    return UNNAMED if known is None or word in _IN_WALLS or word == "rug" else THING
