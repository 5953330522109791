"""Osprey: a picture, the masks of its regions as run lengths, and turns that name them `<region1>`, `<region2>`, ..."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.region_items import RegionOptions, number_places, write_region_items
from roomtour.export.core.talks.region_masks import cover
from roomtour.export.core.talks.talk import Place, Talk

LOADER = Loader("Osprey", "CircleRadon/Osprey", "deb0e57", "2025-04-28", "osprey/datasets/osprey_724k.py")
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


def file_name(split: str) -> str:
    """The file of a split."""
    return f"osprey_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: RegionOptions) -> None:
    """Write the rows of all tours; they wait on disk until all tours are seen."""
    write_region_items(runs, ledger, options, file_name, _item)


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
