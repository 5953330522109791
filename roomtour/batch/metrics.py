"""Where a job stands, as a file that any scraper of Prometheus metrics reads (a node exporter's text collector)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from instructions.language.budget import Usage
from roomtour.batch.records import JobStatus, LedgerRow
from roomtour.files.records import write_text

METRICS = "metrics.prom"


def write_metrics(
    job: Path, status: JobStatus, rows: Iterable[LedgerRow], asked: tuple[Usage, float] | None = None
) -> None:
    """Replace the file of a job.

    Args:
        job: Folder of the job.
        status: Where it stands.
        rows: Of its ledger.
        asked: What went through its gate to language servers, and seconds of waiting; None without one.
    """
    write_text(job / METRICS, describe_metrics(status, rows, asked))


def describe_metrics(status: JobStatus, rows: Iterable[LedgerRow], asked: tuple[Usage, float] | None = None) -> str:
    """Gauges and counters in the text format."""
    ended = [row for row in rows if row.event == "ended"]
    seconds: dict[str, float] = {}
    for row in ended:
        seconds[row.phase] = seconds.get(row.phase, 0.0) + row.cpu_s
    outcomes = Counter("again" if row.state == "waiting" else row.state for row in ended)
    lines = [
        *_family("roomtour_tours", "gauge", "Tours by state.", "state", status.states),
        *_family("roomtour_attempts_total", "counter", "Attempts that ended, by outcome.", "outcome", outcomes),
        *_family("roomtour_phase_cpu_seconds_total", "counter", "CPU time of ended attempts.", "phase", seconds),
        *_family("roomtour_tour_seconds_done", "gauge", "Length of the tours that are done.", "", status.tour_s_done),
        *_family("roomtour_lost_cpu_seconds_total", "counter", "CPU time without a result.", "", status.lost_cpu_s),
        *_family("roomtour_peak_memory_megabytes", "gauge", "Most memory of an attempt.", "", status.peak_mb),
    ]
    lines += _family("roomtour_gpu_seconds_total", "counter", "Seconds of shares of GPUs.", "", status.gpu_s)
    if asked is not None:
        usage, waited_s = asked
        lines += _family(
            "roomtour_gate_requests_total", "counter", "Let through to language servers.", "", usage.requests
        )
        lines += _family("roomtour_gate_wait_seconds", "counter", "Waiting that the gate asked for.", "", waited_s)
        tokens = {"prompt": usage.prompt_tokens, "reply": usage.reply_tokens}
        lines += _family("roomtour_gate_tokens_total", "counter", "Of language servers.", "kind", tokens)
    return "\n".join(lines) + "\n"


def _family(name: str, kind: str, text: str, label: str, values: object) -> list[str]:
    head = [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]
    if isinstance(values, dict):
        return [*head, *(f'{name}{{{label}="{key}"}} {value:g}' for key, value in sorted(values.items()))]
    return [*head, f"{name} {values:g}"]
