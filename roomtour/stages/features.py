"""Features and matches: one COLMAP database per tour."""

from __future__ import annotations

from recon.matching.features import build_database
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, MASK, SOURCE
from roomtour.files.frames import read_clips, read_mask, read_source
from roomtour.stages.context import Counts, StageContext, StageResult
from roomtour.store import require_room

_BYTES_PER_FEATURE = 200
"""Keypoint, descriptor and its share of the matches; 160 measured."""


def run(context: StageContext) -> StageResult:
    """Do the work of the stage."""
    config = context.config
    frames = read_source(context.path(SOURCE)).frames
    # SQLite inside pycolmap aborts the whole process when the disk runs full, so the room is asked for before.
    require_room(context.run, len(frames) * config.features.max_features * _BYTES_PER_FEATURE)
    report = build_database(
        context.path(FRAMES),
        frames,
        read_clips(context.path(CLIPS)),
        context.out(DATABASE),
        config.features,
        config.pairs,
        seed=config.seed,
        progress=context.progress,
        mask=read_mask(context.path(MASK)),
        fan_out=context.workers.map,
    )
    counts: Counts = {"pairs": report.sequential_verified, "revisit pairs": report.revisits_verified}
    return StageResult(counts, report.findings)
