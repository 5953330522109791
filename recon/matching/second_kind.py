"""Keypoints of a second kind beside the first, in one database: rows of a frame are those of SIFT, then learned ones.

So models made before keep their row numbers, and whatever reads keypoints, descriptors or verified matches need not
know of kinds: two of different kinds never look alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import CAMERA_ID, list_verified_pairs, open_database
from recon.geometry import Camera
from recon.matching.calibrate import vote_camera
from recon.matching.interfaces import Features, Keypoints, PairMatch
from recon.matching.pair_filter import filter_pairs
from recon.matching.pairs import REVISIT_MIN_GAP, Detect, Pair, PairMatcher, match_frames
from recon.matching.sift import two_view_geometry
from recon.records import Frame
from recon.tasks import FanOut, Progress
from recon.video.picture import Image


@dataclass(frozen=True, eq=False)
class LearnedMatches:
    """Keypoints of a second kind in some frames, and the verified matches between them."""

    keypoints: Mapping[int, Keypoints]
    pairs: Mapping[Pair, PairMatch]  # those that are believed
    inconsistent: tuple[Pair, ...] = ()  # pairs that were rejected because they only look alike


def match_learned_features(
    database_path: Path,
    pictures_dir: Path,
    frames: Sequence[Frame],
    features: Features,
    mask: Image | None,
    seed: int,
    fan_out: FanOut,
    progress: Progress,
) -> LearnedMatches:
    """Detect keypoints of frames of one shot, and match neighbours and places that are seen again.

    Places that the first kind of keypoints in the database saw again are tried too. Pictures may be of any size; the
    mask (H, W) is of the frames, 0 where none may have a keypoint.
    """
    keypoints: dict[int, Keypoints] = {}
    detected = fan_out(Detect(pictures_dir, features, mask, any_size=True), frames)
    for frame, found in zip(frames, detected, strict=True):
        keypoints[frame.index] = found
        progress(0.5 * len(keypoints) / len(frames))
    space = features.space(np.concatenate([of_frame.descriptors for of_frame in keypoints.values()]))
    compact = {index: space.compact(found) for index, found in keypoints.items()}
    matcher = PairMatcher(compact.__getitem__, features, fan_out)
    with open_database(database_path) as database:
        shared = database.read_camera(CAMERA_ID)
        known = list_verified_pairs(database, keypoints)
    again = [(first, last) for first, last, _ in known if last - first >= REVISIT_MIN_GAP]
    neighbours, tried = match_frames(matcher, frames, seed, lambda done: progress(0.5 + 0.5 * done), again)
    camera = Camera.from_colmap(vote_camera(shared, neighbours.values()))
    believed = filter_pairs(neighbours, tried, lambda frame: keypoints[frame].xy, camera)
    pairs = {**believed.neighbours, **believed.revisits}
    return LearnedMatches(
        keypoints, {pair: match for pair, match in pairs.items() if len(match.inliers)}, believed.inconsistent
    )


def write_combined_database(database_path: Path, second: LearnedMatches, both_path: Path) -> None:
    """Write a new database with what there is and keypoints of a second kind.

    The focal length that the pairs of the first kind are sure of stays; else those of the second vote from there.
    """
    with open_database(database_path) as old, open_database(both_path) as new, pycolmap.DatabaseTransaction(new):
        shared = old.read_camera(CAMERA_ID)
        new.write_camera(vote_camera(shared, second.pairs.values()), use_camera_id=True)
        new.write_rig(old.read_rig(CAMERA_ID), use_rig_id=True)
        before: dict[int, int] = {}
        for image in old.read_all_images():
            frame = image.image_id
            new.write_frame(old.read_frame(frame), use_frame_id=True)
            new.write_image(image, use_image_id=True)
            first_xy, descriptors = np.asarray(old.read_keypoints(frame))[:, :2], old.read_descriptors(frame)
            before[frame] = len(first_xy)
            if (added := second.keypoints.get(frame)) is not None:
                data = np.concatenate([np.asarray(descriptors.data), added.descriptors])
                descriptors = pycolmap.FeatureDescriptors(type=descriptors.type, data=data)
                first_xy = np.concatenate([first_xy, added.xy])
            new.write_keypoints(frame, first_xy)
            new.write_descriptors(frame, descriptors)
        known = {(first, last) for first, last, _ in list_verified_pairs(old)}
        for first, last in sorted(known | set(second.pairs)):
            match = second.pairs.get((first, last))
            geometry = old.read_two_view_geometry(first, last) if (first, last) in known else None
            if match is not None:
                geometry = _with_second(geometry, match, (before[first], before[last]))
            assert geometry is not None  # a pair is of one of the two kinds
            new.write_two_view_geometry(first, last, geometry)


def _with_second(
    first: pycolmap.TwoViewGeometry | None, match: PairMatch, before: tuple[int, int]
) -> pycolmap.TwoViewGeometry:
    """The matches of both kinds, with the geometry of the kind that has more of them."""
    second = two_view_geometry(match)
    second.inlier_matches = (match.inliers + np.array(before, np.uint32)).astype(np.uint32)
    if first is None:
        return second
    _, more = sorted((first, second), key=lambda geometry: len(geometry.inlier_matches))
    more.inlier_matches = np.concatenate([first.inlier_matches, second.inlier_matches])
    return more
