"""The format `jsonl`: its row of the table; how it is written and how it is checked lie beside."""

from roomtour.export.core.format import ExportFormat
from roomtour.export.core.row_files import rows_of
from roomtour.export.formats.scenes.jsonl import check, write
from roomtour.export.formats.scenes.jsonl.write import CONVENTION, SCENES, JsonlOptions
from roomtour.kinds import KIND_NAMES, KINDS

JSONL = ExportFormat(
    name="jsonl",
    summary="scenes, floor plans, trajectories, objects and instructions with the provenance of every row",
    client="any JSON reader",
    shows=("trajectories", "objects", "rooms", "frame_rooms"),
    kinds=KIND_NAMES,
    convention=CONVENTION,
    options=JsonlOptions,
    write=write.write,
    check=check.check,
    files=(SCENES,),
    rows=rows_of(*(f"{kind.rows}*.jsonl" for kind in KINDS)),
)
