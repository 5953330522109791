"""The format `vlnce`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.vlnce import check, write

FORMAT = ExportFormat(
    name="vlnce",
    summary="episodes for instruction following in continuous space, y up",
    client="habitat-lab's VLNDatasetV1",
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.VlnceOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("*.json.gz"),
)
