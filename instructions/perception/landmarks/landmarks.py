"""Embedded perception: landmarks out of the reconstruction itself, without any learned model.

Reliable points, less floor, ceiling and walls, group into things. A thing knows where it is, how big it is, which
frames truly observed it and what colour its pixels have; it never knows what it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.facts.bodies import size_word
from instructions.facts.placing import DepthMap, range_limits, ranges_of, side_of_box
from instructions.facts.tracks import reliable_points
from instructions.perception.boxes import image_box, upright_box
from instructions.perception.colors import name_color, pixels_between
from instructions.perception.interfaces import LandmarkResult
from instructions.perception.landmarks.clusters import ClusterOptions, cluster_points, why_no_thing
from instructions.perception.landmarks.shell import Shell, ShellOptions, find_shell
from instructions.perception.read_rgb import read_rgb
from instructions.records import Observation, SceneObject
from recon.findings import Finding
from recon.geometry import sample_depth
from recon.ranges import AtLeastOne, HalfTurn, NotNegative, Pixels, Share
from recon.records import Frame, SceneModel

SOURCE = "embedded"
PIXELS_PER_VIEW = 300


@dataclass(frozen=True, kw_only=True)
class LandmarkOptions:
    """How landmarks are found. Lengths in metres (nominal ones where the model has no scale)."""

    max_error_px: Pixels = 2.0
    """Points with a larger mean reprojection error are wrong matches more often than not."""
    min_track_length: AtLeastOne = 4
    """Two views always agree, and three often enough do by chance to bridge two things that stand close."""
    min_angle_deg: HalfTurn = 1.5
    """With less parallax the depth of a point is a guess."""
    planes: ShellOptions = ShellOptions()
    """What is floor, ceiling and wall."""
    clusters: ClusterOptions = ClusterOptions()
    """What hangs together as one thing."""
    min_seen_points: AtLeastOne = 5
    """A frame sees a thing if it observed at least this many of its points ..."""
    min_seen_share: Share = 0.05
    """... and this share of them; a track lives for a few frames only, so even a full view observes few."""
    min_frames: AtLeastOne = 3
    """Things seen in fewer frames are dropped: nobody walking by would notice them."""
    min_top_m: NotNegative = 0.30
    """Groups with 80 % of their points lower than this are rugs, cables or waves in the reconstructed floor."""
    max_bottom_m: NotNegative = 1.8
    """Things that begin higher than this are lamps and edges of the ceiling: nobody walks past them."""
    wall_rest_m: NotNegative = 0.20
    """Groups whose points mostly lie this near a wall are pictures, frames and wall that was not quite flat."""
    floor_snap_m: NotNegative = 0.35
    """A box that starts lower than this is let down to the floor."""
    occlusion_slack: NotNegative = 0.15
    """A point is hidden if interpolated depth at its pixel is nearer by more than this share."""
    color_frames: AtLeastOne = 12
    """Colour is measured in this many of the best views per thing; more do not change the name."""
    color_hull_shrink: Share = 0.15
    """Colour is measured inside the hull of the observed keypoints, drawn together by this share of its size."""
    min_color_share: Share = 0.30
    """A name that fewer of the pixels carry is not the thing's colour."""


@dataclass(frozen=True, eq=False)
class _View:
    """A thing in one frame: the points observed there, and all of its points that the frame can see."""

    observation: Observation
    observed_xy: NDArray[np.float64]  # (n, 2)


