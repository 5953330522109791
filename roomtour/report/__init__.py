"""One offline HTML page about a run."""

from roomtour.report.page import write_report
from roomtour.report.records import RunFacts, StageFacts, SubModelSummary

__all__ = [
    "RunFacts",
    "StageFacts",
    "SubModelSummary",
    "write_report",
]
