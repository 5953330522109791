"""Whether the scale that shared frames tell is the scale of the two models they belong to.

Two models can agree on every shared frame and still be joined at a wrong scale: behind a turn on the spot or a plain
wall, little ties the shared frames to the rest of a model, and they may have drifted in it by a fifth or a factor of
ten. So the frames beyond are asked as well: those of each model are placed in the other by their own matches.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from recon.geometry import Sim3
from recon.merging.bridge import BridgeOptions, Side, find_bridge
from recon.records import SubModel

_MAX_DISAGREEMENT = 0.15
"""By how much the frames beyond may tell another scale. Sound seams: at most 0.02; one over a bent part: 0.05; where
the camera turned on the spot: a factor of 7 and far more."""
_REACH_FRAMES = 50
"""To each side of the shared ones that are asked."""
_MIN_FRAMES = 8
"""A model with fewer frames beyond the shared ones is not asked: so few do not determine a scale."""
_BRIDGE = BridgeOptions(most_frames=12)
"""How its frames are placed by matches."""


def seam_doubt(
    first: SubModel,
    second: SubModel,
    shared: Sequence[int],
    first_from_second: Sim3,
    database_path: Path,
    seed: int = 0,
) -> str:
    """Why the frames beyond the shared ones do not support an alignment; empty if they do.

    Args:
        first: Model whose frame and unit the alignment has.
        second: The other one.
        shared: Frames with a pose in both.
        first_from_second: From the shared frames.
        database_path: From `build_database`.
        seed: Of the sampling.
    """
    for asked in (first, second):
        beyond = _beyond(asked, shared, _REACH_FRAMES)
        if len(beyond) < _MIN_FRAMES:
            continue
        part = Side(asked, beyond)
        sides = (part, Side(second)) if asked is first else (Side(first), part)
        found = find_bridge(*sides, database_path, _BRIDGE, seed)
        if found is None:
            return f"only the shared frames determine the scale: nothing ties them to the other frames of {asked.name}"
        apart = float(np.expm1(abs(np.log(found.alignment.first_from_second.scale / first_from_second.scale))))
        if apart > _MAX_DISAGREEMENT:
            return (
                f"the other frames of {asked.name} give a scale that differs by {apart:.0%} from that of the shared "
                f"frames, allowed {_MAX_DISAGREEMENT:.0%}"
            )
    return ""


def _beyond(model: SubModel, shared: Sequence[int], reach: int) -> frozenset[int]:
    """Frames of the model that are not shared, at most `reach` registered ones before and behind the shared ones."""
    frames = np.array(model.frames)
    low, high = np.searchsorted(frames, [min(shared), max(shared)])
    near = frames[max(0, low - reach) : high + 1 + reach].tolist()
    return frozenset(near).difference(shared)
