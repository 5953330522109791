"""Parquet for reinforcement learning with rewards that code verifies: prompt, pictures, and the truth."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Annotated

from pydantic import Field

from instructions.asking.reward import reward
from roomtour.export.core.checking import SPLITS, DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import PictureCell, Text, Whole, must, schema_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.streams import rows_of
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TalkSpool
from roomtour.export.core.talks.talk import IMAGE_TOKEN, METRIC_UNITS, Talk

CONVENTION = """\
* `{split}.parquet`: `data_source, prompt, images, ability, reward_model, extra_info` as verl reads them, each picture
  as `bytes` and `path`, one for each `<image>` in the prompt.
* EasyR1 reads the same files: `data.train_files=.../train.parquet data.prompt_key=problem data.answer_key=answer
  data.format_prompt=.../format_prompt.jinja worker.reward.reward_type=batch
  worker.reward.reward_function=.../instructions/asking/reward.py:compute_scores`.
* `reward_model.ground_truth` is what `instructions.asking.reward.compute_score` takes:
  `custom_reward_function.path=.../instructions/asking/reward.py custom_reward_function.name=compute_score`.
* Marked points are drawn, things are named; `references` has other ways, as in format messages.
* The first message asks for one `<think>` and one `<answer>`; a tenth of the reward is for that form.
* A question about a video has its views as pictures, in order of time."""
SYSTEM = (
    "Think about the question between <think> and </think>. Then give nothing but the answer between <answer> and "
    "</answer>: the letter of an option where there are options; else a number in the unit asked for, a word, or names "
    "with commas between them."
)
FORMAT_PROMPT = "format_prompt.jinja"
"""What EasyR1 puts around a question, which there has no system message."""
_ROW_BYTES = 1000


def write(runs: Iterable[RunData], ledger: Ledger, options: ReferenceOptions) -> None:
    """Write the rows of all tours that say what their reward needs."""
    (ledger.out / FORMAT_PROMPT).write_text("{{ content | trim }}\n\n" + SYSTEM + "\n", encoding="utf-8")
    names = {split: f"{split}.parquet" for split in options.splits}
    spool = TalkSpool(ledger, balance=True, form=Form(options.references, options.box_text))
    tables = ledger.open_tables(schema_of(_Item), names)
    numbers = count()
    for talk, (record, size) in spool.build(runs, lambda talk: _record(talk, next(numbers)), by_kind=False):
        tables[talk.split].make_room(size)
        tables[talk.split].add(record, size)


def _record(talk: Talk, index: int) -> tuple[dict[str, object], int] | str:
    """A row and its size in bytes, or why a talk has none."""
    if not talk.more.get("reward"):
        return "an answer that no code can verify"
    images = [{"bytes": read_picture(Path(one.path), talk.tour), "path": one.name} for one in talk.images]
    question, answer = talk.turns[0]
    problem = IMAGE_TOKEN * len(images) + question
    truth = talk.more["reward"]
    medium = talk.more.get("medium", "views" if len(talk.images) > 1 else "image")
    record = {
        "data_source": f"roomtour/{talk.kind}",
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": problem}],
        "images": images,
        "ability": "spatial",
        "reward_model": {"style": "rule", "ground_truth": truth},
        "extra_info": talk.tell("id", "split", "tour", "type", "unit", "scale_status", "licence")
        | {"index": index, "medium": medium, "answer": answer},
        "problem": problem,
        "answer": truth,
    }
    return record, _ROW_BYTES + sum(len(image["bytes"]) for image in images)


class _Message(Row):
    role: Text
    content: Text


class _Truth(Row):
    style: Text
    ground_truth: Text


def _check_truth(row: RowCheck, text: str) -> None:
    """The truth, said as an answer, must earn everything, and silence no more than the form."""
    try:
        reward_of = json.loads(text)
        is_number = reward_of["form"] == "number" and not reward_of.get("choices")
        truth = float(reward_of["truth"]) if is_number else reward_of["truth"]
    except (ValueError, TypeError, KeyError) as error:
        row.bad("reward_model.ground_truth", "JSON with form and truth", f"{text[:60]} ({type(error).__name__})")
        return
    said = (
        ", ".join(map(str, truth)) if isinstance(truth, list) else f"{truth:.6f}" if isinstance(truth, float) else truth
    )
    full, none = (reward([f"<think>.</think><answer>{answer}</answer>"], [text])[0] for answer in (said, "?"))
    if full < 1.0 - 1e-9 or none > 0.1 + 1e-9:
        row.bad("reward_model.ground_truth", "a truth that earns 1, and silence that earns 0.1", f"{full:g}, {none:g}")


class _Extra(Row):
    split: Text
    index: Whole
    id: Text
    tour: Text
    type: str | None
    medium: str | None
    answer: str | None
    unit: str
    scale_status: Text
    licence: str | None


class _Item(Row):
    data_source: Text
    prompt: Annotated[
        list[_Message],
        Field(min_length=1),
        must(lambda said: said[-1].role == "user", "user last", inside="role"),
    ]
    images: Annotated[list[PictureCell], Field(min_length=1)]
    ability: Text
    reward_model: _Truth
    extra_info: _Extra
    problem: Text
    answer: Text

    def check(self, row: RowCheck) -> None:
        """A picture for each mark, a truth that rewards its answer and no other."""
        extra = self.extra_info
        row.new("extra_info.id", extra.id)
        row.one_split(extra.tour, "extra_info.split")
        row.need(extra.split == row.split, "extra_info.split", row.split, extra.split)
        marks = sum(message.content.count(IMAGE_TOKEN) for message in self.prompt)
        if marks != len(self.images) or self.problem.count(IMAGE_TOKEN) != marks:
            row.bad("prompt", f"{len(self.images)} times {IMAGE_TOKEN}", f"{marks} times")
        if extra.scale_status == "relative" and extra.unit in METRIC_UNITS:
            row.bad("extra_info.unit", "no metres from a relative scale", extra.unit)
        _check_truth(row, self.reward_model.ground_truth)


def _check(data: DatasetCheck) -> None:
    for split in SPLITS:
        files = sorted(file.name for file in data.folder.glob(f"{split}*.parquet"))
        if split == "train" and not files:
            data.bad("train.parquet", "file", "a table", "no such file")
        for row in (row for file in files for row in data.table(file, schema_of(_Item), split, exact=False)):
            data.fit(row, _Item)
    try:
        text = (data.folder / FORMAT_PROMPT).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return data.bad(FORMAT_PROMPT, "file", "a template around the question", type(error).__name__)
    if "{{ content" not in text or SYSTEM not in text:
        data.bad(FORMAT_PROMPT, "format_prompt", "the question and the form of an answer", text[:60])
    return None


VERL = ExportFormat(
    name="verl",
    summary="prompts with pictures and what a reward function needs to verify an answer",
    client="verl (RLHFDataset, custom_reward_function); datasets.load_dataset",
    reads=("spatial", "programs"),
    convention=CONVENTION,
    options=ReferenceOptions,
    write=write,
    check=_check,
    rows=rows_of("*.parquet"),
)
