"""One offline page for a folder of runs: figures over all, where they went wrong, and a table to sort and search."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from recon.findings import Finding, count_by_severity
from recon.numerals import count, percent
from roomtour.causes import SEVERITIES
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.text import duration, printable
from roomtour.files.records import write_text
from roomtour.report.index.bars import Bar, draw_bars
from roomtour.report.index.runs import Fate, RunRow, list_rows
from roomtour.report.index.table import table_rows

MAX_CODES = 8
_BANDS = (
    (1.0, "all frames", "good"),
    (0.9, "90 % and more", "good"),
    (0.5, "50 to 90 %", "warn"),
    (0.0, "less", "bad"),
)


def write_index(
    folder: Path, out: Path, fates: Mapping[str, Fate] | None = None, title: str = ""
) -> tuple[RunRow, ...]:
    """Write the index of all runs below `folder`; returns their rows.

    Args:
        folder: Holds run folders.
        out: The page.
        fates: Tours of a job that are not done, by name; they have a row each, too.
        title: By default the name of the folder.

    Raises:
        RoomtourError: If `folder` holds no run, and no fates are given.
        OSError: If `out` cannot be written.
    """
    rows = list_rows(folder, fates or {})
    write_text(out, build_index(rows, title or folder.resolve().name, out.resolve().parent))
    return rows


def build_index(rows: Sequence[RunRow], title: str, beside: Path) -> str:
    """The page as a string.

    Args:
        rows: Runs, in the order to list them.
        title: Name of the collection.
        beside: Folder the page will lie in; links to the runs' own pages start there.
    """
    findings = [finding for row in rows for finding in row.findings]
    states = Counter(row.state for row in rows)
    return render(
        "report/index.html",
        title=f"{printable(title)} – roomtour runs",
        script=read_asset("drawing/sort.js"),
        name=title,
        rows=rows,
        tours=table_rows(rows, lambda row: _link(row, beside)),
        missing=[f"{number} {state}" for state, number in states.items() if state != "finished"],
        tour_s=sum(row.tour_s or 0.0 for row in rows),
        frames=sum(row.frames or 0 for row in rows if row.registered is not None),
        registered=sum(row.registered or 0 for row in rows),
        counts=count_by_severity(findings),
        charts=_charts(rows, findings),
    )


def _link(row: RunRow, beside: Path) -> str | None:
    """Relative address of the run's own page."""
    return None if row.report is None else quote(os.path.relpath(row.report.resolve(), beside))


def _charts(rows: Sequence[RunRow], findings: Sequence[Finding]) -> list[tuple[str, Markup]]:
    """Title and picture of each."""
    charts = {"Tours by the share of frames in the largest model": _bands(rows)}
    seconds: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: -len(row.stage_seconds)):  # whole runs first: they tell the order
        seconds.update(row.stage_seconds)
    total = sum(seconds.values())
    if total:
        stages = [Bar(name, spent, f"{duration(spent)}, {percent(spent / total)}") for name, spent in seconds.items()]
        charts["Where the time went"] = stages
    if findings:
        charts["Findings, by the number of tours that have them"] = _codes(rows)
    return [(title, draw_bars(title, bars)) for title, bars in charts.items()]


def _bands(rows: Sequence[RunRow]) -> list[Bar]:
    left = [row.largest_share for row in rows]
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
    words = {"error": "error", "warning": "warning", "info": "note"}
    ranked = sorted(tours, key=lambda code: (-tours[code], code))
    bars = [
        Bar(code, tours[code], f"{count(tours[code], 'tour')}, {words[worst[code]]}", kinds[worst[code]])
        for code in ranked[:MAX_CODES]
    ]
    rest = len(ranked) - MAX_CODES
    return [*bars, Bar(f"{count(rest, 'other kind')}", 0, "see the tours")] if rest > 0 else bars
