"""The format `vsibench`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.vsibench import check, rows, write

FORMAT = ExportFormat(
    name="vsibench",
    summary="questions of VSI-Bench's ten types in its columns, with the videos that they are about",
    client="lmms-eval's task vsibench; datasets.load_dataset",
    reads=("programs",),
    kinds=("programs",),
    convention=write.CONVENTION,
    options=write.VsibenchOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
