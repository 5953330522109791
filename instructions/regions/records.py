"""Numbered parts of views, what is told of them, and questions with answers and reasons. Plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from instructions.claims.stated import FAULTS
from instructions.claims.view_claims import Verdict
from instructions.records import Box, MaskRle, SourcedText
from instructions.rows import Row

KIND = "regions"
Mode = Literal["id", "description"]
"""How a row names things: by `[n]` only, or by words only."""
REASONS = {
    "empty": "a part is empty",
    "no_id": "names no [n], though it was to name things by number",
    "has_id": "names an [n], though it was to name things by words",
    "unknown_id": "names a number that no region has",
    "too_many_ids": "names more than five regions",
    "sentences": "a part has more than two sentences",
    "hedge": "says that one cannot tell",
    "options": "leaves the answer open between two",
    "meta": "speaks of the picture instead of the scene",
    "banned": "speaks of what is not to be asked: people's looks and lives, light and mood, watermarks",
    "stutter": "says one phrase three times in a row",
    "echo": "its rationale only repeats the question or the answer",
    "repeat": "says what another row of the view says",
    **FAULTS,
    "critic": "the critic's score is under the threshold",
}
"""Reason codes of rejected rows, in the order in which they are looked for."""


class Parts(NamedTuple):
    """A row as its three texts, in order."""

    question: str
    answer: str
    rationale: str


@dataclass(frozen=True)
class Region:
    """One numbered part of a view."""

    number: int
    object: str | None
    """Id of the thing, the same in all views of the tour; None in plain pictures."""
    label: str | None
    caption: str | None
    attributes: tuple[str, ...]
    """Verified additions to its line."""
    box_xyxy: Box
    mask: MaskRle | None
    score: float
    visible_fraction: float
    is_person: bool
    rarity: float
    source: str


@dataclass(frozen=True)
class RegionView:
    """A picture with its regions."""

    id: str
    run: str
    """Id of the tour."""
    model: str | None
    frame: int
    image: str
    width: int
    height: int
    regions: tuple[Region, ...]
    seed: int


@dataclass(frozen=True)
class Probe:
    """A short question about a view with its answer."""

    question: str
    answer: str
    source: str
    """What answered: `measured`, or a model."""


@dataclass(frozen=True)
class Verbalization:
    """A view in words: what a writer of questions gets to read."""

    view: str
    places: tuple[SourcedText, ...]
    things: tuple[SourcedText, ...]
    concepts: tuple[SourcedText, ...]
    narratives: tuple[SourcedText, ...]
    locals: tuple[SourcedText, ...]
    probes: tuple[Probe, ...]


@dataclass(frozen=True)
class MentionedRegion:
    """A region that a row names, by number or by words."""

    number: int
    object: str | None
    box_xyxy: Box


@dataclass(frozen=True, kw_only=True)
class Qar(Row):
    """A question, its answer, and why."""

    view: str
    """Id of the `RegionView`."""
    mode: Mode
    type: str
    """One of the 14 question types, by the words of the question."""
    task: str
    """What was asked for: the measured fact of the embedded writer, `free` of a language model."""
    question: str
    answer: str
    rationale: str
    mentioned: tuple[int, ...] = ()
    """Numbers in order of first mention."""
    regions: tuple[MentionedRegion, ...] = ()
    """The regions that the row names, in order of first mention."""
    verdicts: tuple[Verdict, ...] = ()
    checked_share: float | None = None
    """Share of its claims that could be decided; None where it makes none."""
    of_answer: int = 0
    """So many verdicts, the first ones, are on claims of the answer; the others are on those of the rationale."""
    round: int = 0
    """Call of the view that wrote it."""
    score: float | None = None
    """Of the critic; None without one."""
    score_interval: tuple[float, float] | None = None
    """Of rows that score about so, the accepted share with 95 %, as far as people (or made labels) told."""
    score_reasons: tuple[str, ...] = ()
    """Which inputs of the critic moved its score, and by how much: `verdicts -0.61`."""
    difficulty: float | None = None
    """0 (plain) to 1: from size, occlusion, look-alikes in view and margin."""
    solution: str | None = None
    """The answer in one word, where the fact has one: `left`, `red`, `yes`."""

    @property
    def parts(self) -> Parts:
        """Its three texts."""
        return Parts(self.question, self.answer, self.rationale)

    @property
    def text(self) -> str:
        """All three parts."""
        return " ".join(self.parts)

    def reject(self, code: str, why: str) -> Qar:
        """The same row, rejected."""
        return replace(self, accepted=False, rejected_because=code, rejection=why)


@dataclass(frozen=True)
class Pair:
    """A kept row with a twin that is false by one change: preference data and a test of hallucination."""

    id: str
    row: str
    """Id of the kept row."""
    view: str
    change: str
    """What was changed: `side`, `id`, `count`, `nearer`, `colour`, `thing`, `kind`, `on`, `room`."""
    question: str
    chosen: str
    rejected: str
    """The false answer."""
    because: str
    """Why it is false, measured."""
    verdicts: tuple[Verdict, ...] = ()
    """On the claims of the question with the false answer."""


@dataclass(frozen=True)
class Rating3:
    """What one person says of a row: 1 reject, 2 maybe, 3 accept."""

    qar: str
    text_key: str
    rater: str
    qa: Literal[1, 2, 3]
    rationale: Literal[1, 2, 3]
    note: str = ""
    rated: str = ""
    seconds: float | None = None
    wrong_words: tuple[int, ...] = ()
    """Words of all three parts, split at white space and counted from 0, that the rater marked as wrong."""
    drawn: Literal["random", "uncertain"] = "random"
    """How the row came to the rater: by lot, or because a critic was in doubt. Only the former count in figures."""

    def __post_init__(self) -> None:
        if self.qa == 1 and self.rationale != 1:
            raise ValueError(f"rating of {self.qar} by {self.rater}: a rejected answer has a rejected rationale")


Vote = Literal["A", "B", "tie"]


@dataclass(frozen=True)
class PairRating:
    """What one person says of two answers to one question, not knowing which is which."""

    pair: str
    """`Pair.id`."""
    text_key: str
    rater: str
    first: Literal["chosen", "rejected"]
    """Which answer stood as A."""
    correct: Vote
    informative: Vote
    plausible: Vote
    overall: Vote
    rated: str = ""
    seconds: float | None = None


@dataclass(frozen=True)
class Choice:
    """One of several options, and how true it is."""

    text: str
    row: str | None
    """Id of the row that it was taken from; None for a fact of another view that no row tells."""
    truth: float
    """1 for true of this view, 0 for measured to be false of it."""
    because: str | None = None
    """Why it is false, measured; None for a true one."""


ChoiceTask = Literal["vcr", "comparison", "acc50"]


@dataclass(frozen=True)
class ChoiceSet:
    """A comparison task about a view: which of the options holds of it."""

    id: str
    tour: str
    view: str
    task: ChoiceTask
    """`vcr`: 4 answers and 4 rationales of a question. `comparison`: 10 statements, several of them true. `acc50`: one
    true statement of 50."""
    row: str
    """Id of the row that is asked about."""
    region: int | None
    """Number of the region that statements are about; None where the question names what it is about."""
    question: str | None
    answers: tuple[Choice, ...]
    """Answers or statements, in the order shown."""
    rationales: tuple[Choice, ...] = ()


def explain(row: Qar) -> tuple[str, ...]:
    """What the row asks, answers and gives for a reason, and each claim with its verdict."""
    head = f"{row.type} ({row.task}, by {'number' if row.mode == 'id' else 'words'})"
    if row.difficulty is not None:
        head += f", difficulty {row.difficulty:.2f}"
    if row.score is not None:
        head += f", critic {row.score:.2f}"
    lines = [head, f"Q: {row.question}", f"A: {row.answer}", f"R: {row.rationale}"]
    if row.rejected_because is not None:
        lines.append(f"rejected: {row.rejected_because}: {row.rejection}")
    lines += [f"[{region.number}] = {region.object or 'a detection'}" for region in row.regions]
    lines += [
        f"{verdict.state}: {verdict.claim.kind}: {verdict.claim.words}: {verdict.reason}" for verdict in row.verdicts
    ]
    return tuple(lines)
