"""A tour of which nothing is left because its walk shows planes only: mapped again, kept, and said not to be trusted.

Along bare walls all that two frames share may lie on one plane, as if the camera only turned, and every model is
dropped. The bearings tell such a walk from a turn on the spot. What is mapped of it is mostly right, but not always,
and nothing tells which; so it is kept only where the tour has nothing else, under an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from recon.diagnosis.parallax_share import find_moving
from recon.findings import Finding
from recon.mapping.options import SfmOptions
from recon.mapping.sfm import ClipResult
from recon.records import Clip

_LEAST_MOVING = 8
"""Frames that tell by most of their matches that they were taken from elsewhere. Made walks along bare walls had 12 and
more, standing and turning on the spot 0."""


def find_options_past_planes(
    clips: Sequence[Clip], results: Sequence[ClipResult], database_path: Path, options: SfmOptions
) -> SfmOptions | None:
    """Options that keep what was dropped for want of parallax, where that is all there is and its camera moved.

    Args:
        clips: Of one tour.
        results: What mapping and its second look made of each.
        database_path: From `build_database`.
        options: With which it did.

    Returns:
        None where a clip has a model, where no camera moved, or if the options keep such models anyway.
    """
    if options.min_moving_frames or any(result.sub_models for result in results):
        return None
    dropped = (
        clip
        for clip, result in zip(clips, results, strict=True)
        if any(finding.code == "sfm.no_parallax" for finding in result.findings)
    )
    if not any(len(find_moving(clip.frames, database_path)) >= _LEAST_MOVING for clip in dropped):
        return None
    return replace(options, min_moving_frames=_LEAST_MOVING)


def tell_of_planes(result: ClipResult) -> ClipResult:
    """The result with an error if it has models, for they rest on planes."""
    if not result.sub_models:
        return result
    message = (
        "what its frames have in common lies on planes, which hold a path and its scale only weakly: places and "
        "lengths may be off by more than a per cent, and nothing tells by how much. It was kept because there is "
        "nothing else; film past furniture and corners, and step sideways before bare walls"
    )
    finding = Finding("error", "sfm.planes_only", f"clip {result.clip}", message)
    return replace(result, findings=(*result.findings, finding))
