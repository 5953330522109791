"""The format `lskd`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.lskd import check, write

FORMAT = ExportFormat(
    name="lskd",
    summary="questions, answers and reasons about numbered regions",
    client="the training code of Localized Symbolic Knowledge Distillation (LAVIS)",
    reads=("qars",),
    kinds=("regions",),
    convention=write.CONVENTION,
    options=write.LskdOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("qars_*.jsonl"),
)
