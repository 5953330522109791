"""`--poses`: sub-models from poses that the user brings, instead of structure from motion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pycolmap

from recon.colmap.database import CAMERA_ID, open_database
from recon.colmap.packed import Packed, pack
from recon.findings import Finding
from recon.geometry import Camera
from recon.known_poses.triangulate import triangulate_known
from recon.pose_sources.match import MatchedPoses
from recon.pose_sources.options import PoseSourceOptions
from recon.pose_sources.records import PoseSource
from recon.records import Clip, Frame, SubModel, frame_ranges
from recon.tasks import FanOut, map_here
from recon.video.sampling import SampledTour

_SAME_MOMENT_S = 1e-3  # seconds: files round times to milliseconds
_ONE_LENS = 0.02  # relative range of the focal length up to which pictures were taken through one lens


def place_given_poses(
    matched: Sequence[tuple[PoseSource, MatchedPoses]],
    database_path: Path,
    sampled: SampledTour,
    clips: Sequence[Clip],
    options: PoseSourceOptions = PoseSourceOptions(),
    seed: int = 0,
    progress: Callable[[float], None] | None = None,
    fan_out: FanOut = map_here,
) -> tuple[list[SubModel], list[Finding]]:
    """One sub-model per world, with points from the tour's own matches, and what to say of it."""
    task = _Place(database_path, sampled, options, seed)
    sub_models: list[SubModel] = []
    findings: list[Finding] = []
    for (_, poses), (model, said) in zip(matched, fan_out(task, matched), strict=True):
        held = tuple(clip.name for clip in clips if not poses.world_from_cam.keys().isdisjoint(clip.frames))
        sub_models.append(SubModel(f"poses/{len(sub_models)}", held, model.unpack()))
        findings += said
        if progress is not None:
            progress(len(sub_models) / len(matched))
    registered = {frame for model in sub_models for frame in model.frames}
    return sub_models, findings + _list_missing(registered, sampled.frames)


@dataclass(frozen=True, eq=False)
class _Place:
    """A task: the sub-model of one world, and what to say of it."""

    database_path: Path
    sampled: SampledTour
    options: PoseSourceOptions
    seed: int

    def __call__(self, world: tuple[PoseSource, MatchedPoses]) -> tuple[Packed[pycolmap.Reconstruction], list[Finding]]:
        source, poses = world
        lens = self.options.lens or source.lens
        camera = (
            _voted_camera(self.database_path) if lens is None else lens.camera_for(*_sizes(self.sampled), source.label)
        )
        placed = triangulate_known(
            self.database_path,
            poses.world_from_cam,
            camera,
            label=_where(source),
            refine_camera=lens is None,
            refine_poses=self.options.refine,
            seed=self.seed,
        )
        said = _list_source_findings(source, poses, self.options, placed.moved)
        return pack(placed.reconstruction), [*said, *placed.findings]


def _sizes(sampled: SampledTour) -> tuple[tuple[int, int], tuple[int, int]]:
    """Width and height of the frames, and of the upright pictures they were made from."""
    frame = sampled.frames[0]
    return (frame.width, frame.height), (sampled.source.width, sampled.source.height)


def _voted_camera(database_path: Path) -> Camera:
    with open_database(database_path) as database:
        return Camera.from_colmap(database.read_camera(CAMERA_ID))


def _where(source: PoseSource) -> str:
    return f"poses {Path(source.label).name}"


def _list_source_findings(
    source: PoseSource, poses: MatchedPoses, options: PoseSourceOptions, moved: float
) -> list[Finding]:
    """What a user should know of the poses of one world."""
    where = _where(source)
    scale = "stated as metres" if options.metric else "of unknown scale (--pose-source.metric says that it is metres)"
    message = (
        f"{len(poses.world_from_cam)} frames take their pose from {source.format} {Path(source.label).name}, {scale}"
    )
    said = [Finding("info", "poses.given", where, message), *source.findings]
    if poses.every > 1:
        message = f"one pose per {poses.every} pictures of the tour is assumed: there are as many poses as that makes"
        said.append(Finding("info", "poses.every_nth", where, message))
    if poses.interpolated:
        message = f"{poses.interpolated} poses lie between two given ones at most {options.max_gap_s:g} s apart"
        said.append(Finding("info", "poses.interpolated", where, message))
    if poses.worst_s > _SAME_MOMENT_S:
        message = f"some frames take the pose of another moment, up to {poses.worst_s:.3f} s away"
        said.append(Finding("info", "poses.nearest", where, message))
    if options.lens is None and source.lens is None:
        message = "the source states no intrinsics, so they were estimated; better: give --pose-source.intrinsics"
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


def _list_missing(registered: set[int], frames: Sequence[Frame]) -> list[Finding]:
    missing = [frame for frame in frames if frame.index not in registered]
    if not missing:
        return []
    severity = "warning" if len(missing) > 0.1 * len(frames) else "info"
    message = f"{len(missing)} of {len(frames)} frames have no pose in the source: {frame_ranges(missing)}"
    return [Finding(severity, "poses.missing", "poses", message)]
