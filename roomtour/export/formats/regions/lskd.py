"""LSKD: rows about numbered regions as token lists, and comparison tasks about views with their truths."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from instructions.asking.draws import Draw
from instructions.regions.critic.labels import find_targets
from instructions.regions.records import ChoiceSet, Pair, Qar, Rating3, Region, RegionView
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import DIFFERENT, BoxInPixels, Finite, Id, RelativePath, Text, Whole, must, there
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import CopyOptions, Ledger, TrainedOptions, require_untrained
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import image_of, show_frame
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.regions import round_box, rows_with_views

_Listed = Annotated[RelativePath, there("images", may_lack="images")]


_ROWS_CONVENTION = """\
* `qars_{split}.jsonl`: one row per line. `question`, `answer` and `rationale` are lists of words in which a mention is
  a list of numbers; `region` holds the numbers that the row names, `region_all` all of the view.
* `region_mapping.jsonl`: one picture per line; `region_locations` is a list by number of boxes (corners in pixels of
  the picture, origin at its top left), segments and a description. The clients' loader does not start without it.
* Rows that people rated also have `label` (of each person: `accept`, `maybe`, `reject`), `reject_label` (1 if any did),
  `qa_score` and `r_score` (0 if anybody rejected, else the mean, 2 to 3).
* `image` is relative to `images/`. `prediction` is 1 where the critic kept the row, or none was asked."""
FILES, MAPPING = "qars_{split}.jsonl", "region_mapping.jsonl"
_LABELS = {1: "reject", 2: "maybe", 3: "accept"}
_TOKEN = re.compile(r"\[\d+\](?:\s*,\s*\[\d+\])*|[^\s\[]+|\[")


def split_words(text: str) -> list[str | list[int]]:
    """Words of a text; each `[n]` a list of one number, several side by side (`[0] , [1]`) one list."""
    return [[int(number) for number in re.findall(r"\[(\d+)\]", word)] or word for word in _TOKEN.findall(text)]


def _write_rows(runs: Iterable[RunData], ledger: Ledger, options: CopyOptions) -> None:
    """Write rows and regions of all tours, one tour at a time."""
    ledger.counts.update({"rows": 0, "views": 0})
    add, add_view = ledger.open_rows(FILES, options, "rows"), ledger.files.open(ledger.out / MAPPING)
    for run in runs:
        used: dict[str, RegionView] = {}
        for row, view in rows_with_views(run, ledger.dropped):
            used[view.id] = view
            shown = show_frame(run, view.frame, ledger.out, copy=options.copy_images)
            add(_tell_row(run, shown, ledger.split, ledger.counts["rows"], row, view))
        for view in used.values():
            locations = [{**_locate(region), "description": _describe(region)} for region in view.regions]
            add_view({"image": image_of(run, view.frame), "region_locations": locations})
            ledger.counts["views"] += 1


def _tell_row(run: RunData, shown: str, split: str, index: int, row: Qar, view: RegionView) -> dict[str, object]:
    return {
        "image": shown,
        "source": f"roomtour/{run.scene.id}",
        "split": split,
        "index": index,
        "id": row.id,
        "region": sorted(row.mentioned),
        "region_all": [one.number for one in view.regions],
        "references": [{"name": str(one.number), **_locate(one), "tag": f"[{one.number}]"} for one in view.regions],
        "question": split_words(row.question),
        "answer": split_words(row.answer),
        "rationale": split_words(row.rationale),
        "prediction": 1.0 if row.score is None else row.score,
        "critic_score": row.score,
        **(_tell_ratings(given) if (given := run.region_ratings.get(row.id)) else {}),
    }


def _locate(region: Region) -> dict[str, object]:
    return {"boxes": [round_box(region)], "segms": [], "obj_guess": region.label or "object"}


def _describe(region: Region) -> str:
    return ", ".join((region.caption or region.label or "object", *region.attributes))


def _tell_ratings(given: Sequence[Rating3]) -> dict[str, object]:
    """What people say, with `reject_label` always: without it the clients' rule reads `label` with the wrong sign."""
    targets = find_targets(given)
    return {
        "label": [_LABELS[min(rating.qa, rating.rationale)] for rating in given],
        "reject_label": int(not targets.accepted),
        "qa_score": targets.qa,
        "r_score": targets.rationale,
    }


_Words = Annotated[list[str | list[Whole]], Field(min_length=1)]


class _Location(Row):
    boxes: Annotated[list[BoxInPixels], Field(min_length=1)]
    obj_guess: Text


class _Reference(_Location):
    name: Text


class _Described(_Location):
    description: Text


class _Mapping(Row):
    key = "image"
    image: RelativePath
    region_locations: Annotated[list[_Described], Field(min_length=1)]


class _LskdItem(Row):
    id: Id
    image: _Listed
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
    for row, item in data.rows(FILES, _LskdItem):
        if counts.get(item.image) is None:
            row.bad("image", f"a picture of {MAPPING}", item.image)
        elif counts[item.image] != len(item.references):
            row.bad("references", f"{counts[item.image]} entries as in {MAPPING}", len(item.references))


LSKD = ExportFormat(
    name="lskd",
    summary="questions, answers and reasons about numbered regions",
    client="the training code of Localized Symbolic Knowledge Distillation (LAVIS)",
    reads=("qars",),
    convention=_ROWS_CONVENTION,
    options=CopyOptions,
    write=_write_rows,
    rows=rows_of("qars_*.jsonl"),
    check=_check,
)