def find_landmarks(
    model: SceneModel,
    frames_dir: Path | None,
    frames: Sequence[Frame],
    depths: Mapping[int, DepthMap],
    options: LandmarkOptions = LandmarkOptions(),
    *,
    seed: int = 0,
) -> LandmarkResult:
    """Find the things of one model that a text can point at.

    Args:
        model: Upright model with its tracks.
        frames_dir: Folder of the sampled frames for measuring colours; None takes the colours of the points.
        frames: The tour's frames, for file names.
        depths: By frame, depth between its tracks.
        options: Thresholds.
        seed: For the search of walls.

    Returns:
        Objects numbered by the first frame that sees them. Empty, with a finding, if nothing stands out.

    Raises:
        InstructionError: If a frame's picture is missing or cannot be read.
    """
    metre = model.nominal_metre
    tracks = model.tracks
    rows = np.flatnonzero(reliable_points(model, options.max_error_px, options.min_track_length, options.min_angle_deg))
    camera_z = float(np.median(model.centers[:, 2])) if model.frames else 0.0
    shell = find_shell(tracks.xyz[rows], model.floor_z, camera_z, metre, options.planes, seed)
    rows = rows[~shell.is_shell]
    clusters = [rows[part] for part in cluster_points(tracks.xyz[rows], tracks.rgb[rows], metre, options.clusters)]

    dropped: Counter[str] = Counter()
    kept: list[NDArray[np.int64]] = []
    for points in clusters:
        reason = why_no_thing(tracks.xyz[points], metre, options.clusters)
        reason = reason or _why_building(tracks.xyz[points], shell, metre, options)
        if reason is None:
            kept.append(points)
        else:
            dropped[reason] += 1
    views = _views(model, kept, depths, options)
    seen_enough = [number for number, per_frame in enumerate(views) if len(per_frame) >= options.min_frames]
    dropped["seen in too few frames"] += len(kept) - len(seen_enough)
    order = sorted(seen_enough, key=lambda n: (views[n][0].observation.frame, -len(kept[n]), int(kept[n][0])))
    colors = _colors(model, [kept[n] for n in order], [views[n] for n in order], frames_dir, frames, options)

    objects: list[SceneObject] = []
    observations: list[Observation] = []
    for number, (old, color) in enumerate(zip(order, colors, strict=True)):
        box = upright_box(tracks.xyz[kept[old]], shell.floor_z, options.floor_snap_m * metre)
        size = size_word(box, shell.floor_z, metre)
        name = f"{model.name}_{number}"
        objects.append(
            SceneObject(
                id=name,
                model=model.name,
                category=None,
                alias=" ".join(word for word in (size, color, "object") if word),
                color=color,
                size_word=size,
                obb=box,
                points=tuple(int(row) for row in kept[old]),
                frames=tuple(view.observation.frame for view in views[old]),
                ambiguous=False,
                source=SOURCE,
            )
        )
        observations += [replace(view.observation, object=name) for view in views[old]]
    alike = Counter(thing.alias for thing in objects)
    marked = tuple(replace(thing, ambiguous=alike[thing.alias] > 1) for thing in objects)
    observations.sort(key=lambda one: (one.frame, int(one.object.rsplit("_", 1)[1])))
    return LandmarkResult(marked, tuple(observations), _findings(model, marked, dropped, frames_dir))


def _why_building(xyz: NDArray[np.float64], shell: Shell, metre: float, options: LandmarkOptions) -> str | None:
    """Why a group of points is a left-over of floor, ceiling or wall; None if it is not."""
    low, high = (np.percentile(xyz[:, 2], [10, 80]) - shell.floor_z) / metre
    if high < options.min_top_m:
        return "flat on the floor"
    if low > options.max_bottom_m:
        return "above head height"
    return "part of a wall" if np.median(shell.wall_distance(xyz)) < options.wall_rest_m * metre else None


def _views(
    model: SceneModel, clusters: Sequence[NDArray], depths: Mapping[int, DepthMap], options: LandmarkOptions
) -> list[list[_View]]:
    """Per cluster its views in time order."""
    tracks = model.tracks
    owner = np.full(len(tracks.xyz), -1, dtype=np.int64)
    for number, points in enumerate(clusters):
        owner[points] = number
    views: list[list[_View]] = [[] for _ in clusters]
    for frame in model.frames:
        rows = tracks.rows_of_frame(frame)
        owners = owner[tracks.obs_point[rows]]
        counts = np.bincount(owners[owners >= 0], minlength=len(clusters))
        needed = [max(options.min_seen_points, options.min_seen_share * len(points)) for points in clusters]
        seen = [number for number in range(len(clusters)) if counts[number] >= needed[number]]
        if not seen:
            continue
        limits = range_limits(depths[frame].depth)
        for number in seen:
            mine = owners == number
            view = _view(
                model,
                frame,
                clusters[number],
                tracks.obs_point[rows][mine],
                tracks.obs_xy[rows][mine],
                depths[frame],
                limits,
                options,
            )
            if view is not None:
                views[number].append(view)
    return [_score_views(per_frame) for per_frame in views]


