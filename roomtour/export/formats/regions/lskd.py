"""LSKD: rows whose texts are token lists in which a mention is a list of numbers, and where the regions are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from instructions.regions.critic.labels import find_targets
from instructions.regions.records import Rating3, RegionView
from instructions.regions.talks import RegionTalk
from roomtour.export.core.checking import DatasetCheck, Finite, Id, RelativePath, Row, RowCheck, Text, Whole, there
from roomtour.export.core.columns import BoxInPixels
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.streams import JsonLines
from roomtour.export.core.talks.region_rows import region_talks, round_box, show_view

CONVENTION = """\
* `qars_{split}.jsonl`: one row per line. `question`, `answer` and `rationale` are lists of words in which a mention is
  a list of numbers; `region` holds the numbers that the row names, `region_all` all of the view.
* `region_mapping.jsonl`: one picture per line; `region_locations` is a list by number of boxes (corners in pixels of
  the picture, origin at its top left), segments and a description. The clients' loader does not start without it.
* Rows that people rated also have `label` (of each person: `accept`, `maybe`, `reject`), `reject_label` (1 if any did),
  `qa_score` and `r_score` (0 if anybody rejected, else the mean, 2 to 3).
* `image` is relative to `images/`. `prediction` is 1 where the critic kept the row, or none was asked."""
FILES, MAPPING = "qars_{split}.jsonl", "region_mapping.jsonl"
_LABELS = {1: "reject", 2: "maybe", 3: "accept"}
_TOKEN = re.compile(r"\[\d+\]|[^\s\[]+|\[")


@dataclass(frozen=True, kw_only=True)
class LskdOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""


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
    ledger.counts.update({"rows": 0, "views": 0})
    with ledger.open_rows(FILES, options, "rows") as add, JsonLines(ledger.out / MAPPING) as mapping:
        for run in runs:
            used: dict[str, RegionView] = {}
            for talk in region_talks(run, ledger):
                used[talk.view.id] = talk.view
                shown = show_view(run, talk.view, ledger.out, copy=options.copy_images)
                add(_row(run, shown, ledger.split, ledger.counts["rows"], talk))
            for view in used.values():
                mapping.add(_locations(view, show_view(run, view, ledger.out, copy=False)))
                ledger.counts["views"] += 1


def _row(run: RunData, shown: str, split: str, index: int, talk: RegionTalk) -> dict[str, object]:
    row = talk.row
    return {
        "image": shown,
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


def _locations(view: RegionView, shown: str) -> dict[str, object]:
    return {
        "image": shown,
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


_Boxes = Annotated[list[BoxInPixels], Field(min_length=1)]
_Words = Annotated[list[str | list[Whole]], Field(min_length=1)]


class _Location(Row):
    boxes: _Boxes
    obj_guess: Text


class _Reference(_Location):
    name: Text


class _Described(_Location):
    description: Text


class _Mapping(Row):
    key = "image"
    image: RelativePath
    region_locations: Annotated[list[_Described], Field(min_length=1)]


class _Item(Row):
    id: Id
    image: Annotated[RelativePath, there("images", may_lack="images")]
    index: Whole
    region: list[Whole]
    region_all: list[Whole]
    references: Annotated[list[_Reference], Field(min_length=1)]
    question: _Words
    answer: _Words
    rationale: _Words
    prediction: Finite
    label: list[Literal["accept", "maybe", "reject"]] | None = None
    reject_label: Literal[0, 1] | None = None
    qa_score: Finite | None = None
    r_score: Finite | None = None

    def check(self, row: RowCheck) -> None:
        """Numbers of regions that there are."""
        texts = (self.question, self.answer, self.rationale)
        mentioned = {number for words in texts for word in words if isinstance(word, list) for number in word}
        if not mentioned <= set(self.region):
            row.bad("region", "every number that the texts name", sorted(mentioned - set(self.region)))
        if not set(self.region) <= set(self.region_all):
            row.bad("region_all", "every number of region", sorted(set(self.region) - set(self.region_all)))
        if any(number >= len(self.references) for number in self.region_all):
            row.bad("region_all", f"numbers below {len(self.references)}", self.region_all)
        if self.label is not None and self.reject_label != int("reject" in self.label):
            row.bad("reject_label", f"{int('reject' in self.label)} as label says", self.reject_label)


def _check(data: DatasetCheck) -> None:
    """A mapping for every picture."""
    counts = {item.image: len(item.region_locations) for _, item in data.rows(MAPPING, _Mapping)}
    for row, item in data.rows(FILES, _Item):
        if counts.get(item.image) is None:
            row.bad("image", f"a picture of {MAPPING}", item.image)
        elif counts[item.image] != len(item.references):
            row.bad("references", f"{counts[item.image]} entries as in {MAPPING}", len(item.references))


LSKD = ExportFormat(
    name="lskd",
    summary="questions, answers and reasons about numbered regions",
    client="the training code of Localized Symbolic Knowledge Distillation (LAVIS)",
    reads=("qars",),
    convention=CONVENTION,
    options=LskdOptions,
    write=write,
    rows=rows_of("qars_*.jsonl"),
    check=_check,
    files=("qars_*.jsonl",),
)
