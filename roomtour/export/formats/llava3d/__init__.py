"""The format `llava3d`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.llava3d import check, rows, write

FORMAT = ExportFormat(
    name="llava3d",
    summary="talks and tasks about whole scenes, with their frames, poses and depth",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("clouds",),
    kinds=("dialogues",),
    convention=write.CONVENTION,
    options=write.ExportOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
