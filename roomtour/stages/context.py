"""What a stage function is handed, what it gives back, and the row that describes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from instructions.language.open_questions import OpenQuestions
from instructions.perception.models.shelf import ModelShelf
from recon.findings import Finding
from roomtour.artifacts import Artifact
from roomtour.config import Config
from roomtour.kinds import KIND_NAMES
from roomtour.sources import Tour
from roomtour.stages.code import digest_code
from roomtour.stages.reads import find_networks, find_option_modules, identify_options, take_options
from roomtour.store import RunStore
from roomtour.workers.ray_workers import Workers

Counts = dict[str, int | float | str]
T = TypeVar("T")


class SampleAgain(Exception):
    """What a stage found says that the pictures are to be sampled once more, so many times as wide as in the file."""

    def __init__(self, stretch: float, why: str) -> None:
        super().__init__(f"{why}: the pictures are read again, {stretch:.2f} times as wide as in the file")
        self.stretch = stretch


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

    def read(self, artifact: Artifact[T]) -> tuple[T, ...]:
        """Rows that an earlier stage left.

        Raises:
            RoomtourError: Naming file, line and field of what cannot be read.
        """
        return artifact.read(self.run)

    def write(self, artifact: Artifact[T], rows: Iterable[T]) -> None:
        """Write rows of this stage aside, to be put in place when the stage is done."""
        artifact.write(self.part, rows)

    def path(self, artifact: Artifact[Any]) -> Path:
        """Where an earlier stage left something."""
        return self.run / artifact.path

    def out(self, artifact: Artifact[Any]) -> Path:
        """Where this stage writes something aside, in a folder that is there."""
        path = self.part / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def stretch(self) -> float:
        """By what factor the pictures are made wider: as asked, else as found."""
        return self.store.find_stretch() if self.config.input.stretch is None else self.config.input.stretch

    def findings_of(self, *stages: str) -> tuple[Finding, ...]:
        """Findings of earlier stages, in that order."""
        entries = [self.store.stages[name] for name in stages if name in self.store.stages]
        return tuple(finding for entry in entries for finding in entry.findings)


@dataclass(frozen=True)
class StageResult:
    """What a stage function gives back besides its files."""

    counts: Counts
    findings: tuple[Finding, ...] = ()
    open: OpenQuestions = OpenQuestions()
    """Everything that a language model was asked for its rows. What has no usable answer has made no row."""
    kept: tuple[str, ...] = ()
    """Folders below the run folder that it filled in place, so that a killed run loses nothing of them."""


def name_module(stage: str) -> str:
    """The module of a stage; those of kinds of data have a folder."""
    return f"roomtour.stages.{'kinds.' if stage in KIND_NAMES else ''}{stage}"


def stage_module(stage: str) -> Any:
    """The code of a stage; loaded only where it is needed, so that a summary does not wait for COLMAP."""
    return import_module(name_module(stage))


@dataclass(frozen=True)
class Stage:
    """One row of the table. What it does is `run(context)` of its module, loaded when it runs."""

    name: str
    title: str
    needs: tuple[str, ...]
    outputs: tuple[str, ...]
    """Files and folders that are put in place together, relative to the run folder."""
    reads: tuple[str, ...]
    """Options that it gets, sections or single ones such as `navigation.naming`: they decide the result."""
    checks: tuple[str, ...] = ()
    """Options that it gets besides, to refuse early what is wrong; they decide nothing."""
    networks: Callable[[Config], tuple[str, ...]] = lambda config: ()
    """What it uses by these options where it is on the machine, and does without where it is not."""
    share: float = 0.0
    """Of the CPU time of a tour, in hundredths, as measured on walks of 15 to 75 s; for what is said to be left."""
    is_kind: bool = False
    """It makes a kind of data, so it runs only where that kind is asked for."""
    require: Callable[[Config, Path], None] | None = None
    """Refuses at once what would fail after the stages before: a model, package or server that is not there."""

    @property
    def code(self) -> str:
        """Digest of the code that can decide its result."""
        return digest_code(*self.modules)

    @property
    def modules(self) -> tuple[str, ...]:
        """Where that code begins: its own module, the options that it reads, which know what follows from them, and how
        rows are written.
        """
        return (name_module(self.name), *find_option_modules(self.reads), "roomtour.files.records")

    def take(self, config: Config) -> Config:
        """The options as `run` gets them."""
        return take_options(config, self.name, (*self.reads, *self.checks))

    def identify(self, config: Config, *, elsewhere: bool = False) -> object:
        """What decides the result besides inputs and code.

        Args:
            config: All options.
            elsewhere: On a machine that has every network.

        Raises:
            RoomtourError, ReconError, InstructionError: If a file or model that counts by its content cannot be read.
        """
        networks = self.networks(config)
        networks_here = list(networks) if elsewhere else find_networks(networks, config)
        return [identify_options(config, self.name, self.reads), networks_here]

    def run(self, context: StageContext) -> StageResult:
        """Do the work."""
        return stage_module(self.name).run(context)
