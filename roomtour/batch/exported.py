"""Which datasets were made of the runs of a job: a takedown has to name those that hold a tour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from roomtour.batch.ledger import now
from roomtour.batch.status import JOB, RUNS, find_runs, read_status
from roomtour.errors import USER_ERRORS, RoomtourError
from roomtour.export.core.folder import MARKER
from roomtour.files.appended import append_record, read_records
from roomtour.files.records import read_json
from roomtour.run import Run

EXPORTS = "exports.jsonl"
_ENDED_WELL = ("done", "done-with-errors", "unfinished")


def choose_runs(named: Sequence[Path]) -> tuple[list[Path], dict[str, str]]:
    """The runs that a dataset is made of, and tours of jobs that have none, with their state.

    Args:
        named: Run folders, and folders of jobs, which stand for all their tours. What a job gave up lies among its
            runs too, as far as it came.

    Raises:
        RoomtourError: If the files of a job cannot be read.
    """
    chosen: list[Path] = []
    left_out: dict[str, str] = {}
    states_of = cache(lambda job: {row.tour: row.state for row in read_status(job).tours})
    for path in named:
        job = path.resolve().parent.parent
        if (path / JOB).is_file():
            runs = {find_runs(path) / name: state for name, state in states_of(path).items()}
        elif path.resolve().parent.name == RUNS and (job / JOB).is_file():
            runs = {path: states_of(job).get(path.resolve().name, "")}
        else:
            runs = {path: ""}
        for run, state in runs.items():
            if not state or (run.is_dir() and (state in _ENDED_WELL or _is_whole(run))):
                chosen.append(run)
            else:
                left_out[run.resolve().name] = state if state not in _ENDED_WELL else "not fetched"
    return chosen, left_out


def _is_whole(run: Path) -> bool:
    """Whether it can be exported: a tour that is to be tried again may have an earlier result."""
    try:
        whole = Run(run)
        _ = whole.data
        return whole.is_readable
    except USER_ERRORS:
        return False


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
