"""The format `tool_calls`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.tool_calls import check, write

FORMAT = ExportFormat(
    name="tool_calls",
    summary="spatial questions that take several measures, with each measure as the call of a tool",
    client="TRL and other trainers of chat messages with `tools`",
    reads=("thinking",),
    kinds=("spatial",),
    convention=write.CONVENTION,
    options=write.ToolCallsOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("tool_calls_*.jsonl"),
)
