"""What the table of the index page shows beside the figures of a run: its picture, its address, what it sorts by."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recon.findings import count_by_severity
from roomtour.causes import SEVERITIES
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import data_address, small_jpeg
from roomtour.report.index.runs import RunRow

PICTURE_PX = 112
MAX_PICTURES = 300
"""At some 3 kB each they keep the page near 1 MB; rows beyond go without."""
_SCALE_TRUST = ("metric", "assumed", "relative")
_SEVERITY_WEIGHT = {"error": 1_000_000, "warning": 1_000, "info": 1}
"""One error outweighs all warnings when sorting, one warning all notes."""


def table_rows(rows: Sequence[RunRow], link: Callable[[RunRow], str | None]) -> list[dict[str, object]]:
    """What the template needs of each run.

    Args:
        rows: In the order to list them at first.
        link: Address of a run's own page, if it has one.
    """
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
