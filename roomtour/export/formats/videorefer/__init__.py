"""The format `videorefer`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.videorefer import check, write

FORMAT = ExportFormat(
    name="videorefer",
    summary="the masks of one thing over the frames of a tour, with questions about it",
    client=str(write.LOADER),
    reads=("qars",),
    kinds=("regions",),
    convention=write.CONVENTION,
    options=write.ExportOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("videorefer_*.json"),
)
