"""The format `hf`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.formats.hf import check, write

FORMAT = ExportFormat(
    name="hf",
    summary="parquet shards of views (image, pose), texts and spatial questions, with a card the hub understands",
    client="datasets.load_dataset",
    kinds=("navigation", "spatial"),
    convention=write.CONVENTION,
    options=write.HfOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
)
