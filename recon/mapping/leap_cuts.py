"""Cut sub-models where the walk leaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pycolmap

from recon.audit.leaps import find_leaps
from recon.audit.verdict import cut_at
from recon.colmap.subset import subset
from recon.findings import Finding
from recon.mapping.sfm import ClipResult


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
