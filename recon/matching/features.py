"""One feature and match database for the whole tour: keypoints per frame, neighbours and revisits matched and verified.

Image id = frame number throughout, one camera for all frames, in COLMAP's format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pycolmap
from numpy.typing import NDArray

from recon.colmap.database import open_database, update_camera, write_tour
from recon.colmap.log import quiet_colmap
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Camera
from recon.matching.batches import WORDS_PER_FRAME, PairMatcher
from recon.matching.calibrate import set_focal, vote_focal
from recon.matching.detection import Detect
from recon.matching.interfaces import Features, Keypoints, PairMatch
from recon.matching.matching import two_view_geometry
from recon.matching.options import FeatureOptions
from recon.matching.pairs import (
    Pair,
    PairOptions,
    Vocabulary,
    keep_supported_revisits,
    pairs_at,
    revisit_candidates,
    sequential_gaps,
    word_weights,
)
from recon.matching.sift import Sift
from recon.records import Clip, Frame
from recon.tasks import FanOut, fixed_threads, map_here
from recon.video.picture import Image

Progress = Callable[[float], None]


@dataclass(frozen=True)
class DatabaseReport:
    """What went into the database."""

    camera: Camera
    """Shared by all frames; refined again at the end of mapping."""
    focal_votes: int
    """Pairs that decided the focal length; 0 if it is a guess."""
    frames: int
    mean_keypoints: float
    sequential_tried: int
    sequential_verified: int
    revisits_tried: int
    revisits_verified: int
    findings: tuple[Finding, ...]


def build_database(
    frames_dir: Path,
    frames: Sequence[Frame],
    clips: Sequence[Clip],
    database_path: Path,
    options: FeatureOptions = FeatureOptions(),
    pairs: PairOptions = PairOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    mask: Image | None = None,
    fan_out: FanOut = map_here,
    features: Features | None = None,
) -> DatabaseReport:
    """Detect features in every frame, match neighbours and revisits, and write all to one COLMAP database.

    Args:
        frames_dir: Folder with the frames' images.
        frames: In time order, all of one size.
        clips: Only frames inside clips are matched; all are if there are no clips.
        database_path: Must not exist.
        options: Features and camera guess.
        pairs: Which pairs are tried and believed.
        seed: Of the vocabulary.
        progress: Called with a fraction from 0 to 1.
        mask: (H, W), 0 where no frame may have a keypoint (bars, watermarks); none masks nothing.
        fan_out: Gives out frames and batches of pairs. The result does not depend on it.
        features: The kind of keypoints; SIFT if not given.

    Raises:
        ReconError: If the database exists, there are no frames, or an image cannot be read or does not fit the mask.
    """
    if not frames:
        raise ReconError(f"{frames_dir}: no frames to reconstruct; check the sampling options")
    if database_path.exists():
        raise ReconError(f"{database_path}: exists already; give a new path or remove it")
    if mask is not None and mask.shape != (frames[0].height, frames[0].width):
        need = (frames[0].width, frames[0].height)
        raise ReconError(f"the mask has size {mask.shape[::-1]}, the frames {need}; sample the tour again")
    report = progress or (lambda _: None)
    features = features or Sift(options, pairs.match)
    size = (frames[0].width, frames[0].height)
    camera = Camera("SIMPLE_RADIAL", *size, (options.focal_ratio * max(size), size[0] / 2, size[1] / 2, 0.0))
    with quiet_colmap(), fixed_threads(), open_database(database_path) as database:
        write_tour(database, camera, frames, has_prior_focal=False)
        counts, sample = _extract(
            database, fan_out(Detect(frames_dir, features, mask), frames), frames, lambda done: report(0.35 * done)
        )
        space = features.space(sample)
        load = lru_cache(maxsize=_FRAMES_IN_MEMORY)(lambda index: space.compact(_read_keypoints(database, index)))
        matched = {index for clip in clips for index in clip.frames}
        used = [frame for frame in frames if not matched or frame.index in matched]
        sequential = pairs_at(used, features.gaps or sequential_gaps(pairs))
        matcher = PairMatcher(load, features, options.plenty, fan_out)
        neighbours = matcher.neighbours(used, sequential, lambda done: report(0.35 + 0.4 * done))
        verified = _write(database, neighbours)
        vote = vote_focal(camera, neighbours.values())
        if vote is not None:
            camera = set_focal(camera, vote.focal_px)
            update_camera(database, camera, has_prior_focal=True)
        revisits, tried = _find_revisits(matcher, used, pairs, seed, lambda done: report(0.75 + 0.25 * done))
        believed = _write(database, revisits)
    report(1.0)
    findings: list[Finding] = []
    if vote is None:
        ratio = f"{options.focal_ratio:g} times the longer side"
        message = f"too few good pairs agree on a focal length; mapping starts from {ratio}"
        findings.append(Finding("info", "camera.focal_guessed", "camera", message))
    weak = [frame.index for frame in frames if counts[frame.index] < _FEW_KEYPOINTS]
    if weak:
        findings.append(
            Finding(
                "warning" if len(weak) > 0.2 * len(frames) else "info",
                "features.few_keypoints",
                "frames",
                f"{len(weak)} of {len(frames)} frames have fewer than {_FEW_KEYPOINTS} keypoints (blank, dark or "
                f"blurred), first {weak[0]}; try a lower contrast threshold or a better lit video",
            )
        )
    return DatabaseReport(
        camera=camera,
        focal_votes=vote.pairs if vote else 0,
        frames=len(frames),
        mean_keypoints=float(np.mean(list(counts.values()))),
        sequential_tried=len(sequential),
        sequential_verified=verified,
        revisits_tried=tried,
        revisits_verified=believed,
        findings=tuple(findings),
    )


_FEW_KEYPOINTS = 100
"""Textured rooms have 1000 to 3500; with 100 a frame may fail at the 15 points of registration."""
_FRAMES_IN_MEMORY = 512  # compact descriptors of 1800 keypoints are 460 kB
_SAMPLE = 50_000  # descriptors the vocabulary is made from


def _extract(
    database: pycolmap.Database, detected: Iterator[Keypoints], frames: Sequence[Frame], progress: Progress
) -> tuple[dict[int, int], NDArray[np.uint8]]:
    """Write keypoints and descriptors; return the count per frame and a sample of descriptors."""
    counts: dict[int, int] = {}
    sample: list[NDArray[np.uint8]] = []
    share = max(1, _SAMPLE // len(frames))
    for start in range(0, len(frames), _BATCH):
        batch = frames[start : start + _BATCH]
        with pycolmap.DatabaseTransaction(database):
            for frame, keypoints in zip(batch, detected, strict=False):
                database.write_keypoints(frame.index, keypoints.xy)
                database.write_descriptors(
                    frame.index,
                    pycolmap.FeatureDescriptors(type=pycolmap.FeatureExtractorType.SIFT, data=keypoints.descriptors),
                )
                counts[frame.index] = len(keypoints.xy)
                sample.append(keypoints.descriptors[: min(share, WORDS_PER_FRAME)])
        progress((start + len(batch)) / len(frames))
    return counts, np.concatenate(sample)


_BATCH = 32
"""Frames per transaction of the database."""


def _read_keypoints(database: pycolmap.Database, index: int) -> Keypoints:
    xy = np.asarray(database.read_keypoints(index), np.float32)[:, :2]
    return Keypoints(xy, np.asarray(database.read_descriptors(index).data, np.uint8))


def _find_revisits(
    matcher: PairMatcher,
    frames: Sequence[Frame],
    options: PairOptions,
    seed: int,
    progress: Progress,
) -> tuple[dict[Pair, PairMatch], int]:
    """Verified revisits and how many were tried."""
    if options.revisits_per_frame == 0 or len(frames) <= options.revisit_min_gap:
        return {}, 0
    share = max(1, _SAMPLE // len(frames))
    sample = np.concatenate([matcher.load(frame.index).vectors[: min(share, WORDS_PER_FRAME)] for frame in frames])
    if len(sample) == 0:
        return {}, 0
    vocabulary = Vocabulary(sample, options.words, seed)
    words = matcher.words(frames, vocabulary)
    candidates = revisit_candidates(frames, word_weights(words, vocabulary.size), options)
    matched = matcher.match(candidates, progress)
    good = {
        pair: match
        for pair, match in matched.items()
        if len(match.inliers) >= options.revisit_min_inliers
        and len(match.inliers) >= options.revisit_min_inlier_ratio * len(match.matches)
    }
    kept = keep_supported_revisits(good, options.revisit_support)
    return {pair: good[pair] for pair in sorted(kept)}, len(candidates)


def _write(database: pycolmap.Database, matched: Mapping[Pair, PairMatch]) -> int:
    """Write verified pairs; return their number."""
    verified = {pair: match for pair, match in matched.items() if len(match.inliers)}
    with pycolmap.DatabaseTransaction(database):
        for (first, second), match in verified.items():
            database.write_matches(first, second, match.matches)
            database.write_two_view_geometry(first, second, two_view_geometry(match))
    return len(verified)
