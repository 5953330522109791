"""The format `verl`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.verl import check, write

FORMAT = ExportFormat(
    name="verl",
    summary="prompts with pictures and what a reward function needs to verify an answer",
    client="verl (RLHFDataset, custom_reward_function); datasets.load_dataset",
    reads=("spatial", "programs"),
    kinds=("spatial", "programs"),
    convention=write.CONVENTION,
    options=write.VerlOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("*.parquet"),
)
