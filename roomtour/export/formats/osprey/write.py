"""Osprey: a picture, the masks of its regions as run lengths, and turns that name them `<region1>`, `<region2>`, ..."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from instructions.regions.talks import RegionTalk
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.region_rows import MENTION, copy_views, image_of_view, mask_of, region_talks, round_box
from roomtour.export.core.streams import JsonArrayWriter

CONVENTION = """\
* `osprey_{split}.json`: one picture and one question per item. `annotation` holds the regions that the texts name, in
  the order of their first mention; `<region1>` is the first.
* `bbox` are corners in pixels of the picture; `segmentation` is COCO's uncompressed run-length form (column by column,
  zeros first), the box itself where nobody knows a mask.
* `file_name` is relative to `images/`. Rows that name things by words have no annotation, so they are left out."""


@dataclass(frozen=True, kw_only=True)
class OspreyOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"osprey_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: OspreyOptions) -> None:
    """Write rows of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    with ExitStack() as stack:
        files = {split: stack.enter_context(JsonArrayWriter(ledger.out / file_name(split))) for split in splits}
        ledger.counts.update({"rows": 0})
        for run in runs:
            used: set[int] = set()
            for talk in region_talks(run, ledger):
                if talk.row.mode == "description":
                    ledger.dropped["names things by words"] += 1
                    continue
                files[ledger.split].add(_item(run, talk))
                ledger.counts["rows"] += 1
                used.add(talk.frame)
            if options.copy_images:
                copy_views(run, ledger, used)


def _item(run: RunData, talk: RegionTalk) -> dict[str, object]:
    by_number = {one.number: one for one in talk.regions}
    places = {number: place for place, number in enumerate(talk.row.mentioned, start=1)}
    annotation = []
    for number in talk.row.mentioned:
        mask = mask_of(by_number[number], talk.view)
        annotation.append(
            {
                "bbox": round_box(by_number[number]),
                "segmentation": {"size": [mask.height, mask.width], "counts": list(mask.counts)},
            }
        )

    def mark(text: str) -> str:
        return MENTION.sub(lambda found: f"<region{places[int(found.group(1))]}>", text)

    return {
        "id": talk.id,
        "file_name": image_of_view(run, talk.view),
        "height": talk.view.height,
        "width": talk.view.width,
        "annotation": annotation,
        "conversations": [
            {"from": "human", "value": mark(talk.question)},
            {"from": "gpt", "value": mark(talk.answer)},
        ],
    }
