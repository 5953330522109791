"""Numbered parts of a view: what they cover of it, what is said of them, and talks that point at them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from instructions.perception.masks import encode_mask
from instructions.records import Box, MaskRle
from instructions.regions.records import Qar, Region, RegionView
from instructions.wording.english import capital, with_article
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.references import POINT_BOX_SHARE
from roomtour.export.core.talks.talk import Closing, Place, Talk, TalkSource, plain, tell_source


def box_of(box: Box, width: int, height: int) -> list[int]:
    """Whole pixels that hold a box, inside the picture, at least one wide and high."""
    x1, y1 = (min(max(int(value), 0), most - 1) for value, most in zip(box[:2], (width, height), strict=True))
    x2, y2 = (
        min(max(int(np.ceil(value)), low + 1), most)
        for value, low, most in zip(box[2:], (x1, y1), (width, height), strict=True)
    )
    return [x1, y1, x2, y2]


def cover(place: Place, size_px: tuple[int, int]) -> tuple[list[int], MaskRle]:
    """The box of a place in whole pixels, and its mask: of a point a disk around it, of a thing without a mask its box.

    Args:
        place: In view.
        size_px: Width and height of its picture.
    """
    width, height = size_px
    assert place.spot is not None, "what is out of view covers nothing"
    if len(place.spot) == 2:
        radius = POINT_BOX_SHARE * min(size_px) / 2
        x, y = place.spot
        box = box_of((x - radius, y - radius, x + radius, y + radius), width, height)
        rows, columns = np.ogrid[:height, :width]
        return box, encode_mask((columns + 0.5 - x) ** 2 + (rows + 0.5 - y) ** 2 <= radius**2)
    x1, y1, x2, y2 = place.spot
    box = box_of((x1, y1, x2, y2), width, height)
    if place.mask is not None and (place.mask.width, place.mask.height) == (width, height):
        return box, place.mask
    filled = np.zeros((height, width), dtype=bool)
    filled[box[1] : box[3], box[0] : box[2]] = True
    return box, encode_mask(filled)


@dataclass(frozen=True)
class ToldThing:
    """A thing in words, each of which a row was asked about and measured."""

    kind: str
    color: str | None
    """None where no row tells it, or rows differ."""
    use: str
    """A sentence; empty where no row tells it."""

    @property
    def caption(self) -> str:
        """One or two sentences."""
        name = f"{self.color} {self.kind}" if self.color else self.kind
        return f"{capital(with_article(name))}. {self.use}".strip()


def tell_things(run: RunData) -> Mapping[str, ToldThing]:
    """By id, the things whose kind the rows agree on."""
    answers: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in run.list_accepted("regions"):
        if len(row.regions) == 1 and row.regions[0].object is not None:
            said = row.answer if row.task == "use" and row.mode == "id" else row.solution
            if said:
                answers[row.regions[0].object][row.task].add(plain(said))
    return {
        thing: ToldThing(
            next(iter(said["kind"])),
            next(iter(said["colour"])) if len(said["colour"]) == 1 else None,
            min((use for use in said["use"] if use.startswith("It")), default=""),
        )
        for thing, said in answers.items()
        if len(said["kind"]) == 1
    }


@dataclass(eq=False)
class RegionTalks(TalkSource):
    """Each row has all regions of its view, so `[n]` means the same in all its rows."""

    kind = file = "regions"
    columns = ("mode", "rationale")
    _modes: Counter[str] = field(default_factory=Counter)
    _dropped: Counter[str] = field(default_factory=Counter)

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        false = {pair.row: pair.rejected for pair in run.region_pairs}
        for row, view in rows_with_views(run, self._dropped):
            self._modes[row.mode] += 1
            yield _talk(run, row, view, split, false.get(row.id, ""))

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        modes = ", ".join(f"{count} by {mode}" for mode, count in self._modes.most_common())
        note = (
            f"Region knowledge: {self._modes.total()} rows ({modes}). Each region is drawn in its picture with its "
            "number; `[n]` in a text is that number."
        )
        return Closing(notes=(note,) if modes else (), dropped=self._dropped)


MENTION = re.compile(r"\[(\d+)\]")


def rows_with_views(run: RunData, dropped: Counter[str]) -> Iterator[tuple[Qar, RegionView]]:
    """Accepted rows of the kind `regions`, each with its view; those whose view the run does not have are counted."""
    views = {view.id: view for view in run.region_views}
    rows = run.list_accepted("regions")
    known = [row for row in rows if row.view in views]
    dropped["region rows without their view"] += len(rows) - len(known)
    yield from ((row, views[row.view]) for row in known)


def round_box(region: Region) -> list[float]:
    """Corners in pixels with two decimals."""
    return [round(float(value), 2) for value in region.box_xyxy]


def _talk(run: RunData, row: Qar, view: RegionView, split: str, rejected: str) -> Talk:
    return Talk(
        **tell_source(run, split, [view.frame]),
        id=row.id,
        kind="regions",
        turns=((plain(row.question), plain(f"{row.answer} {row.rationale}")),),
        type=row.type,
        solution=plain(row.solution or row.answer),
        scale_status=row.scale_status,
        places=tuple(Place("region", one.number, f"[{one.number}]", 0, one.box_xyxy, one.mask) for one in view.regions),
        rejected=plain(rejected),
        more={"mode": row.mode, "rationale": plain(row.rationale)},
    )
