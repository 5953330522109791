"""What people said of dialogues: one JSON line each in a run folder, and what it means for each row and stratum."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from instructions.dialogues.pilot import Rating, Standing, judge_stratum, lower_bound, name_stratum
from instructions.dialogues.records import Dialogue
from roomtour.files.appended import Judgements
from roomtour.files.ratings import text_key

PILOT = "dialogues_pilot.jsonl"
"""Rows of a pilot, in the run folder."""


@dataclass(frozen=True)
class Stratum:
    """Rows of one kind, medium and prompt, and what people said of them."""

    name: str
    rows: int
    rated: int
    accepted: int
    """Of the rated ones, those that nobody rejected."""
    standing: Standing

    @property
    def bound(self) -> float:
        """Lower end of the 95 % interval of the accepted share."""
        return lower_bound(self.accepted, self.rated)


def stratum_of(row: Dialogue) -> str:
    """The stratum of a row."""
    return name_stratum(row.kind, row.medium, row.prompt)


def key_of(row: Dialogue) -> str:
    """Names the turns of a row by what they say."""
    return text_key("\n".join(f"{turn.question}\n{turn.answer}" for turn in row.turns))


def _names_of(row: Dialogue) -> list[tuple[str, str, str]]:
    """With its text, or without: lines that people wrote by hand name none."""
    return [(row.id, stratum_of(row), text) for text in (key_of(row), "")]


DIALOGUE_RATINGS = Judgements(
    Path("reviews") / "dialogue_ratings.jsonl", Rating, lambda one: (one.row, one.stratum, one.text_key), _names_of
)


def find_rejected(matched: Iterable[tuple[Rating, Dialogue]]) -> frozenset[str]:
    """Ids of the rows that somebody rejected."""
    return frozenset(row.id for rating, row in matched if not rating.accepted)


def count_strata(rows: Sequence[Dialogue], matched: Iterable[tuple[Rating, Dialogue]]) -> Mapping[str, Stratum]:
    """Strata of rows by name, with what people said of them."""
    pairs = list(matched)
    bad, judged = find_rejected(pairs), {row.id for _, row in pairs}
    members: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        members[stratum_of(row)].append(row.id)
    out = {}
    for name, ids in sorted(members.items()):
        rated = sum(one in judged for one in ids)
        accepted = sum(one in judged and one not in bad for one in ids)
        out[name] = Stratum(name, len(ids), rated, accepted, judge_stratum(len(ids), rated, accepted))
    return out
