"""Conversations for LAMM's loader: one file per medium, human first, and system messages by task."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from instructions.dialogues.budget import BYTES_PER_TOKEN
from instructions.dialogues.conversation import TASK_TYPES, build_text, system_message
from instructions.dialogues.formats import TalkItem, talk_item
from instructions.dialogues.spots import BoxSpace, BoxText
from recon.ranges import AtLeastOne
from roomtour.export.core.clouds import copy_clouds
from roomtour.export.core.conversations import image_of, plain
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter

MEDIA = ("image", "pcl")
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


def file_name(medium: str, split: str) -> str:
    """The file of a medium."""
    return f"{'pictures' if medium == 'image' else 'clouds'}_{split}.json"


def estimate_tokens(turns: Iterable[tuple[str, str]]) -> int:
    """Upper estimate of the tokens of question and answer with the marks around them."""
    parts = build_text(tuple(turns), TASK_TYPES[0], is_cloud=False)[1:]
    return -int(-sum(len(part.text.encode()) for part in parts) // BYTES_PER_TOKEN)


def write(runs: Iterable[RunData], ledger: Ledger, options: LammOptions) -> None:
    """Write the dialogues of all tours, one tour at a time."""
    splits = options.splits
    folder = ledger.out / "system"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TASK_TYPES:
        (folder / f"{name}.txt").write_text(system_message(name) + "\n", encoding="utf-8")
    ledger.counts.update(dict.fromkeys(MEDIA, 0))
    with ExitStack() as stack:
        files = {
            (medium, split): stack.enter_context(JsonArrayWriter(ledger.out / file_name(medium, split)))
            for medium in MEDIA
            for split in splits
        }
        for run in runs:
            frames, clouds = set(), set()
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
                    medium = "pcl" if item.frame is None else "image"
                    files[medium, ledger.split].add(_row(run, item))
                    ledger.counts[medium] += 1
                    ledger.labels[item.type] += 1
                    (frames if item.frame is not None else clouds).add(
                        item.frame if item.frame is not None else item.cloud
                    )
            if frames:
                copy_frames(run, sorted(frames), ledger.out / "images" / run.scene.id)
            if clouds:
                copy_clouds(run, sorted(clouds), ledger.out / "clouds")
    ledger.card_notes.append(f"Box space: {options.box_space}; box text: {options.box_text}.")


def _row(run: RunData, item: TalkItem) -> dict[str, object]:
    medium = (
        {"pcl": f"clouds/{item.cloud}.npy"} if item.frame is None else {"image": f"images/{image_of(run, item.frame)}"}
    )
    said = [
        {"from": speaker, "value": plain(text) if speaker == "human" else text.replace("<image>", "image")}
        for turn in item.turns
        for speaker, text in zip(("human", "gpt"), turn, strict=True)
    ]
    licence = "; ".join(filter(None, (run.scene.source.licence, item.text_licence)))
    return {"id": item.id, **medium, "task_type": item.type, "conversations": said, "licence": licence}
