"""Leave out the ends of a model whose poses rest on next to nothing, and cut it where the walk leaps.

Where a walk ends before something bare, the last frames see a handful of far points, most on one wall. Matches there
agree with each other, and the adjustment is sure of the poses to a centimetre; on a made walk they were 12 to 48 cm
off. In the middle of a walk such a frame lies between two that are known, at an end nothing holds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pycolmap

from recon.audit.leaps import find_leaps
from recon.audit.verdict import cut_at
from recon.colmap.subset import subset
from recon.findings import Finding
from recon.mapping.sfm import ClipResult
from recon.records import SubModel

_LEAST_POINTS = 50
"""A frame that sees as many is known. On the made walk poses from 20 to 45 points were wrong, the one from 80 was right
to 3 cm. Of the other models of ten made worlds one loses a frame of 21 points that was right."""
_LEAST_SHARE = 0.25
"""Of what a frame of the model sees in the median: one of few keypoints everywhere is known by few."""


def trim_weak_ends(result: ClipResult, least_frames: int) -> ClipResult:
    """The result without the weak ends of its sub-models, and a finding where there was any."""
    kept: list[SubModel] = []
    findings: list[Finding] = []
    for model in result.sub_models:
        frames, seen = count_points(model.reconstruction)
        weak = find_weak_ends(frames, seen)
        if not weak or len(frames) - len(weak) < least_frames:
            kept.append(model)
            continue
        strong = [frame for frame in frames if frame not in weak]
        kept.append(replace(model, reconstruction=subset(model.reconstruction, strong)))
        counts = [count for frame, count in zip(frames, seen, strict=True) if frame in weak]
        message = (
            f"frames {', '.join(map(str, weak))} at the ends of the walk were left out: they see {min(counts)} to "
            f"{max(counts)} points each, the others {np.median(seen):.0f} (median); begin and end where there is "
            "something to see"
        )
        findings.append(Finding("warning", "sfm.weak_end", f"clip {result.clip}", message))
    if not findings:
        return result
    sound = min(result.sound_frames, max(len(model.frames) for model in kept))
    return replace(result, sub_models=tuple(kept), findings=(*result.findings, *findings), sound_frames=sound)


def count_points(model: pycolmap.Reconstruction) -> tuple[list[int], list[int]]:
    """The frames of a model in time order, and how many of its points each sees."""
    frames = sorted(model.reg_image_ids())
    return frames, [model.image(frame).num_points3D for frame in frames]


def find_weak_ends(frames: Sequence[int], seen: Sequence[int]) -> list[int]:
    """The frames before the first and behind the last that sees enough, in time order."""
    least = min(_LEAST_POINTS, _LEAST_SHARE * float(np.median(seen)))
    rows = list(zip(frames, seen, strict=True))
    first = [frame for frame, _ in takewhile(lambda row: row[1] < least, rows)]
    last = [frame for frame, _ in takewhile(lambda row: row[1] < least, reversed(rows))]
    return [*first, *reversed(last)]


def cut_leaps(result: ClipResult, times_s: Mapping[int, float], least_frames: int) -> ClipResult:
    """Cut sub-models where the walk leaps, however well their pairs agree, and add a finding where any was cut.

    Pairs may agree with a model on both sides of a wrong turn that none of them crosses: a grainy office walk, whole
    and 5 % of its path off, was told by nothing but a leap of 40 usual steps.
    """
    leaps = [find_leaps(model.reconstruction, times_s=times_s) for model in result.sub_models]
    if not any(leaps):
        return result
    pieces = [
        replace(model, reconstruction=part)
        for model, cuts in zip(result.sub_models, leaps, strict=True)
        for part in _split(model.reconstruction, [leap.frames for leap in cuts])
    ]
    pieces.sort(key=lambda piece: -len(piece.frames))
    kept = [piece for piece in pieces if len(piece.frames) >= least_frames]
    subs = tuple(replace(piece, name=f"{result.clip}/{place}") for place, piece in enumerate(kept))
    where = ", ".join(f"{leap.first}-{leap.last} ({leap.words})" for cuts in leaps for leap in cuts)
    left_out = sum(len(piece.frames) for piece in pieces) - sum(len(piece.frames) for piece in kept)
    message = f"cut at frames {where}" + (f"; {left_out} frames in short pieces were dropped" if left_out else "")
    sound = min(result.sound_frames, max((len(model.frames) for model in subs), default=0))
    cut = replace(result, sub_models=subs, sound_frames=sound)
    return cut.with_finding(Finding("warning", "sfm.scale_lost", f"clip {result.clip}", message))


def _split(model: pycolmap.Reconstruction, places: Sequence[tuple[int, int]]) -> list[pycolmap.Reconstruction]:
    """The parts of a model between places, in time order; the model itself if there are none."""
    return [subset(model, part) for part in cut_at(sorted(model.reg_image_ids()), places)] if places else [model]
