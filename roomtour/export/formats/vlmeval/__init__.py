"""The format `vlmeval`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.talks.sources import TALK_KINDS, TALK_ROWS
from roomtour.export.formats.vlmeval import check, rows, write

FORMAT = ExportFormat(
    name="vlmeval",
    summary="questions with options, and questions for a number, as tables of VLMEvalKit",
    client="VLMEvalKit (custom TSV)",
    reads=TALK_ROWS,
    kinds=TALK_KINDS,
    convention=write.CONVENTION,
    options=write.VlmevalOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
