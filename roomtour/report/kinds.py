"""A kind of data on the page: some rows with pictures, how many there are of each sort, and what was not asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from instructions.asking.counts import Reach
from instructions.asking.gates import REASONS
from instructions.programs.asked.believing import ProgramScore, score_programs
from recon.numerals import percent
from roomtour.drawing.pages import render
from roomtour.drawing.svg import draw_box, draw_point
from roomtour.drawing.text import printable_lines
from roomtour.drawing.thumbnails import Thumbnails
from roomtour.files.records import group_by
from roomtour.shown.kinds import EXPLAINED, ShownFrame

MOST_REASONS = 12
FIRST_EXAMPLES = 3
"""Shown at once; the others are folded."""
_SAID = ("Q: ", "Q (at frame ", "A: ")
_MEDIA = {"view": "a view", "views": "several views", "cloud": "a cloud"}


@dataclass(frozen=True)
class KindSection:
    """How the rows of a kind are told on the page."""

    kind: str
    title: str
    sort: Callable[[Any], str]
    """What is counted: the type of a question."""
    turns: Callable[[Any], Sequence[tuple[str, str]]]
    """Questions with their answers."""
    examples: int
    reasons: Mapping[str, str] = field(default_factory=dict)
    """What a reason for not asking means."""
    scores: Callable[[Iterable[Any]], Sequence[ProgramScore]] = lambda rows: ()
    """How often programs that a language model wrote are right, of all rows, kept and rejected."""


def _one_turn(row: Any) -> Sequence[tuple[str, str]]:
    return ((row.question, row.answer),)


SECTIONS = (
    KindSection("spatial", "Spatial questions", lambda row: row.type, _one_turn, 20, REASONS),
    KindSection(
        "programs",
        "Questions answered by programs",
        lambda row: f"{row.medium}: {row.type}",
        _one_turn,
        12,
        REASONS,
        score_programs,
    ),
    KindSection(
        "regions",
        "Region knowledge",
        lambda row: f"{row.type}, by {'number' if row.mode == 'id' else 'words'}",
        _one_turn,
        12,
    ),
    KindSection(
        "dialogues",
        "Dialogues",
        lambda row: " ".join(filter(None, (row.kind, row.task, "about", _MEDIA[row.medium]))),
        lambda row: [(turn.question, turn.answer) for turn in row.turns],
        6,
    ),
)
"""In the order of the page."""


def pick_examples(section: KindSection, rows: Sequence[Any]) -> list[Any]:
    """Accepted rows that show frames, the same for the same rows: sorts in turn, never a row and its twin."""
    drawn = sorted(rows, key=lambda row: sha256(row.id.encode()).digest())
    by_sort = group_by((row for row in drawn if row.accepted and _frames(section, row)), section.sort)
    picked: list[Any] = []
    twins: set[str | None] = set()
    while any(by_sort.values()):
        for sort in sorted(by_sort):
            row = by_sort[sort].pop(0) if by_sort[sort] else None
            if row is not None and row.id not in twins:
                picked.append(row)
                twins.add(getattr(row, "twin", None))
            if len(picked) == section.examples:
                return picked
    return picked


def list_frames(section: KindSection, examples: Sequence[Any]) -> list[int]:
    """Frames that the examples show."""
    return [shown.frame for row in examples for shown in _frames(section, row)]


def draw_kind(
    section: KindSection,
    rows: Sequence[Any],
    examples: Sequence[Any],
    not_asked: Mapping[str, Mapping[str, int]],
    reach: Reach | None,
    thumbnails: Thumbnails,
    width_px: Mapping[int, int],
) -> Markup:
    """The section.

    The frames of its examples are embedded already.
    """
    kept = [row for row in rows if row.accepted]
    times = {reason: sum(sorts.values()) for reason, sorts in not_asked.items()}
    reasons = [
        (reason, section.reasons.get(reason, ""), percent(count / sum(times.values())))
        for reason, count in times.items()
    ]
    rejected = Counter(row.rejected_because for row in rows if not row.accepted)
    return render(
        "report/kind.html",
        kept=len(kept),
        sorts=sorted(Counter(map(section.sort, kept)).items(), key=lambda item: (-item[1], item[0])),
        rejected=rejected.most_common(),
        scores=section.scores(rows),
        reasons=reasons[:MOST_REASONS],
        reach=str(reach) if reach is not None else "",
        first=FIRST_EXAMPLES,
        examples=[_example(section, row, thumbnails, width_px) for row in examples],
    )


def list_reasons(section: KindSection, row: Any) -> list[str]:
    """The lines that explain a row, without its type and its turns."""
    return [line for line in EXPLAINED[section.kind](row).lines[1:] if not line.startswith(_SAID)]


def _frames(section: KindSection, row: Any) -> list[ShownFrame]:
    return [shown for shown in EXPLAINED[section.kind](row).shown if isinstance(shown, ShownFrame)]


def _example(section: KindSection, row: Any, thumbnails: Thumbnails, width_px: Mapping[int, int]) -> dict[str, object]:
    pictures = [
        thumbnails.show(
            shown.frame,
            f"Frame {shown.frame}",
            *(draw_box(at, mark, box, wide) for at, (mark, box) in enumerate(shown.boxes, start=1)),
            *(draw_point(int(mark), mark, xy, wide) for mark, xy in shown.points),
        )
        for shown in _frames(section, row)
        for wide in (width_px.get(shown.frame, 480),)
    ]
    return {
        "id": row.id,
        "sort": section.sort(row),
        "pictures": pictures,
        "turns": [(printable_lines(question), printable_lines(answer)) for question, answer in section.turns(row)],
        "lines": list_reasons(section, row),
    }
