"""Osprey: a picture, the masks of its regions as run lengths, and turns that name them `<region1>`, `<region2>`, ..."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from instructions.perception.masks import encode_mask
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.region_masks import cover
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import Place, Talk

CONVENTION = """\
* `osprey_{split}.json`: one picture and one question per item. `annotation` holds the regions that the texts name, in
  the order of their first mention; `<region1>` is the first.
* `bbox` are corners in pixels of the picture; `segmentation` is COCO's uncompressed run-length form (column by column,
  zeros first), the box itself where nobody knows a mask, a small disk at a marked point.
* Spatial questions have regions in place of names and marks; those about several pictures are left out.
* `file_name` is relative to `images/`. Rows that name things by words have no annotation, so they are left out."""


@dataclass(frozen=True, kw_only=True)
class OspreyOptions(ExportOptions):
    """Options of the format."""

    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"osprey_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: OspreyOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    with ExitStack() as stack:
        sources = (SpatialTalks, RegionTalks)
        spool = stack.enter_context(TalkSpool(ledger, options.balance, form=None, sources=sources))
        files = {split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split))) for split in splits}
        ledger.counts.update({"rows": 0})
        for run in runs:
            spool.take(run)
        for talk in spool.give():
            item = _item(talk)
            if isinstance(item, str):
                ledger.counts[talk.kind] -= 1
                ledger.dropped[f"{talk.kind}: {item}"] += 1
                continue
            files[talk.split].add(item)
            ledger.counts["rows"] += 1
            if options.copy_images:
                copy_images(talk, ledger.out / "images")


def _item(talk: Talk) -> dict[str, object] | str:
    """The row of a talk, or why it has none."""
    if len(talk.images) != 1:
        return "about more than one picture"
    order: list[Place] = []

    def mark(place: Place, _: str) -> str:
        if place not in order:
            order.append(place)
        return f"<region{order.index(place) + 1}>"

    told = say_places(talk, mark)
    if isinstance(told, str):
        return told
    if not order:
        return "names things by words"
    width, height = size = talk.images[0].size_px
    return {
        "id": talk.id,
        "file_name": talk.images[0].name,
        "height": height,
        "width": width,
        "annotation": [_annotate(one, size) for one in order],
        "conversations": [
            {"from": speaker, "value": text}
            for turn in told.turns
            for speaker, text in zip(("human", "gpt"), turn, strict=True)
        ],
    }


def _annotate(place: Place, size_px: tuple[int, int]) -> dict[str, object]:
    """Box and mask of a place. Of a box without a mask both corners belong to it, as where regions are drawn."""
    box, mask = cover(place, size_px)
    if place.spot is None or len(place.spot) == 2:
        exact: list[float] = [float(value) for value in box]
    else:
        exact = [round(float(value), 2) for value in place.spot]
        if place.mask is None:
            (x0, y0, x1, y1), (width, height) = (int(value) for value in place.spot), size_px
            filled = np.zeros((height, width), dtype=bool)
            filled[max(y0, 0) : y1 + 1, max(x0, 0) : x1 + 1] = True
            mask = encode_mask(filled)
    return {"bbox": exact, "segmentation": {"size": [mask.height, mask.width], "counts": list(mask.counts)}}
