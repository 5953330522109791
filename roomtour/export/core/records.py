"""What exports and the report read, what an export reports, and what a check finds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from instructions.dialogues.records import Cloud
from instructions.dialogues.talks.pilot import Rating as DialogueRating
from instructions.navigation.records import Instruction, ViewDescription
from instructions.questions.core.records import ThinkingTalk
from instructions.records import Observation, Scan, SceneObject, SpatialLine
from instructions.regions.records import ChoiceSet, Pair, Rating3, RegionView
from recon.findings import Finding
from recon.records import Scene
from roomtour.tour_facts import TourFacts
from trajectories.records import Doorway, FloorPlan, Room, TrainingTrajectory, Trajectory


@dataclass(frozen=True, eq=False)
class RunData:
    """All records of one run. Tuples may be empty; a tour without a reconstruction has a scene without models."""

    scene: Scene
    trajectories: tuple[Trajectory, ...]
    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    spatial_lines: tuple[SpatialLine, ...]
    rows: Mapping[str, tuple[Any, ...]]
    """By kind of data: its rows, accepted before rejected. Kinds that the run does not have are not in it."""
    frames_dir: Path
    """Folder that holds `Frame.image` of every frame."""
    provenance: Mapping[str, object]
    """Versions, options, source licence and hashes, as the manifest has them."""
    facts: TourFacts = TourFacts()
    """Whose tour it is, and what one may do with it."""
    training: tuple[TrainingTrajectory, ...] = ()
    """The walks cut for training."""
    floor_plans: tuple[FloorPlan, ...] = ()
    """One per model that was walked in."""
    rooms: tuple[Room, ...] = ()
    """Empty where nothing knows rooms."""
    doorways: tuple[Doorway, ...] = ()
    further_walks: tuple[Trajectory, ...] = ()
    """Parts of the walks, and the ways back."""
    further_instructions: tuple[Instruction, ...] = ()
    """Rows about them, accepted and rejected."""
    view_descriptions: tuple[ViewDescription, ...] = ()
    """What single views show."""
    unposed_descriptions: tuple[Instruction, ...] = ()
    """What frames without a pose show, accepted and rejected."""
    region_views: tuple[RegionView, ...] = ()
    """Views with their numbered regions, where region knowledge was made."""
    region_pairs: tuple[Pair, ...] = ()
    """Rows of the kind `regions` with their false twins."""
    region_choices: tuple[ChoiceSet, ...] = ()
    """Comparison tasks about views, where they were asked for."""
    thinking: tuple[ThinkingTalk, ...] = ()
    """Questions that take several measures, accepted and rejected."""
    scans: tuple[Scan, ...] = ()
    """What imported scenes say of themselves."""
    clouds: tuple[Cloud, ...] = ()
    """Point clouds of the kind `dialogues`."""
    region_ratings: Mapping[str, tuple[Rating3, ...]] = field(default_factory=dict)
    """What people say of rows of the kind `regions`, by id of the row; only of rows whose texts they saw."""
    ratings: Mapping[str, float] = field(default_factory=dict)
    """Mean rating by people, 1 to 4, by id of the instruction; only of those that were rated."""
    missing: tuple[str, ...] = ()
    """Stages that are not done, in run order."""
    command_for: Callable[[str], str] = "roomtour make RUN --data {}".format
    """Tells the command that makes such a stage."""
    asked_kinds: tuple[str, ...] = ()
    """Kinds of data that the run was asked for, made or not."""
    dialogue_ratings: tuple[DialogueRating, ...] = ()
    """What people said of rows of the kind `dialogues`."""
    folder: Path | None = None
    """The run folder; the one that `frames_dir` lies in if None."""

    def __post_init__(self) -> None:
        kept = [*chain.from_iterable(self.rows.values()), *self.further_instructions, *self.view_descriptions]
        kept += [*self.unposed_descriptions, *self.thinking]
        strange = next((row for row in kept if row.tour != self.scene.id), None)
        if strange is not None:
            raise ValueError(f"row {strange.id} is of tour {strange.tour}, the run of {self.scene.id}")

    @property
    def home(self) -> Path:
        """The run folder, wherever the pictures are taken from."""
        return self.folder or self.frames_dir.parent

    @property
    def instructions(self) -> tuple[Instruction, ...]:
        """Rows of the kind `navigation`."""
        return tuple(self.rows.get("navigation", ()))

    def list_accepted(self, kind: str) -> list[Any]:
        """The accepted rows of one kind."""
        return [row for row in self.rows.get(kind, ()) if row.accepted]

    def only_kinds(self, kinds: Collection[str]) -> RunData:
        """The same with the rows of these kinds only."""
        has_texts = "navigation" in kinds
        return replace(
            self,
            rows={kind: rows for kind, rows in self.rows.items() if kind in kinds},
            view_descriptions=self.view_descriptions if has_texts else (),
            unposed_descriptions=self.unposed_descriptions if has_texts else (),
            thinking=self.thinking if "spatial" in kinds else (),
        )

    def with_rows(self, kind: str, rows: Iterable[Any]) -> RunData:
        """The same with other rows of one kind."""
        return replace(self, rows={**self.rows, kind: tuple(rows)})


@dataclass(frozen=True)
class ExportReport:
    """What an export wrote, and what it left out."""

    format: str
    out: Path
    counts: Mapping[str, int]
    """Rows, files or poses by kind."""
    dropped: Mapping[str, int]
    """Rows that did not fit the format, by reason."""
    findings: tuple[Finding, ...]
    replaced: Mapping[str, Any] | None = None
    """What `export.json` says of the earlier export that the folder held; None where it held none."""


@dataclass(frozen=True)
class Problem:
    """One place where a dataset breaks a rule of its format."""

    file: str
    """Relative to the dataset."""
    row: int | str | None
    """Line or item from 1, or the key of an entry; None for the whole file."""
    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        row = "" if self.row is None else f":{self.row}"
        return f"{self.file}{row}: {self.field}: expected {self.expected}, found {self.found}"


def format_value(value: object) -> str:
    """A value for a one-line message, cut where it gets long."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
