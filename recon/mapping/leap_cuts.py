"""Cut models of a clip where the walk leaps, however well its pairs agree.

Pairs may agree with a model on both sides of a wrong turn that none of them crosses: a grainy office walk, whole and
5 % of its path off, was told by nothing but a leap of 40 usual steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from recon.audit.leaps import find_leaps
from recon.audit.seams import split_at
from recon.findings import Finding
from recon.mapping.sfm import ClipResult


def cut_leaps(result: ClipResult, times_s: Mapping[int, float], least_frames: int) -> ClipResult:
    """The result with its sub-models cut at their leaps, and a finding where any was.

    Args:
        result: Of one clip.
        times_s: Of its frames.
        least_frames: Of a piece that is kept.
    """
    leaps = [find_leaps(model.reconstruction, times_s=times_s) for model in result.sub_models]
    if not any(leaps):
        return result
    pieces = [
        replace(model, reconstruction=part)
        for model, cuts in zip(result.sub_models, leaps, strict=True)
        for part in split_at(model.reconstruction, [leap.frames for leap in cuts])
    ]
    pieces.sort(key=lambda piece: -len(piece.frames))
    kept = [piece for piece in pieces if len(piece.frames) >= least_frames]
    subs = tuple(replace(piece, name=f"{result.clip}/{place}") for place, piece in enumerate(kept))
    where = ", ".join(f"{leap.first}-{leap.last} ({leap.words})" for cuts in leaps for leap in cuts)
    left_out = sum(len(piece.frames) for piece in pieces) - sum(len(piece.frames) for piece in kept)
    message = f"cut at frames {where}" + (f"; {left_out} frames in short pieces were dropped" if left_out else "")
    finding = Finding("warning", "sfm.scale_lost", f"clip {result.clip}", message)
    sound = min(result.sound_frames, max((len(model.frames) for model in subs), default=0))
    return replace(result, sub_models=subs, findings=(*result.findings, finding), sound_frames=sound)
