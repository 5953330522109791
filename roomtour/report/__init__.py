"""One offline HTML page about a run, and the same figures for the terminal.

Names are imported when they are first used: the terminal needs neither the page nor its pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roomtour.lazy import import_on_use

if TYPE_CHECKING:
    from roomtour.report.page import write_report
    from roomtour.report.records import RunFacts, StageFacts, SubModelSummary
    from roomtour.report.summary import RunSummary, render_summary, summarize

__all__ = [
    "RunFacts",
    "RunSummary",
    "StageFacts",
    "SubModelSummary",
    "render_summary",
    "summarize",
    "write_report",
]

__getattr__ = import_on_use(
    __name__,
    {
        "RunFacts": "roomtour.report.records",
        "RunSummary": "roomtour.report.summary",
        "StageFacts": "roomtour.report.records",
        "SubModelSummary": "roomtour.report.records",
        "render_summary": "roomtour.report.summary",
        "summarize": "roomtour.report.summary",
        "write_report": "roomtour.report.page",
    },
)
