"""VSI-Bench's own columns as parquet, and one video per model: the views that the questions are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instructions.questions.core.records import Question, spell_category
from instructions.questions.sets.judging import SET_TYPES
from instructions.questions.wording.words import LETTERS
from recon.ranges import Share
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Text, Whole, is_number, schema_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import FileRow, read_row_files
from roomtour.export.core.talks.talk import plain
from roomtour.export.core.talks.view_videos import VIDEO_FPS, measure_film, write_video

CONVENTION = """\
* `test.parquet` (tours that are to be tested on) and `train.parquet`: `id, dataset, scene_name, question_type,
  question, options, ground_truth` as VSI-Bench has them; beside them `row`, `tour`, `scale_status` and `video`: `views`
  if the video is here, `own` for an imported scan whose video is yours to put at its place. `options` are
  null where a number is asked for; then `ground_truth` is that number: metres, square metres, centimetres of a longest
  side, a count.
* `{dataset}/{scene_name}.mp4` has exactly the views that the questions are about, in order of time at a constant rate
  that is not the tour's: a client that samples as many frames sees what was asked about.
* lmms-eval: put this folder where its task looks for videos (`$HF_HOME/vsibench`) and give it as `dataset_path`.
* Multiple choice where VSI-Bench has it, numbers where it has numbers; other rows of the kind are left out."""
CHOICE_TYPES = frozenset(spell_category(one.name) for one in SET_TYPES.values() if one.options == "always")
"""As VSI-Bench spells them."""
NUMBER_TYPES = frozenset(spell_category(one.name) for one in SET_TYPES.values() if one.options == "never")
_SPLITS = {"train": "train", "val": "test"}
_DIGITS = {"": 0, "cm": 0, "m": 2, "m2": 1}
DATASET = "roomtour"
"""Folder of the videos, which the client reads from the column `dataset`."""
_ROW_BYTES = 400
Views = tuple[str | None, tuple[int, ...]]
"""A model and its frames."""


@dataclass(frozen=True, kw_only=True)
class VsibenchOptions(ExportOptions):
    """Options of the format."""

    val_share: Share = 1.0
    """Share of tours, 0 to 1, that are tested on (`test`); the others are in `train`. A benchmark tests on all."""


def write(runs: Iterable[RunData], ledger: Ledger, options: VsibenchOptions) -> None:
    """Write the rows of all tours, and the videos that they name."""
    ledger.counts.update({"rows": 0, "videos": 0})
    shares = {"val": options.val_share, "train": 1 - options.val_share}
    files = {split: f"{_SPLITS[split]}.parquet" for split, share in shares.items() if share > 0}
    tables = ledger.open_tables(schema_of(_Item), files)
    for run in runs:
        names: dict[Views, str] = {}
        for row in run.rows.get("programs", ()):
            reason = _refuse(row)
            if reason is not None:
                ledger.dropped[reason] += 1
                continue
            place = _place(run, row, names, ledger)
            if place is None:
                ledger.dropped["a scan without views whose file names no data set"] += 1
                continue
            tables[ledger.split].add(_record(row, ledger.counts["rows"], *place), _ROW_BYTES)
            ledger.counts["rows"] += 1
            ledger.question_types.add(row.type)


def _refuse(row: Question) -> str | None:
    if not row.accepted:
        return "rejected row"
    if row.medium != "vsi" or row.category not in CHOICE_TYPES | NUMBER_TYPES:
        return "not one of VSI-Bench's types"
    if row.is_choice is not (row.category in CHOICE_TYPES):
        return "options where VSI-Bench has none, or none where it has some"
    return None


def _record(row: Question, number: int, dataset: str, scene: str) -> dict[str, object]:
    choices = [f"{letter}. {plain(text)}" for letter, text in zip(LETTERS, row.choices, strict=False)]
    if row.is_choice and row.correct is not None:
        truth = LETTERS[row.correct]
    else:
        truth = f"{float(row.truth):.{_DIGITS[row.answer_unit]}f}"  # type: ignore[arg-type]  # a number
    return {
        "id": number,
        "dataset": dataset,
        "scene_name": scene,
        "question_type": row.category,
        "question": plain(row.question.split(f"\n{LETTERS[0]}. ")[0]),
        "options": choices or None,
        "ground_truth": truth,
        "row": row.id,
        "tour": row.tour,
        "scale_status": row.scale_status,
        "video": "views" if row.views else "own",
    }


_PLAIN_NAME = re.compile(r"[\w-]+")


def _place(run: RunData, row: Question, names: dict[Views, str], ledger: Ledger) -> list[str] | None:
    """Data set and scene of a row: its scan, if a client can find the video of that by its own names, or its video,
    written for the first row of a model and views.
    """
    if not row.views:
        scans = [[scan.dataset, scan.name] for scan in run.scans if scan.model == row.model]
        return scans[0] if scans and all(map(_PLAIN_NAME.fullmatch, scans[0])) else None
    key = (row.model, row.views)
    if key not in names:
        same = sum(model == row.model for model, _ in names)
        names[key] = f"{row.tour}_m{row.model}" + (f"_{same}" if same else "")
        path = ledger.out / DATASET / f"{names[key]}.mp4"
        path.parent.mkdir(exist_ok=True)
        pictures = [run.frames_dir / run.scene.frame_by_index[frame].image for frame in row.views]
        write_video(pictures, row.tour, path, VIDEO_FPS)
        ledger.counts["videos"] += 1
    return [DATASET, names[key]]


class _Item(Row):
    id: Whole
    dataset: Text
    scene_name: Text
    question_type: Text
    question: Text
    options: list[Text] | None
    ground_truth: Text
    row: Text
    tour: Text
    scale_status: str | None
    video: Literal["views", "own"]

    def check(self, row: RowCheck) -> None:
        """A video that plays, a truth of the type."""
        name = f"{self.dataset}/{self.scene_name}.mp4"
        is_to_come = self.video == "own" and not row.data.has_file(row.data.folder / name)
        film = None if is_to_come else row.data.once(measure_film, row.data.folder / name)
        if isinstance(film, str):
            row.bad("scene_name", f"a video {name}", film)
        if self.question_type in NUMBER_TYPES:
            self._check_number(row)
        elif self.question_type in CHOICE_TYPES:
            self._check_choice(row, self.options or [])
        else:
            row.bad("question_type", "a type of VSI-Bench", self.question_type)

    def _check_number(self, row: RowCheck) -> None:
        if self.options is not None:
            row.bad("options", "null where a number is asked for", self.options)
        try:
            value = float(self.ground_truth)
        except ValueError:
            value = None
        if not is_number(value) or value <= 0:  # the published accuracy divides by the truth
            row.bad("ground_truth", "a number above 0", self.ground_truth)

    def _check_choice(self, row: RowCheck, options: list[str]) -> None:
        letters = LETTERS[: len(options)]
        if not 2 <= len(options) <= len(LETTERS) or [text[:3] for text in options] != [
            f"{letter}. " for letter in letters
        ]:
            row.bad("options", "two to four that begin with A., B., ...", options)
        elif self.ground_truth not in letters:
            row.bad("ground_truth", f"one letter of {', '.join(letters)}", self.ground_truth)
        elif len({text[3:] for text in options}) < len(options):
            row.bad("options", "options that differ", options)


def _check(data: DatasetCheck) -> None:
    files = [
        (split, file.name) for split, name in _SPLITS.items() for file in sorted(data.folder.glob(f"{name}*.parquet"))
    ]
    if not files:
        data.bad("test.parquet", "file", "a table", "no such file")
    for split, file in files:
        for row in data.table(file, schema_of(_Item), split, exact=False):
            data.fit(row, _Item)


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """Rows whose `video` is the name of a file of the folder, in place of where it comes from."""
    for file, row in read_row_files(folder, "*.parquet"):
        yield file, {**row, "video": f"{row.get('dataset')}/{row.get('scene_name')}.mp4"}


VSIBENCH = ExportFormat(
    name="vsibench",
    summary="questions of VSI-Bench's ten types in its columns, with the videos that they are about",
    client="lmms-eval's task vsibench; datasets.load_dataset",
    reads=("programs",),
    convention=CONVENTION,
    options=VsibenchOptions,
    write=write,
    check=_check,
    rows=_read_rows,
)
