"""Finished runs to datasets: one small file per format behind one registry, and a checker for each."""

from roomtour.export.core.records import ExportReport, Problem, RunData
from roomtour.export.dataset import export_runs
from roomtour.export.validate import validate_export

__all__ = ["ExportReport", "Problem", "RunData", "export_runs", "validate_export"]
