"""How a video was edited, as the pipeline's own first stage finds it; what it leaves is used again when it is made."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from roomtour.artifacts import MASK, SOURCE
from roomtour.collect.records import Candidate, CollectOptions, Judgement
from roomtour.config import Config
from roomtour.errors import USER_ERRORS
from roomtour.files.frames import read_mask, read_source
from roomtour.pipeline import process_tour
from roomtour.sources import Tour


def sample_video(one: Candidate, run: Path, config: Config, options: CollectOptions) -> Judgement:
    """Run the first stage of a tour in its run folder, and judge its cuts and what lies over its pictures."""
    try:
        process_tour(Tour(one.id, Path(one.path), run), config, until="sample")
    except USER_ERRORS as error:
        return Judgement(one.id, "sample", "unreadable", str(error)[:200], "a tour that can be sampled")
    sampled, mask = read_source(run / SOURCE.path), read_mask(run / MASK.path)
    ends = [0.0, *sampled.cuts_s, sampled.source.duration_s]
    shots = sorted((end - begin for begin, end in pairwise(ends)), reverse=True)
    minutes = max(sampled.source.duration_s / 60, 1e-9)
    figures = {
        "cuts_per_minute": len(sampled.cuts_s) / minutes,
        "overlay_share": float((mask == 0).mean()),
        **{f"shot_{number}_s": length for number, length in enumerate(shots[:50], 1)},
        "seconds": sampled.source.duration_s,
    }
    return judge_shots(Judgement(one.id, "sample", "", figures=figures), options)


def judge_shots(found: Judgement, options: CollectOptions) -> Judgement:
    """Hold the figures of the first stage against the bars."""
    figures = found.figures
    lengths = [figures[f"shot_{number}_s"] for number in range(1, 51) if f"shot_{number}_s" in figures]
    share = sum(lengths[: int(options.shots_count)]) / max(figures["seconds"], 1e-9)
    overlay = figures["overlay_share"]
    if share < options.shots_share:
        return Judgement(found.id, "sample", "cuts", round(share, 3), options.shots_share, figures)
    if overlay > options.max_overlay_share:
        return Judgement(found.id, "sample", "overlays", round(overlay, 3), options.max_overlay_share, figures)
    return Judgement(found.id, "sample", "", figures=figures)
