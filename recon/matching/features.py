"""One feature and match database for the whole tour: keypoints per frame, neighbours and revisits matched and verified.

Image id = frame number throughout, one camera for all frames, in COLMAP's format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import CAMERA_ID, open_database, write_tour
from recon.colmap.tasks import quiet_colmap
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Camera
from recon.matching.calibrate import vote_camera
from recon.matching.interfaces import FeatureOptions, Features, Keypoints
from recon.matching.pair_filter import filter_pairs
from recon.matching.pairs import Detect, PairMatcher, count_sampled, match_frames
from recon.matching.sift import Sift, two_view_geometry
from recon.records import Clip, Frame
from recon.tasks import FanOut, Progress, fixed_threads, map_here
from recon.video.picture import Image


@dataclass(frozen=True)
class DatabaseReport:
    """What went into the database."""

    camera: Camera  # shared by all frames; refined again at the end of mapping
    sequential_verified: int  # pairs of neighbours
    revisits_verified: int
    findings: tuple[Finding, ...]


def build_database(
    frames_dir: Path,
    frames: Sequence[Frame],
    clips: Sequence[Clip],
    database_path: Path,
    options: FeatureOptions = FeatureOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    mask: Image | None = None,
    fan_out: FanOut = map_here,
    features: Features | None = None,
) -> DatabaseReport:
    """Detect features in every frame, match neighbours and revisits, and write all to a new COLMAP database.

    Only frames inside clips are matched, all if there are no clips. The mask (H, W) is 0 where no frame may have a
    keypoint (bars, watermarks). Keypoints are SIFT if no other kind is given.

    Raises:
        ReconError: If the database exists, there are no frames, or an image cannot be read or does not fit the mask.
    """
    if not frames:
        raise ReconError(f"{frames_dir}: no frames to reconstruct; check the sampling options")
    if database_path.exists():
        raise ReconError(f"{database_path}: exists already; give a new path or remove it")
    size = (frames[0].width, frames[0].height)
    if mask is not None and mask.shape != size[::-1]:
        raise ReconError(f"the mask has size {mask.shape[::-1]}, the frames {size}; sample the tour again")
    report = progress or (lambda _: None)
    features = features or Sift(options.max_features)
    camera = Camera("SIMPLE_RADIAL", *size, (options.focal_ratio * max(size), size[0] / 2, size[1] / 2, 0.0))
    counts: dict[int, int] = {}
    with quiet_colmap(), fixed_threads(), open_database(database_path) as database:
        write_tour(database, camera, frames, has_prior_focal=False)
        with pycolmap.DatabaseTransaction(database):
            for frame, found in zip(frames, fan_out(Detect(frames_dir, features, mask), frames), strict=True):
                database.write_keypoints(frame.index, found.xy)
                stored = pycolmap.FeatureDescriptors(type=pycolmap.FeatureExtractorType.SIFT, data=found.descriptors)
                database.write_descriptors(frame.index, stored)
                counts[frame.index] = len(found.xy)
                report(0.35 * len(counts) / len(frames))
        share = count_sampled(frames)
        space = features.space(
            np.concatenate([_read_keypoints(database, frame.index).descriptors[:share] for frame in frames])
        )
        load = lru_cache(_FRAMES_IN_MEMORY)(lambda index: space.compact(_read_keypoints(database, index)))
        matcher = PairMatcher(load, features, fan_out)
        matched = {index for clip in clips for index in clip.frames}
        used = [frame for frame in frames if not matched or frame.index in matched]
        neighbours, tried = match_frames(matcher, used, seed, lambda done: report(0.35 + 0.65 * done))
        voted = vote_camera(database.read_camera(CAMERA_ID), neighbours.values())
        database.update_camera(voted)
        camera = Camera.from_colmap(voted)
        believed = filter_pairs(neighbours, tried, lambda frame: _read_keypoints(database, frame).xy, camera)
        with pycolmap.DatabaseTransaction(database):
            for (first, second), match in (*believed.neighbours.items(), *believed.revisits.items()):
                if len(match.inliers):
                    database.write_two_view_geometry(first, second, two_view_geometry(match))
    report(1.0)
    findings: list[Finding] = []
    if not voted.has_prior_focal_length:
        start = f"{camera.fx / max(size):.2f} times the longer side"
        message = f"the matches do not determine the focal length; mapping starts from {start} and refines it"
        findings.append(Finding("info", "camera.focal_guessed", "camera", message))
    weak = [frame.index for frame in frames if counts[frame.index] < _FEW_KEYPOINTS]
    if weak:
        findings.append(
            Finding(
                "warning" if len(weak) > 0.2 * len(frames) else "info",
                "features.few_keypoints",
                "frames",
                f"{len(weak)} of {len(frames)} frames have fewer than {_FEW_KEYPOINTS} keypoints (blank, dark or "
                f"blurred), the first of them frame {weak[0]}; film with more light",
            )
        )
    if believed.inconsistent:
        message = (
            f"{len(believed.inconsistent)} pairs of frames were rejected as look-alikes: the rotation that their "
            "matches give contradicts that of the frames between or beside them"
        )
        findings.append(Finding("info", "features.look_alikes", "frames", message))
    verified = sum(len(match.inliers) > 0 for match in believed.neighbours.values())
    return DatabaseReport(camera, verified, len(believed.revisits), tuple(findings))


_FEW_KEYPOINTS = 100  # Textured rooms have 1000 to 3500; with 100 a frame may fail at the 15 points of registration
_FRAMES_IN_MEMORY = 512  # compact descriptors of 1800 keypoints are 460 kB


def _read_keypoints(database: pycolmap.Database, frame: int) -> Keypoints:
    """Of one frame. A long tour's do not fit into memory, so they are read again where they are needed."""
    xy = np.asarray(database.read_keypoints(frame), np.float32)[:, :2]
    return Keypoints(xy, np.asarray(database.read_descriptors(frame).data, np.uint8))
