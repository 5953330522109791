"""Finished runs to datasets: formats behind one registry, alike ones in one module, and a checker for each.

Names are imported when they are first used: reading a run needs its records, not every format.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roomtour.importing import import_on_use

if TYPE_CHECKING:
    from roomtour.export.core.records import ExportReport, Problem, RunData
    from roomtour.export.dataset import export_runs
    from roomtour.export.validate import validate_export

__all__ = ["ExportReport", "Problem", "RunData", "export_runs", "validate_export"]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "ExportReport": "roomtour.export.core.records",
        "Problem": "roomtour.export.core.records",
        "RunData": "roomtour.export.core.records",
        "export_runs": "roomtour.export.dataset",
        "validate_export": "roomtour.export.validate",
    },
)
