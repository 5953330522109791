"""The format `cambrian-p`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.cambrian_p import check, write

FORMAT = ExportFormat(
    name="cambrian-p",
    summary="questions about videos, with the pose of every frame",
    client=str(write.LOADER),
    reads=("programs",),
    kinds=("programs",),
    convention=write.CONVENTION,
    options=write.CambrianPOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of(f"*/{write.MANIFEST}"),
)
