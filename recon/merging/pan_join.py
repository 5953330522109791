"""Join finished models over pans, in time order, where `pan` settles how they stand and nothing contradicts it.

It is the last that is done to models: an adjustment would bend them where the pictures hold no scale, so none follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from time import perf_counter

from recon.adjust.densify import densify
from recon.colmap.database import open_database
from recon.colmap.fuse import fuse
from recon.colmap.log import quiet_colmap
from recon.colmap.poses import add_frames
from recon.findings import Finding
from recon.mapping.tour_inputs import Floors
from recon.merging.join import begin_attempt
from recon.merging.last_joins import AROUND, accept, find_doubt_beside, gather, share_camera
from recon.merging.merge import MergeResult
from recon.merging.pan import PanJoin, PanOptions, find_pan_join
from recon.records import Frame, SubModel
from recon.tasks import fixed_threads


def join_over_pans(
    merged: MergeResult,
    database_path: Path,
    frames: Sequence[Frame],
    floors_of: Floors,
    seed: int = 0,
) -> MergeResult:
    """Join models that follow each other in one shot with a pan between them.

    Args:
        merged: What could be joined otherwise.
        database_path: From `build_database`.
        frames: Of the tour, in time order.
        floors_of: Asked for frames beside pans only.
        seed: Of random sampling.

    Returns:
        The same where there is no pan between two models. Models that stay apart over one are named in a finding.
    """
    models, attempts, told = list(merged.models), list(merged.attempts), list(merged.told)
    tried: set[tuple[int, int]] = set()
    with quiet_colmap(), fixed_threads():
        while untried := [pan for pan in _pans(models, frames) if _seam(*pan) not in tried]:
            before, after = untried[0]
            tried.add(_seam(before, after))
            start = perf_counter()
            found = _join(before, after, database_path, frames, floors_of, seed)
            attempt = replace(begin_attempt(before, after, (), "pan"), seconds=perf_counter() - start)
            place = f"frames {before.frames[-1]}-{after.frames[0]}"
            if isinstance(found, str):
                attempts.append(replace(attempt, reason=found))
                message = f"not joined over a turn on the spot, where pictures hold no scale: {found}"
                told.append(Finding("warning", "merge.pan_open", place, message))
                continue
            joined, pan = found
            attempts.append(accept(attempt, joined, pan.told_by, pan.turn_off_deg))
            message = f"the parts before and behind were joined over a pan: {pan.told_by}"
            told.append(Finding("info", "merge.by_pan", place, message))
            models = [joined, *(model for model in models if model not in (before, after))]
    return gather(replace(merged, told=tuple(told)), models, attempts) if tried else merged


def _pans(models: Sequence[SubModel], frames: Sequence[Frame]) -> list[tuple[SubModel, SubModel]]:
    """Models that follow each other in one shot with few frames between them, in time order."""
    by_index = {frame.index: frame for frame in frames}
    order = sorted(models, key=lambda model: model.frames[0])
    pans = []
    for before, after in pairwise(order):
        last, first = before.frames[-1], after.frames[0]
        if not 0 < first - last <= PanOptions().max_gap_frames + 1:
            continue
        between = [by_index[index] for index in range(last, first + 1) if index in by_index]
        is_short = between[-1].time_s - between[0].time_s <= PanOptions().max_gap_s
        if is_short and len({frame.shot for frame in between}) == 1:
            pans.append((before, after))
    return pans


def _seam(before: SubModel, after: SubModel) -> tuple[int, int]:
    return before.frames[-1], after.frames[0]


def _join(
    before: SubModel,
    after: SubModel,
    database_path: Path,
    frames: Sequence[Frame],
    floors_of: Floors,
    seed: int,
) -> tuple[SubModel, PanJoin] | str:
    """The joined model and how, or why there is none."""
    last, first = _seam(before, after)
    floors = floors_of([frame for frame in frames if last - AROUND <= frame.index <= first + AROUND])
    if not floors:
        return "there are no light models here to find the floor, which would tell the scale"
    times_s = {frame.index: frame.time_s for frame in frames}
    pan = find_pan_join(before, after, database_path, floors, times_s, seed=seed)
    if isinstance(pan, str):
        return pan
    before, after = share_camera(before, after)
    pan = find_pan_join(before, after, database_path, floors, times_s, seed=seed)
    if isinstance(pan, str):
        return pan
    model = fuse(before.reconstruction, after.reconstruction, pan.first_from_second)
    with open_database(database_path) as database:
        add_frames(model, pan.between, database)
    densify(model, database_path, sorted(model.reg_image_ids()), seed=seed)
    joined = SubModel(before.name, tuple(sorted({*before.clips, *after.clips})), model)
    return find_doubt_beside(joined, last, first, floors) or (joined, pan)
