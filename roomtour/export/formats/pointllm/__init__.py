"""The format `pointllm`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.pointllm import check, write

FORMAT = ExportFormat(
    name="pointllm",
    summary="single things cut out of point clouds, with what they are called and their size and colour",
    client=str(write.LOADER),
    needs_scale=True,
    reads=("clouds",),
    kinds=("dialogues",),
    convention=write.CONVENTION,
    options=write.ExportOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("objects_*.json"),
)
