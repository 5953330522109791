"""The format `lerobot`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.lerobot import check, write

FORMAT = ExportFormat(
    name="lerobot",
    summary="LeRobot v3: an episode per told way, with images, poses as state and motion as action",
    client="lerobot 0.4",
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.LerobotOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
