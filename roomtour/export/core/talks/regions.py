"""Questions about numbered parts of a view as talks about a picture in which they are drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from instructions.regions.draw import Highlight, draw_highlights
from instructions.regions.records import RegionView
from instructions.regions.talks import RegionTalk, find_talks
from recon.pictures import decode_picture, write_picture_file
from roomtour.errors import RoomtourError
from roomtour.export.core.conversations import plain
from roomtour.export.core.images import read_picture
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.talk import DRAWN, Closing, Talk, TalkImage, TalkRegions, frame_images


@dataclass(eq=False)
class RegionTalks:
    """Each view is drawn once, with all its regions, so `[n]` means the same in all its rows."""

    kind: ClassVar[str] = "regions"
    file: ClassVar[str] = "regions"
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ("mode", "rationale")
    _modes: Counter[str] = field(default_factory=Counter)

    def take(self, run: RunData, split: str, drawn: Path) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        views = {view.id: view for view in run.region_views}
        pictures: dict[str, tuple[TalkImage, TalkImage]] = {}
        for told in find_talks(run.rows.get(self.kind, ()), views):
            if told.view.id not in pictures:
                plain_image = _find_image(run, told.view)
                pictures[told.view.id] = plain_image, _draw(run, told.view, plain_image, drawn)
            self._modes[told.row.mode] += 1
            yield _talk(run, told, split, *pictures[told.view.id])

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        if not self._modes:
            return Closing()
        modes = ", ".join(f"{count} by {mode}" for mode, count in self._modes.most_common())
        return Closing(
            notes=(
                f"Region knowledge: {self._modes.total()} rows ({modes}). Each region is drawn in its picture with its "
                "number; `[n]` in a text is that number.",
            )
        )


def _find_image(run: RunData, view: RegionView) -> TalkImage:
    """The view as it was taken."""
    return frame_images(run, [view.frame])[0] if view.frame is not None else TalkImage(view.image, view.image)


def _draw(run: RunData, view: RegionView, frame: TalkImage, drawn: Path) -> TalkImage:
    """The view with all its regions and their numbers, as a PNG."""
    data = read_picture(Path(frame.path), run.scene.id)
    image = decode_picture(data)
    if image is None:
        raise RoomtourError(f"tour {run.scene.id}: {frame.path} cannot be read as an image")
    highlights = [Highlight(one.box_xyxy, one.mask, one.number) for one in view.regions]
    picture = draw_highlights(np.asarray(image[:, :, ::-1], dtype=np.uint8), highlights, draw_numbers=True)
    name = Path(frame.name).with_suffix(".png")
    target = drawn / name
    target.parent.mkdir(parents=True, exist_ok=True)
    write_picture_file(target, picture[:, :, ::-1])
    return TalkImage(f"{DRAWN}/{name}", str(target))


def _talk(run: RunData, told: RegionTalk, split: str, frame: TalkImage, picture: TalkImage) -> Talk:
    row, view = told.row, told.view
    boxes = {one.number: one.box_xyxy for one in view.regions if one.number in row.mentioned}
    return Talk(
        id=row.id,
        kind="regions",
        tour=run.scene.id,
        split=split,
        images=(picture,),
        turns=((plain(told.question), plain(told.answer)),),
        type=told.type,
        solution=plain(told.solution or row.answer),
        scale_status=row.scale_status,
        licence=run.scene.source.licence,
        regions=TalkRegions(frame, (view.width, view.height), boxes),
        more={"mode": row.mode, "rationale": plain(row.rationale)},
    )
