"""The format `colmap`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.colmap import check, write

FORMAT = ExportFormat(
    name="colmap",
    summary="cameras, images and points, binary and text, one folder per model",
    client="pycolmap.Reconstruction, COLMAP, and the splatting tools that read it",
    convention=write.CONVENTION,
    options=write.ColmapOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
