"""Questions about the masks of regions: Osprey's and Grasp Any Region's items."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from instructions.perception.masks import pack_runs
from roomtour.export.core.checking import Row, RowCheck
from roomtour.export.core.fields import (
    Id,
    Mask,
    RelativePath,
    Turns,
    Whole,
    check_masks,
    find_sizes,
    must,
    there,
    turns_of,
)
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import BalanceOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import FileRow, read_row_files, rows_of
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.regions import RegionTalks, cover, tell_things
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import Place, Talk, TalkSource, tell_source

Item = tuple[dict[str, object], Talk]
"""An item, and its talk with the places whose masks it holds and the pictures to copy."""
BOXES = "boxes for masks"


def _number_places(talk: Talk, mark: Callable[[int], str]) -> tuple[list[dict[str, Any]], list[Place]] | str:
    """The turns of a talk with marks for what they point at, and what each mark stands for; or why there are none.

    Args:
        talk: With plain pictures.
        mark: Makes the mark of a place from its position, counted from 0 in the order of first mention.
    """
    if len(talk.images) != 1:
        return "about more than one picture"
    order: list[Place] = []

    def say(place: Place, _: str) -> str:
        if place not in order:
            order.append(place)
        return mark(order.index(place))

    pointed = say_places(talk, say)
    if isinstance(pointed, str):
        return pointed
    return (turns_of(pointed.turns), order) if order else "names things by words"


def _write(
    name: str,
    build: Callable[[Talk], Item | str],
    sources: tuple[type[TalkSource], ...],
    runs: Iterable[RunData],
    ledger: Ledger,
    options: BalanceOptions,
) -> None:
    """Write the items of all tours and their pictures; talks wait on disk until all tours are seen."""
    ledger.counts.update({"rows": 0, "masks": 0, BOXES: 0})
    spool = TalkSpool(ledger, options.balance, form=None, sources=sources)
    add = ledger.open_rows(name, options, "rows")
    for talk, (item, shown) in spool.build(runs, build):
        add(item, talk.split)
        ledger.counts["masks"] += len(shown.places)
        ledger.counts[BOXES] += sum(place.mask is None and len(place.spot or ()) == 4 for place in shown.places)
        copy_images(shown, ledger.out / "images")


def _find_numbers(mark: str, turns: Turns) -> set[int]:
    return {int(number) for turn in turns for number in re.findall(rf"<{mark}(\d+)>", turn.value)}


OSPREY_FILES = "osprey_{split}.json"
_OSPREY_CONVENTION = """\
* `osprey_{split}.json`: one picture and one question per item. `annotation` holds the regions that the texts name, in
  the order of their first mention; `<region1>` is the first. Give it as `ann_file` of `OspreyConversations`, and
  `images` as `img_prefix`.
* `segmentation` is COCO's uncompressed run-length form (column by column, zeros first), the box itself where nobody
  knows a mask, a small disk at a marked point. `bbox` are its corners in whole pixels, the lower one outside; the
  loader does not read it.
* Spatial questions have regions in place of names and marks; those about several pictures are left out.
* `file_name` is relative to `images/`, with `%5F` for each underscore: the loader cuts off what stands before the last
  one. Rows that name things by words have no annotation, so they are left out."""


def _build_osprey(talk: Talk) -> Item | str:
    numbered = _number_places(talk, lambda place: f"<region{place + 1}>")
    if isinstance(numbered, str):
        return numbered
    turns, order = numbered
    image = replace(talk.images[0], name=talk.images[0].name.replace("_", "%5F"))
    width, height = image.size_px
    covers = [cover(one, image.size_px) for one in order]
    item = {
        "id": talk.id,
        "file_name": image.name,
        "height": height,
        "width": width,
        "annotation": [
            {"bbox": box, "segmentation": {"size": [mask.height, mask.width], "counts": list(mask.counts)}}
            for box, mask in covers
        ],
        "conversations": turns,
    }
    return item, replace(talk, images=(image,), places=tuple(order))


class _PlainMask(Row):
    size: Annotated[list[Whole], Field(min_length=2, max_length=2)]
    counts: Annotated[list[Whole], Field(min_length=1)]


class _Annotation(Row):
    bbox: Annotated[list[Whole], Field(min_length=4, max_length=4)]
    segmentation: _PlainMask


class _OspreyItem(Row):
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
        named = _find_numbers("region", self.conversations)
        if named != set(range(1, len(self.annotation) + 1)):
            row.bad("annotation", f"one entry for each mark, {sorted(named)}", len(self.annotation))
        for annotation in self.annotation:
            x0, y0, x1, y1 = annotation.bbox
            row.need(x1 > x0 and y1 > y0, "bbox", "corners from the top left to the bottom right", annotation.bbox)
            mask = annotation.segmentation
            if mask.size != [self.height, self.width] or sum(mask.counts) != self.height * self.width:
                row.bad("segmentation", f"run lengths of {self.height} x {self.width} pixels", mask.size)


OSPREY = ExportFormat(
    name="osprey",
    summary="conversations about the masks of regions, things and points",
    client="Osprey (CircleRadon/Osprey at deb0e57 of 2025-04-28, osprey/datasets/osprey_724k.py)",
    reads=("spatial", "qars"),
    convention=_OSPREY_CONVENTION,
    options=BalanceOptions,
    write=partial(_write, OSPREY_FILES, _build_osprey, (SpatialTalks, RegionTalks)),
    rows=rows_of("osprey_*.json"),
    tables={OSPREY_FILES: _OspreyItem},
)

GAR_FILES = "gar_{split}.json"
MOST_PROMPTS = 5
"""Grasp Any Region's loader knows `<Prompt0>` to `<Prompt4>`, and takes more for none."""
MOST_CAPTIONS = MOST_PROMPTS - 1
"""It leaves one for what is not in the picture."""
ROOT = "data/roomtour"
"""Where the trainer finds the dataset: it opens pictures by their path from its own folder."""
CAPTION = "caption"
DESCRIBE = "Describe the masked region in detail."
_LEAST_SIDE_PX = 10
"""The loader leaves smaller pictures out."""
_GAR_CONVENTION = f"""\
* `gar_{{split}}.json`: items with `image`, `mask_rle` (COCO's compressed form, one per region) and `conversations`.
  Link the dataset to `{ROOT}` in the folder of the trainer, which begins every `image`, and add
  `{ROOT}/gar_train.json` to the data of `projects/grasp_any_region/configs/gar_1b.py`.
* Questions: `<Prompt0>` in a text is the first mask, and so on to `<Prompt{MOST_PROMPTS - 1}>`; those about several
  pictures and those that name things by words are left out.
* Captions: no `<Prompt`; each answer describes the mask at its place, at most {MOST_CAPTIONS}, by what region knowledge
  says of it (kind, color, use). The loader words the questions itself; here they are those of Describe Anything, whose
  training code is not published.
* A region without a mask has its box as one, a marked point a small disk."""


