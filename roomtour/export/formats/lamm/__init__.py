"""The format `lamm`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.lamm import check, write

FORMAT = ExportFormat(
    name="lamm",
    summary="talks, descriptions and tasks about pictures and point clouds, with a system message per task",
    client="LAMM's trainer",
    reads=("dialogues",),
    shows=("clouds",),
    kinds=("dialogues",),
    convention=write.CONVENTION,
    options=write.LammOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("pictures_*.json", "clouds_*.json"),
)
