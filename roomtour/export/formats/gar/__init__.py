"""The format `gar`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.gar import check, rows, write

FORMAT = ExportFormat(
    name="gar",
    summary="masks of regions with captions, and questions about them and how they lie",
    client=str(write.LOADER),
    reads=("spatial", "qars"),
    kinds=("spatial", "regions"),
    convention=write.CONVENTION,
    options=write.RegionOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
