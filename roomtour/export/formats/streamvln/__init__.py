"""The format `streamvln`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.streamvln import check, rows, write

FORMAT = ExportFormat(
    name="streamvln",
    summary="ways as actions of 25 cm and 15 degrees with a frame for each",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.StreamVlnOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
