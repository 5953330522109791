"""The format `nerfstudio`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.nerfstudio import check, write

FORMAT = ExportFormat(
    name="nerfstudio",
    summary="transforms.json with images and points, one folder per model",
    client="nerfstudio and the tools that read its transforms.json",
    convention=write.CONVENTION,
    options=write.NerfstudioOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
