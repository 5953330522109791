"""What a format writer is handed: where to write, which split a tour belongs to, and where to count.

For a benchmark, tours of the training split of a named dataset are refused.
"""

from __future__ import annotations

import importlib.metadata
import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
from annotated_types import Ge, Le

from instructions.errors import InstructionError
from instructions.perception.hiding.words import split_words
from recon.findings import Finding
from recon.ranges import Seed, Share
from recon.records import ScaleStatus
from roomtour.errors import RoomtourError
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import ParquetShards, RowFiles, shard
from roomtour.files.records import parse_json
from roomtour.tour_facts import TourFacts

AddRow = Callable[..., None]
"""Appends a row, to the file of a split if one is named besides."""


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """Options every format has."""

    val_share: Share = 0.0
    """Share of tours, 0 to 1, that go to the split `val`. Whole tours, and all tours of one named home together, so
    that no home is in both splits. The choice rests on the seed and the name of the home, or of the tour where no
    home is named: adding tours never moves another."""
    seed: Seed = 0
    """Changes which tours go to `val`."""
    min_rating: Annotated[float, Ge(0), Le(4)] = 0.0
    """Keep only texts whose mean rating by people (`roomtour review`) is at least this, 1 to 4; texts that nobody rated
    are left out then. 0 keeps all accepted texts, rated or not."""
    licences: str = ""
    """Write only tours under one of these licences, such as `CC-BY-4.0,CC0-1.0`, word for word as the tour's facts say;
    the others are counted as left out. All by default."""
    hide: str = ""
    """What is pixelated in every picture that is written, such as `person,screen`, besides what the run was processed
    with; found by the light models, so they have to be on this machine."""

    def __post_init__(self) -> None:
        try:
            split_words(self.hide)
        except InstructionError as error:
            raise ValueError(str(error)) from error
        if self.min_rating != 0.0 and not 1.0 <= self.min_rating <= 4.0:
            raise ValueError(f"min_rating is {self.min_rating}, need 1 to 4, or 0 for all")
        if not 0.0 <= self.val_share <= 1.0:
            raise ValueError(f"val_share is {self.val_share}, need 0 to 1")

    @property
    def splits(self) -> tuple[str, ...]:
        """Those that the dataset has."""
        return ("train", "val") if self.val_share > 0 else ("train",)

    def split_of(self, tour: str, home: str = "") -> str:
        """`train` or `val`, by the home where it is known."""
        drawn = f"home/{home}" if home else tour
        draw = int.from_bytes(sha256(f"{self.seed}/{drawn}".encode()).digest()[:8], "big") / 2**64
        return "val" if draw < self.val_share else "train"


@dataclass(frozen=True, kw_only=True)
class BalanceOptions(ExportOptions):
    """Options of formats that hold questions and have no other choice to make."""

    balance: bool = True
    """Leave out questions whose answer the names would tell."""


@dataclass(frozen=True, kw_only=True)
class CopyOptions(ExportOptions):
    """Options of formats that hold pictures and have no other choice to make."""

    copy_images: bool = True
    """Copy the pictures that are used to `images/`, about 40 kB each."""


@dataclass(frozen=True)
class TourEntry:
    """One tour in the dataset card."""

    tour: str
    split: str
    source: str
    source_sha256: str
    licence: str
    scale_status: ScaleStatus
    scale_source: str
    models: int
    frames: int
    registered: int
    software: str
    """Name and version of what made the run."""
    settings: str
    """Key into the settings of the export: versions and options of the run."""
    facts: Mapping[str, str]
    """Title, author, address, consent and more, as far as they are known."""