def _view(
    model: SceneModel,
    frame: int,
    points: NDArray[np.int64],
    observed: NDArray[np.int64],
    observed_xy: NDArray[np.float64],
    depth: DepthMap,
    limits: tuple[float, float] | None,
    options: LandmarkOptions,
) -> _View | None:
    """One thing in one frame; None if no box remains of it."""
    pose, camera = model.world_from_cam[frame], model.camera
    others = np.setdiff1d(points, observed)
    xyz = model.tracks.xyz[others]
    depths = pose.depths(xyz)
    pixels = camera.project(pose.inverse() @ xyz) if len(xyz) else np.zeros((0, 2))
    visible = camera.is_inside(pixels) & (depths > 0) if len(xyz) else np.zeros(0, dtype=bool)
    front = sample_depth(depth.depth, pixels[visible], depth.step_px)
    visible[visible] = ~(front < (1.0 - options.occlusion_slack) * depths[visible])  # unknown depth hides nothing
    observed_depths = pose.depths(model.tracks.xyz[observed])
    box = image_box(np.vstack([observed_xy, pixels[visible]]), camera.width, camera.height)
    if box is None:
        return None
    observation = Observation(
        frame=frame,
        object="",
        box_xyxy=box,
        visible_fraction=len(observed) / len(points),
        score=float(len(observed)),
        depth=float(np.median(observed_depths)),
        sides=(side_of_box(box, camera.width),),
        ranges=ranges_of(np.concatenate([observed_depths, depths[visible]]), limits),
    )
    return _View(observation, observed_xy)


def _score_views(views: list[_View]) -> list[_View]:
    """Scores relative to the best view."""
    best = max((view.observation.score for view in views), default=1.0)
    return [replace(v, observation=replace(v.observation, score=v.observation.score / best)) for v in views]


def _colors(
    model: SceneModel,
    clusters: Sequence[NDArray[np.int64]],
    views: Sequence[Sequence[_View]],
    frames_dir: Path | None,
    frames: Sequence[Frame],
    options: LandmarkOptions,
) -> list[str | None]:
    """Colour name per cluster, from pixels around the keypoints that its best views observed."""
    if frames_dir is None:
        return [name_color(model.tracks.rgb[points], options.min_color_share) for points in clusters]
    wanted: dict[int, list[tuple[int, NDArray[np.float64]]]] = {}
    for number, per_frame in enumerate(views):
        best = sorted(per_frame, key=lambda view: (-view.observation.score, view.observation.frame))
        for view in best[: options.color_frames]:
            wanted.setdefault(view.observation.frame, []).append((number, view.observed_xy))
    image_names = {frame.index: frame.image for frame in frames}
    samples: list[list[NDArray[np.uint8]]] = [[] for _ in clusters]
    for frame, parts in sorted(wanted.items()):
        path = frames_dir / image_names[frame]
        image_rgb = read_rgb(path)
        if image_rgb is None:
            raise InstructionError(f"{path}: frame is missing or no picture; run the sampling stage again")
        for number, xy in parts:
            samples[number].append(pixels_between(image_rgb, xy, options.color_hull_shrink, PIXELS_PER_VIEW))
    return [name_color(np.concatenate(parts), options.min_color_share) if parts else None for parts in samples]


def _findings(
    model: SceneModel, objects: Sequence[SceneObject], dropped: Counter[str], frames_dir: Path | None
) -> tuple[Finding, ...]:
    where = f"model {model.name}"
    findings: list[Finding] = []
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(dropped.items()) if count)
    if reasons:
        findings.append(
            Finding("info", "landmarks.dropped", where, f"groups of points that became no object: {reasons}")
        )
    if not objects:
        message = "no object stands out of the reconstruction, texts will only mention turns; try a higher --sample.fps"
        findings.append(Finding("warning", "landmarks.none", where, message))
    colorless = sum(thing.color is None for thing in objects)
    if colorless:
        message = f"{colorless} of {len(objects)} objects have no single colour"
        findings.append(Finding("info", "landmarks.no_color", where, message))
    if frames_dir is None and objects:
        findings.append(
            Finding("info", "landmarks.no_images", where, "colours come from the points, not from pictures")
        )
    return tuple(findings)
