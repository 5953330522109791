"""Dialogues before a person, who accepts or rejects each row and may mark single turns; and what was made of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
from rich.console import Group, RenderableType
from rich.text import Text

from instructions.dialogues.records import Cloud, CloudBox, Dialogue, explain
from instructions.dialogues.talks.pilot import REASONS, Rating, Reason, count_to_check
from recon.numerals import percent
from roomtour.drawing.cloud import draw_cloud_of
from roomtour.drawing.text import printable
from roomtour.drawing.thumbnails import data_address
from roomtour.errors import RoomtourError
from roomtour.files.records import group_by
from roomtour.files.reviews import DIALOGUE_RATINGS, Stratum, count_strata, key_of, stratum_of
from roomtour.review.agreement import Agreement, compare_raters, make_table, tell_left_out
from roomtour.review.sampled import Item, SampledSession, draw_by_lot, draw_lot, read_sent, require_marks

_MOST_BOXES = 26
"""As many as there are letters for them."""


@dataclass(frozen=True, eq=False)
class DialogueItem(Item[Dialogue]):
    """One row to judge."""

    is_pilot: bool = False


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What the page sends."""

    accepted: bool
    reason: Reason | None = None
    wrong_turns: tuple[int, ...] = ()
    note: str = ""


def draw_dialogues(items: Sequence[DialogueItem], size: int, seed: int = 0) -> list[DialogueItem]:
    """Rows to judge: every row of a pilot, and of each run and stratum a tenth, at least 30.

    The lot hangs on seed, tour and row alone, so all people get the same rows in the same order.

    Returns:
        Pilots first, then rows of language models, then embedded ones; strata by turns.
    """
    strata = group_by(items, lambda one: (not one.is_pilot, one.row.prompt is None, one.run, stratum_of(one.row)))
    chosen: list[tuple[tuple[object, ...], DialogueItem]] = []
    for (is_full, is_embedded, _, _), rows in strata.items():
        most = count_to_check(len(rows)) if is_full else len(rows)
        for turn, one in enumerate(draw_by_lot(rows, most, seed)):
            lot = draw_lot(seed, one.tour.name, one.row.id)
            chosen.append(((is_full, is_embedded, turn, lot), one))
    return [item for _, item in sorted(chosen, key=lambda pair: pair[0])[:size]]


class DialogueSession(SampledSession[DialogueItem, Rating]):
    """The sample of dialogues for one person."""

    judgements, page, noun = DIALOGUE_RATINGS, "dialogue", "dialogue"

    def __init__(
        self, items: Sequence[DialogueItem], run_folders: Mapping[str, Path], rater: str,
        clouds: Mapping[str, Sequence[Cloud]],
    ) -> None:  # fmt: skip
        """Take up where the person stopped; `clouds` are those of each run."""
        super().__init__(items, run_folders, rater)
        self._clouds = clouds

    def describe(self, item: DialogueItem, given: Rating | None) -> dict[str, Any]:
        """Its pictures or its cloud, and its turns; what it rests on only once it is judged."""
        told = item.row
        boxes = _cloud_boxes(self._clouds.get(item.run, ()), told)
        return dict(
            kind=f"{told.task or told.kind}, {told.medium}{', pilot' if item.is_pilot else ''}",
            frames=[(item.tour.frames[view], _boxes_in(told, view)) for view in told.views if view in item.tour.frames],
            cloud=self._draw_cloud(item, boxes) if told.cloud is not None else None,
            legend=[(chr(ord("A") + place), box.name) for place, box in enumerate(boxes)],
            turns=told.turns,
            reasons=REASONS,
            note=given.note if given else "",
            evidence=[line for line in explain(told) if not line.startswith(("Q:", "Q (", "A:"))] if given else [],
        )

    def judge(self, item: DialogueItem, given: Any, signed: Mapping[str, Any]) -> Rating:
        """The judgement that a page sent."""
        told = read_sent(Judgement, given, "judgement")
        if told.accepted and (told.reason is not None or told.wrong_turns):
            raise RoomtourError("judgement: an accepted row has no wrong turn and no reason; reject it, or unmark them")
        if not told.accepted and told.reason is None:
            raise RoomtourError(f"judgement: say why it is rejected: {', '.join(REASONS)}")
        marked = require_marks(told.wrong_turns, len(item.row.turns), told.note, "judgement: turns")
        said = {**vars(told), "wrong_turns": marked, "note": told.note.strip()}
        return Rating(**signed, **said, row=item.row.id, stratum=stratum_of(item.row), text_key=key_of(item.row))

    def _draw_cloud(self, item: DialogueItem, boxes: Sequence[CloudBox]) -> str | None:
        """The cloud from above and from the side as an address of a picture; None where its points are not there."""
        try:
            drawn = draw_cloud_of(self._folders[item.run], self._clouds.get(item.run, ()), str(item.row.cloud), boxes)
        except RoomtourError:
            return None
        return data_address(cv2.imencode(".png", drawn)[1].tobytes(), "png")


