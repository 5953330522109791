"""Scores of a critic on rows, and the rejection of those under the threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from instructions.regions.critic.looks import ViewLook
from instructions.regions.critic.model import Critic
from instructions.regions.records import Qar, RegionView


def apply_critic(
    rows: Sequence[Qar],
    views: Sequence[RegionView],
    critic: Critic,
    threshold: float,
    looks: Mapping[str, ViewLook] | None = None,
) -> tuple[Qar, ...]:
    """The rows with their scores, intervals and reasons; kept ones that score under the threshold are rejected.

    Raises:
        InstructionError: For a critic that sees pictures, without any.
    """
    if not rows:
        return ()
    by_id = {view.id: view for view in views}
    scores = critic.score(rows, by_id, looks)
    out = []
    for row, score, moved in zip(rows, scores, critic.explain(rows, by_id, looks), strict=True):
        low, high = critic.find_interval(float(score))
        scored = replace(
            row,
            score=round(float(score), 4),
            score_interval=(round(low, 4), round(high, 4)),
            score_reasons=tuple(
                f"{group} {value:+.2f}" for group, value in sorted(moved.items(), key=lambda one: -abs(one[1]))
            ),
        )
        if scored.accepted and score < threshold:
            why = f"; {scored.score_reasons[0]}" if scored.score_reasons else ""
            told = f"the critic ({critic.labels} labels) gives {score:.2f}, need {threshold}{why}"
            scored = scored.reject("critic", told)
        out.append(scored)
    return tuple(out)
