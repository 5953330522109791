"""The figures of a job in Ray's own metrics, which its dashboard and its scrapers show beside those of the cluster."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from roomtour.batch.metrics import Metric


class RayMetrics:
    """Told again and again; Ray sends what changed."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        self._counted: dict[tuple[str, str], float] = {}
        self._set: dict[str, set[str]] = {}

    def tell(self, metrics: Iterable[Metric]) -> None:
        """Set gauges, and count on by what counters grew; a state that no tour is in any more is 0."""
        from ray.util import metrics as ray_metrics

        for one in metrics:
            if one.name not in self._made:
                kind = ray_metrics.Gauge if one.kind == "gauge" else ray_metrics.Counter
                keys = (one.label,) if one.label else ()
                self._made[one.name] = kind(one.name, description=one.text, tag_keys=keys)
            made = self._made[one.name]
            for key in sorted(self._set.setdefault(one.name, set()) | set(one.values)):
                value, tags = float(one.values.get(key, 0.0)), {one.label: key} if one.label else {}
                self._set[one.name].add(key)
                if one.kind == "gauge":
                    made.set(value, tags=tags)
                    continue
                grown = value - self._counted.get((one.name, key), 0.0)
                if grown > 0.0:
                    made.inc(grown, tags=tags)
                    self._counted[one.name, key] = value
