"""Osprey: a picture, the masks of its regions as run lengths, and turns that name them `<region1>`, `<region2>`, ..."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, RowCheck, Whole, must, there
from roomtour.export.core.columns import Turns
from roomtour.export.core.format import ExportFormat, Loader
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.region_items import RegionOptions, number_places, write_region_items
from roomtour.export.core.talks.region_masks import cover
from roomtour.export.core.talks.talk import Place, Talk

LOADER = Loader("Osprey", "CircleRadon/Osprey", "deb0e57", "2025-04-28", "osprey/datasets/osprey_724k.py")
FILES = "osprey_{split}.json"
CONVENTION = """\
* `osprey_{split}.json`: one picture and one question per item. `annotation` holds the regions that the texts name, in
  the order of their first mention; `<region1>` is the first. Give it as `ann_file` of `OspreyConversations`, and
  `images` as `img_prefix`.
* `segmentation` is COCO's uncompressed run-length form (column by column, zeros first), the box itself where nobody
  knows a mask, a small disk at a marked point. `bbox` are its corners in whole pixels, the lower one outside; the
  loader does not read it.
* Spatial questions have regions in place of names and marks; those about several pictures are left out.
* `file_name` is relative to `images/`, with `%5F` for each underscore: the loader cuts off what stands before the last
  one. Rows that name things by words have no annotation, so they are left out."""


def write(runs: Iterable[RunData], ledger: Ledger, options: RegionOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen."""
    write_region_items(runs, ledger, options, FILES, _item)


def _item(talk: Talk) -> tuple[dict[str, object], Talk] | str:
    """The row of a talk and the talk with the names of its pictures, or why it has none."""
    numbered = number_places(talk, lambda place: f"<region{place + 1}>")
    if isinstance(numbered, str):
        return numbered
    turns, order = numbered
    (image,) = talk.images
    image = replace(image, name=image.name.replace("_", "%5F"))
    width, height = image.size_px
    item = {
        "id": talk.id,
        "file_name": image.name,
        "height": height,
        "width": width,
        "annotation": [_annotate(one, image.size_px) for one in order],
        "conversations": turns,
    }
    return item, replace(talk, images=(image,), places=tuple(order))


def _annotate(place: Place, size_px: tuple[int, int]) -> dict[str, object]:
    box, mask = cover(place, size_px)
    return {"bbox": box, "segmentation": {"size": [mask.height, mask.width], "counts": list(mask.counts)}}


_MARK = re.compile(r"<region(\d+)>")


class _Mask(Row):
    size: Annotated[list[Whole], Field(min_length=2, max_length=2)]
    counts: Annotated[list[Whole], Field(min_length=1)]


class _Annotation(Row):
    bbox: Annotated[list[Whole], Field(min_length=4, max_length=4)]
    segmentation: _Mask


class _Item(Row):
    id: Id
    file_name: Annotated[
        RelativePath,
        must(lambda name: "_" not in name, "no underscore: the loader cuts off what stands before"),
        there("images"),
    ]
    height: Whole
    width: Whole
    annotation: Annotated[list[_Annotation], Field(min_length=1)]
    conversations: Turns

    def check(self, row: RowCheck) -> None:
        """A mask for each mark, as large as the picture."""
        named = {int(found) for turn in self.conversations for found in _MARK.findall(turn.value)}
        if named != set(range(1, len(self.annotation) + 1)):
            row.bad("annotation", f"one entry for each mark, {sorted(named)}", len(self.annotation))
        for one in self.annotation:
            x0, y0, x1, y1 = one.bbox
            if x1 <= x0 or y1 <= y0:
                row.bad("bbox", "corners from the top left to the bottom right", one.bbox)
            mask = one.segmentation
            if mask.size != [self.height, self.width] or sum(mask.counts) != self.height * self.width:
                row.bad("segmentation", f"run lengths of {self.height} x {self.width} pixels", mask.size)


OSPREY = ExportFormat(
    name="osprey",
    summary="conversations about the masks of regions, things and points",
    client=str(LOADER),
    reads=("spatial", "qars"),
    convention=CONVENTION,
    options=RegionOptions,
    write=write,
    rows=rows_of("osprey_*.json"),
    tables={FILES: _Item},
)
