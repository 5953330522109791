"""Parquet for reinforcement learning with rewards that code verifies: prompt, pictures, and the truth."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from recon.ranges import AtLeastOne, Positive
from roomtour.export.core.conversations import IMAGE_TOKEN
from roomtour.export.core.images import read_picture
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.parquet_shards import ParquetShards
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TalkSpool
from roomtour.export.core.talks.talk import Talk

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
_TEXT = pa.string()
_EXTRA = {
    "split": _TEXT,
    "index": pa.int64(),
    "id": _TEXT,
    "tour": _TEXT,
    "type": _TEXT,
    "medium": _TEXT,
    "answer": _TEXT,
    "unit": _TEXT,
    "scale_status": _TEXT,
    "licence": _TEXT,
}
SCHEMA = pa.schema(
    {
        "data_source": _TEXT,
        "prompt": pa.list_(pa.struct({"role": _TEXT, "content": _TEXT})),
        "images": pa.list_(pa.struct({"bytes": pa.binary(), "path": _TEXT})),
        "ability": _TEXT,
        "reward_model": pa.struct({"style": _TEXT, "ground_truth": _TEXT}),
        "extra_info": pa.struct(_EXTRA),
        "problem": _TEXT,
        "answer": _TEXT,
    }
)
FORMAT_PROMPT = "format_prompt.jinja"
"""What EasyR1 puts around a question, which there has no system message."""
_ROW_BYTES = 1000


@dataclass(frozen=True, kw_only=True)
class VerlOptions(ReferenceOptions):
    """Options of the format."""

    max_images: AtLeastOne = 32
    """Rows with more pictures are left out: each takes about as many tokens as its size divided by 28 times 28."""
    max_shard_mb: Positive = 500.0
    """Size of a parquet file before the next one begins."""


def file_name(split: str, number: int = 0) -> str:
    """The file of a split; a large one has several."""
    return f"{split}.parquet" if number == 0 else f"{split}-{number:05d}.parquet"


def write(runs: Iterable[RunData], ledger: Ledger, options: VerlOptions) -> None:
    """Write the rows of all tours that say what their reward needs."""
    (ledger.out / FORMAT_PROMPT).write_text("{{ content | trim }}\n\n" + SYSTEM + "\n", encoding="utf-8")
    splits = options.splits
    with ExitStack() as stack:
        spool = stack.enter_context(TalkSpool(ledger, balance=True, form=Form(options.references, options.box_text)))
        tables = {
            split: stack.enter_context(ParquetShards(partial(_path_of, ledger, split), SCHEMA, options.max_shard_mb))
            for split in splits
        }
        for run in runs:
            spool.take(run)
        for index, talk in enumerate(spool.give()):
            if not talk.more.get("reward"):
                _drop(ledger, talk, "an answer that no code can verify")
                continue
            if len(talk.images) > options.max_images:
                _drop(ledger, talk, f"more than {options.max_images} pictures")
                continue
            record, size = _record(talk, index)
            tables[talk.split].make_room(size)
            tables[talk.split].add(record, size)


def _drop(ledger: Ledger, talk: Talk, reason: str) -> None:
    ledger.dropped[reason] += 1
    ledger.counts[talk.kind] -= 1


def _path_of(ledger: Ledger, split: str, number: int) -> Path:
    return ledger.out / file_name(split, number)


def _record(talk: Talk, index: int) -> tuple[dict[str, object], int]:
    images = [{"bytes": read_picture(Path(one.path), talk.tour), "path": one.name} for one in talk.images]
    question, answer = talk.turns[0]
    problem = IMAGE_TOKEN * len(images) + question
    truth = talk.more["reward"]
    extra = {
        "split": talk.split,
        "index": index,
        "id": talk.id,
        "tour": talk.tour,
        "type": talk.type,
        "medium": talk.more.get("medium", "views" if len(talk.images) > 1 else "image"),
        "answer": answer,
        "unit": talk.unit,
        "scale_status": talk.scale_status,
        "licence": talk.licence,
    }
    record = {
        "data_source": f"roomtour/{talk.kind}",
        "prompt": [{"role": "system", "content": SYSTEM}, {"role": "user", "content": problem}],
        "images": images,
        "ability": "spatial",
        "reward_model": {"style": "rule", "ground_truth": truth},
        "extra_info": extra,
        "problem": problem,
        "answer": truth,
    }
    return record, _ROW_BYTES + sum(len(image["bytes"]) for image in images)
