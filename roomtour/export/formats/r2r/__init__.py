"""The format `r2r`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.r2r import check, write

FORMAT = ExportFormat(
    name="r2r",
    summary="paths with up to three instructions, and a navigation graph per scan",
    client="loaders of R2R and its connectivity files; networkx",
    needs_scale=True,
    reads=("instructions",),
    kinds=("navigation",),
    convention=write.CONVENTION,
    options=write.R2rOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("R2R_*.json"),
)
