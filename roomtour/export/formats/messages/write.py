"""Chat messages with pictures, one JSON object per line, as ms-swift, LLaMA-Factory and TRL read them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.spatial_rows import IMAGE_TOKEN, QuestionItem, QuestionSpool

CONVENTION = """\
* `{split}.jsonl`: `messages` (role and content), `images` (paths relative to this folder, one for each `<image>` in
  the messages), and beside them `solution` (the truth to compare with), `type`, `unit`, `sigma`, `choices`, `tour`,
  `scale_status`. A client that knows no such columns leaves them out.
* `solution` of a number is in metres, in full; the answer in the messages says it as a person would."""


@dataclass(frozen=True, kw_only=True)
class MessagesOptions(ExportOptions):
    """Options of the format."""

    balance: bool = True
    """Leave out rows whose answer the names would tell: sizes and heights of two categories beyond equal outcomes."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: MessagesOptions) -> None:
    """Write the questions of all tours; rows wait on disk until all tours are seen."""
    ledger.counts["spatial"] = 0
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    with QuestionSpool(ledger, options.balance) as spool, ExitStack() as stack:
        for run in runs:
            frames = spool.take(run)
            if options.copy_images and frames:
                copy_frames(run, sorted(frames), ledger.out / "images" / run.scene.id)
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        for item in spool.items():
            files[item.split].write(json.dumps(_row(item), ensure_ascii=False, allow_nan=False) + "\n")
            ledger.counts["spatial"] += 1


def _row(item: QuestionItem) -> dict[str, object]:
    return {
        "id": item.id,
        "messages": [
            {"role": "user", "content": f"{IMAGE_TOKEN}{item.question}"},
            {"role": "assistant", "content": item.answer},
        ],
        "images": [f"images/{item.image}"],
        "solution": item.solution,
        "type": item.type,
        "unit": item.unit,
        "sigma": item.sigma,
        "choices": list(item.choices),
        "tour": item.tour,
        "scale_status": item.scale_status,
    }
