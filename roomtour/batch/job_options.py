"""How a job runs and where, which changes no result, and what the file of a job says of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Gt, Le

from recon.ranges import AtLeastOne, NotNegative, Positive, Share
from roomtour.store import Keep


@dataclass(frozen=True, kw_only=True)
class Prices:
    """Of a machine's parts, in any one currency."""

    cpu_hour: NotNegative = 0.0
    """Of a core."""
    gpu_hour: NotNegative = 0.0
    """Of a GPU."""
    gb_month: NotNegative = 0.0
    """Of storage, in 10^9 bytes."""

    def of(self, cpu_s: float, gpu_s: float, gb: float) -> float:
        """Of work and a month of what it leaves."""
        return cpu_s / 3600 * self.cpu_hour + gpu_s / 3600 * self.gpu_hour + gb * self.gb_month


@dataclass(frozen=True, kw_only=True)
class JobOptions:
    """How a job runs."""

    until: str | None = None
    """Last stage."""
    workers: int | None = None
    """Processes inside one tour. Tours side by side make better use of cores than processes inside one, so it is 1 if
    None, and more for tours that would outlast all others."""
    memory_mb: Positive | None = None
    """Resident memory at which one tour is stopped; by its length if not given."""
    gpu_share: Annotated[float, Gt(0), Le(1)] = 1.0
    """Part of a GPU that one tour takes while large models look at it."""
    stop_share: Share = 0.2
    """The job stops when more than this share of its last 50 tours crashed or failed: then the machine is broken."""
    storage: str | None = None
    """Keep results in a folder that all machines share, or in a bucket (s3://BUCKET/PREFIX), not in JOB, which they
    then need not see. Keys come from the environment or the machine's role alone."""
    scratch: str | None = None
    """Folder on a disk of each machine's own, to work in and send what is finished. By default in JOB itself, with a
    bucket in the folder for temporary files."""
    keep: Keep = "exports"
    """`exports` drops matches and unmerged models of runs whose report is written; `all` keeps them."""
    shard: str = ""
    """K/N takes only the tours whose names hash to K of 1 to N: for several machines that share JOB."""
    command: tuple[str, ...] = ()
    """Words of `roomtour batch run` that started it, for `retry`; empty from Python."""
    cwd: str = ""
    """Folder in which they were given."""


@dataclass(frozen=True, kw_only=True)
class RunOptions(JobOptions):
    """How a job runs that the command line starts, and where."""

    slots: AtLeastOne | None = None
    """Tours at once; as many as cores and memory allow if not given."""
    engine: Literal["local", "ray"] = "local"
    """This machine, or all machines of a Ray cluster that see JOB and the tours."""
    address: str = "auto"
    """Of the Ray cluster; auto is that of this machine."""
    idle_minutes: Positive = 30.0
    """A tour without progress for so long is stopped."""
    price: Prices = Prices()
    """Of a machine's parts"""


@dataclass(frozen=True)
class JobTour:
    """What the file of a job says of a tour."""

    source: str = ""
    """Path or address."""
    key: str = ""
    seconds: float = 0.0
    """Length; 0 if unknown."""


@dataclass(frozen=True)
class JobFile:
    """What a job is, or a part of one (`K/N`)."""

    tours: dict[str, JobTour]
    """By name."""
    job: JobOptions = JobOptions()
    options: dict[str, Any] = field(default_factory=dict)
    """Of every tour, as in the YAML file."""
    versions: dict[str, Any] = field(default_factory=dict)
    """Of packages, and of the code of stages."""
