"""Map a long clip in two overlapping halves at the same time, where they prove to agree.

Incremental mapping keeps one core busy, so two halves take half the time; but a shorter stretch bends more easily, and
what the halves share must hold them together. So they meet near the middle where the walk is linked well, and are
believed only where both are whole, without a tear, and agree closely on the frames they share.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from os import cpu_count

import numpy as np
import pycolmap

from recon.align import align
from recon.database import opened
from recon.fuse import fuse
from recon.mapping import MappingJob, map_incrementally
from recon.records import SubModel
from recon.thinning import ThinningOptions, thin
from recon.torn import TornOptions, torn_seams


def map_in_halves(
    job: MappingJob, thinning: ThinningOptions = ThinningOptions(), torn: TornOptions = TornOptions()
) -> pycolmap.Reconstruction | None:
    """One thinned model, of two overlapping halves that are mapped at the same time.

    Returns:
        None where the halves are not believed, the clip is too short or there is one thread only.
    """
    threads = job.num_threads if job.num_threads > 0 else (cpu_count() or 1)
    if threads < 2 or len(job.frames) // 2 < _LEAST_HALF:
        return None
    middle = _meeting_place(job, torn.reach)
    spans = (job.frames[: middle + _SHARED // 2], job.frames[middle - _SHARED // 2 :])
    done = [0, 0]

    def map_half(number: int) -> SubModel | None:
        def report(count: int) -> None:
            done[number] = count
            job.report(sum(done))

        work_dir = job.work_dir / f"half_{number}"
        half = replace(job, frames=spans[number], work_dir=work_dir, num_threads=threads // 2, report=report)
        models = map_incrementally(half)
        largest = max(models, key=pycolmap.Reconstruction.num_reg_images, default=None)
        if largest is None or largest.num_reg_images() < _LEAST_REGISTERED * len(spans[number]):
            return None
        thin(largest, thinning)
        whole = not torn_seams(largest, job.database_path, torn)
        return SubModel(f"half_{number}", (), largest) if whole else None

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(map_half, (0, 1))
    if first is None or second is None:
        return None
    shared = sorted(set(first.frames) & set(second.frames))
    found = align(first, second, shared)
    if found is None or (
        found.rotation_disagreement_deg > _MOST_TURN_DEG
        or found.center_disagreement > _MOST_SHIFT * found.depth
        or found.scale_disagreement > _MOST_SCALE
    ):
        return None
    return fuse(first.reconstruction, second.reconstruction, found.first_from_second)


_LEAST_HALF = 60
"""Frames; below, mapping takes a few seconds anyway."""
_SHARED = 20
"""Frames in both halves."""
_LEAST_REGISTERED = 0.9
"""Share of its frames that a half must register, in one model; refinement rescues the rest."""
_MOST_TURN_DEG = 0.3
"""Medians between the shared cameras of the halves. Sound halves: 0.02 degrees, 0.04 % of the depth and 2 % of scale;
a bent one: 0.8 degrees, 2 % and 12 %."""
_MOST_SHIFT = 0.005
_MOST_SCALE = 0.05


def _meeting_place(job: MappingJob, reach: int) -> int:
    """Number of frames before the middle of the shared ones.

    It is the place nearest to the clip's middle, and not beyond a third to two thirds, where the weakest step between
    two shared frames has nearly as many matches across it as anywhere.
    """
    frames = sorted(job.frames)
    number = {frame: k for k, frame in enumerate(frames)}
    across = np.zeros(len(frames) + 1, np.int64)
    with opened(job.database_path) as database:
        ids, counts = database.read_two_view_geometry_num_inliers()
    for pair, count in zip(ids, counts, strict=True):
        first, second = sorted(pycolmap.pair_id_to_image_pair(pair))
        if second - first <= reach and first in number and second in number:
            across[number[first]] += count
            across[number[second]] -= count
    across = np.cumsum(across)
    half = _SHARED // 2
    places = np.arange(len(frames) // 3, len(frames) - len(frames) // 3 + 1)
    weakest = np.array([across[place - half : place + half - 1].min() for place in places])
    good = places[weakest >= _NEARLY * weakest.max()]
    return int(good[np.abs(good - len(frames) // 2).argmin()])


_NEARLY = 0.8
"""Share of the most matches that is good enough: the nearer to the middle, the sooner both halves are done."""
