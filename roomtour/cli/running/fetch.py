"""`roomtour fetch`: a run of a job whose results lie in a bucket, as a run folder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from roomtour.cli.console import tell
from roomtour.errors import RoomtourError, UsageError

_HELP = """usage: roomtour fetch JOB NAME... [--out FOLDER]

Unpack results of `roomtour batch run --storage s3://...` as run folders, which all other commands take.

  JOB                   Folder of the job; its job.json says where the results are.
  NAME                  Of a tour, as `roomtour batch status JOB` tells; several are allowed.
  --out FOLDER          Where to put them, each as FOLDER/NAME; JOB/runs by default.
"""


def main(args: Sequence[str]) -> int:
    """Unpack results that a job keeps in a bucket, as run folders."""
    if not args or args[0] in ("-h", "--help"):
        print(_HELP, end="")
        return 0
    words = _Words(prog="roomtour fetch", add_help=False, allow_abbrev=False)
    words.add_argument("job", type=Path)
    words.add_argument("names", nargs="+")
    words.add_argument("--out", type=Path)
    given = words.parse_args(list(args))

    from roomtour.batch.results.object_storage import ObjectStorage
    from roomtour.batch.results.storage import is_bucket
    from roomtour.batch.status import RUNS, find_runs, read_storage

    address = read_storage(given.job)
    if address is None or not is_bucket(address):
        raise RoomtourError(f"{given.job}: keeps its results as run folders, in {find_runs(given.job)}")
    out = given.out or given.job / RUNS
    out.mkdir(parents=True, exist_ok=True)
    storage = ObjectStorage(address, given.job)
    for name in given.names:
        if Path(name).name != name:
            raise UsageError(f"fetch: {name} is no name of a tour")
        storage.fetch(name, out / name)
        tell(f"{out / name}")
    return 0


class _Words(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise UsageError(f"fetch: {message}; see roomtour fetch --help")
