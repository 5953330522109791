"""The format `roomtour3d`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.walks.roomtour3d import check, write
from roomtour.export.formats.walks.roomtour3d.write import CONVENTION, Roomtour3dOptions

ROOMTOUR3D = ExportFormat(
    name="roomtour3d",
    summary="instructions with paths and candidates, camera geometry, and descriptions for the reference loader",
    client="NaviLLM with RoomTour3D data (the reference loader)",
    reads=("instructions",),
    convention=CONVENTION,
    options=Roomtour3dOptions,
    write=write.write,
    check=check.check,
    files=("p1_*_trajectory_tour3d.json",),
    rows=rows_of("*_trajectory_tour3d.json"),
)
