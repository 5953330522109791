"""The format `waypoints`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.waypoints import check, write

FORMAT = ExportFormat(
    name="waypoints",
    summary="the next five positions in metres seen from a frame, at equal times, a row per frame",
    client="code in the manner of CityWalker and UrbanNav, with a few lines of its own",
    needs_scale=True,
    reads=("trajectories",),
    convention=write.CONVENTION,
    options=write.WaypointOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
