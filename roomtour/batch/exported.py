"""Which datasets were made of the runs of a job: a takedown has to name those that hold a tour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roomtour.batch.ledger import now
from roomtour.batch.status import JOB, RUNS
from roomtour.errors import RoomtourError
from roomtour.export.core.folder import MARKER
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import read_json

EXPORTS = "exports.jsonl"


def note_export(runs: Sequence[Path], out: Path) -> None:
    """Write beside the runs of a job that a dataset is made of some of them; nothing for other runs.

    Raises:
        RoomtourError: If the note cannot be written.
    """
    folders = {run.resolve().parent for run in runs}
    for folder in sorted(folders):
        if folder.name == RUNS and ((folder.parent / JOB).is_file() or (folder.parent / "attempts").is_dir()):
            append_record(folder.parent / EXPORTS, {"time": now(), "out": str(out.absolute())}, "list of exports")


def find_exports(folders: Iterable[Path], name: str) -> tuple[list[Path], list[Path]]:
    """Datasets that hold a tour, and those that are no more where they were made, so that nobody can tell.

    Args:
        folders: Of the job and of its storage.
        name: Of the tour.

    Raises:
        RoomtourError: If a list of exports is damaged.
    """
    made = {Path(str(value["out"])) for folder in folders for _, value in read_records(folder / EXPORTS)}
    holding, gone = [], []
    for out in sorted(made):
        try:
            tours = read_json(out / MARKER)["tours"]
            holds = any(name == tour["tour"] for tour in tours)
        except (RoomtourError, KeyError, TypeError):
            gone.append(out)
            continue
        if holds:
            holding.append(out)
    return holding, gone
