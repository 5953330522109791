"""Comparison tasks about views: four answers and rationales, ten statements, one of fifty, and pairs for voters."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from instructions.asking.draws import Draw
from instructions.regions.records import ChoiceSet, Pair
from roomtour.export.core.checking import (
    DIFFERENT,
    DatasetCheck,
    Finite,
    Id,
    RelativePath,
    Row,
    RowCheck,
    Text,
    Whole,
    must,
    there,
)
from roomtour.export.core.columns import BoxInPixels
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.streams import JsonLines
from roomtour.export.core.talks.region_rows import round_box, show_view
from roomtour.export.core.trained_tours import read_trained_tours, require_untrained

CONVENTION = """\
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
TASKS = ("vcr", "comparison", "acc50", "pairwise")


@dataclass(frozen=True, kw_only=True)
class LskdBenchmarkOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the pictures of the views to `images/`."""
    trained: str = ""
    """Folder of the dataset that models were trained on: none of its training tours may be in the benchmark."""


def write(runs: Iterable[RunData], ledger: Ledger, options: LskdBenchmarkOptions) -> None:
    """Write the tasks of all tours, one tour at a time.

    Raises:
        RoomtourError: For a tour of the training split.
    """
    trained = read_trained_tours(options.trained)
    with ExitStack() as stack:
        files = {task: stack.enter_context(JsonLines(ledger.out / f"{task}.jsonl")) for task in TASKS}
        for run in runs:
            require_untrained(run.scene.id, trained, options.trained)
            views = {view.id: view for view in run.region_views}
            if not run.region_choices:
                ledger.dropped["tours without choice sets (make them with --regions.choices)"] += 1
            told = [(one.task, views[one.view], _row(one)) for one in run.region_choices if one.view in views]
            told += [("pairwise", views[one.view], _pair(one)) for one in run.region_pairs if one.view in views]
            for task, view, row in told:
                shown = show_view(run, view, ledger.out, copy=options.copy_images)
                boxes = [round_box(one) for one in view.regions]
                files[task].add({"tour": run.scene.id, "image": shown, "boxes": boxes, **row})
                ledger.counts[task] += 1
    ledger.card_notes.append(f"Trained on: {options.trained or 'nothing was named'}.")


def _row(one: ChoiceSet) -> dict[str, object]:
    row: dict[str, object] = {"id": one.id, "row": one.row, "because": [option.because for option in one.answers]}
    texts, truths = [option.text for option in one.answers], [option.truth for option in one.answers]
    if one.task == "vcr":
        reasons = [option.truth for option in one.rationales]
        return row | {
            "question": one.question,
            "answers": texts,
            "right_answer": truths.index(1.0),
            "rationales": [option.text for option in one.rationales],
            "right_rationale": reasons.index(1.0),
        }
    row |= {"region": one.region, "candidates": texts}
    return row | ({"human": truths} if one.task == "comparison" else {"right": truths.index(1.0)})


def _pair(pair: Pair) -> dict[str, object]:
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


class _Item(Row):
    id: Id
    tour: Text
    image: Annotated[RelativePath, there("images", may_lack="images")]
    boxes: Annotated[list[BoxInPixels], Field(min_length=1)]


class _Vcr(_Item):
    question: Text
    answers: Annotated[_Four, DIFFERENT]
    right_answer: Annotated[int, Field(ge=0, lt=4)]
    rationales: Annotated[_Four, DIFFERENT]
    right_rationale: Annotated[int, Field(ge=0, lt=4)]


class _OfRegion(_Item):
    region: Whole

    def check(self, row: RowCheck) -> None:
        """A region that there is."""
        if self.region >= len(self.boxes):
            row.bad("region", f"a number below {len(self.boxes)}", self.region)


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


class _Pairwise(_Item):
    question: Text
    answers: Annotated[_Two, DIFFERENT]
    systems: Annotated[_Two, DIFFERENT]


def _check(data: DatasetCheck) -> None:
    for task, kind in zip(TASKS, (_Vcr, _Comparison, _Acc50, _Pairwise), strict=True):
        for _ in data.rows(f"{task}.jsonl", kind, optional=True):
            pass


LSKD_BENCHMARK = ExportFormat(
    name="lskd-benchmark",
    summary="comparison tasks about numbered regions with their truths, for `roomtour score`",
    client="roomtour score; scorers of VCR and Sherlock",
    reads=("qars",),
    convention=CONVENTION,
    options=LskdBenchmarkOptions,
    write=write,
    rows=rows_of("*.jsonl"),
    check=_check,
    files=tuple(f"{task}.jsonl" for task in TASKS),
)
