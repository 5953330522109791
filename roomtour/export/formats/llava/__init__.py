"""The format `llava`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.sources import TALK_KINDS, TALK_ROWS
from roomtour.export.formats.llava import check, write

FORMAT = ExportFormat(
    name="llava",
    summary="conversations about single views and about the way through several, questions and talks about views",
    client="LLaVA-style trainers; datasets.load_dataset",
    reads=("instructions", "view_descriptions", *TALK_ROWS),
    shows=("rooms", "frame_rooms"),
    kinds=("navigation", *TALK_KINDS),
    convention=write.CONVENTION,
    options=write.LlavaOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("*_train.json", "*_val.json"),
)
