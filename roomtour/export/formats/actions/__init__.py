"""The format `actions`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.actions import check, write

FORMAT = ExportFormat(
    name="actions",
    summary="discrete actions with a frame for each, and one training sample per step",
    client="StreamVLN, Uni-NaVid and NaVILA style trainers",
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.ActionsOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("samples_*.jsonl"),
)
