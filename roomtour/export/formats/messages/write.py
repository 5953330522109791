"""Chat messages with pictures, one JSON object per line, as ms-swift, LLaMA-Factory and TRL read them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TextIO

from recon.ranges import Positive
from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.conversations import (
    IMAGE_TOKEN,
    Conversation,
    image_of,
    view_conversations,
    way_conversations,
)
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.place_rows import PLACES, list_places
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.view_videos import VIDEO_MEDIA, VIDEO_TOKEN, place_video

CONVENTION = (
    """\
* `{split}.jsonl`: `messages` (role and content), `images` (paths relative to this folder, one for each `<image>` in
  the messages), and beside them `solution` (the truth to compare with), `type`, `unit`, `sigma`, `choices`, `tour`,
  `scale_status`. A client that knows no such columns leaves them out.
* `dataset_info.json` tells LLaMA-Factory which columns are which: with this folder as its `dataset_dir`, the splits are
  the datasets `roomtour_train` and `roomtour_val`.
* With `videos=true` every row has `videos` as well, one `<video>` for each; a row has pictures or a video.
* Marked points and numbered regions are drawn (`images/drawn/`), things are named. With `references=marks` things are
  numbered and drawn too; with `boxes` or `points` the pictures are plain and the texts say where, in thousandths of
  width and height as Qwen-VL from its third version on expects (`box_text=pixels` for Qwen2.5-VL).
"""
    + f"* {PLACES}"
    + """
* With `image_marks=false` there are no marks, as TRL wants it, and no `dataset_info.json`.
* `solution` of a number is in full, in `unit`; the answer in the messages says it as a person would. Views and ways in
  words (`type` `view`, `description`, `instruction`) have no other truth than their text."""
)


@dataclass(frozen=True, kw_only=True)
class MessagesOptions(AugmentOptions, ReferenceOptions):
    """Options of the format."""

    max_images: int = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out rows whose answer the names would tell: sizes and heights of two categories beyond equal outcomes."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""
    image_marks: bool = True
    """Put `<image>` where a picture belongs, as ms-swift and LLaMA-Factory want it. TRL puts pictures before the first
    text by itself, where marks would stay as words: `false` for TRL."""
    videos: bool = False
    """Give a question about a video one file in `videos/` that holds exactly its views, instead of as many pictures."""
    frames_per_second: Positive = 2.0
    """Of these files; no question asks for a time in seconds."""


INFO_FILE = "dataset_info.json"
_COLUMNS = {"messages": "messages", "images": "images"}
_INFO = {
    "formatting": "sharegpt",
    "tags": {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"},
}
"""What LLaMA-Factory has to know of the lines."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: MessagesOptions) -> None:
    """Write the rows of all tours; talks of the other kinds wait on disk until all tours are seen."""
    ledger.counts.update({"views": 0, "ways": 0})
    splits = options.splits
    images = ledger.out / "images"
    if options.image_marks:
        columns = {**_COLUMNS, **({"videos": "videos"} if options.videos else {})}
        info = {f"roomtour_{split}": {"file_name": file_name(split), **_INFO, "columns": columns} for split in splits}
        (ledger.out / INFO_FILE).write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
    with ExitStack() as stack:
        form = Form(options.references, options.box_text)
        spool = stack.enter_context(TalkSpool(ledger, options.balance, images / DRAWN, form=form))
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        for run in runs:
            spool.take(run)
            used: set[int] = set()
            for name, told in _told(run, ledger, options.max_images):
                row = _told_row(run, told, options.image_marks)
                _add(files[ledger.split], {**row, "videos": []} if options.videos else row)
                used.update(told.frames)
                ledger.counts[name] += 1
            if options.copy_images and used:
                copy_frames(run, sorted(used), images / run.scene.id)
        for talk in spool.give():
            row = _talk_row(talk, options.image_marks)
            if options.videos and talk.more.get("medium") in VIDEO_MEDIA:
                name = f"videos/{place_video(talk, ledger.out / 'videos', options.frames_per_second)}"
                _add(files[talk.split], _as_video(row, talk, name, options.image_marks))
                continue
            _add(files[talk.split], {**row, "videos": []} if options.videos else row)
            if options.copy_images:
                copy_images(talk, images)


def _told(run: RunData, ledger: Ledger, most_images: int) -> Iterator[tuple[str, Conversation]]:
    for told in view_conversations(run, ledger):
        yield "views", told
    for told in way_conversations(run, ledger, most_images):
        yield "ways", told


def _add(file: TextIO, row: dict[str, object]) -> None:
    file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")


def _told_row(run: RunData, told: Conversation, marks: bool) -> dict[str, object]:
    return {
        "id": told.id,
        "messages": _messages(len(told.frames) if marks else 0, (told.question, told.answer)),
        "images": [f"images/{image_of(run, frame)}" for frame in told.frames],
        "solution": told.answer,
        "type": str(told.source.get("kind", "view")),
        "unit": "",
        "sigma": None,
        "choices": [],
        "places": [],
        "tour": run.scene.id,
        "scale_status": run.scene.scale_status,
    }


def _talk_row(talk: Talk, marks: bool) -> dict[str, object]:
    return {
        "id": talk.id,
        "messages": _messages(len(talk.images) if marks else 0, *talk.turns),
        "images": [f"images/{image.name}" for image in talk.images],
        "solution": talk.solution,
        "type": talk.type,
        "unit": talk.unit,
        "sigma": talk.sigma,
        "choices": list(talk.choices),
        "places": list_places(talk),
        "tour": talk.tour,
        "scale_status": talk.scale_status,
        **talk.more,
    }


def _as_video(row: dict[str, object], talk: Talk, name: str, marks: bool) -> dict[str, object]:
    messages = _messages(0, *talk.turns)
    if marks:
        messages[0]["content"] = VIDEO_TOKEN + messages[0]["content"]
    return {**row, "messages": messages, "images": [], "videos": [name]}


def _messages(images: int, *turns: tuple[str, str]) -> list[dict[str, str]]:
    messages = []
    for place, (question, answer) in enumerate(turns):
        marks = IMAGE_TOKEN * images if place == 0 else ""
        messages += [{"role": "user", "content": marks + question}, {"role": "assistant", "content": answer}]
    return messages
