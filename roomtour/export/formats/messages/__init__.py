"""The format `messages`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.sources import TALK_KINDS, TALK_ROWS
from roomtour.export.formats.messages import check, write

FORMAT = ExportFormat(
    name="messages",
    summary="questions about views, and views and ways in words, as chat messages with the truth beside them",
    client="ms-swift, LLaMA-Factory and TRL; datasets.load_dataset",
    reads=("instructions", "view_descriptions", *TALK_ROWS),
    kinds=("navigation", *TALK_KINDS),
    convention=write.CONVENTION,
    options=write.MessagesOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("*.jsonl"),
)
