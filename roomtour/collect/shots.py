"""How a video was edited, as the pipeline's own first stage finds it; what it leaves is used again when it is made."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from recon.pictures import read_picture_file
from recon.records import Frame
from roomtour.artifacts import FRAMES, MASK, SOURCE
from roomtour.collect.bars import hold
from roomtour.collect.records import Candidate, CollectOptions, Judgement, call_unreadable
from roomtour.config import Config
from roomtour.errors import USER_ERRORS
from roomtour.files.frames import read_mask, read_source
from roomtour.pipeline import process_tour
from roomtour.sources import Tour

_STEP_S, _SIDE_PX = 1.0, 64
_STANDS = 2.0
"""Mean change of a small picture within a second (0..255), below which the camera stands; walking changes it by ten."""


def sample_video(candidate: Candidate, run: Path, config: Config, options: CollectOptions) -> Judgement:
    """Run the first stage of a tour in its run folder, and judge its cuts and what lies over its pictures."""
    try:
        process_tour(Tour(candidate.id, Path(candidate.path), run), config, until="sample")
    except USER_ERRORS as error:
        return call_unreadable(candidate.id, "sample", error, "a tour that can be sampled")
    sampled, mask = read_source(run / SOURCE.path), read_mask(run / MASK.path)
    ends = [0.0, *sampled.cuts_s, sampled.source.duration_s]
    shots = sorted((end - begin for begin, end in pairwise(ends)), reverse=True)
    minutes = max(sampled.source.duration_s / 60, 1e-9)
    figures = {
        "cuts_per_minute": len(sampled.cuts_s) / minutes,
        "overlay_share": float((mask == 0).mean()),
        **{f"shot_{number}_s": length for number, length in enumerate(shots[:50], 1)},
        "seconds": sampled.source.duration_s,
        "sharpness": float(np.median([frame.sharpness for frame in sampled.frames])) if sampled.frames else 0.0,
        "standing_share": _measure_standing(run, sampled.frames),
    }
    return judge_shots(Judgement(candidate.id, "sample", "", figures=figures), options)


def judge_shots(judgement: Judgement, options: CollectOptions) -> Judgement:
    """Hold the figures of the first stage against the bars."""
    figures = judgement.figures
    lengths = [figures[f"shot_{number}_s"] for number in range(1, 51) if f"shot_{number}_s" in figures]
    share = sum(lengths[: int(options.shots_count)]) / max(figures["seconds"], 1e-9)
    values = {
        "cuts": share,
        "overlays": figures["overlay_share"],
        "blurred": figures["sharpness"],
        "standing": figures["standing_share"],
    }
    return hold(judgement, values, options)


def _measure_standing(run: Path, frames: Sequence[Frame]) -> float:
    """Share of seconds in which the picture hardly changes; 0 for fewer than two."""
    looks: list[NDArray[np.float32]] = []
    due = 0.0
    for frame in frames:
        if frame.time_s >= due:
            due = frame.time_s + _STEP_S
            picture = read_picture_file(run / FRAMES.path / frame.image)
            if picture is not None:
                looks.append(cv2.resize(picture, (_SIDE_PX, _SIDE_PX), interpolation=cv2.INTER_AREA).astype(np.float32))
    changes = [float(np.abs(later - earlier).mean()) for earlier, later in pairwise(looks)]
    return sum(change < _STANDS for change in changes) / len(changes) if changes else 0.0
