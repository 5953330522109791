"""Which sampled frame has which of the given poses: by time, by image name, or by number in the video."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from recon.errors import ReconError
from recon.findings import Finding
from recon.geometry import Array, Pose
from recon.pose_sources.records import PosedPicture, PoseSource, PoseSourceOptions
from recon.records import Frame
from recon.video.container import presentation_times
from recon.video.image_folder import image_files
from recon.video.sampling import SAME_TIME_S

_UNITS = ((1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds"))
_MOST_TIMES_AS_LONG = 300.0
"""Poses that span more than so many tours are rather in another unit: the next is 1000 times as fine, and poses may be
of a third of a tour."""
_LEAST_FRAMES = 3  # a similarity needs three


@dataclass(frozen=True)
class PictureIndex:
    """Every picture of the tour's source, in order: what numbers and names of pictures refer to."""

    times_s: tuple[float, ...]
    names: tuple[str, ...] = ()  # file names; empty for a video


@dataclass(frozen=True, eq=False)
class MatchedPoses:
    """Poses per frame index."""

    world_from_cam: Mapping[int, Pose]  # in time order
    interpolated: int  # frames whose pose lies between two given ones
    worst_s: float  # largest distance in time to a pose that was taken as it is
    every: int = 1  # the source has each so many-th picture of the tour
    positions: Mapping[int, int] = field(default_factory=dict)
    """By frame index, the position of the picture of the source that it is, where positions number them."""


def match_poses(
    source: PoseSource, frames: Sequence[Frame], index: PictureIndex, options: PoseSourceOptions = PoseSourceOptions()
) -> MatchedPoses:
    """Give poses to frames.

    A pose with a time goes to the frame of that time; between two poses at most `max_gap_s` apart the frame's pose is
    interpolated (positions linearly, rotations along the great circle); else the nearest within `tolerance_s` is taken.
    Numbers of pictures become times through the index. Names are compared without folder and suffix, with the names of
    the images in the tour's folder, else with those of the sampled frames (as our own exports write them).

    Raises:
        ReconError: If fewer than three frames get a pose, or names can be read in two ways.
    """
    pictures = source.pictures
    if pictures[0].name is not None:
        named = _match_by_name(source, frames, index)
        poses = {frame.index: named[frame.index] for frame in frames if frame.index in named}
        matched = MatchedPoses(poses, 0, 0.0)
    else:
        every = _find_stride(source, index)
        times_s, kept = _times_of(source, index, every)
        matched = replace(_by_time(times_s + options.time_offset_s, kept, frames, options), every=every)
        if len(matched.world_from_cam) < _LEAST_FRAMES:
            _require_seconds(source, times_s, frames)
        if not matched.world_from_cam:
            raise ReconError(_apart(source, times_s + options.time_offset_s, frames, options))
    if len(matched.world_from_cam) < _LEAST_FRAMES:
        count = len(matched.world_from_cam)
        raise ReconError(
            f"{source.label}: only {count} of {len(frames)} frames have a pose, need {_LEAST_FRAMES}. "
            "Is this the trajectory of another video?"
        )
    return matched


