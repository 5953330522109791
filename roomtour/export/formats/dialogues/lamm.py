"""LAMM: dialogues for its trainer, a file per medium, and tasks with truths for its benchmark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from instructions.dialogues.records import Dialogue
from instructions.dialogues.spots import BoxSpace, BoxText
from instructions.dialogues.talks.conversation import BYTES_PER_TOKEN, TASK_TYPES, build_text, system_message
from instructions.dialogues.tasks.formats import benchmark_name, benchmark_row, tell_turns
from instructions.dialogues.tasks.tasks import BENCHMARKS, task_type
from recon.ranges import Positive
from roomtour.export.core.checking import DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Id, RelativePath, Text, Turns, Whole, must, there, turns_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import ExportOptions, Ledger, TrainedOptions, require_untrained
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_cloud, find_cloud_fault, show_frame
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.talk import plain

FILES = {"image": "pictures_{split}.json", "pcl": "clouds_{split}.json"}
"""By the key that holds the medium."""
_LAMM_CONVENTION = """\
* `pictures_{split}.json` (key `image`, below `images/`) and `clouds_{split}.json` (key `pcl`, below `clouds/`): lists
  of {id, task_type, conversations [{from: human|gpt, value}]}. One medium per file, because the loader skips rows
  without its key in silence. No `<image>` in values.
* `system/TASK_TYPE.txt`: one system message per type of task. The loader stops at other types where system messages
  are on.
