"""`roomtour fetch`: a run of a job whose results lie in a bucket, as a run folder."""

from __future__ import annotations

from pathlib import Path

import tyro

from roomtour.cli.console import tell
from roomtour.errors import RoomtourError, UsageError


def fetch(
    job: tyro.conf.Positional[Path], names: tyro.conf.Positional[tuple[str, ...]], /, out: Path | None = None
) -> int:
    """Unpack results that a job keeps in a bucket, as run folders.

    The job was run with `--storage s3://...`; all other commands take run folders.

    Args:
        job: Folder of the job; its job.json says where the results are.
        names: Tours, as `roomtour batch status JOB` names them.
        out: Where to put them, each as OUT/NAME; JOB/runs if not given.
    """
    if not names:
        raise UsageError("fetch: no tour given: roomtour fetch JOB NAME...; see roomtour fetch --help")
    from roomtour.batch.results.object_storage import ObjectStorage
    from roomtour.batch.results.storage import is_bucket
    from roomtour.batch.status import RUNS, find_runs, read_storage

    address = read_storage(job)
    if address is None or not is_bucket(address):
        raise RoomtourError(f"{job}: keeps its results as run folders, in {find_runs(job)}")
    folder = out or job / RUNS
    folder.mkdir(parents=True, exist_ok=True)
    storage = ObjectStorage(address, job)
    for name in names:
        if Path(name).name != name:
            raise UsageError(f"fetch: {name} is no name of a tour")
        storage.fetch(name, folder / name)
        tell(f"{folder / name}")
    return 0
