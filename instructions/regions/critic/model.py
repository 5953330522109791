"""A trained critic: three linear heads over the same inputs, calibrated; kept as JSON and npz, never as pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from instructions.errors import InstructionError
from instructions.regions.critic.features import Group, find_all
from instructions.regions.records import Qar, RegionView
from recon.arrays import load_arrays
from recon.geometry import Array

FORM = "roomtour critic 1"
JSON_FILE, ARRAYS_FILE = "critic.json", "critic.npz"
_ARRAYS = ("mean", "spread", "accepted", "qa", "rationale", "calibration")


@dataclass(frozen=True, eq=False)
class Critic:
    """Weights; the last entry of each head is its bias."""

    mean: Array
    spread: Array
    accepted: Array
    qa: Array
    rationale: Array
    calibration: Array
    """Slope and bias on the logit of the head `accepted`, fitted on rows that it had not seen."""
    labels: str
    """`people`, or `made`."""
    without: tuple[Group, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Hash of the training rows, versions, figures."""

    def score(self, rows: Sequence[Qar], views: Mapping[str, RegionView]) -> Array:
        """Calibrated probability that people accept each row, (N,)."""
        logits = self._head(self.accepted, rows, views)
        slope, bias = self.calibration
        return 1.0 / (1.0 + np.exp(-np.clip(slope * logits + bias, -30.0, 30.0)))

    def rate(self, rows: Sequence[Qar], views: Mapping[str, RegionView]) -> tuple[Array, Array]:
        """What people would give answer and rationale, 0 to 3, (N,) each."""
        found = [np.clip(self._head(head, rows, views), 0.0, 3.0) for head in (self.qa, self.rationale)]
        return found[0], found[1]

    def _head(self, head: Array, rows: Sequence[Qar], views: Mapping[str, RegionView]) -> Array:
        inputs = (find_all(rows, views, frozenset(self.without)) - self.mean) / self.spread
        return inputs @ head[:-1] + head[-1]


def save_critic(critic: Critic, folder: Path) -> None:
    """Write a critic to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / ARRAYS_FILE, allow_pickle=False, **{name: getattr(critic, name) for name in _ARRAYS})
    told = {"form": FORM, "labels": critic.labels, "without": list(critic.without), "facts": dict(critic.facts)}
    (folder / JSON_FILE).write_text(json.dumps(told, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def load_critic(folder: Path) -> Critic:
    """Read a critic.

    Raises:
        InstructionError: Naming the file and what is wrong with it.
    """
    path = folder / JSON_FILE
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(told, dict) or told.get("form") != FORM:
            raise InstructionError(f"{path}: is no {FORM}; train one with roomtour critic train")
        found = load_arrays(folder / ARRAYS_FILE, _ARRAYS)
        arrays = {name: array.astype(np.float64) for name, array in zip(_ARRAYS, found, strict=True)}
    except OSError as error:
        raise InstructionError(f"{folder}: no critic can be read there: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InstructionError(f"{folder}: the critic is broken: {error}; train it again") from error
    size = len(arrays["mean"])
    wrong = [name for name in ("accepted", "qa", "rationale") if arrays[name].shape != (size + 1,)]
    expected = find_all([], {}).shape[1]
    if wrong or size != expected or arrays["spread"].shape != (size,) or arrays["calibration"].shape != (2,):
        raise InstructionError(f"{folder}: the critic takes {size} inputs, this version has {expected}; train it again")
    return Critic(
        **arrays, labels=str(told["labels"]), without=tuple(told.get("without", ())), facts=told.get("facts", {})
    )
