"""Conversations for LAMM's loader: one file per medium, human first, and system messages by task."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from instructions.dialogues.budget import BYTES_PER_TOKEN
from instructions.dialogues.spots import BoxSpace, BoxText
from instructions.dialogues.talks.conversation import TASK_TYPES, build_text, system_message
from instructions.dialogues.tasks.formats import TalkItem, talk_item
from recon.arrays import load_array
from recon.ranges import AtLeastOne
from roomtour.export.core.checking import DatasetCheck, Id, RelativePath, Row, must, there
from roomtour.export.core.clouds import copy_cloud
from roomtour.export.core.columns import Turn, Turns, turns_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.images import show_frame
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.talks.conversations import plain

FILES = {"image": "pictures_{split}.json", "pcl": "clouds_{split}.json"}
"""By the key that holds the medium."""
CONVENTION = """\
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
    max_tokens: AtLeastOne = 400
    """What the loader keeps behind the medium."""


def estimate_tokens(turns: Iterable[tuple[str, str]]) -> int:
    """Upper estimate of the tokens of question and answer with the marks around them."""
    parts = build_text(tuple(turns), TASK_TYPES[0], is_cloud=False)[1:]
    return -int(-sum(len(part.text.encode()) for part in parts) // BYTES_PER_TOKEN)


def write(runs: Iterable[RunData], ledger: Ledger, options: LammOptions) -> None:
    """Write the dialogues of all tours, one tour at a time."""
    folder = ledger.out / "system"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TASK_TYPES:
        (folder / f"{name}.txt").write_text(system_message(name) + "\n", encoding="utf-8")
    ledger.counts.update(dict.fromkeys(FILES, 0))
    with ExitStack() as stack:
        files = {key: stack.enter_context(ledger.open_rows(name, options, key)) for key, name in FILES.items()}
        for run in runs:
            for row in run.rows.get("dialogues", ()):
                if not row.accepted:
                    continue
                if row.medium == "views":
                    ledger.dropped["dialogue about several views, of which the loader takes one"] += 1
                    continue
                item = talk_item(row, options.box_space, options.box_text)
                if item is None:
                    ledger.dropped["dialogue about what the encoder does not see"] += 1
                elif estimate_tokens(item.turns) > options.max_tokens:
                    ledger.dropped["dialogue over the loader's limit"] += 1
                else:
                    ledger.labels[item.type] += 1
                    if item.frame is not None:
                        place = {"image": f"images/{show_frame(run, item.frame, ledger.out)}"}
                    else:
                        place = {"pcl": f"clouds/{copy_cloud(run, item.cloud or '', ledger.out / 'clouds')}"}
                    files[next(iter(place))](_tell_row(run, item, place))
    ledger.card_notes.append(f"Box space: {options.box_space}; box text: {options.box_text}.")


def _tell_row(run: RunData, item: TalkItem, medium: dict[str, str]) -> dict[str, object]:
    said = turns_of((plain(question), answer.replace("<image>", "image")) for question, answer in item.turns)
    licence = "; ".join(filter(None, (run.scene.source.licence, item.text_licence)))
    return {"id": item.id, **medium, "task_type": item.type, "conversations": said, "licence": licence}


def _is_unmarked(turns: list[Turn]) -> bool:
    return not any("<image>" in turn.value or "###" in turn.value for turn in turns)


class _Item(Row):
    id: Id
    task_type: Annotated[str, must(lambda name: name in TASK_TYPES, f"one of {', '.join(TASK_TYPES)}")]
    conversations: Annotated[
        Turns, must(_is_unmarked, "no <image> and no ###: the loader puts its own marks", inside="value")
    ]
    image: Annotated[RelativePath, there()] | None = None
    pcl: Annotated[RelativePath, there()] | None = None


def _check(data: DatasetCheck) -> None:
    """One medium per file, types the loader knows, human first, nothing that it would cut."""
    facts = data.read_json("export.json", dict) if data.has_file(data.folder / "export.json") else None
    most = (facts or {}).get("options", {}).get("max_tokens", LammOptions.max_tokens)
    for name in TASK_TYPES:
        file = data.folder / "system" / f"{name}.txt"
        if not file.is_file() or not file.read_bytes().strip():
            data.bad(f"system/{name}.txt", "file", "a system message", "none")
    for medium, name in FILES.items():
        for row, item in data.rows(name, _Item):
            keys = [key for key in FILES if key in row.record]
            if keys != [medium]:
                row.bad(medium, f"only the key {medium} in this file: the loader skips other rows in silence", keys)
            elif item.pcl is not None:
                fault = data.once(_find_fault, data.folder / item.pcl)
                if fault is not None:
                    row.bad(medium, "float32 (N, 6), without pickle", fault)
            said = [turn.value for turn in item.conversations]
            tokens = estimate_tokens(zip(said[::2], said[1::2], strict=False))
            if tokens > most:
                row.bad("conversations", f"at most {most} tokens, the rest is cut off", tokens)


def _find_fault(file: Path) -> str | None:
    try:
        cloud = load_array(file)
    except (OSError, ValueError) as error:
        return str(error)
    is_right = cloud.dtype == np.float32 and cloud.ndim == 2 and cloud.shape[1] == 6
    return None if is_right else f"{cloud.dtype} {cloud.shape}"


LAMM = ExportFormat(
    name="lamm",
    summary="talks, descriptions and tasks about pictures and point clouds, with a system message per task",
    client="LAMM's trainer",
    reads=("dialogues",),
    shows=("clouds",),
    convention=CONVENTION,
    options=LammOptions,
    write=write,
    check=_check,
    files=("system/*.txt",),
    rows=rows_of("pictures_*.json", "clouds_*.json"),
)
