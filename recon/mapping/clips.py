"""Structure from motion for the clips of a tour, each a task of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from recon.colmap.packed import PackedSubModel, pack_sub_model
from recon.mapping.mapping import MappingJob
from recon.mapping.options import SIFT_BARS, MappingBars, SfmOptions
from recon.mapping.sfm import ClipResult, map_clip
from recon.records import Clip
from recon.tasks import FanOut, Progress, fixed_threads, map_here


def reconstruct_clips(
    database_path: Path,
    frames_dir: Path,
    clips: Sequence[Clip],
    work_dir: Path,
    options: SfmOptions = SfmOptions(),
    seed: int = 0,
    progress: Progress | None = None,
    fan_out: FanOut = map_here,
    bars: MappingBars = SIFT_BARS,
) -> list[ClipResult]:
    """Recover camera poses and points from the frames of each clip.

    Args:
        database_path: From `build_database`; it is only read.
        frames_dir: Folder with the frames' images.
        clips: With different names. The frames of a clip are the only ones used for it.
        work_dir: Empty folder for the mapper's files.
        options: Choice of mapper.
        seed: Of all random sampling; each task begins with it.
        progress: Called with a fraction from 0 to 1.
        fan_out: Gives out clips. The result does not depend on it.
        bars: How models are made, doubted and refined.

    Returns:
        Every sub-model of every clip; none, with a finding that says why, where nothing could be reconstructed.
    """
    report = progress or (lambda _: None)
    jobs = [
        _ClipJob(clip, MappingJob(database_path, frames_dir, clip.frames, work_dir / clip.name, options, bars, seed))
        for clip in clips
    ]
    results: list[ClipResult] = []
    with fixed_threads():
        for mapped in fan_out(_map_packed, jobs):
            results.append(mapped.unpack())
            report(len(results) / len(clips))
    return results


@dataclass(frozen=True)
class _ClipJob:
    clip: Clip
    job: MappingJob


@dataclass(frozen=True)
class _Mapped:
    """A `ClipResult` that can be pickled: without models, and these packed."""

    result: ClipResult
    models: tuple[PackedSubModel, ...]

    def unpack(self) -> ClipResult:
        return replace(self.result, sub_models=tuple(model.unpack() for model in self.models))


def _map_packed(item: _ClipJob) -> _Mapped:
    """A task: the sub-models of a clip."""
    result = map_clip(item.clip, item.job)
    return _Mapped(replace(result, sub_models=()), tuple(map(pack_sub_model, result.sub_models)))
