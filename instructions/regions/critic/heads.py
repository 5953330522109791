"""Three heads over the same inputs: whether a row is accepted, and what people give its answer and its rationale."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from recon.geometry import Array

NO_LAYER: Array = np.zeros((0, 0))


@dataclass(frozen=True, eq=False)
class Heads:
    """Weights over standardised inputs; the last row or entry of each is its bias."""

    hidden: Array
    """(inputs + 1, units) of a layer that all heads share; (0, 0) for none."""
    accepted: Array
    qa: Array
    rationale: Array

    def weigh(self, inputs: Array) -> Array:
        """What the heads see of the inputs: the units that are above 0, or the inputs themselves."""
        return np.maximum(inputs @ self.hidden[:-1] + self.hidden[-1], 0.0) if self.hidden.size else inputs

    def apply(self, head: Array, inputs: Array) -> Array:
        """One head on rows of inputs, (N,)."""
        return self.weigh(inputs) @ head[:-1] + head[-1]


def fit_linear(inputs: Array, accepted: NDArray[np.bool_], qa: Array, rationale: Array) -> Heads:
    """Logistic regression and two ridge regressions."""
    from sklearn.linear_model import LogisticRegression, Ridge

    head = LogisticRegression(C=0.3, max_iter=2000).fit(inputs, accepted)
    ridges = [Ridge(alpha=3.0).fit(inputs, target) for target in (qa, rationale)]
    return Heads(
        NO_LAYER,
        np.append(head.coef_[0], head.intercept_[0]),
        *(np.append(ridge.coef_, ridge.intercept_) for ridge in ridges),
    )


UNITS = 256
BATCH = 256
EPOCHS = 10
LEAST_STEPS = 20
"""Steps of an epoch: with few rows the batches are smaller, or ten epochs would teach nothing."""
REGRESSION_WEIGHT = 0.5
"""Of each mean squared error beside the cross entropy."""
PATIENCE = 2
"""Epochs without a lower loss on the rows held out."""
HELD_OUT = 8
"""One row in so many stops the training; they hang on the seed."""


def fit_hidden(
    inputs: Array,
    accepted: NDArray[np.bool_],
    qa: Array,
    rationale: Array,
    *,
    seed: int = 0,
    groups: NDArray[np.int64] | None = None,
) -> Heads:
    """Train the layer and its heads on cross entropy plus half of each mean squared error, with early stop.

    Args:
        inputs: (N, inputs), standardised.
        accepted: (N,) of both kinds.
        qa: (N,) targets 0 to 3.
        rationale: (N,) targets 0 to 3, its own.
        seed: Of weights, batches and rows held out.
        groups: (N,) numbers; rows of one are held out together.

    Raises:
        InstructionError: Without torch.
    """
    torch = _load_torch()
    rng = np.random.default_rng(seed)
    rows, size = inputs.shape
    groups = np.arange(rows) if groups is None else groups
    names = rng.permutation(np.unique(groups))
    held = np.isin(groups, names[: len(names) // HELD_OUT])
    train = np.flatnonzero(~held)
    stop = np.flatnonzero(held) if held.any() else train

    def put(values: Any) -> Any:
        return torch.tensor(np.asarray(values, dtype=np.float32))

    x, labels = put(inputs), put(accepted)
    targets = put(np.stack([qa, rationale], axis=1))
    hidden = put(np.vstack([rng.normal(0.0, np.sqrt(2.0 / size), (size, UNITS)), np.zeros(UNITS)])).requires_grad_()
    heads = put(np.vstack([rng.normal(0.0, np.sqrt(1.0 / UNITS), (UNITS, 3)), np.zeros(3)])).requires_grad_()
    optimizer = torch.optim.AdamW([hidden, heads], lr=2e-3, weight_decay=0.05)

    def measure_loss(picked: Any) -> Any:
        units = torch.relu(x[picked] @ hidden[:-1] + hidden[-1])
        out = units @ heads[:-1] + heads[-1]
        entropy = torch.nn.functional.binary_cross_entropy_with_logits(out[:, 0], labels[picked])
        errors = ((out[:, 1:] - targets[picked]) ** 2).mean(dim=0)
        return entropy + REGRESSION_WEIGHT * errors.sum()

    # So small a network is faster on one thread, and its sums come out the same on any machine with as many.
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    batch = int(np.clip(len(train) // LEAST_STEPS, 8, BATCH))
    best, kept, bad = np.inf, (hidden.detach().clone(), heads.detach().clone()), 0
    for _ in range(EPOCHS):
        order = rng.permutation(train)
        for at in range(0, len(order), batch):
            optimizer.zero_grad()
            measure_loss(order[at : at + batch]).backward()
            optimizer.step()
        with torch.no_grad():
            loss = float(measure_loss(stop))
        if loss < best:
            best, kept, bad = loss, (hidden.detach().clone(), heads.detach().clone()), 0
        else:
            bad += 1
            if bad == PATIENCE:
                break
    torch.set_num_threads(threads)
    layer, told = (one.numpy().astype(np.float64) for one in kept)
    return Heads(layer, told[:, 0], told[:, 1], told[:, 2])


def _load_torch() -> Any:
    try:
        return import_module("torch")
    except ImportError as error:
        raise InstructionError(
            'the hidden layer of the critic needs torch: pip install "roomtour[models]", or train with --head linear'
        ) from error
