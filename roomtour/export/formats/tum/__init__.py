"""The format `tum`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions
from roomtour.export.formats.tum import check, write

FORMAT = ExportFormat(
    name="tum",
    summary="camera trajectories as text, one file per model, largest first",
    client="evo",
    convention=write.CONVENTION,
    options=ExportOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