@dataclass
class Ledger:
    """What an export counts while it writes. Small per tour, so that an export of many tours can stream."""

    out: Path
    """Folder to write into."""
    nested: bool
    """More than one tour: formats with files per tour make a folder per tour."""
    files: RowFiles = field(default_factory=RowFiles)
    """Files of rows below `out`, open until the format has written all."""
    counts: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    """By reason; what is counted as 0 is not told."""
    labels: Counter[str] = field(default_factory=Counter)
    """Actions by name, for the balance in the card."""
    question_types: set[str] = field(default_factory=set)
    """Types of the questions and talks that were written."""
    dialogue_kinds: Counter[str] = field(default_factory=Counter)
    """Kinds of the dialogues that may leave, as the runs have them."""
    dialogue_mix: Counter[str] = field(default_factory=Counter)
    """By kind, the wanted shares (`--dialogues.mix.*`) of each tour, added up."""
    findings: list[Finding] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    """Error findings of tours that are written all the same; the card begins with them."""
    tours: list[TourEntry] = field(default_factory=list)
    settings: dict[str, Mapping[str, object]] = field(default_factory=dict)
    card_header: str = ""
    """What a client wants to read at the top of the card."""
    card_notes: list[str] = field(default_factory=list)
    """Lines of the convention that are known only when all is written."""

    def enter(self, run: RunData, split: str) -> None:
        """Note a tour before its rows are written."""
        plain = {str(key): value for key, value in run.provenance.items() if key in ("options", "versions")}
        options = plain.get("options")
        if isinstance(options, Mapping):  # facts differ from tour to tour, and stand beside each
            plain["options"] = {name: value for name, value in options.items() if name != "tour"}
        key = sha256(json.dumps(plain, sort_keys=True, default=str).encode()).hexdigest()[:12]
        self.settings.setdefault(key, plain)
        scene = run.scene
        self.tours.append(
            TourEntry(
                tour=scene.id,
                split=split,
                source=Path(scene.source.path).name,
                source_sha256=scene.source.sha256,
                licence=scene.source.licence,
                scale_status=scene.scale_status,
                scale_source="; ".join(sorted({model.scale.source for model in scene.models})),
                models=len(scene.models),
                frames=len(scene.frames),
                registered=scene.registered,
                software=software_of(run),
                settings=key,
                facts={name: said for name, said in asdict(run.facts).items() if said != getattr(TourFacts(), name)},
            )
        )
        self.counts["tours"] += 1

    @property
    def split(self) -> str:
        """Split of the tour in hand."""
        return self.tours[-1].split

    def open_rows(self, name: str, options: ExportOptions, counted: str = "") -> AddRow:
        """Open the files of rows of a dataset.

        Args:
            name: Of the files, `.json` (a list) or `.jsonl`; `{split}` in it stands for the split.
            options: Say which splits there are.
            counted: What rows are called in the counts; empty where they are counted by others.

        Returns:
            What appends a row to the file of its split, that of the tour in hand if none is named.
        """
        files = {split: self.files.open(self.out / name.format(split=split)) for split in options.splits}

        def add(row: object, split: str = "") -> None:
            files[split or self.split](row)
            if counted:
                self.counts[counted] += 1

        return add

    def open_tables(self, schema: pa.Schema, names: Mapping[str, str]) -> Mapping[str, ParquetShards]:
        """Open the tables of a dataset, with the names of their files by split."""
        paths = {split: partial(shard, self.out / name) for split, name in names.items()}
        return {split: self.files.enter_context(ParquetShards(path, schema)) for split, path in paths.items()}

    def warn(self, code: str, where: str, message: str) -> None:
        """Add a warning that goes into the card."""
        self.findings.append(Finding("warning", code, where, message))


def software_of(run: RunData) -> str:
    """What made the run, such as `roomtour 0.1.0`."""
    versions = run.provenance.get("versions")
    named = versions.get("roomtour") if isinstance(versions, Mapping) else None
    return f"roomtour {named or importlib.metadata.version('roomtour')}"


@dataclass(frozen=True, kw_only=True)
class TrainedOptions(ExportOptions):
    """Options of benchmarks."""

    trained: str = ""
    """Folder of the dataset that models were trained on: none of its training tours may be in the benchmark."""


def require_untrained(tour: str, folder: str) -> None:
    """Refuse a tour of the training split of a dataset, if one is named.

    Raises:
        RoomtourError: Naming the tour, or if the list of tours cannot be read.
    """
    if folder and tour in _read_trained_tours(folder):
        raise RoomtourError(
            f"tour {tour}: is in the training split of {folder}, so it cannot test what was trained on it; leave it out"
        )


def _read_trained_tours(folder: str) -> frozenset[str]:
    path = Path(folder) / "export.json"
    try:
        facts: Any = parse_json(path.read_text(encoding="utf-8"))
        return frozenset(entry["tour"] for entry in facts["tours"] if entry["split"] == "train")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RoomtourError(f"--options trained={folder}: {path} is no list of tours: {error}") from error
