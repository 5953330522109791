"""One offline page for a folder of runs: figures over all, where they went wrong, and a table to sort and search."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup

from recon.findings import Finding, count_by_severity
from recon.numerals import count, percent
from roomtour.drawing.pages import read_asset, render
from roomtour.drawing.svg import element, number
from roomtour.drawing.text import duration, printable
from roomtour.drawing.thumbnails import data_address, small_jpeg
from roomtour.files.records import write_text
from roomtour.report.index.runs import Fate, RunRow, list_rows
from roomtour.verdict import SEVERITIES

ROW_PX, BAR_PX = 36, 10


@dataclass(frozen=True)
class Bar:
    """One bar: what it stands for, how long it is, and its value in words."""

    label: str
    value: float
    words: str
    kind: str = "plain"
    """Class of its colour: plain, good, warn or bad."""


def draw_bars(title: str, bars: Sequence[Bar]) -> Markup:
    """A figure with a title; the longest bar fills the width. Screen readers get every value."""
    longest = max((bar.value for bar in bars), default=0.0) or 1.0
    told = "; ".join(f"{printable(bar.label)}: {bar.words}" for bar in bars)
    return element(
        "svg", [_draw(bar, row * ROW_PX, 100 * bar.value / longest) for row, bar in enumerate(bars)],
        class_="bars", width="100%", height=max(len(bars), 1) * ROW_PX, role="img", aria_label=f"{title}. {told}",
    )  # fmt: skip


def _draw(bar: Bar, top: int, percent: float) -> Markup:
    width = max(percent, 0.6) if bar.value else 0.0
    return element(
        "g",
        element("text", printable(bar.label), x=0, y=top + 14),
        element("text", bar.words, x="100%", y=top + 14, text_anchor="end", class_="amount"),
        element("rect", x=0, y=top + 20, width="100%", height=BAR_PX, rx=3, class_="ground"),
        element("rect", x=0, y=top + 20, width=f"{number(width, 2)}%", height=BAR_PX, rx=3, class_=f"bar {bar.kind}"),
    )


PICTURE_PX = 112
MAX_PICTURES = 300
"""At some 3 kB each they keep the page near 1 MB; rows beyond go without."""
_SCALE_TRUST = ("metric", "assumed", "relative")
_SEVERITY_WEIGHT = {"error": 1_000_000, "warning": 1_000, "info": 1}
"""One error outweighs all warnings when sorting, one warning all notes."""


def table_rows(rows: Sequence[RunRow], link: Callable[[RunRow], str | None]) -> list[dict[str, object]]:
    """What the template needs of each run."""
    pictured = {row.path for row in [row for row in rows if row.picture][:MAX_PICTURES]}
    return [_row(row, link(row), row.path in pictured) for row in rows]


_STATE_ORDER = ("good", "care", "distrust", "running", "waiting", "unfinished", "unreadable")
"""The best first; what a job gave up comes last."""


_NOT_BAD = ("running", "waiting", "unfinished")


def _state_key(row: RunRow) -> str:
    """Sorts by the verdict; runs without one come behind."""
    state = row.verdict.level if row.state == "finished" and row.verdict else row.state
    return f"{_STATE_ORDER.index(state) if state in _STATE_ORDER else len(_STATE_ORDER)} {state}"


def _row(row: RunRow, link: str | None, is_pictured: bool) -> dict[str, object]:
    jpeg = small_jpeg(row.path / "frames", row.picture, PICTURE_PX) if is_pictured else None
    counts = count_by_severity(row.findings)
    trust = _SCALE_TRUST.index(row.scale) if row.scale in _SCALE_TRUST else len(_SCALE_TRUST)
    codes = sorted({finding.code for finding in row.findings})
    words = " ".join(
        [row.name, row.source, row.state, str(row.verdict or ""), row.note, row.scale or "", row.version, *codes]
    )
    return {
        "row": row,
        "link": link,
        "picture": data_address(jpeg) if jpeg else None,
        "words": printable(words).lower(),
        "mark": "warn" if row.state in _NOT_BAD else "bad",
        "state_key": _state_key(row),
        "scale_key": f"{trust} {row.scale}",
        "counts": counts,
        "findings_weight": float(sum(_SEVERITY_WEIGHT[severity] * counts[severity] for severity in SEVERITIES)),
    }


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

    Tours of a job that are not done (`fates`, by name) have a row each, too.

    Raises:
        RoomtourError: If `folder` holds no run, and no fates are given.
        OSError: If `out` cannot be written.
    """
    rows = list_rows(folder, fates or {})
    write_text(out, build_index(rows, title or folder.resolve().name, out.resolve().parent))
    return rows


def build_index(rows: Sequence[RunRow], title: str, beside: Path) -> str:
    """The page as a string.

    Links to the runs' own pages start in the folder `beside` it.
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
