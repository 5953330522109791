"""Leave out the ends of a model whose poses rest on next to nothing.

Where a walk ends before something bare, the last frames see a handful of far points, most on one wall. Matches there
agree with each other, and the adjustment is sure of the poses to a centimetre; on a made walk they were 12 to 48 cm
off. In the middle of a walk such a frame lies between two that are known, at an end nothing holds it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pycolmap

from recon.audit.seams import subset
from recon.findings import Finding
from recon.mapping.sfm import ClipResult
from recon.records import SubModel

_LEAST_POINTS = 50
"""A frame that sees as many is known. On the made walk poses from 20 to 45 points were wrong, the one from 80 was right
to 3 cm. Of the other models of ten made worlds one loses a frame of 21 points that was right."""
_LEAST_SHARE = 0.25
"""Of what a frame of the model sees in the median: one of few keypoints everywhere is known by few."""


def trim_weak_ends(result: ClipResult, least_frames: int) -> ClipResult:
    """The result without the weak ends of its sub-models, and a finding where there was any.

    Args:
        result: Of one clip.
        least_frames: A model of which fewer would be left is left alone.
    """
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
    """The frames before the first and behind the last that sees enough, in time order.

    Args:
        frames: Of a model, in time order.
        seen: How many of its points each sees.
    """
    least = min(_LEAST_POINTS, _LEAST_SHARE * float(np.median(seen)))
    rows = list(zip(frames, seen, strict=True))
    first = [frame for frame, _ in takewhile(lambda row: row[1] < least, rows)]
    last = [frame for frame, _ in takewhile(lambda row: row[1] < least, reversed(rows))]
    return [*first, *reversed(last)]
