"""The format `sprite`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.sprite import check, rows, write

FORMAT = ExportFormat(
    name="sprite",
    summary="scenes as SPRITE's files: things with boxes, cameras, what each frame shows, pictures",
    client="SPRITE's scripts; roomtour import --format sprite",
    reads=("objects",),
    needs_scale=True,
    convention=write.CONVENTION,
    options=write.SpriteOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
