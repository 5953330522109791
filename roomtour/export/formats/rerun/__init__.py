"""The format `rerun`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.rerun import check, write

FORMAT = ExportFormat(
    name="rerun",
    summary="one recording per tour to look at over time: frames with their cameras, walk, points, boxes of things",
    client='the Rerun viewer; writing and checking need `pip install "roomtour[rerun]"`',
    shows=("objects",),
    convention=write.CONVENTION,
    options=write.RerunOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