class CaptionTalks(TalkSource):
    """What region knowledge says of the regions of a view, one turn for each."""

    kind = file = "regions"
    has_many_turns = True

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        things = tell_things(run)
        for view in run.region_views:
            known = [
                (region, things[region.object]) for region in view.regions if region.object and region.object in things
            ][:MOST_CAPTIONS]
            if known:
                yield Talk(
                    **tell_source(run, split, [view.frame]),
                    id=f"{view.id}_{CAPTION}",
                    kind=self.kind,
                    turns=tuple((DESCRIBE, thing.caption) for _, thing in known),
                    type=CAPTION,
                    solution=known[0][1].caption,
                    scale_status="relative",
                    places=tuple(
                        Place("region", one.number, f"[{one.number}]", 0, one.box_xyxy, one.mask) for one, _ in known
                    ),
                )


def _build_gar(talk: Talk) -> Item | str:
    if talk.type == CAPTION:
        turns, order = turns_of(talk.turns), list(talk.places)
    else:
        numbered = _number_places(talk, lambda place: f"<Prompt{place}>")
        if isinstance(numbered, str):
            return numbered
        turns, order = numbered
    if len(order) > MOST_PROMPTS:
        return f"about more than {MOST_PROMPTS} regions"
    (image,) = talk.images
    masks = [pack_runs(cover(one, image.size_px)[1]) for one in order]
    item = {"id": talk.id, "image": f"{ROOT}/images/{image.name}", "mask_rle": masks, "conversations": turns}
    return item, replace(talk, places=tuple(order))


class _GarItem(Row):
    id: Id
    image: Annotated[
        RelativePath, must(lambda name: name.startswith(f"{ROOT}/images/"), f"a path below {ROOT}/images/")
    ]
    mask_rle: Annotated[list[Mask], Field(min_length=1, max_length=MOST_PROMPTS)]
    conversations: Turns

    def check(self, row: RowCheck) -> None:
        """Masks of their picture, marks the loader knows, an answer for each caption."""
        (size,) = find_sizes(row, [self.image.removeprefix(f"{ROOT}/")])
        if size is None or min(size) < _LEAST_SIDE_PX:
            return row.bad("image", f"a picture that is there, {_LEAST_SIDE_PX} pixels at least", self.image)
        check_masks(row, "mask_rle", self.mask_rle, size)
        turns, masks = self.conversations, len(self.mask_rle)
        if any("<image>" in turn.value for turn in turns):
            row.bad("conversations.value", "no <image>: the loader puts the picture first", turns[0].value)
        named = _find_numbers("Prompt", turns)
        if named and named != set(range(masks)):
            row.bad("conversations.value", f"<Prompt0> to <Prompt{masks - 1}>, one for each mask", sorted(named))
        if not named and not masks == len(turns) // 2 <= MOST_CAPTIONS:
            row.bad("conversations", f"an answer for each of {masks} masks, {MOST_CAPTIONS} at most", len(turns) // 2)
        return None


def _read_gar(folder: Path) -> Iterator[FileRow]:
    """The items of the splits, their pictures by the path below the dataset."""
    for name, row in read_row_files(folder, "gar_*.json"):
        yield name, {**row, "image": str(row.get("image")).removeprefix(f"{ROOT}/")}


GAR = ExportFormat(
    name="gar",
    summary="masks of regions with captions, and questions about them and how they lie",
    client="Grasp Any Region (Haochen-Wang409/Grasp-Any-Region at e479816 of 2025-10-24, "
    "projects/grasp_any_region/datasets/GraspAnyRegion_Dataset.py)",
    reads=("spatial", "qars"),
    convention=_GAR_CONVENTION,
    options=BalanceOptions,
    write=partial(_write, GAR_FILES, _build_gar, (SpatialTalks, RegionTalks, CaptionTalks)),
    rows=_read_gar,
    tables={GAR_FILES: _GarItem},
)
