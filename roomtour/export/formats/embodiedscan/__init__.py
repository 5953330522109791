"""The format `embodiedscan`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.embodiedscan import check, write

FORMAT = ExportFormat(
    name="embodiedscan",
    summary="scenes with oriented boxes and names of things, and their views with cameras and depth",
    client=f"{write.LOADER}, and the reader of MMScan",
    needs_scale=True,
    reads=("objects",),
    convention=write.CONVENTION,
    options=write.ExportOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
