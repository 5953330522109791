"""Scores of a critic on rows, and the rejection of those under the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from instructions.regions.critic.model import Critic
from instructions.regions.records import Qar, RegionView


def apply_critic(rows: Sequence[Qar], views: Sequence[RegionView], critic: Critic, threshold: float) -> tuple[Qar, ...]:
    """The rows with their scores; kept ones that score under the threshold are rejected."""
    if not rows:
        return ()
    scores = critic.score(rows, {view.id: view for view in views})
    out = []
    for row, score in zip(rows, scores, strict=True):
        scored = replace(row, score=round(float(score), 4))
        if scored.accepted and score < threshold:
            scored = scored.reject("critic", f"the critic ({critic.labels} labels) gives {score:.2f}, need {threshold}")
        out.append(scored)
    return tuple(out)
