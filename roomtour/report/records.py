"""What the report needs beyond the run's data: how the run went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from instructions.asking.counts import Reach
from roomtour.store import StageEntry


@dataclass(frozen=True)
class RunFacts:
    """How the run went. Everything may be empty; the page then leaves the part out."""

    stages: Mapping[str, StageEntry] = field(default_factory=dict)
    """In the order they ran."""
    options: Mapping[str, object] = field(default_factory=dict)
    """Option values by stage, nested as in the YAML file."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Software versions by package name."""
    not_asked: Mapping[str, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    """By kind of data: how often by reason and type."""
    reach: Mapping[str, Reach] = field(default_factory=dict)
    """By kind of data: how much of the tour it asks about, and what would add most."""