* Boxes are [x1, y1, x2, y2] and points [x, y] from the top left corner; `box_space` says of which picture: `picture`
  is the whole one (loaders that squeeze it into a square, as LAMM's training does), `padded` the picture padded to a
  square (LLaVA), `cropped` its middle square (CLIP's own preprocessing), in which what lies less than half inside is
  neither named nor counted. `box_text`: `unit2` and `unit3` are shares with two and three decimals, `thousand` is 0
  to 1000, `pixels` those of that picture.
* Clouds: float32 (N, 6), x y z in metres, z up, floor at 0; r g b from 0 to 255. Boxes (cx, cy, cz, lx, ly, lz):
  centre and full lengths in metres.
* A row has at most `max_tokens` tokens by upper estimate (bytes / 3): the loader cuts what is longer.
* Training figures of the paper: CLIP ViT-L/14, 256 vision tokens, LoRA and projection, Adam 5e-4, linear decay, batch
  64, 2 epochs; clouds 10,000 steps."""


@dataclass(frozen=True, kw_only=True)
class LammOptions(ExportOptions):
    """Options of the format."""

    box_space: BoxSpace = "picture"
    """Of which picture boxes are shares: the whole, padded to a square, or its middle square."""
    box_text: BoxText = "unit2"
    """How numbers of boxes are written."""


MAX_TOKENS = 400
"""What the loader keeps behind the medium."""


def estimate_tokens(turns: Iterable[tuple[str, str]]) -> int:
    """Upper estimate of the tokens of question and answer with the marks around them."""
    parts = build_text(tuple(turns), TASK_TYPES[0], is_cloud=False)[1:]
    return -int(-sum(len(part.text.encode()) for part in parts) // BYTES_PER_TOKEN)


def _write_talks(runs: Iterable[RunData], ledger: Ledger, options: LammOptions) -> None:
    """Write the dialogues of all tours, one tour at a time."""
    folder = ledger.out / "system"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TASK_TYPES:
        (folder / f"{name}.txt").write_text(system_message(name) + "\n", encoding="utf-8")
    ledger.counts.update(dict.fromkeys(FILES, 0))
    files = {key: ledger.open_rows(name, options, key) for key, name in FILES.items()}
    for run in runs:
        for row in run.list_accepted("dialogues"):
            if row.medium == "views":
                ledger.dropped["dialogue about several views, of which the loader takes one"] += 1
                continue
            turns = tell_turns(row, options.box_space, options.box_text)
            if turns is None:
                ledger.dropped["dialogue about what the encoder does not see"] += 1
            elif estimate_tokens(turns) > MAX_TOKENS:
                ledger.dropped["dialogue over the loader's limit"] += 1
            else:
                ledger.labels[task_type(row.kind, row.task, row.medium)] += 1
                if row.views:
                    place = {"image": f"images/{show_frame(run, row.views[0], ledger.out)}"}
                else:
                    place = {"pcl": f"clouds/{copy_cloud(run, row.cloud or '', ledger.out / 'clouds')}"}
                files[next(iter(place))](_tell_row(run, row, turns, place))
    ledger.card_notes.append(f"Box space: {options.box_space}; box text: {options.box_text}.")


def _tell_row(
    run: RunData, row: Dialogue, turns: Iterable[tuple[str, str]], medium: dict[str, str]
) -> dict[str, object]:
    said = turns_of((plain(question), answer.replace("<image>", "image")) for question, answer in turns)
    licence = "; ".join(filter(None, (run.scene.source.licence, row.text_licence)))
    kind = task_type(row.kind, row.task, row.medium)
    return {"id": row.id, **medium, "task_type": kind, "conversations": said, "licence": licence}


class _LammItem(Row):
    id: Id
    task_type: Annotated[str, must(lambda name: name in TASK_TYPES, f"one of {', '.join(TASK_TYPES)}")]
    conversations: Annotated[
        Turns,
        must(
            lambda turns: not any("<image>" in turn.value or "###" in turn.value for turn in turns),
            "no <image> and no ###: the loader puts its own marks",
            inside="value",
        ),
    ]
    image: Annotated[RelativePath, there()] | None = None
    pcl: Annotated[RelativePath, there()] | None = None


def _check(data: DatasetCheck) -> None:
    """One medium per file, types the loader knows, human first, nothing that it would cut."""
    for name in TASK_TYPES:
        file = data.folder / "system" / f"{name}.txt"
        if not file.is_file() or not file.read_bytes().strip():
            data.bad(f"system/{name}.txt", "file", "a system message", "none")
    for medium, name in FILES.items():
        for row, item in data.rows(name, _LammItem):
            keys = [key for key in FILES if key in row.record]
            if keys != [medium]:
                row.bad(medium, f"only the key {medium} in this file: the loader skips other rows in silence", keys)
            elif item.pcl is not None:
                fault = data.once(find_cloud_fault, data.folder / item.pcl)
                if fault is not None:
                    row.bad(medium, "float32 (N, 6), without pickle", fault)
            said = [turn.value for turn in item.conversations]
            tokens = estimate_tokens(zip(said[::2], said[1::2], strict=False))
            row.need(tokens <= MAX_TOKENS, "conversations", f"at most {MAX_TOKENS} tokens, the rest is cut off", tokens)


LAMM = ExportFormat(
    name="lamm",
    summary="talks, descriptions and tasks about pictures and point clouds, with a system message per task",
    client="LAMM's trainer",
    reads=("dialogues",),
    shows=("clouds",),
    convention=_LAMM_CONVENTION,
    options=LammOptions,
    write=_write_talks,
    check=_check,
    rows=rows_of("pictures_*.json", "clouds_*.json"),
)

_BENCHMARK_CONVENTION = """\
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
class LammBenchmarkOptions(TrainedOptions):
    """Options of the format."""

    box_space: BoxSpace = "picture"
    """Of which picture boxes are shares."""


def _write_tasks(runs: Iterable[RunData], ledger: Ledger, options: LammBenchmarkOptions) -> None:
    """Write the tasks of all tours, one tour at a time.

    Raises:
        RoomtourError: For a tour of the training split.
    """
    (ledger.out / "meta_file").mkdir(parents=True, exist_ok=True)
    for run in runs:
        require_untrained(run.scene.id, options.trained)
        for row in run.list_accepted("dialogues"):
            task = benchmark_row(row, options.box_space)
            if task is None:
                continue
            name = benchmark_name(row)
            if row.views:
                task["image"] = f"images/{show_frame(run, row.views[0], ledger.out)}"
            else:
                task["pcl"] = f"./clouds/{copy_cloud(run, row.cloud, ledger.out / 'clouds')}"
            ledger.files.open(ledger.out / "meta_file" / f"{name}.json")(task)
            ledger.counts[name] += 1
    ledger.card_notes.append(f"Box space: {options.box_space}. Trained on: {options.trained or 'nothing was named'}.")


class _Task(Row):
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


class _Objects(_Task):
    object: Annotated[list[_Object], Field(min_length=1)]

    def check(self, row: RowCheck) -> None:
        """Boxes of the medium."""
        wrong = [thing.bbox for thing in self.object if len(thing.bbox) != (6 if self.image is None else 4)]
        row.need(not wrong, "object.bbox", "six numbers in a cloud, else four", wrong)


class _Length(_Task):
    metres: Positive
    interval: Annotated[list[Finite], Field(min_length=2, max_length=2)]

    def check(self, row: RowCheck) -> None:
        """An interval around the truth."""
        if not self.interval[0] <= self.metres <= self.interval[1]:
            row.bad("interval", f"around {self.metres}", self.interval)


class _Choice(_Task):
    gt_choice: Whole
    gt_choices: Annotated[list[Text], Field(min_length=2)]

    def check(self, row: RowCheck) -> None:
        """One of the options."""
        row.need(self.gt_choice < len(self.gt_choices), "gt_choice", f"below {len(self.gt_choices)}", self.gt_choice)


_Shares = list[Annotated[float, Field(ge=0, le=1)]]


class _Point(Row):
    label: Text
    point: Annotated[_Shares, Field(min_length=2, max_length=2)]
    person: Annotated[_Shares, Field(min_length=4, max_length=4)]


def _with(name: str, kind: Any) -> type[_Task]:
    """A task whose truth is one field."""
    truth: dict[str, Any] = {name: (kind, ...)}
    return create_model("Task", __base__=_Task, **truth)


_Texts = Annotated[list[Text], Field(min_length=1)]
_FORMS: dict[str, type[_Task]] = {
    **dict.fromkeys(("detect", "ground", "locate", "detect_cloud", "ground_cloud"), _Objects),
    **dict.fromkeys(("choice", "vqa_cloud"), _Choice),
    **dict.fromkeys(("classify_view", "classify_thing", "classify_cloud"), _with("label", Text)),
    **dict.fromkeys(("caption", "caption_cloud"), _with("sentences", _Texts)),
    "count": _with("num", Whole),
    "presence": _with("label", Literal["yes", "no"]),
    "unseen": _with("label", Literal["left", "middle", "right", "not in view"]),
    "words": _with("word_list", _Texts),
    "keypoints": _with("object", Annotated[list[_Point], Field(min_length=1, max_length=1)]),
    "length": _Length,
}


def _check_tasks(data: DatasetCheck) -> None:
    """Truths of the form that the task needs, media that are there."""
    for task, kind in BENCHMARKS.items():
        medium = "image" if kind.medium == "view" else "pcl"
        for row, item in data.rows(f"meta_file/{kind.benchmark}.json", _FORMS[task], optional=True):
            row.need(getattr(item, medium) is not None, medium, "a file below the folder", None)


LAMM_BENCHMARK = ExportFormat(
    name="lamm-benchmark",
    summary="tasks about pictures and point clouds with their truths, for `roomtour score`",
    client="LAMM's evaluation; roomtour score",
    reads=("dialogues",),
    shows=("clouds",),
    convention=_BENCHMARK_CONVENTION,
    options=LammBenchmarkOptions,
    write=_write_tasks,
    check=_check_tasks,
    rows=rows_of("meta_file/*.json"),
)
