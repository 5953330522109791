"""The format `llava`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.llava import check, write

FORMAT = ExportFormat(
    name="llava",
    summary="conversations about single views and about the way through several, and spatial questions",
    client="LLaVA-style trainers; datasets.load_dataset",
    reads=("instructions", "view_descriptions", "spatial"),
    shows=("rooms", "frame_rooms"),
    kinds=("navigation", "spatial"),
    convention=write.CONVENTION,
    options=write.LlavaOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
