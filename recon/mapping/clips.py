"""Structure from motion for the clips of a tour: their parts are mapped, then each clip is finished, as tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pycolmap

from recon.colmap.packed import Packed, pack
from recon.mapping.mapping import MappingJob
from recon.mapping.options import SIFT_BARS, MappingBars, SfmOptions
from recon.mapping.sfm import ClipResult, finish_clip, map_part, parts_to_map
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
        frames_dir: Folder with the frames' images, for point colours.
        clips: With different names. The frames of a clip are the only ones used for it.
        work_dir: Empty folder for the mapper's files.
        options: Thresholds and choice of mapper.
        seed: Of all random sampling; each task begins with it.
        progress: Called with a fraction from 0 to 1.
        fan_out: Gives out parts of clips, then clips. The result does not depend on it.
        bars: How models are doubted and refined.

    Returns:
        Every sub-model of every clip; none, with a finding that says why, where nothing could be reconstructed.
    """
    report = progress or (lambda _: None)
    jobs = [
        MappingJob(database_path, frames_dir, clip.frames, work_dir / clip.name, options, bars, seed) for clip in clips
    ]
    with fixed_threads():
        parts = [parts_to_map(job) for job in jobs]
        mapped: list[Packed[list[pycolmap.Reconstruction]]] = []
        for models in fan_out(map_part, [part for of_clip in parts for part in of_clip]):
            mapped.append(models)
            report(_MAPPING * len(mapped) / sum(map(len, parts)))
        waiting = iter(mapped)
        drafts = [
            _Draft(clip, job, [next(waiting) for _ in of]) for clip, job, of in zip(clips, jobs, parts, strict=True)
        ]
        results: list[ClipResult] = []
        for finished in fan_out(_finish, drafts):
            results.append(finished.unpack())
            report(_MAPPING + (1.0 - _MAPPING) * len(results) / len(clips))
    return results


_MAPPING = 0.6  # share of the time that mapping takes; the rest is refinement


@dataclass(frozen=True)
class _Draft:
    """What mapping made of the parts of a clip."""

    clip: Clip
    job: MappingJob
    mapped: list[Packed[list[pycolmap.Reconstruction]]]


def _finish(draft: _Draft) -> Packed[ClipResult]:
    """A task: the sub-models of a clip from its drafts."""
    return pack(finish_clip(draft.clip, draft.job, [models.unpack() for models in draft.mapped]))
