"""Tracks of keypoints straight from verified matches, without any pose: what a start that is wrong cannot spoil."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from recon.colmap.database import list_verified_pairs, open_database
from recon.geometry import Array


@dataclass(frozen=True, eq=False)
class MatchTracks:
    """Observations (S) of tracks, each of which sees a frame once."""

    frame_rows: NDArray[np.int64]  # (S,) rows of the frames that were asked for
    tracks: NDArray[np.int64]  # (S,) from 0, none left out
    xy: Array  # (S, 2) in pixels
    keypoint_rows: NDArray[np.int64]  # (S,) of the keypoints in their frames, as in the database

    def only(self, wanted: NDArray[np.bool_]) -> MatchTracks:
        """Some of the tracks, by a mask (T,), numbered anew."""
        kept = wanted[self.tracks]
        numbers = (np.cumsum(wanted) - 1)[self.tracks[kept]]
        return MatchTracks(self.frame_rows[kept], numbers, self.xy[kept], self.keypoint_rows[kept])


def chain_matches(database_path: Path, frames: Sequence[int], reach: int) -> MatchTracks:
    """Chain the verified matches of some frames.

    Returns:
        Tracks that come to two keypoints of one frame are wrong somewhere and left out.
    """
    row = {frame: place for place, frame in enumerate(frames)}
    with open_database(database_path) as database:
        xy = [np.asarray(database.read_keypoints(frame), np.float64)[:, :2] for frame in frames]
        starts = np.concatenate([[0], np.cumsum([len(of_frame) for of_frame in xy])])
        edges = [np.zeros((0, 2), np.int64)]
        for first, second, _ in list_verified_pairs(database, row, reach):
            matches = database.read_two_view_geometry(first, second).inlier_matches.astype(np.int64)
            edges.append(matches + starts[[row[first], row[second]]])
    one, other = np.concatenate(edges).T
    graph = coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(starts[-1], starts[-1]))
    _, track = connected_components(graph, directed=False)
    nodes = np.flatnonzero(np.bincount(track)[track] > 1)
    tracks, frame_rows = track[nodes].astype(np.int64), np.searchsorted(starts, nodes, side="right") - 1
    seen, times = np.unique(tracks * len(frames) + frame_rows, return_counts=True)
    single = ~np.isin(tracks, seen[times > 1] // max(1, len(frames)))
    _, numbers = np.unique(tracks[single], return_inverse=True)
    nodes, frame_rows = nodes[single], frame_rows[single]
    return MatchTracks(frame_rows, numbers, np.concatenate([np.zeros((0, 2)), *xy])[nodes], nodes - starts[frame_rows])
