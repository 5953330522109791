"""Balanced labels: most steps of a walk are `forward`, and a policy that only learns that walks into the wall."""

from __future__ import annotations

import random
from collections.abc import Sequence

from trajectories.errors import TrajectoryError
from trajectories.records import Action


def choose_balanced_steps(actions: Sequence[Action], max_forward_share: float, rng: random.Random) -> list[int]:
    """Choose steps so that `forward` is at most a share of their labels.

    Every other step is kept. Steps are dropped as samples, not from the walk: history and frames stay whole.

    Args:
        actions: Labels in the order of the walk.
        max_forward_share: Largest share of `forward` among the chosen, above 0 and at most 1 (all are kept).
        rng: Draws which `forward` steps stay.

    Returns:
        Positions in order. At least one `forward` stays if there is any, so that its share can be larger for walks
        with hardly another label.

    Raises:
        TrajectoryError: If the share is not above 0 and at most 1.
    """
    if not 0.0 < max_forward_share <= 1.0:
        raise TrajectoryError(f"max_forward_share is {max_forward_share}, need above 0 and at most 1")
    forward = [step for step, action in enumerate(actions) if action == "forward"]
    others = len(actions) - len(forward)
    if max_forward_share < 1.0 and forward:
        room = max(1, int(others * max_forward_share / (1.0 - max_forward_share) + 1e-9))
        forward = rng.sample(forward, min(room, len(forward)))
    wanted = set(forward)
    return [step for step, action in enumerate(actions) if action != "forward" or step in wanted]
