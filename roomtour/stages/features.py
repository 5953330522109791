"""Features and matches: one COLMAP database per tour."""

from __future__ import annotations

from pathlib import Path

from instructions.perception.models.light.folder import PULL, find_light_file, light_folder
from instructions.perception.models.light.runtimes import INSTALL
from recon.matching.features import build_database
from recon.matching.interfaces import Features
from recon.matching.xfeat import XFeat
from roomtour.artifacts import CLIPS, DATABASE, FRAMES, MASK, SOURCE
from roomtour.config import Config
from roomtour.errors import RoomtourError
from roomtour.files.disk import require_room
from roomtour.files.frames import read_clips, read_mask, read_source
from roomtour.stages.context import Counts, StageContext, StageResult

_BYTES_PER_FEATURE = 340
"""Keypoint, descriptor and its share of the matches; 160 measured, and 136 once more until all are matched."""


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
        seed=config.seed,
        progress=context.progress,
        mask=read_mask(context.path(MASK)),
        fan_out=context.workers.map,
        features=find_learned(config) if config.features.are_learned else None,
    )
    counts: Counts = {"pairs": report.sequential_verified, "revisit pairs": report.revisits_verified}
    return StageResult(counts, report.findings)


HOW_TO_GET = f"get them with: {INSTALL}, then {PULL}"


def find_learned(config: Config) -> Features | None:
    """Learned keypoints, if their network is on this machine and they may be used."""
    if config.features.kind == "sift":
        return None
    path = find_light_file("xfeat", light_folder(config.vision.folder))
    return None if path is None else XFeat(path)


def require_learned(config: Config, run: Path) -> None:
    """Refuse at once to begin with learned keypoints that are not here.

    Raises:
        RoomtourError: Naming the command that fetches them.
        InstructionError: If their file is damaged.
    """
    if config.features.are_learned and find_learned(config) is None:
        kind = config.features.kind
        raise RoomtourError(f"--features.kind {kind}: learned keypoints are not on this machine; {HOW_TO_GET}")