_TASKS_CONVENTION = """\
* `vcr.jsonl`: {id, tour, image, boxes, question, answers [4], right_answer, rationales [4], right_rationale}.
* `comparison.jsonl`: {id, tour, image, boxes, region, candidates [10], human [10]}: statements about one region;
  `human` is 1 for one that is measured to be true and 0 for one that is measured to be false. No person rated them.
* `acc50.jsonl`: {id, tour, image, boxes, region, candidates [50], right}: one true statement.
* `pairwise.jsonl`: {id, tour, image, boxes, question, answers [2], systems [2]}: a kept answer (`chosen`) and its false
  twin (`rejected`) in an order drawn by lot, for three voters each; or answers of two models, named in `systems`.
* `boxes` are the regions by number, corners in pixels of the picture (origin at its top left). Places count from 0.
  `image` is relative to `images/`. Wrong options are true of another region or view of the tour and measured to be
  false of this one; `because` says why.
* Answers for `roomtour score`, {id, answer}, every row of a task or none: of `vcr` {"answers": [4 scores],
  "rationales": [4 scores]}, of `comparison` and `acc50` a score per candidate, of `pairwise` the votes by criterion,
  {"correct": ["A", "B", "tie"], ...}.
* Tours of the training split are refused: name the training dataset in `trained`."""


@dataclass(frozen=True, kw_only=True)
class LskdBenchmarkOptions(TrainedOptions, CopyOptions):
    """Options of the format."""


def _write_tasks(runs: Iterable[RunData], ledger: Ledger, options: LskdBenchmarkOptions) -> None:
    """Write the tasks of all tours, one tour at a time.

    Raises:
        RoomtourError: For a tour of the training split.
    """
    files = {task: ledger.files.open(ledger.out / f"{task}.jsonl") for task in _TASKS}
    for run in runs:
        require_untrained(run.scene.id, options.trained)
        views = {view.id: view for view in run.region_views}
        if not run.region_choices:
            ledger.dropped["tours without choice sets (make them with --regions.choices)"] += 1
        tasks = [(choice.task, choice.view, _tell_choices(choice)) for choice in run.region_choices]
        tasks += [("pairwise", pair.view, _tell_pair(pair)) for pair in run.region_pairs]
        for task, name, row in tasks:
            if (view := views.get(name)) is not None:
                shown = show_frame(run, view.frame, ledger.out, copy=options.copy_images)
                boxes = [round_box(region) for region in view.regions]
                files[task]({"tour": run.scene.id, "image": shown, "boxes": boxes, **row})
                ledger.counts[task] += 1
    ledger.card_notes.append(f"Trained on: {options.trained or 'nothing was named'}.")


def _tell_choices(choice: ChoiceSet) -> dict[str, object]:
    row: dict[str, object] = {
        "id": choice.id,
        "row": choice.row,
        "because": [option.because for option in choice.answers],
    }
    texts, truths = [option.text for option in choice.answers], [option.truth for option in choice.answers]
    if choice.task == "vcr":
        reasons = [option.truth for option in choice.rationales]
        return row | {
            "question": choice.question,
            "answers": texts,
            "right_answer": truths.index(1.0),
            "rationales": [option.text for option in choice.rationales],
            "right_rationale": reasons.index(1.0),
        }
    row |= {"region": choice.region, "candidates": texts}
    return row | ({"human": truths} if choice.task == "comparison" else {"right": truths.index(1.0)})


def _tell_pair(pair: Pair) -> dict[str, object]:
    both = [("chosen", pair.chosen), ("rejected", pair.rejected)]
    if Draw("lskd-benchmark", pair.id).uniform() < 0.5:
        both.reverse()
    return {
        "id": pair.id,
        "row": pair.row,
        "because": pair.because,
        "question": pair.question,
        "answers": [text for _, text in both],
        "systems": [name for name, _ in both],
    }


_Four = Annotated[list[Text], Field(min_length=4, max_length=4)]
_Two = Annotated[list[Text], Field(min_length=2, max_length=2)]


class _Task(Row):
    id: Id
    tour: Text
    image: _Listed
    boxes: Annotated[list[BoxInPixels], Field(min_length=1)]


class _Vcr(_Task):
    question: Text
    answers: Annotated[_Four, DIFFERENT]
    right_answer: Annotated[int, Field(ge=0, lt=4)]
    rationales: Annotated[_Four, DIFFERENT]
    right_rationale: Annotated[int, Field(ge=0, lt=4)]


class _OfRegion(_Task):
    region: Whole

    def check(self, row: RowCheck) -> None:
        """A region that there is."""
        row.need(self.region < len(self.boxes), "region", f"a number below {len(self.boxes)}", self.region)


class _Comparison(_OfRegion):
    candidates: Annotated[list[Text], Field(min_length=10, max_length=10), DIFFERENT]
    human: Annotated[
        list[Finite],
        Field(min_length=10, max_length=10),
        must(lambda given: len(set(given)) > 1, "at least two different values"),
    ]


class _Acc50(_OfRegion):
    candidates: Annotated[list[Text], Field(min_length=50, max_length=50), DIFFERENT]
    right: Annotated[int, Field(ge=0, lt=50)]


class _Pairwise(_Task):
    question: Text
    answers: Annotated[_Two, DIFFERENT]
    systems: Annotated[_Two, DIFFERENT]


_TASKS = {"vcr": _Vcr, "comparison": _Comparison, "acc50": _Acc50, "pairwise": _Pairwise}
LSKD_BENCHMARK = ExportFormat(
    name="lskd-benchmark",
    summary="comparison tasks about numbered regions with their truths, for `roomtour score`",
    client="roomtour score; scorers of VCR and Sherlock",
    reads=("qars",),
    convention=_TASKS_CONVENTION,
    options=LskdBenchmarkOptions,
    write=_write_tasks,
    rows=rows_of("*.jsonl"),
    may_have={f"{task}.jsonl": kind for task, kind in _TASKS.items()},
)
