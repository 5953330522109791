"""One offline HTML page about a run, and the same figures for the terminal."""

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