def _find_stride(source: PoseSource, index: PictureIndex) -> int:
    """Of which pictures a tool was given: each so many-th, from the first."""
    total = len(index.times_s)
    if source.given is None or source.given == total:
        return 1
    fitting = [every for every in range(2, total + 1) if -(-total // every) == source.given]
    if len(fitting) != 1:
        raise ReconError(
            f"{source.label}: holds {source.given} poses, the tour has {total} pictures: nothing tells which they "
            "belong to. Process the folder of images that the poses were made from"
        )
    return fitting[0]


def _times_of(source: PoseSource, index: PictureIndex, every: int) -> tuple[Array, list[PosedPicture]]:
    """Times of the poses; numbers beyond the video's last picture are left out."""
    if source.pictures[0].time_s is not None:
        return np.array([picture.time_s for picture in source.pictures], dtype=np.float64), list(source.pictures)
    numbered = [(picture.position * every, picture) for picture in source.pictures if picture.position is not None]
    kept = [(number, picture) for number, picture in numbered if number < len(index.times_s)]
    if len(kept) < _LEAST_FRAMES:
        raise ReconError(
            f"{source.label}: numbers pictures {numbered[0][0]} to {numbered[-1][0]}, the tour has "
            f"{len(index.times_s)}. Are these the poses of another video?"
        )
    return np.array([index.times_s[number] for number, _ in kept]), [picture for _, picture in kept]


def _by_time(
    times_s: Array, pictures: Sequence[PosedPicture], frames: Sequence[Frame], options: PoseSourceOptions
) -> MatchedPoses:
    poses: dict[int, Pose] = {}
    positions: dict[int, int] = {}
    interpolated, worst_s = 0, 0.0
    for frame in frames:
        after = int(np.searchsorted(times_s, frame.time_s))
        beside = [row for row in (after - 1, after) if 0 <= row < len(times_s)]
        nearest = min(beside, key=lambda row: abs(times_s[row] - frame.time_s))
        distance_s = abs(float(times_s[nearest]) - frame.time_s)
        is_between = len(beside) == 2 and times_s[after] - times_s[after - 1] <= options.max_gap_s + SAME_TIME_S
        if distance_s > SAME_TIME_S and is_between:
            share = (frame.time_s - times_s[after - 1]) / (times_s[after] - times_s[after - 1])
            poses[frame.index] = _between(
                pictures[after - 1].world_from_cam, pictures[after].world_from_cam, float(share)
            )
            interpolated += 1
        elif distance_s <= max(options.tolerance_s, SAME_TIME_S):
            poses[frame.index] = pictures[nearest].world_from_cam
            worst_s = max(worst_s, distance_s)
            if (position := pictures[nearest].position) is not None:
                positions[frame.index] = position
    return MatchedPoses(poses, interpolated, worst_s, positions=positions)


def _between(first: Pose, second: Pose, share: float) -> Pose:
    turn = Slerp([0.0, 1.0], Rotation.from_matrix(np.stack([first.rotation, second.rotation])))
    center = (1.0 - share) * first.translation + share * second.translation
    return Pose(turn(share).as_matrix(), center)


def _describe_spans(source: PoseSource, times_s: Array, frames: Sequence[Frame]) -> str:
    return (
        f"{source.label}: poses from {times_s[0]:.3f} to {times_s[-1]:.3f} s, frames from {frames[0].time_s:.3f} to "
        f"{frames[-1].time_s:.3f} s: "
    )


def _require_seconds(source: PoseSource, times_s: Array, frames: Sequence[Frame]) -> None:
    """Refuse times that span so many tours that they are rather in a finer unit than seconds."""
    ratio = float(times_s[-1] - times_s[0]) / max(frames[-1].time_s - frames[0].time_s, 1.0)
    for per_second, unit in _UNITS:
        if _MOST_TIMES_AS_LONG < ratio < _MOST_TIMES_AS_LONG * per_second:
            raise ReconError(
                f"{_describe_spans(source, times_s, frames)}that is {ratio:.3g} times as long as the tour. Are they "
                f"{unit}? Times of poses are seconds: divide them by {per_second:.0f}"
            )


def _apart(source: PoseSource, times_s: Array, frames: Sequence[Frame], options: PoseSourceOptions) -> str:
    """Why no frame has a pose by time."""
    first, last = float(times_s[0]), float(times_s[-1])
    spans = _describe_spans(source, times_s, frames)
    if first > frames[-1].time_s or last < frames[0].time_s:
        shift = options.time_offset_s + frames[0].time_s - first
        return (
            f"{spans}the times do not overlap. If the first pose belongs to the first frame, give "
            f"--pose-source.time-offset-s {shift:.3f}"
        )
    return (
        f"{spans}no frame within {options.tolerance_s:g} s of a pose, and the poses are more than "
        f"{options.max_gap_s:g} s apart. Give more poses, or a larger --pose-source.max-gap-s"
    )


def _match_by_name(source: PoseSource, frames: Sequence[Frame], index: PictureIndex) -> dict[int, Pose]:
    """Poses per frame index by image name."""
    poses: dict[str, Pose] = {}
    for picture in source.pictures:
        name = _stem(str(picture.name))
        if name in poses:
            raise ReconError(f"{source.label}: two images are named {name!r}; a tour has one camera and one folder")
        poses[name] = picture.world_from_cam
    time_of = {_stem(name): time_s for name, time_s in zip(index.names, index.times_s, strict=False)}
    frame_at = {frame.time_s: frame.index for frame in frames}
    frame_named = {_stem(frame.image): frame.index for frame in frames}
    as_images = {frame_at[time_of[name]]: name for name in poses if name in time_of and time_of[name] in frame_at}
    as_frames = {frame_named[name]: name for name in poses if name in frame_named}
    in_folder, in_frames = poses.keys() <= time_of.keys(), poses.keys() <= frame_named.keys()
    if in_folder and in_frames and as_images != as_frames:
        raise ReconError(
            f"{source.label}: its names are both images of the tour's folder and sampled frames, and mean different "
            "pictures. Give the poses with times (TUM)"
        )
    chosen = as_images if in_folder or len(as_images) > len(as_frames) else as_frames
    if not chosen:
        raise ReconError(
            f"{source.label}: none of its {len(poses)} images (such as {next(iter(poses))!r}) is a frame of this tour "
            f"(such as {_stem(frames[0].image)!r}). Process the folder of images that the poses were made from, "
            "or give poses with times (TUM)"
        )
    return {index: poses[name] for index, name in chosen.items()}


def _stem(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).stem


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
