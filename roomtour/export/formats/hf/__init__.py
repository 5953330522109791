"""The format `hf`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.talks.sources import TALK_KINDS
from roomtour.export.formats.hf import check, rows, write

FORMAT = ExportFormat(
    name="hf",
    summary="parquet shards of views (image, pose), texts, questions and talks, with a card the hub understands",
    client="datasets.load_dataset",
    shows=("spatial_lines",),
    kinds=("navigation", *TALK_KINDS),
    convention=write.CONVENTION,
    options=write.HfOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows.read_rows,
)
