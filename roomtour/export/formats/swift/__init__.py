"""The format `swift`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.swift import check, write

FORMAT = ExportFormat(
    name="swift",
    summary="spatial questions, regions and dialogues about views, with grounding marks; preference pairs by option",
    client="ms-swift (custom datasets with grounding)",
    reads=("spatial", "qars", "dialogues"),
    kinds=("spatial", "regions", "dialogues"),
    convention=write.CONVENTION,
    options=write.SwiftOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("swift_*.jsonl"),
)
