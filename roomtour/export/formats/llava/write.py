"""LLaVA conversations: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le

from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.conversations import IMAGE_TOKEN, image_of, view_conversations, way_conversations
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.spatial_rows import QuestionItem, QuestionSpool
from roomtour.export.core.streams import JsonArrayWriter

CONVENTION = """\
* `views_{split}.json`: one image (a text in `image`) and the things in it, by side and distance.
* `ways_{split}.json`: several images in time order (a list in `image`) and the way in words; for clients that take
  more than one image. Each file holds one kind, because readers that infer a schema stop at a mixture.
* `questions_{split}.json`: one image and a spatial question with its answer; `solution` is the truth in full, `unit`
  and `sigma` those of a number.
* `image` is relative to `images/`: give that folder as the image folder. Each `<image>` in the question stands for one.
* `source` names the frames, the model and what wrote the text."""


@dataclass(frozen=True, kw_only=True)
class LlavaOptions(AugmentOptions):
    """Options of the format."""

    max_images: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_images < 2:
            raise ValueError(f"max_images is {self.max_images}, need at least 2, the first and the last view")


def file_names(split: str) -> tuple[str, str, str]:
    """The files of single views, of ways and of spatial questions."""
    return f"views_{split}.json", f"ways_{split}.json", f"questions_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: LlavaOptions) -> None:
    """Write the conversations of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    with ExitStack() as stack:
        spool = stack.enter_context(QuestionSpool(ledger, options.balance))
        files = {
            split: tuple(stack.enter_context(JsonArrayWriter(ledger.out / name)) for name in file_names(split))
            for split in splits
        }
        ledger.counts.update({"views": 0, "ways": 0, "spatial": 0})
        for run in runs:
            views, ways, _ = files[ledger.split]
            used = _write_views(run, ledger, views) | _write_ways(run, ledger, ways, options.max_images)
            used |= spool.take(run)
            if options.copy_images and used:
                copy_frames(run, sorted(used), ledger.out / "images" / run.scene.id)
        for item in spool.items():
            files[item.split][2].add(_question(item))
            ledger.counts["spatial"] += 1


def _question(item: QuestionItem) -> dict[str, object]:
    return {
        "id": item.id,
        "image": item.image,
        "conversations": _conversation(1, item.question, item.answer),
        "type": item.type,
        "solution": item.solution,
        "unit": item.unit,
        "sigma": item.sigma,
        "source": {"tour": item.tour, "scale_status": item.scale_status},
    }


def _write_views(run: RunData, ledger: Ledger, items: JsonArrayWriter) -> set[int]:
    used: set[int] = set()
    for told in view_conversations(run, ledger):
        items.add(
            {
                "id": told.id,
                "image": image_of(run, told.frames[0]),
                "conversations": _conversation(1, told.question, told.answer),
                "source": told.source,
            }
        )
        used.update(told.frames)
        ledger.counts["views"] += 1
    return used


def _write_ways(run: RunData, ledger: Ledger, items: JsonArrayWriter, most: int) -> set[int]:
    used: set[int] = set()
    for told in way_conversations(run, ledger, most):
        items.add(
            {
                "id": told.id,
                "image": [image_of(run, frame) for frame in told.frames],
                "conversations": _conversation(len(told.frames), told.question, told.answer),
                "source": told.source,
            }
        )
        used.update(told.frames)
        ledger.counts["ways"] += 1
    return used


def _conversation(images: int, question: str, answer: str) -> Sequence[dict[str, str]]:
    return [
        {"from": "human", "value": f"{IMAGE_TOKEN}\n" * images + question},
        {"from": "gpt", "value": answer},
    ]
