"""What every row of every kind of data carries, under the same names, and how rows are named and counted."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256

from instructions.records import ClaimCheck, SceneObject
from recon.records import ScaleStatus

_CODE = re.compile(r"[a-z][a-z_]*")


@dataclass(frozen=True, kw_only=True)
class Row:
    """The base of a row: what it is about, what it rests on, who wrote it, and what became of it.

    Frame times, source and licence are the run's. A rejected row is kept beside the accepted ones.
    """

    id: str
    """Names what the row is about (`row_id`), so it is the same in every run that makes the row; never a position."""
    tour: str
    model: str
    """The model of the scene that the row's geometry is of."""
    views: tuple[int, ...]
    """Frames that the row is about, in time order; those of a question, in the order in which it shows them."""
    scale_status: ScaleStatus
    """Of the model: what a length in the row is worth."""
    claims: tuple[ClaimCheck, ...] = ()
    """What the row says, claim by claim: the claim, the verdict, and the measured value it rests on."""
    perception: str
    """What knew the things: `embedded`, model ids with revision, or `none`."""
    writer: str
    """`embedded`, or `llm` and the model by its server's name."""
    prompt: str | None = None
    """Name and version of the prompt (`instruction@1f2e3d4c`) where a language model wrote."""
    reply: str | None = None
    """Key of the kept reply (`RUN/replies/`) that the row is from."""
    seed: int
    accepted: bool
    rejected_because: str | None = None
    """A code, one of the few that the row's kind lists; None for an accepted row."""
    rejection: str | None = None
    """The same as a sentence, with the figures of this row."""

    def __post_init__(self) -> None:
        if not self.accepted == (self.rejected_because is None) == (self.rejection is None):
            raise ValueError(
                f"row {self.id}: accepted is {self.accepted}, rejected_because {self.rejected_because!r}, rejection "
                f"{self.rejection!r}; a rejected row has a code and a sentence, an accepted one neither"
            )
        if self.rejected_because is not None and not _CODE.fullmatch(self.rejected_because):
            raise ValueError(f"row {self.id}: rejected_because is {self.rejected_because!r}, need a code of a-z and _")


@dataclass(frozen=True)
class RowCounts:
    """How many rows of a kind were written, and what became of them."""

    written: int
    kept: int
    rejected: int
    rejected_because: Mapping[str, int]
    """Rejected rows by code, most frequent first."""

    def __post_init__(self) -> None:
        if self.written != self.kept + self.rejected or self.rejected != sum(self.rejected_because.values()):
            raise ValueError(f"row counts do not add up: {self}")


def name_perception(things: Iterable[SceneObject]) -> str:
    """What knew the things, for a row: their sources in alphabetical order, or `none`."""
    return ", ".join(sorted({thing.source for thing in things})) or "none"


def row_id(*about: str | int) -> str:
    """Name a row by what it is about, 16 hex digits: seed, tour, kind of data, and what tells the row from the tour's
    others (trajectory, frames, task, wording); never where the row stands among others.
    """
    return sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()[:16]


def count_rows(rows: Iterable[Row]) -> RowCounts:
    """Count accepted and rejected rows; no rows give zeros."""
    codes = [row.rejected_because for row in rows]
    rejected = Counter(code for code in codes if code is not None)
    by_code = dict(sorted(rejected.items(), key=lambda item: (-item[1], item[0])))
    return RowCounts(len(codes), len(codes) - rejected.total(), rejected.total(), by_code)
