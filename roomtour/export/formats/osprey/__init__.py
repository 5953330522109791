"""The format `osprey`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.osprey import check, write

FORMAT = ExportFormat(
    name="osprey",
    summary="conversations about the masks of regions, things and points",
    client=str(write.LOADER),
    reads=("spatial", "qars"),
    kinds=("spatial", "regions"),
    convention=write.CONVENTION,
    options=write.RegionOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("osprey_*.json"),
)
