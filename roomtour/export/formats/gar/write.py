"""Grasp Any Region: a picture, masks, and turns that name them `<Prompt0>`, `<Prompt1>`, ..., or captions of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from instructions.perception.masks import pack_runs
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
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


def file_name(split: str) -> str:
    """The file of a split."""
    return f"gar_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: RegionOptions) -> None:
    """Write the items of all tours; they wait on disk until all tours are seen."""
    write_region_items(runs, ledger, options, file_name, _item, (SpatialTalks, RegionTalks, CaptionTalks))


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
        speakers = ("human", "gpt")
        turns = [{"from": who, "value": text} for turn in talk.turns for who, text in zip(speakers, turn, strict=True)]
        order = list(talk.places)
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
