"""The table of the index page: one row per run, every cell with the value it sorts by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from recon.findings import count_by_severity
from roomtour.drawing.markup import Child, Markup, join, tag
from roomtour.drawing.text import duration, percent, printable
from roomtour.drawing.thumbnails import data_address, small_jpeg
from roomtour.report.findings import SEVERITIES, severity_counts
from roomtour.report.index.runs import RunRow

PICTURE_PX = 112
MAX_PICTURES = 300
"""At some 3 kB each they keep the page near 1 MB; rows beyond go without."""
_STATE_CLASS = {"finished": "good", "unfinished": "warn", "unreadable": "bad"}
_SCALE_TRUST = ("metric", "assumed", "relative")
_SEVERITY_WEIGHT = {"error": 1_000_000, "warning": 1_000, "info": 1}
"""One error outweighs all warnings when sorting, one warning all notes."""


@dataclass(frozen=True)
class _Cell:
    """What a cell shows and what it sorts by; no key comes last."""

    shown: Child
    key: str | float = ""


@dataclass(frozen=True)
class _Column:
    name: str
    cell: Callable[[RunRow], _Cell]
    numeric: bool = True


def run_table(rows: Sequence[RunRow], link: Callable[[RunRow], str | None]) -> Markup:
    """All runs. Headings are buttons that sort.

    Args:
        rows: In the order to list them at first.
        link: Address of a run's own page, if it has one.
    """
    pictured = {row.path for row in [row for row in rows if row.picture][:MAX_PICTURES]}
    columns = (
        _Column("tour", lambda row: _name(row, link(row), row.path in pictured), numeric=False),
        _Column("state", _state, numeric=False),
        _Column("minutes", lambda row: _number(None if row.tour_s is None else row.tour_s / 60, ".1f")),
        _Column("frames with a pose", _share),
        _Column("models", lambda row: _number(row.models, "d")),
        _Column("scale", _scale, numeric=False),
        _Column("instructions", lambda row: _number(row.instructions, "d")),
        _Column("findings", _findings),
        _Column("time spent", _spent),
    )
    heads = [
        tag("th", tag("button", column.name, type="button"), scope="col", class_="number" if column.numeric else None)
        for column in columns
    ]
    body = [_row(row, columns) for row in rows]
    caption = tag("caption", "Tours; press a heading to sort", class_="hidden")
    table = tag("table", caption, tag("thead", tag("tr", heads)), tag("tbody", body), class_="sortable")
    return tag("div", table, class_="scroll", tabindex=0, role="region", aria_label="Table of tours")


def _row(row: RunRow, columns: Sequence[_Column]) -> Markup:
    cells = []
    for position, column in enumerate(columns):
        cell = column.cell(row)
        key = cell.key if isinstance(cell.key, str) else f"{cell.key:.6f}"
        attributes = {"class_": "number" if column.numeric else None, "data_key": key}
        if position == 0:
            cells.append(tag("th", cell.shown, scope="row", **attributes))
        else:
            cells.append(tag("td", cell.shown, **attributes))
    codes = sorted({finding.code for finding in row.findings})
    words = " ".join([row.name, row.source, row.state, row.scale or "", row.version, *codes])
    return tag("tr", cells, data_words=printable(words).lower())


def _name(row: RunRow, address: str | None, pictured: bool) -> _Cell:
    name = printable(row.name)
    jpeg = small_jpeg(row.path / "frames", row.picture, PICTURE_PX) if pictured else None
    words = "A frame from the middle of the tour"
    picture = tag("img", src=data_address(jpeg), alt=words, class_="glance") if jpeg else None
    shown = tag("a", name, href=address) if address else name
    source = tag("span", printable(row.source), class_="small path") if row.source else None
    return _Cell(join([picture, shown, source]), name)


def _state(row: RunRow) -> _Cell:
    notes = [row.note] if row.note else []
    if row.from_other_version:
        notes.append(f"made by version {row.version}")
    shown = tag("span", row.state, class_=_STATE_CLASS[row.state])
    return _Cell(join([shown, [tag("span", printable(note), class_="small note") for note in notes]]), row.state)


def _number(value: float | None, form: str) -> _Cell:
    return _Cell("–") if value is None else _Cell(format(value, form), float(value))


def _share(row: RunRow) -> _Cell:
    share = row.registered_share
    if share is None:
        return _Cell("–")
    level = "good" if share >= 0.9 else "warn" if share >= 0.5 else "bad"
    bar = tag("rect", width=f"{100 * share:.1f}%", height="100%", rx=2, class_=f"bar {level}")
    ground = tag("rect", width="100%", height="100%", rx=2, class_="ground")
    picture = tag("svg", ground, bar, class_="share", aria_hidden="true")
    words = f"{percent(share)} of {row.frames}"
    return _Cell(join([tag("span", words), picture]), share)


def _scale(row: RunRow) -> _Cell:
    if row.scale is None:
        return _Cell("–")
    trust = _SCALE_TRUST.index(row.scale) if row.scale in _SCALE_TRUST else len(_SCALE_TRUST)
    mark = {"metric": "good", "assumed": "warn"}.get(row.scale)
    return _Cell(tag("span", printable(row.scale), class_=mark), f"{trust} {row.scale}")


def _findings(row: RunRow) -> _Cell:
    if row.state == "unreadable":
        return _Cell("–")
    counts = count_by_severity(row.findings)
    weight = sum(_SEVERITY_WEIGHT[severity] * counts[severity] for severity in SEVERITIES)
    return _Cell(severity_counts(counts) or "none", float(weight))


def _spent(row: RunRow) -> _Cell:
    return _Cell("–") if row.seconds is None else _Cell(duration(row.seconds), row.seconds)
