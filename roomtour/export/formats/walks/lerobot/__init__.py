"""The format `lerobot`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.walks.lerobot import check, write
from roomtour.export.formats.walks.lerobot.meta import INFO
from roomtour.export.formats.walks.lerobot.write import CONVENTION, LerobotOptions

LEROBOT = ExportFormat(
    name="lerobot",
    summary="LeRobot v3: an episode per told way, with images, poses as state and motion as action",
    client="lerobot 0.4",
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=LerobotOptions,
    write=write.write,
    check=check.check,
    files=(INFO, f"val/{INFO}"),
)
