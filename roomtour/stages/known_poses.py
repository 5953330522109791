"""`--poses`: sub-models from poses that the user brings, instead of structure from motion."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np

from recon.colmap.database import CAMERA_ID, opened
from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Camera
from recon.mapping.known_poses import triangulate_known
from recon.pose_sources.match import MatchedPoses, PictureIndex, match_poses
from recon.pose_sources.read import read_pose_sources
from recon.pose_sources.records import PoseSource
from recon.records import Frame, Scale, SubModel
from recon.upright.checks import frame_ranges
from recon.video.decode import presentation_times
from recon.video.image_folder import image_files
from recon.video.sampling import SampledTour
from roomtour.config import Config
from roomtour.files.frames import read_clips, read_source
from roomtour.files.models import write_sub_models
from roomtour.stages.context import StageContext, StageResult

_SAME_MOMENT_S = 1e-3
_ONE_LENS = 0.02
"""Relative range of the focal length up to which pictures were taken through one lens."""


def read_given_poses(config: Config) -> tuple[PoseSource, ...]:
    """The worlds of `--poses`; none without it."""
    return () if config.poses is None else read_pose_sources(config.poses, config.pose_source.format)


def given_poses_key(config: Config) -> str | None:
    """What identifies the given poses by content; none without `--poses`."""
    sources = read_given_poses(config)
    if not sources:
        return None
    digest = sha256()
    for source in sources:
        digest.update(repr(source.lens).encode())
        for picture in source.pictures:
            digest.update(repr((picture.time_s, picture.name, picture.position)).encode())
            digest.update(picture.world_from_cam.matrix().tobytes())
    return digest.hexdigest()[:16]


def stated_scale(config: Config) -> Scale | None:
    """The scale of models from given poses where the user says that they are in metres."""
    if config.poses is None or not config.pose_source.metric:
        return None
    return Scale("metric", 1.0, config.pose_source.metric_sigma, f"stated for the poses of {config.poses.name}")


def match_given_poses(
    sources: Sequence[PoseSource], tour: Path, config: Config, sampled: SampledTour
) -> tuple[list[tuple[PoseSource, MatchedPoses]], list[Finding]]:
    """Which frames have which poses, per world; worlds that fit no frame are findings.

    Raises:
        ReconError: If no world fits.
    """
    index = _picture_index(tour, config, sources)
    matched: list[tuple[PoseSource, MatchedPoses]] = []
    misfits: list[ReconError] = []
    for source in sources:
        try:
            matched.append((source, match_poses(source, sampled.frames, index, config.pose_source)))
        except ReconError as error:
            misfits.append(error)
    if not matched:
        raise misfits[0]
    return matched, [Finding("warning", "poses.no_frames", "poses", f"left out: {error}") for error in misfits]


def place_given_poses(context: StageContext) -> StageResult:
    """The stage's work with `--poses`: one sub-model per world, with points from the tour's own matches."""
    config, options = context.config, context.config.pose_source
    sampled = read_source(context.run / "source.json")
    matched, findings = match_given_poses(read_given_poses(config), context.tour.source, config, sampled)
    clips = read_clips(context.run / "clips.json")
    database = context.run / "recon" / "database.db"
    sub_models: list[SubModel] = []
    for number, (source, poses) in enumerate(matched):
        lens = options.lens or source.lens
        placed = triangulate_known(
            database,
            context.run / "frames",
            poses.world_from_cam,
            _voted_camera(database) if lens is None else lens.camera_for(*_sizes(sampled), source.label),
            label=_where(source),
            refine_camera=lens is None,
            refine_poses=options.refine,
            num_threads=config.workers,
            seed=config.seed,
        )
        held = tuple(clip.name for clip in clips if not poses.world_from_cam.keys().isdisjoint(clip.frames))
        sub_models.append(SubModel(f"poses/{number}", held, placed.reconstruction))
        findings += _said(source, poses, config, placed.moved)
        findings += placed.findings
        context.progress((number + 1) / len(matched))
    write_sub_models(context.part / "recon" / "clips", sub_models)
    registered = {frame for model in sub_models for frame in model.frames}
    findings += _missing(registered, sampled.frames)
    return StageResult({"given poses": len(registered), "sub-models": len(sub_models)}, tuple(findings))


def _picture_index(tour: Path, config: Config, sources: Sequence[PoseSource]) -> PictureIndex:
    if tour.is_dir():
        files = image_files(tour)
        rate = config.input.fps or 1.0
        return PictureIndex(tuple(k / rate for k in range(len(files))), tuple(file.name for file in files))
    numbered = any(source.pictures[0].position is not None for source in sources)
    return PictureIndex(presentation_times(tour) if numbered else ())


def _sizes(sampled: SampledTour) -> tuple[tuple[int, int], tuple[int, int]]:
    """Width and height of the frames, and of the upright pictures they were made from."""
    frame = sampled.frames[0]
    return (frame.width, frame.height), (sampled.source.width, sampled.source.height)


def _voted_camera(database_path: Path) -> Camera:
    with opened(database_path) as database:
        return Camera.from_colmap(database.read_camera(CAMERA_ID))


def _where(source: PoseSource) -> str:
    return f"poses {Path(source.label).name}"


def _said(source: PoseSource, poses: MatchedPoses, config: Config, moved: float) -> list[Finding]:
    """Findings on the poses of one world."""
    options, where = config.pose_source, _where(source)
    scale = "stated as metres" if options.metric else "of unknown scale (--pose-source.metric says that it is metres)"
    message = (
        f"{len(poses.world_from_cam)} frames take their pose from {source.format} {Path(source.label).name}, {scale}"
    )
    said = [Finding("info", "poses.given", where, message)]
    if poses.interpolated:
        message = f"{poses.interpolated} poses lie between two given ones at most {options.max_gap_s:g} s apart"
        said.append(Finding("info", "poses.interpolated", where, message))
    if poses.worst_s > _SAME_MOMENT_S:
        message = f"some frames take the pose of another moment, up to {poses.worst_s:.3f} s off"
        said.append(Finding("info", "poses.nearest", where, message))
    if options.lens is None and source.lens is None:
        message = "the source has no intrinsics; they were found from the pictures. Better: --pose-source.intrinsics"
        said.append(Finding("info", "poses.camera_guessed", where, message))
    elif options.lens is None and source.lens is not None and source.lens.spread > _ONE_LENS:
        message = f"the focal length varies by {source.lens.spread:.0%} over the pictures; the median is used for all"
        said.append(Finding("warning", "poses.lens_varies", where, message))
    if options.refine:
        typical = float(np.median(_steps(poses))) if len(poses.world_from_cam) > 1 else 0.0
        share = f" ({moved / typical:.0%} of a typical step)" if typical > 0 else ""
        message = f"refinement moved the cameras by {moved:.4g} units RMS{share}"
        said.append(Finding("info", "poses.refined", where, message))
    return said


def _steps(poses: MatchedPoses) -> np.ndarray:
    centers = np.array([pose.center for pose in poses.world_from_cam.values()])
    return np.linalg.norm(np.diff(centers, axis=0), axis=1)


def _missing(registered: set[int], frames: Sequence[Frame]) -> list[Finding]:
    missing = [frame for frame in frames if frame.index not in registered]
    if not missing:
        return []
    severity = "warning" if len(missing) > 0.1 * len(frames) else "info"
    message = f"{len(missing)} of {len(frames)} frames have no pose in the source: {frame_ranges(missing)}"
    return [Finding(severity, "poses.missing", "poses", message)]
