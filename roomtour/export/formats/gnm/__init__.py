"""The format `gnm`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.gnm import check, write

FORMAT = ExportFormat(
    name="gnm",
    summary="numbered images with positions and yaws, one folder per unbroken walk",
    client="GNM, ViNT and NoMaD trainers",
    needs_scale=True,
    reads=("trajectories",),
    convention=write.CONVENTION,
    options=write.GnmOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
