"""The format `lskd-benchmark`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.lskd_benchmark import check, write

FORMAT = ExportFormat(
    name="lskd-benchmark",
    summary="comparison tasks about numbered regions with their truths, for `roomtour score`",
    client="roomtour score; scorers of VCR and Sherlock",
    reads=("qars",),
    kinds=("regions",),
    convention=write.CONVENTION,
    options=write.LskdBenchmarkOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("*.jsonl"),
)
