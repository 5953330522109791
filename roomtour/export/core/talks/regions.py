"""Questions about numbered parts of a view as talks that point at them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from instructions.regions.records import Qar, Region, RegionView
from roomtour.export.core.images import show_frame
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.conversations import plain
from roomtour.export.core.talks.talk import Closing, Place, Talk, TalkImage, TalkSource, frame_images


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
    rows = [row for row in run.rows.get("regions", ()) if row.accepted]
    known = [row for row in rows if row.view in views]
    if len(known) < len(rows):
        dropped["region rows without their view"] += len(rows) - len(known)
    yield from ((row, views[row.view]) for row in known)


def show_view(run: RunData, view: RegionView, dataset: Path, *, copy: bool) -> str:
    """Path of a view's picture below `images/` of a dataset, in which it then lies unless it is not to be copied."""
    if view.frame is None:
        return f"{run.scene.id}/{view.image}"
    return show_frame(run, view.frame, dataset, copy=copy)


def round_box(region: Region) -> list[float]:
    """Corners in pixels with two decimals."""
    return [round(float(value), 2) for value in region.box_xyxy]


def frame_of_view(run: RunData, view: RegionView) -> TalkImage:
    """The view as it was taken."""
    return (
        frame_images(run, [view.frame])[0]
        if view.frame is not None
        else TalkImage(view.image, view.image, (view.width, view.height))
    )


def _talk(run: RunData, row: Qar, view: RegionView, split: str, rejected: str) -> Talk:
    return Talk(
        id=row.id,
        kind="regions",
        tour=run.scene.id,
        split=split,
        images=(frame_of_view(run, view),),
        turns=((plain(row.question), plain(f"{row.answer} {row.rationale}")),),
        type=row.type,
        solution=plain(row.solution or row.answer),
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        places=tuple(Place("region", one.number, f"[{one.number}]", 0, one.box_xyxy, one.mask) for one in view.regions),
        rejected=plain(rejected),
        more={"mode": row.mode, "rationale": plain(row.rationale)},
    )
