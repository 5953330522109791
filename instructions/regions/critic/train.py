"""Training and ablation: three heads on shared inputs, calibrated by cross-fitting by tour."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.regions.critic.curve import measure_calibration, wilson
from instructions.regions.critic.features import Group, ViewLook, find_all
from instructions.regions.critic.heads import Heads, fit_hidden, fit_linear
from instructions.regions.critic.labels import Labelled
from instructions.regions.critic.model import Critic
from instructions.regions.records import RegionView
from recon.geometry import Array

LEAST_ROWS = 40
FOLDS = 5
BINS = 10
HeadKind = Literal["linear", "hidden"]
"""`linear`: logistic and ridge regression. `hidden`: one layer of 256 units under the same heads, by torch."""


def train_critic(
    labelled: Sequence[Labelled],
    views: Mapping[str, RegionView],
    labels: str,
    *,
    head: HeadKind = "linear",
    without: frozenset[Group] = frozenset(),
    looks: Mapping[str, ViewLook] | None = None,
    seed: int = 0,
) -> Critic:
    """Train on labelled rows.

    Args:
        labelled: Rows with targets, of any number of tours.
        views: By id.
        labels: `people` or `made`; kept with the critic.
        head: `linear`, or `hidden`: one shared layer, trained by torch.
        without: Inputs that are left out, for ablations.
        looks: Embeddings of the views' pictures, by id of the view; None for a critic that sees none.
        seed: Of the hidden layer.

    Raises:
        InstructionError: For too few rows, rows of one label only, a view that nobody looked at, or no torch.
    """
    accepted = np.array([one.targets.accepted for one in labelled])
    if len(labelled) < LEAST_ROWS or accepted.all() or not accepted.any():
        raise InstructionError(
            f"{len(labelled)} labelled rows, {int(accepted.sum())} of them accepted: need {LEAST_ROWS} and both kinds; "
            "rate more rows, or train on made faults with --labels made"
        )
    look_size = len(next(iter(looks.values())).image) if looks else 0
    inputs = find_all([one.row for one in labelled], views, without, looks, look_size)
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    inputs = (inputs - mean) / spread
    qa, rationale = (np.array([getattr(one.targets, name) for one in labelled]) for name in ("qa", "rationale"))
    groups = _groups(labelled)
    numbers = np.unique(np.array(groups), return_inverse=True)[1]

    def fit(picked: NDArray[np.int64]) -> Heads:
        chosen = (inputs[picked], accepted[picked], qa[picked], rationale[picked])
        return fit_linear(*chosen) if head == "linear" else fit_hidden(*chosen, seed=seed, groups=numbers[picked])

    heads = fit(np.arange(len(labelled)))
    logits = np.full(len(labelled), np.nan)
    for train, test in _folds(groups, accepted):
        part = fit(train)
        logits[test] = part.apply(part.accepted, inputs[test])
    seen = np.isfinite(logits)
    calibration = _calibrate(logits[seen], accepted[seen])
    scores = 1.0 / (1.0 + np.exp(-(calibration[0] * logits[seen] + calibration[1])))
    facts = {
        "head": head,
        "rows": len(labelled),
        "accepted": int(accepted.sum()),
        "tours": len({one.row.tour for one in labelled}),
        "rows_sha256": _hash(labelled),
        "versions": {
            name: version(name) for name in ("numpy", "scikit-learn", *(["torch"] if head == "hidden" else []))
        },
        "auc_unseen": round(measure_auc(scores, accepted[seen]), 4),
        "calibration_error": round(measure_calibration(scores, accepted[seen]), 4),
        "best_fifth_unseen": round(measure_best_fifth(scores, accepted[seen]), 4),
        "folds_by": "tour" if len({one.row.tour for one in labelled}) > 1 else "stretch of views",
    }
    bins = _find_bins(scores, accepted[seen])
    return Critic(mean, spread, heads, calibration, bins, labels, tuple(sorted(without)), facts)


def _calibrate(logits: Array, accepted: NDArray[np.bool_]) -> Array:
    """Slope and bias of Platt (1999) on rows that the head had not seen; neither where these are all alike.

    The targets are his too, (n + 1) / (n + 2) and 1 / (n + 2) for n rows: with 1 and 0 the slope has no end where a
    head tells all rows apart. A row with such a target stands for two, one of either label.
    """
    from sklearn.linear_model import LogisticRegression

    if len(set(accepted.tolist())) < 2:
        return np.array([1.0, 0.0])
    right = int(accepted.sum())
    target = np.where(accepted, (right + 1) / (right + 2), 1 / (len(accepted) - right + 2))
    labels = np.repeat([True, False], len(logits))
    weights = np.concatenate([target, 1.0 - target])
    platt = LogisticRegression(C=1e6, max_iter=2000).fit(np.tile(logits, 2)[:, None], labels, weights)
    return np.array([platt.coef_[0, 0], platt.intercept_[0]])


def _find_bins(scores: Array, accepted: NDArray[np.bool_]) -> Array:
    """Interval of the accepted share by tenths of the score; 0 to 1 where no row scored so."""
    place = np.minimum((scores * BINS).astype(int), BINS - 1)
    counts = [(int(accepted[place == one].sum()), int((place == one).sum())) for one in range(BINS)]
    return np.array([wilson(right, count) if count else (0.0, 1.0) for right, count in counts])


def measure_auc(scores: Array, accepted: NDArray[np.bool_]) -> float:
    """Chance that an accepted row scores above a rejected one; ties count half."""
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(accepted, scores)) if len(set(accepted.tolist())) == 2 else float("nan")


def measure_best_fifth(scores: Array, accepted: NDArray[np.bool_]) -> float:
    """Accepted share of the fifth of the rows that scores best; of equal scores the earlier rows are taken."""
    best = np.argsort(-scores, kind="stable")[: max(len(scores) // 5, 1)]
    return float(accepted[best].mean()) if len(scores) else float("nan")


def _groups(labelled: Sequence[Labelled]) -> list[str]:
    """Tours; of a single one stretches of its views, since views beside each other show the same things."""
    if len({one.row.tour for one in labelled}) > 1:
        return [one.row.tour for one in labelled]
    views = sorted({one.row.view for one in labelled})
    stretch = {view: str(place * FOLDS // len(views)) for place, view in enumerate(views)}
    return [stretch[one.row.view] for one in labelled]


def _folds(groups: Sequence[str], accepted: NDArray[np.bool_]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Train and test rows; a group is never on both sides. A fold whose training rows are all alike is left out."""
    names = sorted(set(groups), key=lambda name: sha256(name.encode()).digest())
    fold_of = {name: place % min(FOLDS, len(names)) for place, name in enumerate(names)}
    folds = np.array([fold_of[name] for name in groups])
    out = []
    for fold in sorted(set(folds.tolist())):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        if len(train) and len(set(accepted[train].tolist())) == 2:
            out.append((train, test))
    return out


def _hash(labelled: Sequence[Labelled]) -> str:
    told = [[one.row.id, one.row.text, one.targets.accepted] for one in labelled]
    return sha256(json.dumps(told, ensure_ascii=False).encode()).hexdigest()


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