def _boxes_in(row: Dialogue, frame: int) -> list[tuple[float, float, float, float]]:
    return [box.box_xyxy for box in row.boxes if box.view in (None, frame)]


def _cloud_boxes(clouds: Sequence[Cloud], row: Dialogue) -> list[CloudBox]:
    """The boxes of what a row rests on, of all things where it rests on none by name."""
    cloud = next((one for one in clouds if one.name == row.cloud), None)
    if cloud is None:
        return []
    named = {name for one in row.evidence for name in one.objects}
    return ([box for box in cloud.boxes if box.object in named] or list(cloud.boxes))[:_MOST_BOXES]


@dataclass(frozen=True)
class DialogueSummary:
    """The ratings of some runs together; strata stay apart by run, as exports withhold them."""

    strata: tuple[tuple[str, Stratum], ...]
    """With the name of the tour; only those that somebody judged."""
    reasons: Mapping[str, int]
    raters: Mapping[str, int]
    agreements: tuple[Agreement, ...]
    outdated: int


def summarize_dialogues(runs: Iterable[tuple[str, Sequence[Dialogue], Sequence[Rating]]]) -> DialogueSummary:
    """Count what was said in runs.

    Of each its tour's name, its rows with those of a pilot, and its ratings.
    """
    strata: list[tuple[str, Stratum]] = []
    by_rater: dict[str, dict[Hashable, object]] = defaultdict(dict)
    reasons: Counter[str] = Counter()
    outdated = 0
    for number, (tour, rows, ratings) in enumerate(runs):
        matched, left = DIALOGUE_RATINGS.match(ratings, rows)
        outdated += left
        strata += [(tour, one) for one in count_strata(rows, matched).values() if one.rated]
        for rating, row in matched:
            by_rater[rating.rater][number, row.id, rating.stratum] = rating.accepted
            reasons.update([rating.reason] if rating.reason else [])
    return DialogueSummary(
        tuple(strata),
        dict(reasons.most_common()),
        {name: len(given) for name, given in sorted(by_rater.items())},
        compare_raters(by_rater, (False, True)),
        outdated,
    )


def render_dialogues(summary: DialogueSummary) -> RenderableType:
    """A table of strata, the reasons, and a line per pair of people."""
    left = tell_left_out(summary.outdated)
    if not summary.strata:
        return Group(Text("no dialogue judged yet; judge some with: roomtour review RUNS --what dialogues"), *left)
    table = make_table("tour", "stratum", "rows", "judged", "needed", "accepted", "at least (95 %)", "leaves")
    words = {"open": "not decided", "passed": "yes", "failed": "withheld"}
    for tour, one in summary.strata:
        table.add_row(
            Text(printable(tour)), one.name, str(one.rows), str(one.rated), str(count_to_check(one.rows)),
            percent(one.accepted / one.rated), percent(one.bound), words[one.standing],
        )  # fmt: skip
    lines = [f"judged by {', '.join(f'{printable(name)} {given}' for name, given in summary.raters.items())}"]
    if summary.reasons:
        lines.append(f"rejected: {', '.join(f'{given} {name}' for name, given in summary.reasons.items())}")
    lines += [pair.tell("row") for pair in summary.agreements]
    return Group(table, Text(), *map(Text, lines), *left)
