"""How a job runs; nothing of it changes a result."""

from __future__ import annotations

from dataclasses import dataclass

from roomtour.store import Keep


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """How a job runs; nothing of it changes a result."""

    until: str | None = None
    """Last stage."""
    workers: int | None = None
    """Processes inside one tour. Tours side by side make better use of cores than processes inside one, so it is 1 if
    None, and more for tours that would outlast all others."""
    memory_mb: float | None = None
    """Memory at which a child is stopped; by the length of its tour if None."""
    gpu_share: float = 1.0
    """Share of a GPU that one tour takes while large models look at it."""
    stop_share: float = 0.2
    """The job stops when more than this share of its last 50 tours crashed or failed: then the machine is broken."""
    storage: str | None = None
    """`s3://BUCKET/PREFIX`, or a folder that machines share, that holds the results; the folder of the job if None."""
    scratch: str | None = None
    """Folder on a disk of its own of whichever machine works; attempts work in the job's folder if None."""
    keep: Keep = "exports"
    """`exports` drops matches and unmerged models of runs whose report is written; `all` keeps them."""
    shard: str = ""
    """Part of the tours that this process takes, `K/N`."""
    command: tuple[str, ...] = ()
    """Words of `roomtour batch run` that started it, for `retry`; empty from Python."""
    cwd: str = ""
    """Folder in which they were given."""
