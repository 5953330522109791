"""Tasks with their truths, one file per task, of tours that nobody trained on."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from instructions.dialogues.formats import benchmark_name, benchmark_row
from instructions.dialogues.spots import BoxSpace
from instructions.dialogues.tasks import BENCHMARKS
from roomtour.export.core.clouds import copy_clouds
from roomtour.export.core.conversations import image_of
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
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


def file_names() -> tuple[str, ...]:
    """One per task."""
    return tuple(f"meta_file/{kind.benchmark}.json" for kind in BENCHMARKS.values())


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
            frames, clouds = set(), set()
            for row in run.rows.get("dialogues", ()):
                told = benchmark_row(row, options.box_space) if row.accepted else None
                if told is None:
                    continue
                name = benchmark_name(row)
                if name not in files:
                    path = ledger.out / "meta_file" / f"{name}.json"
                    files[name] = stack.enter_context(JsonArrayWriter(path))
                if row.views:
                    frames.add(row.views[0])
                    told["image"] = f"images/{image_of(run, row.views[0])}"
                else:
                    clouds.add(row.cloud)
                    told["pcl"] = f"./clouds/{row.cloud}.npy"
                files[name].add(told)
                ledger.counts[name] += 1
            if frames:
                copy_frames(run, sorted(frames), ledger.out / "images" / run.scene.id)
            if clouds:
                copy_clouds(run, sorted(clouds), ledger.out / "clouds")
    ledger.card_notes.append(f"Box space: {options.box_space}. Trained on: {options.trained or 'nothing was named'}.")
