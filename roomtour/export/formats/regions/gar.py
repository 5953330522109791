"""Grasp Any Region: a picture, masks, and turns that name them `<Prompt0>`, `<Prompt1>`, ..., or captions of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field

from instructions.perception.masks import pack_runs
from roomtour.export.core.checking import Id, RelativePath, Row, RowCheck, must
from roomtour.export.core.columns import Mask, Turns, check_masks, find_sizes, turns_of
from roomtour.export.core.format import ExportFormat, Loader
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.region_items import RegionOptions, number_places, write_region_items
from roomtour.export.core.talks.region_masks import cover
from roomtour.export.core.talks.regions import RegionTalks, frame_of_view
from roomtour.export.core.talks.talk import Closing, Place, Talk
from roomtour.export.core.talks.told_things import tell_things

LOADER = Loader(
    "Grasp Any Region",
    "Haochen-Wang409/Grasp-Any-Region",
    "e479816",
    "2025-10-24",
    "projects/grasp_any_region/datasets/GraspAnyRegion_Dataset.py",
)
MOST_PROMPTS = 5
"""The loader knows `<Prompt0>` to `<Prompt4>`, and takes more for none."""
MOST_CAPTIONS = MOST_PROMPTS - 1
"""It leaves one for what is not in the picture."""
FILES = "gar_{split}.json"
ROOT = "data/roomtour"
"""Where the trainer finds the dataset: it opens pictures by their path from its own folder."""
CAPTION = "caption"
DESCRIBE = "Describe the masked region in detail."

CONVENTION = f"""\
* `gar_{{split}}.json`: items with `image`, `mask_rle` (COCO's compressed form, one per region) and `conversations`.
  Link the dataset to `{ROOT}` in the folder of the trainer, which begins every `image`, and add
  `{ROOT}/gar_train.json` to the data of `projects/grasp_any_region/configs/gar_1b.py`.
* Questions: `<Prompt0>` in a text is the first mask, and so on to `<Prompt{MOST_PROMPTS - 1}>`; those about several
  pictures and those that name things by words are left out.
* Captions: no `<Prompt`; each answer describes the mask at its place, at most {MOST_CAPTIONS}, by what region knowledge
  says of it (kind, color, use). The loader words the questions itself; here they are those of Describe Anything, whose
  training code is not published.
* A region without a mask has its box as one, a marked point a small disk."""


def write(runs: Iterable[RunData], ledger: Ledger, options: RegionOptions) -> None:
    """Write the items of all tours; they wait on disk until all tours are seen."""
    write_region_items(runs, ledger, options, FILES, _item, (SpatialTalks, RegionTalks, CaptionTalks))


@dataclass(eq=False)
class CaptionTalks:
    """What region knowledge says of the regions of a view, one turn for each."""

    kind: ClassVar[str] = "regions"
    file: ClassVar[str] = "regions"
    has_many_turns: ClassVar[bool] = True
    has_many_images: ClassVar[bool] = False
    columns: ClassVar[tuple[str, ...]] = ()

    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """See `TalkSource.take`."""
        things = tell_things(run)
        for view in run.region_views:
            told = [
                (region, things[region.object]) for region in view.regions if region.object and region.object in things
            ]
            if told:
                yield Talk(
                    id=f"{view.id}_{CAPTION}",
                    kind=self.kind,
                    tour=run.scene.id,
                    split=split,
                    images=(frame_of_view(run, view),),
                    turns=tuple((DESCRIBE, one.caption) for _, one in told[:MOST_CAPTIONS]),
                    type=CAPTION,
                    solution=told[0][1].caption,
                    scale_status="relative",
                    licence=run.scene.source.licence,
                    places=tuple(
                        Place("region", one.number, f"[{one.number}]", 0, one.box_xyxy, one.mask)
                        for one, _ in told[:MOST_CAPTIONS]
                    ),
                )

    def close(self, balance: bool) -> Closing:
        """See `TalkSource.close`."""
        return Closing()


def _item(talk: Talk) -> tuple[dict[str, object], Talk] | str:
    """The item of a talk, or why it has none."""
    if talk.type == CAPTION:
        turns, order = turns_of(talk.turns), list(talk.places)
    else:
        numbered = number_places(talk, lambda place: f"<Prompt{place}>")
        if isinstance(numbered, str):
            return numbered
        turns, order = numbered
    if len(order) > MOST_PROMPTS:
        return f"about more than {MOST_PROMPTS} regions"
    (image,) = talk.images
    item = {
        "id": talk.id,
        "image": f"{ROOT}/images/{image.name}",
        "mask_rle": [pack_runs(cover(one, image.size_px)[1]) for one in order],
        "conversations": turns,
    }
    return item, replace(talk, places=tuple(order))


_MARK = re.compile(r"<Prompt(\d+)>")
_LEAST_SIDE_PX = 10
"""The loader leaves smaller pictures out."""


class _Item(Row):
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
        named = {int(found) for turn in turns for found in _MARK.findall(turn.value)}
        if named and named != set(range(masks)):
            row.bad("conversations.value", f"<Prompt0> to <Prompt{masks - 1}>, one for each mask", sorted(named))
        if not named and not masks == len(turns) // 2 <= MOST_CAPTIONS:
            row.bad("conversations", f"an answer for each of {masks} masks, {MOST_CAPTIONS} at most", len(turns) // 2)
        return None


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """The items of the splits, their pictures by the path below the dataset."""
    for name, row in read_row_files(folder, "gar_*.json"):
        yield name, {**row, "image": str(row.get("image")).removeprefix(f"{ROOT}/")}


GAR = ExportFormat(
    name="gar",
    summary="masks of regions with captions, and questions about them and how they lie",
    client=str(LOADER),
    reads=("spatial", "qars"),
    convention=CONVENTION,
    options=RegionOptions,
    write=write,
    rows=_read_rows,
    tables={FILES: _Item},
)
