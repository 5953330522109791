"""Training: logistic regression and two ridge regressions on shared inputs, calibrated by cross-fitting by tour."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.regions.critic.features import Group, find_all
from instructions.regions.critic.labels import Labelled
from instructions.regions.critic.model import Critic
from instructions.regions.records import RegionView
from recon.geometry import Array

LEAST_ROWS = 40
FOLDS = 5


def train_critic(
    labelled: Sequence[Labelled],
    views: Mapping[str, RegionView],
    labels: str,
    *,
    without: frozenset[Group] = frozenset(),
) -> Critic:
    """Train on labelled rows.

    Args:
        labelled: Rows with targets, of any number of tours.
        views: By id.
        labels: `people` or `made`; kept with the critic.
        without: Inputs that are left out, for ablations.

    Raises:
        InstructionError: For too few rows, or rows of one label only.
    """
    import sklearn
    from sklearn.linear_model import LogisticRegression, Ridge

    accepted = np.array([one.targets.accepted for one in labelled])
    if len(labelled) < LEAST_ROWS or accepted.all() or not accepted.any():
        raise InstructionError(
            f"{len(labelled)} labelled rows, {int(accepted.sum())} of them accepted: need {LEAST_ROWS} and both kinds; "
            "rate more rows, or train on made faults with --labels made"
        )
    inputs = find_all([one.row for one in labelled], views, without)
    mean, spread = inputs.mean(axis=0), inputs.std(axis=0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    inputs = (inputs - mean) / spread

    def fit(picked: NDArray[np.int64]) -> Array:
        head = LogisticRegression(C=0.3, max_iter=2000).fit(inputs[picked], accepted[picked])
        return np.append(head.coef_[0], head.intercept_[0])

    head = fit(np.arange(len(labelled)))
    groups = _groups(labelled)
    logits = np.zeros(len(labelled))
    for train, test in _folds(groups, accepted):
        part = fit(train)
        logits[test] = inputs[test] @ part[:-1] + part[-1]
    platt = LogisticRegression(C=1e6, max_iter=2000).fit(logits[:, None], accepted)
    calibration = np.array([platt.coef_[0, 0], platt.intercept_[0]])
    heads = []
    for name in ("qa", "rationale"):
        target = np.array([getattr(one.targets, name) for one in labelled])
        ridge = Ridge(alpha=3.0).fit(inputs, target)
        heads.append(np.append(ridge.coef_, ridge.intercept_))
    scores = 1.0 / (1.0 + np.exp(-(calibration[0] * logits + calibration[1])))
    facts = {
        "rows": len(labelled),
        "accepted": int(accepted.sum()),
        "tours": len({one.row.tour for one in labelled}),
        "rows_sha256": _hash(labelled),
        "scikit_learn": sklearn.__version__,
        "numpy": np.__version__,
        "auc_unseen": round(measure_auc(scores, accepted), 4),
        "folds_by": "tour" if len({one.row.tour for one in labelled}) > 1 else "view",
    }
    return Critic(mean, spread, head, heads[0], heads[1], calibration, labels, tuple(sorted(without)), facts)


def measure_auc(scores: Array, accepted: NDArray[np.bool_]) -> float:
    """Chance that an accepted row scores above a rejected one; ties count half."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    for value in np.unique(scores):
        same = scores == value
        ranks[same] = ranks[same].mean()
    good = int(accepted.sum())
    bad = len(accepted) - good
    return float((ranks[accepted].sum() - good * (good + 1) / 2) / (good * bad)) if good and bad else float("nan")


def _groups(labelled: Sequence[Labelled]) -> list[str]:
    """Tours; the views of a single one."""
    tours = {one.row.tour for one in labelled}
    return [one.row.tour if len(tours) > 1 else one.row.view for one in labelled]


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
