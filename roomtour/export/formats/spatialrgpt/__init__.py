"""The format `spatialrgpt`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.spatialrgpt import check, write

FORMAT = ExportFormat(
    name="spatialrgpt",
    summary="spatial questions in which regions stand for things, and the same as items of its benchmark",
    client=f"{write.LOADER}, and its llava/eval/eval_spatial.py",
    reads=("spatial",),
    kinds=("spatial",),
    convention=write.CONVENTION,
    options=write.SpatialRgptOptions,
    write=write.write,
    check=check.check,
    recognise=check.recognise,
    rows=rows_of("train.json", "val.json"),
)
