"""One offline HTML page about a run.

Names are imported when they are first used: the terminal needs neither the page nor its pictures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roomtour.lazy import import_on_use

if TYPE_CHECKING:
    from roomtour.report.page import write_report
    from roomtour.report.records import RunFacts, StageFacts, SubModelSummary

__all__ = [
    "RunFacts",
    "StageFacts",
    "SubModelSummary",
    "write_report",
]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "RunFacts": "roomtour.report.records",
        "StageFacts": "roomtour.report.records",
        "SubModelSummary": "roomtour.report.records",
        "write_report": "roomtour.report.page",
    },
)
