"""What a stage function is handed, what it gives back, and the row that describes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from instructions.perception.models.shelf import ModelShelf
from recon.findings import Finding
from roomtour.config import Config
from roomtour.sources import Tour
from roomtour.store import RunStore
from roomtour.workers.interfaces import Workers

Counts = dict[str, int | float | str]


@dataclass(frozen=True)
class StageContext:
    """What a stage function is handed."""

    tour: Tour
    config: Config
    store: RunStore
    part: Path
    """Outputs go here, under the same relative path as in the run folder."""
    progress: Callable[[float], None]
    workers: Workers
    """Run what a stage gives out as tasks."""
    models: ModelShelf
    """Learned models that stay on a GPU from tour to tour."""

    @property
    def run(self) -> Path:
        """Finished files of earlier stages."""
        return self.store.root

    def findings_of(self, *stages: str) -> tuple[Finding, ...]:
        """Findings of earlier stages, in that order."""
        entries = [self.store.stages[name] for name in stages if name in self.store.stages]
        return tuple(finding for entry in entries for finding in entry.findings)


@dataclass(frozen=True)
class StageResult:
    """What a stage function gives back besides its files."""

    counts: Counts
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Stage:
    """One row of the table."""

    name: str
    title: str
    version: int
    """Raise it when the same inputs and options give another result."""
    needs: tuple[str, ...]
    outputs: tuple[str, ...]
    options: Callable[[Config], object]
    run: Callable[[StageContext], StageResult]
