"""What the report needs beyond the run's data: how the run went, and the sub-models before merging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from instructions.asking.counts import Reach


@dataclass(frozen=True)
class StageFacts:
    """How long one stage took."""

    name: str
    seconds: float
    """Wall clock. Of the earlier run where `cached`."""
    cpu_seconds: float | None = None
    """All threads of the stage together; None where nobody measured."""
    cached: bool = False
    """The result of an earlier run was used."""


@dataclass(frozen=True)
class RunFacts:
    """How the run went. Everything may be empty; the page then leaves the part out."""

    stages: tuple[StageFacts, ...] = ()
    """In the order they ran."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Option values by stage, nested as in the YAML file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Software versions by package name."""
    not_asked: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    """By kind of data: how often by reason and type."""
    reach: Mapping[str, Reach] = field(default_factory=dict)
    """By kind of data: how much of the tour it asks about, and what would add most."""
    started: datetime | None = None
    finished: datetime | None = None


@dataclass(frozen=True)
class SubModelSummary:
    """One free-scale reconstruction as the mapper left it, before merging."""

    name: str
    """`clip/k`, as in the merge log."""
    clip: str
    frames: int
    """Registered frames."""
    mean_reprojection_error_px: float
    points: int
    first_frame: int
    last_frame: int
