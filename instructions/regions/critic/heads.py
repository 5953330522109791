"""Three heads over the same inputs: whether a row is accepted, and what people give its answer and its rationale."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
    """Logistic regression and two ridge regressions.

    Args:
        inputs: (N, inputs), standardised.
        accepted: (N,) of both kinds.
        qa: (N,) targets 0 to 3.
        rationale: (N,) targets 0 to 3, its own.
    """
    from sklearn.linear_model import LogisticRegression, Ridge

    head = LogisticRegression(C=0.3, max_iter=2000).fit(inputs, accepted)
    ridges = [Ridge(alpha=3.0).fit(inputs, target) for target in (qa, rationale)]
    return Heads(
        NO_LAYER,
        np.append(head.coef_[0], head.intercept_[0]),
        *(np.append(ridge.coef_, ridge.intercept_) for ridge in ridges),
    )
