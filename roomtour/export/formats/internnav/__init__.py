"""The format `internnav`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.internnav import check, write

FORMAT = ExportFormat(
    name="internnav",
    summary="ways as actions with a frame, a pose and a pixel goal for each, a scene per tour",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    shows=("depth",),
    convention=write.CONVENTION,
    options=write.InternNavOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
