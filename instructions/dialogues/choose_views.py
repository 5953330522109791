"""Which frames of a tour are talked about: those that tell most, apart in place and direction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.view_things import ViewThings
from recon.geometry import angle_between_deg


def choose_views(
    views: Sequence[ViewThings], sharpness: Mapping[int, float], options: DialogueOptions
) -> list[ViewThings]:
    """Greedily the view that shows most of what was chosen least, until enough are chosen.

    Args:
        views: Of one model.
        sharpness: By frame.
        options: How many, and how far apart.

    Returns:
        In time order.
    """
    rank = {
        view.view.frame: place
        for place, view in enumerate(sorted(views, key=lambda one: sharpness.get(one.view.frame, 0.0)))
    }
    shown: dict[str, int] = {}
    chosen: list[ViewThings] = []
    left = [view for view in views if len(view.things) >= 1]
    most = options.views or len(left)

    def gain(view: ViewThings) -> tuple[float, int]:
        seen = sum(one.seen.seen.visible_fraction / (1 + shown.get(one.id, 0)) for one in view.things)
        return seen * (1 + rank[view.view.frame] / max(len(views), 1)), -view.view.frame

    while left and len(chosen) < most:
        best = max(left, key=gain)
        chosen.append(best)
        for one in best.things:
            shown[one.id] = shown.get(one.id, 0) + 1
        left = [view for view in left if view is not best and not _is_close(view, best, options)]
    return sorted(chosen, key=lambda view: view.view.frame)


def _is_close(one: ViewThings, other: ViewThings, options: DialogueOptions) -> bool:
    apart = float(np.linalg.norm(one.view.viewer.eye - other.view.viewer.eye))
    turned = angle_between_deg(one.view.pose.forward, other.view.pose.forward)
    return apart < options.apart_m * one.metre and turned < options.apart_deg
