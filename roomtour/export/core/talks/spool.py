"""Talks of all tours aside on disk until all tours are seen: only then is it known which of them stay."""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.talks.dialogues import DialogueTalks
from roomtour.export.core.talks.questions import ProgramTalks, SpatialTalks
from roomtour.export.core.talks.references import Form, refer
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.talk import Talk, TalkSource
from roomtour.kinds import KINDS

SOURCES: tuple[type[TalkSource], ...] = (SpatialTalks, ProgramTalks, RegionTalks, DialogueTalks)
"""In the order of the kinds. Formats that hold talks hold all of these."""
TALK_KINDS = tuple(source.kind for source in SOURCES)
TALK_ROWS = tuple(kind.rows for kind in KINDS if kind.name in TALK_KINDS)
"""What their rows are called."""


Built = TypeVar("Built")


@dataclass(eq=False)
class TalkSpool(AbstractContextManager["TalkSpool"]):
    """A context: takes one tour at a time, then gives all talks in the order they came."""

    ledger: Ledger
    balance: bool
    drawn: Path | None = None
    """Where drawn pictures are to lie; None for a place that goes with the spool."""
    needs_images: bool = True
    """Leave out talks without a picture: questions about a scan of which no view is known."""
    form: Form | None = Form()
    """How texts point at what pictures show; None leaves that to the format, with plain pictures."""
    sources: tuple[type[TalkSource], ...] = SOURCES
    """Of which kinds of data."""

    def __post_init__(self) -> None:
        self._sources = [source() for source in self.sources]
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  # closed by `__exit__`
        self._count = 0
        self._folder = tempfile.TemporaryDirectory(prefix="talks_")
        self._drawn = self.drawn or Path(self._folder.name)
        self.ledger.counts.update({source.kind: 0 for source in self._sources})

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._folder.cleanup()

    def take(self, run: RunData) -> None:
        """Set the talks of a run aside."""
        for source in self._sources:
            for talk in source.take(run, self.ledger.split):
                pickle.dump(talk, self._file)
                self._count += 1

    def give(self) -> Iterator[Talk]:
        """The talks that stay; they are counted by kind, so is what is left out, and the card is told."""
        gone: dict[tuple[str, str], str] = {}
        for source in self._sources:
            closing = source.close(self.balance)
            gone |= {(source.kind, talk): reason for talk, reason in closing.gone.items()}
            self.ledger.card_notes += closing.notes
            left_out = Counter(closing.gone.values())
            self.ledger.dropped.update({f"{source.kind}: {reason}": count for reason, count in left_out.items()})
            self.ledger.dropped.update(closing.dropped)
        self._file.seek(0)
        for _ in range(self._count):
            talk: Talk = pickle.load(self._file)  # of this process: the file has no name
            if (talk.kind, talk.id) in gone:
                continue
            if self.needs_images and not talk.images:
                self.ledger.dropped[f"{talk.kind}: a scan without views (import it with --videos)"] += 1
                continue
            told = talk if self.form is None else refer(talk, self.form, self._drawn)
            if isinstance(told, str):
                self.ledger.dropped[f"{talk.kind}: {told}"] += 1
                continue
            self.ledger.counts[talk.kind] += 1
            self.ledger.question_types.add(talk.type)
            yield told

    def build(self, make: Callable[[Talk], Built | str], *, by_kind: bool = True) -> Iterator[tuple[Talk, Built]]:
        """The talks that stay, each with what is made of it; a text says why nothing is, and such talks are counted.

        Args:
            make: Makes it.
            by_kind: Whether what is left out is counted by kind of data.
        """
        for talk in self.give():
            made = make(talk)
            if isinstance(made, str):
                self.ledger.counts[talk.kind] -= 1
                self.ledger.dropped[f"{talk.kind}: {made}" if by_kind else made] += 1
            else:
                yield talk, made


def copy_images(talk: Talk, folder: Path) -> None:
    """Copy the pictures of a talk to where they are to lie; those already there are left.

    Raises:
        RoomtourError: If a picture is gone or damaged.
    """
    for image in talk.images:
        target = folder / image.name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_picture(Path(image.path), talk.tour))
