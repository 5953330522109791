"""Clips of which nothing is left because their walk shows planes only: mapped again and kept, and that is told.

Along bare walls all that two frames share may lie on one plane, as if the camera only turned, and every model is
dropped. The bearings tell such a walk from a turn on the spot. What is mapped of it is mostly right, but not always,
and nothing in it tells which. Other clips of the tour can: they share frames with it, and merging joins what agrees.
Where the tour has nothing else, it is kept under an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recon.audit.parallax_share import find_moving
from recon.findings import Finding
from recon.mapping.flat_models import LEAST_MOVING
from recon.mapping.options import SfmOptions
from recon.mapping.sfm import ClipResult
from recon.records import Clip


def find_clips_past_planes(
    clips: Sequence[Clip], results: Sequence[ClipResult], database_path: Path, options: SfmOptions
) -> list[Clip]:
    """Clips of which all was dropped for want of parallax, though their camera moved.

    Args:
        clips: Of one tour.
        results: What became of each.
        database_path: From `build_database`.
        options: With which they were mapped.

    Returns:
        None of them if the options keep such models anyway.
    """
    if options.min_moving_frames:
        return []
    dropped = (clip for clip, result in zip(clips, results, strict=True) if not result.sub_models and result.is_flat)
    return [clip for clip in dropped if len(find_moving(clip.frames, database_path)) >= LEAST_MOVING]


def find_witnessed(flat: Sequence[Clip], sound: Sequence[Clip]) -> list[Clip]:
    """Those of flat clips that share frames with sound ones, or with others that do: these can speak against them."""
    known = {frame for clip in sound for frame in clip.frames}
    waiting, found = list(flat), list[Clip]()
    while beside := [clip for clip in waiting if not known.isdisjoint(clip.frames)]:
        found += beside
        known.update(frame for clip in beside for frame in clip.frames)
        waiting = [clip for clip in waiting if clip not in beside]
    return [clip for clip in flat if clip in found]


def keep_planes(options: SfmOptions) -> SfmOptions:
    """The options with which such clips are mapped again."""
    return replace(options, min_moving_frames=LEAST_MOVING)


def tell_of_planes(result: ClipResult, beside_others: bool = False) -> ClipResult:
    """The result with a finding if it has models, for they rest on planes.

    Args:
        result: Of a clip that was mapped again.
        beside_others: Whether other clips of the tour have models; else it is an error.
    """
    if not result.sub_models:
        return result
    why = (
        "it was kept, and is joined to the rest of the tour only where the frames that both share agree"
        if beside_others
        else "it was kept because there is nothing else"
    )
    message = (
        "what its frames have in common lies on planes, which hold a path and its scale only weakly: places and "
        f"lengths may be off by more than a per cent, and nothing tells by how much; {why}. Film past furniture and "
        "corners, and step sideways before bare walls"
    )
    severity = "warning" if beside_others else "error"
    finding = Finding(severity, "sfm.planes_only", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))
