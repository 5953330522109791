"""What each group of a critic's inputs is worth: trained without it, held against rows of tours it has not seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instructions.regions.critic.features import Group
from instructions.regions.critic.labels import Labelled
from instructions.regions.critic.looks import ViewLook
from instructions.regions.critic.train import HeadKind, train_critic
from instructions.regions.records import RegionView


@dataclass(frozen=True)
class Ablation:
    """A critic that lacks some inputs, on rows held out by tour (by stretch of views where there is one tour only)."""

    without: Group | None
    """None for nothing."""
    auc: float
    calibration_error: float
    best_fifth: float
    """Accepted share of the fifth that scores best."""
    accepted: float
    """Of all rows."""


def ablate_critic(
    labelled: Sequence[Labelled],
    views: Mapping[str, RegionView],
    labels: str,
    *,
    head: HeadKind = "linear",
    looks: Mapping[str, ViewLook] | None = None,
    seed: int = 0,
) -> Iterator[Ablation]:
    """Train with everything, then without each group of inputs; arguments are those of `train_critic`.

    Raises:
        InstructionError: As `train_critic` does.
    """
    groups: tuple[Group | None, ...] = (None, "text", "regions", "verdicts", *(("pictures",) if looks else ()))
    for group in groups:
        without: frozenset[Group] = frozenset({group} if group is not None else ())
        facts = train_critic(labelled, views, labels, head=head, without=without, looks=looks, seed=seed).facts
        yield Ablation(
            group,
            facts["auc_unseen"],
            facts["calibration_error"],
            facts["best_fifth_unseen"],
            facts["accepted"] / facts["rows"],
        )
