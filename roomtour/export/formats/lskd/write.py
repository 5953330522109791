"""LSKD: rows whose texts are token lists in which a mention is a list of numbers, and where the regions are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO

from instructions.regions.critic.labels import find_targets
from instructions.regions.records import Rating3, RegionView
from instructions.regions.talks import RegionTalk
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.region_rows import copy_views, image_of_view, region_talks, round_box

CONVENTION = """\
* `qars_{split}.jsonl`: one row per line. `question`, `answer` and `rationale` are lists of words in which a mention is
  a list of numbers; `region` holds the numbers that the row names, `region_all` all of the view.
* `region_mapping.jsonl`: one picture per line; `region_locations` is a list by number of boxes (corners in pixels of
  the picture, origin at its top left), segments and a description. The clients' loader does not start without it.
* Rows that people rated also have `label` (of each person: `accept`, `maybe`, `reject`), `reject_label` (1 if any did),
  `qa_score` and `r_score` (0 if anybody rejected, else the mean, 2 to 3).
* `image` is relative to `images/`. `prediction` is 1 where the critic kept the row, or none was asked."""
MAPPING = "region_mapping.jsonl"
_LABELS = {1: "reject", 2: "maybe", 3: "accept"}
_TOKEN = re.compile(r"\[\d+\]|[^\s\[]+|\[")


@dataclass(frozen=True, kw_only=True)
class LskdOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


def file_name(split: str) -> str:
    """The file of rows of a split."""
    return f"qars_{split}.jsonl"


def split_words(text: str) -> list[str | list[int]]:
    """Words of a text; each `[n]` a list of one number, several side by side (`[0] , [1]`) one list."""
    out: list[str | list[int]] = []
    words = _TOKEN.findall(text)
    for place, word in enumerate(words):
        if re.fullmatch(r"\[\d+\]", word):
            number = int(word[1:-1])
            if place >= 2 and words[place - 1] == "," and isinstance(out[-2], list):
                out.pop()
                joined = out[-1]
                if isinstance(joined, list):
                    joined.append(number)
            else:
                out.append([number])
        else:
            out.append(word)
    return out


def write(runs: Iterable[RunData], ledger: Ledger, options: LskdOptions) -> None:
    """Write rows and regions of all tours, one tour at a time."""
    splits = options.splits
    with ExitStack() as stack:
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        mapping = stack.enter_context((ledger.out / MAPPING).open("w", encoding="utf-8"))
        ledger.counts.update({"rows": 0, "views": 0})
        for run in runs:
            used: dict[str, RegionView] = {}
            for talk in region_talks(run, ledger):
                used[talk.view.id] = talk.view
                _put(files[ledger.split], _row(run, ledger.split, ledger.counts["rows"], talk))
                ledger.counts["rows"] += 1
            for view in used.values():
                _put(mapping, _locations(run, view))
                ledger.counts["views"] += 1
            if options.copy_images:
                copy_views(run, ledger, {view.frame for view in used.values() if view.frame is not None})


def _put(file: IO[str], row: dict[str, object]) -> None:
    file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _row(run: RunData, split: str, index: int, talk: RegionTalk) -> dict[str, object]:
    row = talk.row
    return {
        "image": image_of_view(run, talk.view),
        "source": f"roomtour/{run.scene.id}",
        "split": split,
        "index": index,
        "id": row.id,
        "region": sorted(row.mentioned),
        "region_all": [one.number for one in talk.regions],
        "references": [
            {
                "name": str(one.number),
                "boxes": [round_box(one)],
                "segms": [],
                "obj_guess": one.label or "object",
                "tag": f"[{one.number}]",
            }
            for one in talk.regions
        ],
        "question": split_words(row.question),
        "answer": split_words(row.answer),
        "rationale": split_words(row.rationale),
        "prediction": 1.0 if row.score is None else row.score,
        "critic_score": row.score,
        **(tell_ratings(given) if (given := run.region_ratings.get(row.id)) else {}),
    }


def tell_ratings(given: Sequence[Rating3]) -> dict[str, object]:
    """What people say, with `reject_label` always: without it the clients' rule reads `label` with the wrong sign."""
    targets = find_targets(given)
    return {
        "label": [_LABELS[min(one.qa, one.rationale)] for one in given],
        "reject_label": int(not targets.accepted),
        "qa_score": targets.qa,
        "r_score": targets.rationale,
    }


def _locations(run: RunData, view: RegionView) -> dict[str, object]:
    return {
        "image": image_of_view(run, view),
        "region_locations": [
            {
                "boxes": [round_box(one)],
                "segms": [],
                "obj_guess": one.label or "object",
                "description": ", ".join((one.caption or one.label or "object", *one.attributes)),
            }
            for one in view.regions
        ],
    }
