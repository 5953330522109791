"""The format `lamm-benchmark`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.lamm_benchmark import check, write

FORMAT = ExportFormat(
    name="lamm-benchmark",
    summary="tasks about pictures and point clouds with their truths, for `roomtour score`",
    client="LAMM's evaluation; roomtour score",
    reads=("dialogues",),
    shows=("clouds",),
    kinds=("dialogues",),
    convention=write.CONVENTION,
    options=write.BenchmarkOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("meta_file/*.json"),
)
