"""Poses that a user brings, and the tour they are of: which frames have which, and what identifies them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from recon.errors import ReconError
from recon.findings import Finding
from recon.pose_sources.match import MatchedPoses, PictureIndex, match_poses
from recon.pose_sources.options import PoseSourceOptions
from recon.pose_sources.records import PoseSource
from recon.records import Frame
from recon.video.container import presentation_times
from recon.video.image_folder import image_files


def content_key(sources: Sequence[PoseSource]) -> str:
    """What identifies the poses by content."""
    digest = sha256()
    for source in sources:
        digest.update(repr(source.lens).encode())
        digest.update(source.depth.digest() if source.depth is not None else b"")
        for picture in source.pictures:
            digest.update(repr((picture.time_s, picture.name, picture.position)).encode())
            digest.update(picture.world_from_cam.matrix().tobytes())
    return digest.hexdigest()[:16]


def match_to_tour(
    sources: Sequence[PoseSource],
    tour: Path,
    frames: Sequence[Frame],
    options: PoseSourceOptions = PoseSourceOptions(),
    image_fps: float | None = None,
) -> tuple[list[tuple[PoseSource, MatchedPoses]], list[Finding]]:
    """Which frames have which poses, per world; worlds that fit no frame are findings.

    Raises:
        ReconError: If no world fits.
    """
    index = _picture_index(tour, image_fps, sources)
    matched: list[tuple[PoseSource, MatchedPoses]] = []
    misfits: list[ReconError] = []
    for source in sources:
        try:
            matched.append((source, match_poses(source, frames, index, options)))
        except ReconError as error:
            misfits.append(error)
    if not matched:
        raise misfits[0]
    return matched, [Finding("warning", "poses.no_frames", "poses", f"left out: {error}") for error in misfits]


def _picture_index(tour: Path, image_fps: float | None, sources: Sequence[PoseSource]) -> PictureIndex:
    if tour.is_dir():
        files = image_files(tour)
        rate = image_fps or 1.0
        return PictureIndex(tuple(k / rate for k in range(len(files))), tuple(file.name for file in files))
    numbered = any(source.pictures[0].position is not None for source in sources)
    return PictureIndex(presentation_times(tour) if numbered else ())
