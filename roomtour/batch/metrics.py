"""Where a job stands, as a file that any scraper of Prometheus metrics reads, and in Ray's own metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from instructions.language.budget import Usage
from roomtour.batch.records import JobStatus, LedgerRow
from roomtour.files.records import write_text

METRICS = "metrics.prom"


@dataclass(frozen=True)
class Metric:
    """One figure, or one per value of a label."""

    name: str
    kind: Literal["gauge", "counter"]
    text: str
    values: Mapping[str, float]
    """By value of the label; under an empty one where there is no label."""
    label: str = ""


def write_metrics(job: Path, metrics: Iterable[Metric]) -> None:
    """Replace the file of a job."""
    write_text(job / METRICS, describe_metrics(metrics))


def list_metrics(
    status: JobStatus, rows: Iterable[LedgerRow], asked: tuple[Usage, float] | None = None
) -> list[Metric]:
    """The figures of a job.

    Args:
        status: Where it stands.
        rows: Of its ledger.
        asked: What went through its gate to language servers, and seconds of waiting; None without one.
    """
    ended = [row for row in rows if row.event == "ended"]
    phases: dict[str, float] = {}
    stages: dict[str, float] = {}
    for row in ended:
        phases[row.phase] = phases.get(row.phase, 0.0) + row.cpu_s
        for stage, seconds in row.stage_s.items():
            stages[stage] = stages.get(stage, 0.0) + seconds
    outcomes = Counter("again" if row.state == "waiting" else row.state for row in ended)
    metrics = [
        Metric("roomtour_tours", "gauge", "Tours by state.", status.states, "state"),
        Metric("roomtour_attempts_total", "counter", "Attempts that ended, by outcome.", outcomes, "outcome"),
        Metric("roomtour_phase_cpu_seconds_total", "counter", "CPU time of ended attempts.", phases, "phase"),
        Metric("roomtour_stage_seconds_total", "counter", "Time of finished stages.", stages, "stage"),
        Metric("roomtour_tour_seconds_done", "gauge", "Length of the tours that are done.", {"": status.tour_s_done}),
        Metric("roomtour_lost_cpu_seconds_total", "counter", "CPU time without a result.", {"": status.lost_cpu_s}),
        Metric("roomtour_peak_memory_megabytes", "gauge", "Most memory of an attempt.", {"": status.peak_mb}),
        Metric("roomtour_gpu_seconds_total", "counter", "Seconds of shares of GPUs.", {"": status.gpu_s}),
    ]
    if asked is not None:
        usage, waited_s = asked
        tokens = {"prompt": usage.prompt_tokens, "reply": usage.reply_tokens}
        requests = {"": float(usage.requests)}
        metrics += [
            Metric("roomtour_gate_requests_total", "counter", "Let through to language servers.", requests),
            Metric("roomtour_gate_wait_seconds", "counter", "Waiting that the gate asked for.", {"": waited_s}),
            Metric("roomtour_gate_tokens_total", "counter", "Of language servers.", tokens, "kind"),
        ]
    return metrics


def describe_metrics(metrics: Iterable[Metric]) -> str:
    """Gauges and counters in the text format."""
    lines: list[str] = []
    for metric in metrics:
        lines += [f"# HELP {metric.name} {metric.text}", f"# TYPE {metric.name} {metric.kind}"]
        for key, value in sorted(metric.values.items()):
            lines.append(
                f'{metric.name}{{{metric.label}="{key}"}} {value:g}' if metric.label else f"{metric.name} {value:g}"
            )
    return "\n".join(lines) + "\n"


class RayMetrics:
    """Shown anew again and again, as they stand; Ray adds up nothing."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        self._shown: dict[str, set[str]] = {}

    def tell(self, metrics: Iterable[Metric]) -> None:
        """Set them; a state that no tour is in any more is 0."""
        from ray.util.metrics import Gauge

        for metric in metrics:
            if metric.name not in self._made:
                keys = (metric.label,) if metric.label else ()
                self._made[metric.name] = Gauge(metric.name, description=metric.text, tag_keys=keys)
            shown = self._shown.setdefault(metric.name, set())
            shown |= set(metric.values)
            for key in sorted(shown):
                self._made[metric.name].set(
                    float(metric.values.get(key, 0.0)), tags={metric.label: key} if metric.label else {}
                )
