"""One offline page for a folder of runs: figures over all, where they went wrong, and a table to sort and search."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from recon.findings import Finding, count_by_severity
from roomtour.drawing.document import document
from roomtour.drawing.markup import Child, Markup, join, tag
from roomtour.drawing.text import count, duration, percent, printable
from roomtour.files.records import write_text
from roomtour.report.findings import SEVERITIES, SEVERITY_WORDS, severity_counts
from roomtour.report.index.bars import Bar, draw_bars
from roomtour.report.index.runs import RunRow, find_runs, read_run_row
from roomtour.report.index.table import run_table

MAX_CODES = 8
_BANDS = (
    (1.0, "all frames", "good"),
    (0.9, "90 % and more", "good"),
    (0.5, "50 to 90 %", "warn"),
    (0.0, "less", "bad"),
)


def write_index(folder: Path, out: Path) -> tuple[RunRow, ...]:
    """Write the index of all runs below `folder`; returns their rows.

    Raises:
        RoomtourError: If `folder` holds no run.
        OSError: If `out` cannot be written.
    """
    rows = tuple(read_run_row(path, folder) for path in find_runs(folder))
    write_text(out, build_index(rows, folder.resolve().name, out.resolve().parent))
    return rows


def build_index(rows: Sequence[RunRow], title: str, beside: Path) -> str:
    """The page as a string.

    Args:
        rows: Runs, in the order to list them.
        title: Name of the collection.
        beside: Folder the page will lie in; links to the runs' own pages start there.
    """
    findings = [finding for row in rows for finding in row.findings]
    body = [
        tag("a", "Skip to the table", href="#tours", class_="skip"),
        _headline(rows, findings, title),
        tag(
            "nav",
            tag("a", "Overview", href="#overview"),
            tag("a", "Tours", href="#tours"),
            class_="wide",
            aria_label="Parts of the page",
        ),
        tag(
            "main",
            tag("section", tag("h2", "Overview"), tag("div", _charts(rows, findings), class_="charts"), id="overview"),
            tag("section", tag("h2", "Tours"), _search(), run_table(rows, lambda row: _link(row, beside)), id="tours"),
            class_="wide",
        ),
        tag("footer", "Written by roomtour. This page is one file and loads nothing from elsewhere.", class_="wide"),
    ]
    return document(f"{printable(title)} – roomtour runs", join(body), script="sort.js")


def _link(row: RunRow, beside: Path) -> str | None:
    """Relative address of the run's own page."""
    return None if row.report is None else quote(os.path.relpath(row.report.resolve(), beside))


def _headline(rows: Sequence[RunRow], findings: Sequence[Finding], title: str) -> Markup:
    states = Counter(row.state for row in rows)
    frames = sum(row.frames or 0 for row in rows if row.registered is not None)
    registered = sum(row.registered or 0 for row in rows)
    missing = [f"{states[state]} {state}" for state in ("unfinished", "unreadable") if states[state]]
    figures = [
        _figure(len(rows), "tours" if len(rows) != 1 else "tour", ", ".join(missing) or None),
        _figure(duration(sum(row.tour_s or 0.0 for row in rows)), "of video"),
        _figure(percent(registered / frames) if frames else "–", "frames with a pose"),
        _figure(sum(row.instructions or 0 for row in rows), "instructions"),
        _figure(len(findings), "findings", severity_counts(count_by_severity(findings))),
    ]
    return tag(
        "header",
        tag("p", "Room tour runs", class_="over"),
        tag("h1", printable(title)),
        tag("ul", figures, class_="figures"),
        class_="wide",
    )


def _figure(value: Child, label: str, note: Child = None) -> Markup:
    small = tag("span", note, class_="small") if note else None
    return tag("li", tag("span", value, class_="value"), tag("span", label, class_="label"), small)


def _charts(rows: Sequence[RunRow], findings: Sequence[Finding]) -> list[Markup]:
    charts = [draw_bars("Tours by frames with a pose", _bands(rows))]
    seconds: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: -len(row.stage_seconds)):  # whole runs first: they tell the order
        seconds.update(row.stage_seconds)
    total = sum(seconds.values())
    if total:
        stages = [Bar(name, spent, f"{duration(spent)}, {percent(spent / total)}") for name, spent in seconds.items()]
        charts.append(draw_bars("Where the time went", stages))
    if findings:
        charts.append(draw_bars("Findings, by the number of tours that have them", _codes(rows)))
    return charts


def _bands(rows: Sequence[RunRow]) -> list[Bar]:
    left = [row.registered_share for row in rows]
    bars = []
    for least, label, kind in _BANDS:
        inside = [share for share in left if share is not None and share >= least]
        left = [share for share in left if share is None or share < least]
        bars.append(Bar(label, len(inside), str(len(inside)), kind))
    return [*bars, Bar("not known", len(left), str(len(left)))] if left else bars


def _codes(rows: Sequence[RunRow]) -> list[Bar]:
    worst: dict[str, str] = {}
    for severity in SEVERITIES:
        for row in rows:
            for finding in row.findings:
                if finding.severity == severity:
                    worst.setdefault(finding.code, severity)
    tours = Counter(code for row in rows for code in {finding.code for finding in row.findings})
    kinds = {"error": "bad", "warning": "warn", "info": "plain"}
    words = {severity: SEVERITY_WORDS[severity].lower() for severity in SEVERITIES}
    ranked = sorted(tours, key=lambda code: (-tours[code], code))
    bars = [
        Bar(code, tours[code], f"{count(tours[code], 'tour')}, {words[worst[code]]}", kinds[worst[code]])
        for code in ranked[:MAX_CODES]
    ]
    rest = len(ranked) - MAX_CODES
    return [*bars, Bar(f"{count(rest, 'other kind')}", 0, "see the tours")] if rest > 0 else bars


def _search() -> Markup:
    """Shown by the script, without which it could do nothing."""
    field = tag("input", type="search", id="wanted", autocomplete="off", spellcheck="false")
    hint = tag("span", " name, state, scale or finding code", class_="none")
    return tag(
        "div", tag("label", "Show tours with: ", field, hint), tag("p", id="said", role="status", class_="none"),
        class_="search", hidden=True,
    )  # fmt: skip
