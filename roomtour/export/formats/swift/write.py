"""ms-swift: messages about regions and views in which marks stand for names and boxes, given in their order."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.region_rows import copy_views
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import Place, Talk
from roomtour.export.formats.swift.talks import IMAGE, dialogue_rows

CONVENTION = """\
* `swift_{split}.jsonl`: one row per line with `messages`, `images` and `objects`. Each `<ref-object>` and each `<bbox>`
  of the messages stands for the next entry of `objects.ref` and `objects.bbox`; boxes are corners in pixels of the
  picture as it is written (`bbox_type` is `real`).
  Points of dialogues, and marked points of spatial questions, have two numbers; `image_id` is the picture of each.
* Spatial questions have a thing's name as the `<ref-object>` of its box, and `mark 1` as that of its point. Where a
  question speaks of its marks by numbers too, or of several pictures, it begins with what each is.
* With `pairs=true` rows that have a false twin carry it as `rejected_response`, and the others are left out.
* `images` are relative to `images/`: start the client there, or give it as the image root."""
MARK = "<ref-object><bbox>"
_MARKUP = re.compile(r"<[^>]*>")
_KEY = "\x00"
_FOUND = re.compile(rf"{_KEY}(\d+);")
"""Stands for a mark until clients' own marks are out of the text."""


@dataclass(frozen=True, kw_only=True)
class SwiftOptions(ExportOptions):
    """Options of the format."""

    pairs: bool = False
    """Write preference pairs: only rows with a false twin, which is the rejected response."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"swift_{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: SwiftOptions) -> None:
    """Write rows of all tours; those of regions and spatial questions wait on disk until all tours are seen."""
    splits = options.splits
    with ExitStack() as stack:
        sources = (SpatialTalks, RegionTalks)
        spool = stack.enter_context(TalkSpool(ledger, options.balance, form=None, sources=sources))
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        ledger.counts.update({"rows": 0})

        def add(row: dict[str, object], split: str) -> None:
            files[split].write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
            ledger.counts["rows"] += 1

        for run in runs:
            spool.take(run)
            used: set[int] = set()
            for row, frames in dialogue_rows(run, ledger, options.pairs):
                add(row, ledger.split)
                used |= set(frames)
            if options.copy_images:
                copy_views(run, ledger, used)
        for talk in spool.give():
            row = "no false twin" if options.pairs and not talk.rejected else _row(talk, options.pairs)
            if isinstance(row, str):
                ledger.counts[talk.kind] -= 1
                ledger.dropped[f"{talk.kind}: {row}"] += 1
                continue
            add(row, talk.split)
            if options.copy_images:
                copy_images(talk, ledger.out / "images")


def _row(talk: Talk, with_rejected: bool) -> dict[str, object] | str:
    """The row of a talk, or why it has none. Marks of a false answer come after those of the true one."""
    if with_rejected:
        question, answer = talk.turns[-1]
        talk = replace(talk, turns=(*talk.turns[:-1], (question, answer.removesuffix(f" {talk.more['rationale']}"))))
    told = say_places(talk, lambda place, _: f"{_KEY}{talk.places.index(place)};")
    if isinstance(told, str):
        return told
    places: list[Place] = []

    def mark(text: str) -> str:
        def put(found: re.Match[str]) -> str:
            places.append(talk.places[int(found[1])])
            return MARK

        return _FOUND.sub(put, _MARKUP.sub("", text))

    messages = [
        {"role": role, "content": mark(text)}
        for turn in told.turns
        for role, text in zip(("user", "assistant"), turn, strict=True)
    ]
    messages[0]["content"] = IMAGE * len(talk.images) + messages[0]["content"]
    row: dict[str, object] = {"id": talk.id, "messages": messages, "images": [image.name for image in talk.images]}
    if with_rejected:
        row["rejected_response"] = mark(told.rejected)
    row["objects"] = {
        "ref": [one.words for one in places],
        "bbox": [[round(float(value), 2) for value in one.spot or ()] for one in places],
        "bbox_type": "real",
        "image_id": [one.picture for one in places],
    }
    return row
