"""ms-swift: messages about regions and views in which marks stand for names and boxes, given in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from instructions.regions.talks import RegionTalk
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.region_rows import MENTION, copy_views, image_of_view, region_talks, round_box
from roomtour.export.formats.swift.talks import IMAGE, dialogue_rows

CONVENTION = """\
* `swift_{split}.jsonl`: one row per line with `messages`, `images` and `objects`. Each `<ref-object>` and each `<bbox>`
  of the messages stands for the next entry of `objects.ref` and `objects.bbox`; boxes are corners in pixels of the
  picture as it is written (`bbox_type` is `real`).
  Points of dialogues have two numbers.
* With `pairs=true` rows that have a false twin carry it as `rejected_response`, and the others are left out.
* `images` are relative to `images/`: start the client there, or give it as the image root."""
MARK = "<ref-object><bbox>"
_MARKUP = re.compile(r"<[^>]*>")


@dataclass(frozen=True, kw_only=True)
class SwiftOptions(ExportOptions):
    """Options of the format."""

    pairs: bool = False
    """Write preference pairs: only rows with a false twin, which is the rejected response."""
    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"swift_{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: SwiftOptions) -> None:
    """Write rows of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    with ExitStack() as stack:
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        ledger.counts.update({"rows": 0})

        def add(row: dict[str, object]) -> None:
            files[ledger.split].write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
            ledger.counts["rows"] += 1

        for run in runs:
            false = {pair.row: pair.rejected for pair in run.region_pairs}
            used: set[int] = set()
            for talk in region_talks(run, ledger):
                if options.pairs and talk.id not in false:
                    ledger.dropped["no false twin"] += 1
                    continue
                row = _row(run, talk, false.get(talk.id) if options.pairs else None)
                add(row)
                used.add(talk.frame)
            for row, frames in dialogue_rows(run, ledger, options.pairs):
                add(row)
                used |= set(frames)
            if options.copy_images:
                copy_views(run, ledger, used)


def _row(run: RunData, talk: RegionTalk, rejected: str | None) -> dict[str, object]:
    by_number = {one.number: one for one in talk.regions}
    refs: list[str] = []
    boxes: list[list[float]] = []

    def mark(text: str) -> str:
        def put(found: re.Match[str]) -> str:
            region = by_number[int(found.group(1))]
            refs.append(f"[{region.number}]")
            boxes.append(round_box(region))
            return MARK

        return MENTION.sub(put, _MARKUP.sub("", text))

    question = mark(talk.question)
    answer = mark(talk.row.answer if rejected is not None else talk.answer)
    row: dict[str, object] = {
        "id": talk.id,
        "messages": [
            {"role": "user", "content": f"{IMAGE}{question}"},
            {"role": "assistant", "content": answer},
        ],
        "images": [image_of_view(run, talk.view)],
    }
    if rejected is not None:
        # The marks of the false answer come after those of the true one.
        row["rejected_response"] = mark(rejected)
    row["objects"] = {"ref": refs, "bbox": boxes, "bbox_type": "real"}
    return row
