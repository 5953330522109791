"""The format `uninavid`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.uninavid import check, write

FORMAT = ExportFormat(
    name="uninavid",
    summary="a video of what was seen so far and the next four actions, a row per fourth step",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.UniNavidOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of(f"*/{write.ANNOTATIONS}"),
)
