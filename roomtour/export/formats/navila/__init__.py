"""The format `navila`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.navila import check, write

FORMAT = ExportFormat(
    name="navila",
    summary="the frames so far and the next move in words, a row per step",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.NavilaOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of(f"*/{write.ANNOTATIONS}"),
)
