"""Rows of a run, kept and rejected, each with the frames it is about and what decided it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import cv2

from roomtour.browse.records import MOST_PICTURES, PageRow, Picture, Pictures, color_boxes, fold
from roomtour.drawing.cloud import draw_cloud_of
from roomtour.drawing.text import printable_lines
from roomtour.drawing.thumbnails import spread
from roomtour.errors import RoomtourError
from roomtour.files.records import to_plain
from roomtour.report.kinds import SECTIONS, list_reasons
from roomtour.run import Run
from roomtour.shown.kinds import EXPLAINED, ShownCloud, ShownFrame

Turns = Sequence[tuple[str, str]]
_TOLD = {"id", "tour", "question", "answer", "text", "turns", "accepted", "rejected_because", "rejection", "claims"}
"""Fields that the page shows in their own places, or as lines."""


def read_run_rows(run: Run, pictures: Pictures) -> Iterator[PageRow]:
    """Rows of every kind of data that the run has."""
    teller = _Teller(run, pictures)
    sections = {section.kind: section for section in SECTIONS}
    for kind in run.kinds:
        rows = (*run.rows(kind), *run.rejected_rows(kind))
        if kind in sections:
            section = sections[kind]
            for row in rows:
                shown = EXPLAINED[kind](row).shown
                yield teller.tell(kind, row, section.sort(row), section.turns(row), shown, list_reasons(section, row))
        if kind == "navigation":
            for row in (*rows, *run.further_instructions, *run.view_descriptions, *run.unposed_descriptions):
                yield teller.tell_text(row)
        for talk in run.thinking if kind == "spatial" else ():
            asked = [(turn.ask, turn.reply) for turn in talk.turns]
            turns = [(talk.question, ""), *asked, ("", f"{talk.conclusion} {talk.answer}")]
            yield teller.tell(kind, talk, f"thinking, {talk.puzzle}", turns, (ShownFrame(talk.views[0], ()),), ())


class _Teller:
    """Makes rows of the page from rows of a run."""

    def __init__(self, run: Run, pictures: Pictures) -> None:
        self._pictures, self._path = pictures, run.path
        self._images = {frame.index: frame.image for frame in run.frames}
        self._clouds = run.clouds
        self._boxes = {(seen.frame, seen.object): seen.box_xyxy for seen in run.observations}
        self._names = {thing.id: thing.alias for thing in run.objects}

    def tell(
        self,
        kind: str,
        row: Any,
        sort: str,
        turns: Turns,
        shown: Sequence[ShownFrame | ShownCloud],
        lines: Sequence[str],
    ) -> PageRow:
        """A row of any kind."""
        names = ("question", "answer") if any(asked for asked, _ in turns) else ("", "text")
        said = [(who, printable_lines(text)) for turn in turns for who, text in zip(names, turn, strict=True)]
        why = () if row.rejection is None or any(row.rejection in line for line in lines) else (row.rejection,)
        return PageRow(
            id=row.id,
            kind=kind,
            type=sort.replace("_", " "),
            tour=row.tour,
            state="kept" if row.accepted else "rejected",
            reason=row.rejected_because or "",
            pictures=tuple(map(self._show, shown)),
            turns=tuple((who, text) for who, text in said if text),
            lines=tuple(map(printable_lines, (*why, *lines))),
            fields=fold({name: value for name, value in to_plain(row, type(row)).items() if name not in _TOLD}),
        )

    def tell_text(self, row: Any) -> PageRow:
        """A text about a way or a view, with the things that it names."""
        named = list(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", getattr(row, "objects", ()), strict=False))
        shown = tuple(
            ShownFrame(
                frame,
                tuple((letter, self._boxes[frame, name]) for letter, name in named if (frame, name) in self._boxes),
            )
            for frame in spread(row.views, MOST_PICTURES)
        )
        lines = [f"{letter} = {self._names.get(name, name)} ({name})" for letter, name in named]
        lines += [
            f"{'true' if check.true else 'false'}: {check.claim.kind}: {check.claim.text}: {check.reason}"
            for check in row.claims
        ]
        return self.tell("navigation", row, row.kind, [(getattr(row, "question", ""), row.text)], shown, lines)

    def _show(self, shown: ShownFrame | ShownCloud) -> Picture:
        if isinstance(shown, ShownCloud):
            return self._draw(shown)
        found = self._pictures.find(self._images.get(shown.frame, f"frame {shown.frame}"))
        return Picture(found.address, found.told, color_boxes(shown.boxes, shown.points))

    def _draw(self, shown: ShownCloud) -> Picture:
        try:
            drawn = draw_cloud_of(self._path, self._clouds, shown.name, shown.boxes)
        except RoomtourError as error:
            return Picture(told=str(error))
        return self._pictures.write(cv2.imencode(".png", drawn)[1].tobytes(), f"{shown.name}.png")
