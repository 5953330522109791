"""A trained critic, which scores and rejects rows; kept as JSON and npz, never as pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from instructions.errors import InstructionError
from instructions.regions.critic.features import Group, ViewLook, count_inputs, find_all, place_groups
from instructions.regions.critic.heads import Heads
from instructions.regions.records import Qar, RegionView
from recon.arrays import load_arrays
from recon.geometry import Array

FORM = "roomtour critic 2"
JSON_FILE, ARRAYS_FILE = "critic.json", "critic.npz"
_HEADS = ("hidden", "accepted", "qa", "rationale")
_ARRAYS = ("mean", "spread", "calibration", "bins", *_HEADS)


@dataclass(frozen=True, eq=False)
class Critic:
    """Heads with what their inputs are measured against."""

    mean: Array
    spread: Array
    heads: Heads
    calibration: Array
    """Slope and bias on the logit of the head `accepted`, fitted on rows that it had not seen."""
    bins: Array
    """(10, 2): of rows not seen that scored within a tenth of 0 to 1, the 95 % interval of their accepted share."""
    labels: str
    """`people`, or `made`."""
    without: tuple[Group, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Hash of the training rows, versions, figures."""

    @property
    def look_size(self) -> int:
        """Numbers of an embedding of a picture; 0 for a critic that sees none."""
        return (len(self.mean) - count_inputs(0)) // 2

    def score(
        self, rows: Sequence[Qar], views: Mapping[str, RegionView], looks: Mapping[str, ViewLook] | None = None
    ) -> Array:
        """Calibrated probability that people accept each row, (N,).

        Raises:
            InstructionError: For a critic that sees pictures, without any or with those of another encoder.
        """
        return self._score(self._inputs(rows, views, looks))

    def find_interval(self, score: float) -> tuple[float, float]:
        """95 % interval of the accepted share of rows that score about so."""
        low, high = self.bins[min(int(score * len(self.bins)), len(self.bins) - 1)]
        return float(low), float(high)

    def explain(
        self, rows: Sequence[Qar], views: Mapping[str, RegionView], looks: Mapping[str, ViewLook] | None = None
    ) -> list[dict[Group, float]]:
        """By how much each group of inputs moves the score of each row, against that of a mean row in its place."""
        inputs = self._inputs(rows, views, looks)
        scores = self._score(inputs)
        out: list[dict[Group, float]] = [{} for _ in rows]
        for group, columns in place_groups(self.look_size).items():
            if group in self.without or columns.stop == columns.start:
                continue
            plain = inputs.copy()
            plain[:, columns] = 0.0
            for told, value in zip(out, scores - self._score(plain), strict=True):
                told[group] = float(value)
        return out

    def _inputs(
        self, rows: Sequence[Qar], views: Mapping[str, RegionView], looks: Mapping[str, ViewLook] | None
    ) -> Array:
        found = find_all(rows, views, frozenset(self.without), looks, self.look_size)
        return (found - self.mean) / self.spread

    def _score(self, inputs: Array) -> Array:
        slope, bias = self.calibration
        logits = self.heads.apply(self.heads.accepted, inputs)
        return 1.0 / (1.0 + np.exp(-np.clip(slope * logits + bias, -30.0, 30.0)))


def save_critic(critic: Critic, folder: Path) -> None:
    """Write a critic to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {name: getattr(critic.heads if name in _HEADS else critic, name) for name in _ARRAYS}
    np.savez(folder / ARRAYS_FILE, allow_pickle=False, **arrays)
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
    size, expected = len(arrays["mean"]), count_inputs(0)
    if size < expected or (size - expected) % 2 or not _fits(arrays, size):
        raise InstructionError(f"{folder}: the critic takes {size} inputs, this version has {expected}; train it again")
    heads = Heads(*(arrays[name] for name in _HEADS))
    mean, spread, calibration, bins = (arrays[name] for name in ("mean", "spread", "calibration", "bins"))
    return Critic(mean, spread, heads, calibration, bins, str(told["labels"]), tuple(told["without"]), told["facts"])


def _fits(arrays: Mapping[str, Array], size: int) -> bool:
    hidden, bins = arrays["hidden"], arrays["bins"]
    units = hidden.shape[-1] if hidden.size else size
    shapes = {"mean": (size,), "spread": (size,), "calibration": (2,)}
    shapes |= {name: (units + 1,) for name in ("accepted", "qa", "rationale")}
    shapes |= {"hidden": (size + 1, units)} if hidden.size else {}
    return all(arrays[name].shape == shape for name, shape in shapes.items()) and bins.ndim == 2 and len(bins) > 0


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
