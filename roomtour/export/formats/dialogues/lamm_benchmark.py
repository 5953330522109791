"""Tasks with their truths, one file per task, of tours that nobody trained on."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from instructions.dialogues.spots import BoxSpace
from instructions.dialogues.tasks.formats import benchmark_name, benchmark_row
from instructions.dialogues.tasks.tasks import BENCHMARKS
from recon.ranges import Positive
from roomtour.export.core.checking import (
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
from roomtour.export.core.clouds import copy_cloud
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.images import show_frame
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.trained_tours import read_trained_tours, require_untrained

CONVENTION = """\
* `meta_file/TASK.json`: a list of {id, tour, image | pcl, query} and the truth: `object` [{label, bbox}], `num`,
  `label`, `gt_choice` with `gt_choices`, `sentences` (of a description: each is a reference, and all together),
  `word_list` (what is written), `metres` with the `interval` that is right, or `object` [{label, point, person}] (a
  keypoint, and the box of its person). `image` is relative to the folder; `pcl` begins with `./`, because LAMM's reader
  cuts its first two letters.
* Boxes are shares of width and height, [x1, y1, x2, y2], of the picture that `box_space` names; those of clouds are
  (cx, cy, cz, lx, ly, lz) in metres, with the oriented box beside (`obb`).
* Answers for `roomtour score`: {id, answer, CoT_answer?}, one per row. VQA is asked twice: reasons first, then with
  `### ANSWER:`.
* Tours of the training split are refused: name the training dataset in `trained`."""


@dataclass(frozen=True, kw_only=True)
class BenchmarkOptions(ExportOptions):
    """Options of the format."""

    box_space: BoxSpace = "picture"
    """Of which picture boxes are shares."""
    trained: str = ""
    """Folder of the dataset that models were trained on: none of its training tours may be in the benchmark."""


def write(runs: Iterable[RunData], ledger: Ledger, options: BenchmarkOptions) -> None:
    """Write the tasks of all tours, one tour at a time.

    Raises:
        RoomtourError: For a tour of the training split.
    """
    trained = read_trained_tours(options.trained)
    (ledger.out / "meta_file").mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        files: dict[str, JsonArrayWriter] = {}
        for run in runs:
            require_untrained(run.scene.id, trained, options.trained)
            for row in run.rows.get("dialogues", ()):
                told = benchmark_row(row, options.box_space) if row.accepted else None
                if told is None:
                    continue
                name = benchmark_name(row)
                if name not in files:
                    path = ledger.out / "meta_file" / f"{name}.json"
                    files[name] = stack.enter_context(JsonArrayWriter(path))
                if row.views:
                    told["image"] = f"images/{show_frame(run, row.views[0], ledger.out)}"
                else:
                    told["pcl"] = f"./clouds/{copy_cloud(run, row.cloud, ledger.out / 'clouds')}"
                files[name].add(told)
                ledger.counts[name] += 1
    ledger.card_notes.append(f"Box space: {options.box_space}. Trained on: {options.trained or 'nothing was named'}.")


_Part = Annotated[float, Field(ge=0, le=1)]


class _Item(Row):
    id: Id
    tour: Text
    query: Text
    image: Annotated[RelativePath, there()] | None = None
    pcl: (
        Annotated[
            RelativePath,
            must(lambda name: name.startswith("./"), "a path that begins with ./, which is cut off"),
            there(),
        ]
        | None
    ) = None


def _is_box(box: list[float]) -> bool:
    """Shares of a picture, or middle and lengths in a cloud."""
    if len(box) == 6:
        return min(box[3:]) > 0
    return len(box) == 4 and 0 <= box[0] < box[2] <= 1 and 0 <= box[1] < box[3] <= 1


class _Object(Row):
    label: Text
    bbox: Annotated[
        list[Finite], must(_is_box, "shares with x1 < x2 and y1 < y2; in a cloud six numbers, the last three above 0")
    ]


class _Objects(_Item):
    object: Annotated[list[_Object], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """Boxes of the medium."""
        wrong = [one.bbox for one in self.object if len(one.bbox) != (6 if self.image is None else 4)]
        if wrong:
            row.bad("object.bbox", "six numbers in a cloud, else four", wrong)


class _Count(_Item):
    num: Whole


class _Length(_Item):
    metres: Positive
    interval: Annotated[list[Finite], Field(min_length=2, max_length=2)]

    def check(self, row: RowCheck) -> None:
        """An interval around the truth."""
        if not self.interval[0] <= self.metres <= self.interval[1]:
            row.bad("interval", f"around {self.metres}", self.interval)


class _Choice(_Item):
    gt_choice: Whole
    gt_choices: Annotated[list[Text], Field(min_length=2)]

    def check(self, row: RowCheck) -> None:
        """One of the options."""
        if self.gt_choice >= len(self.gt_choices):
            row.bad("gt_choice", f"below {len(self.gt_choices)}", self.gt_choice)


class _Label(_Item):
    label: Text


class _Caption(_Item):
    sentences: Annotated[list[Text], Field(min_length=1)]


class _Words(_Item):
    word_list: Annotated[list[Text], Field(min_length=1)]


class _Point(Row):
    label: Text
    point: Annotated[list[_Part], Field(min_length=2, max_length=2)]
    person: Annotated[list[_Part], Field(min_length=4, max_length=4)]


class _Keypoint(_Item):
    object: Annotated[list[_Point], Field(min_length=1, max_length=1)]


class _YesNo(_Item):
    label: Literal["yes", "no"]


class _Where(_Item):
    label: Literal["left", "middle", "right", "not in view"]


_FORMS: dict[str, type[_Item]] = {
    "detect": _Objects, "ground": _Objects, "locate": _Objects, "detect_cloud": _Objects, "ground_cloud": _Objects,
    "count": _Count, "choice": _Choice, "vqa_cloud": _Choice, "presence": _YesNo, "classify_view": _Label,
    "classify_thing": _Label, "classify_cloud": _Label, "keypoints": _Keypoint, "words": _Words, "unseen": _Where,
    "length": _Length,
    "caption": _Caption, "caption_cloud": _Caption,
}  # fmt: skip


def _check(data: DatasetCheck) -> None:
    """Truths of the form that the task needs, media that are there."""
    for task, kind in BENCHMARKS.items():
        medium = "image" if kind.medium == "view" else "pcl"
        for row, item in data.rows(f"meta_file/{kind.benchmark}.json", _FORMS[task], optional=True):
            if getattr(item, medium) is None:
                row.bad(medium, "a file below the folder", None)


LAMM_BENCHMARK = ExportFormat(
    name="lamm-benchmark",
    summary="tasks about pictures and point clouds with their truths, for `roomtour score`",
    client="LAMM's evaluation; roomtour score",
    reads=("dialogues",),
    shows=("clouds",),
    convention=CONVENTION,
    options=BenchmarkOptions,
    write=write,
    check=_check,
    files=tuple(f"meta_file/{kind.benchmark}.json" for kind in BENCHMARKS.values()),
    rows=rows_of("meta_file/*.json"),
)
