"""LLaVA conversations: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from instructions.dialogues.spots import BoxSpace
from recon.ranges import Positive
from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.conversations import IMAGE_TOKEN, image_of, view_conversations, way_conversations
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.talks.region_boxes import RegionStyle, tell_boxes
from roomtour.export.core.talks.sources import SOURCES
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.view_videos import VIDEO_MEDIA, place_video

CONVENTION = """\
* `views_{split}.json`: one image (a text in `image`) and the things in it, by side and distance.
* `ways_{split}.json`: several images in time order (a list in `image`) and the way in words; for clients that take
  more than one image. Each file holds one kind, because readers that infer a schema stop at a mixture.
* One file per other kind of data: `questions_{split}.json` are spatial questions, `programs_{split}.json` questions
  answered by programs (a list of images each), `regions_{split}.json` questions about numbered regions, drawn in
  `drawn/`, `dialogues_{split}.json` talks of several turns. `solution` is the truth in full, `unit` and `sigma` those
  of a number, `question_type` the type as released data sets spell it.
* With `style=boxes` the pictures of `regions_{split}.json` are plain and each `[n]` is written as its box; with `both`
  they are drawn and the first `[n]` of a row has its box behind it. `[x1, y1, x2, y2]` are shares of width and height
  of the picture that `box_space` names: `picture` as it is, `padded` to a square as the first LLaVA trainers do, or its
  `cropped` middle square; rows about what that cuts off are left out.
* With `videos=true` questions about a video are in `program_videos_{split}.json`: `video` is one file that holds
  exactly their views, and `<video>` in the question stands for it (`video_mark=image`: `<image>`, as LLaVA-NeXT and
  VLM-3R have it). Without, they have their 32 views as pictures.
* `image` and `video` are relative to `images/`: give that folder as the image folder. Each `<image>` in the question
  stands for one.
* `source` names the frames, the model and what wrote the text."""


@dataclass(frozen=True, kw_only=True)
class LlavaOptions(AugmentOptions):
    """Options of the format."""

    max_images: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    style: RegionStyle = "drawn"
    """Numbered regions are drawn in the picture, written as boxes in the text, or both."""
    box_space: BoxSpace = "picture"
    """The picture that boxes of regions are shares of."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""
    videos: bool = False
    """Give a question about a video one file in `images/videos/` that holds exactly its views, instead of as many
    pictures."""
    video_mark: Literal["video", "image"] = "video"
    """What stands for a video in its question: `<video>` for Qwen-VL's fine-tuning, `<image>` for the LLaVA-NeXT family
    (VLM-3R, VSI-590K), which marks any medium so."""
    frames_per_second: Positive = 2.0
    """Of these files; no question asks for a time in seconds."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_images < 2:
            raise ValueError(f"max_images is {self.max_images}, need at least 2, the first and the last view")


VIEWS, WAYS = "views", "ways"
FILES = (VIEWS, WAYS, *(source.file for source in SOURCES))
"""Each holds one kind."""
VIDEOS = "program_videos"
"""The file of questions about a video, where videos are asked for."""
_SOURCE_OF = {source.kind: source for source in SOURCES}


def file_names(split: str) -> tuple[str, ...]:
    """The files of a split."""
    return tuple(f"{file}_{split}.json" for file in FILES)


def video_file_name(split: str) -> str:
    """The file of a split that holds questions about videos; only with `videos=true`."""
    return f"{VIDEOS}_{split}.json"


def write(runs: Iterable[RunData], ledger: Ledger, options: LlavaOptions) -> None:
    """Write the conversations of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    images = ledger.out / "images"
    with ExitStack() as stack:
        ledger.counts.update({"views": 0, "ways": 0})
        drawn = None if options.style == "boxes" else images / DRAWN
        spool = stack.enter_context(TalkSpool(ledger, options.balance, drawn))
        files = {
            (file, split): stack.enter_context(JsonArrayWriter(ledger.out / name))
            for split in splits
            for file, name in zip(FILES, file_names(split), strict=True)
        }
        videos = {
            split: stack.enter_context(JsonArrayWriter(ledger.out / video_file_name(split)))
            for split in (splits if options.videos else ())
        }
        for run in runs:
            spool.take(run)
            used = _write_views(run, ledger, files[VIEWS, ledger.split])
            used |= _write_ways(run, ledger, files[WAYS, ledger.split], options.max_images)
            if options.copy_images and used:
                copy_frames(run, sorted(used), images / run.scene.id)
        for given in spool.give():
            talk = tell_boxes(given, options.style, options.box_space)
            if talk is None:
                ledger.counts[given.kind] -= 1
                ledger.dropped[f"{given.kind}: a named region is outside of the cropped picture"] += 1
                continue
            if len(talk.images) > 1 and not _SOURCE_OF[talk.kind].has_many_images:
                ledger.counts[talk.kind] -= 1
                ledger.dropped[f"{talk.kind}: talk about several pictures, in a file of single ones"] += 1
                continue
            if options.videos and talk.more.get("medium") in VIDEO_MEDIA:
                name = f"videos/{place_video(talk, images / 'videos', options.frames_per_second)}"
                videos[talk.split].add(_video_item(talk, name, options.video_mark))
                continue
            files[_SOURCE_OF[talk.kind].file, talk.split].add(_talk_item(talk))
            if options.copy_images:
                copy_images(talk, images)
        if ledger.counts["regions"]:
            ledger.card_notes.append(f"Style of regions: {options.style}; box space: {options.box_space}.")


def _video_item(talk: Talk, video: str, mark: str) -> dict[str, object]:
    """The same item with a video in the place of its pictures."""
    item = _talk_item(talk)
    turns = [(f"<{mark}>\n{talk.turns[0][0]}", talk.turns[0][1]), *talk.turns[1:]]
    item["conversations"] = _conversation(0, *turns)
    return {"id": item.pop("id"), "video": video, **{key: value for key, value in item.items() if key != "image"}}


def _talk_item(talk: Talk) -> dict[str, object]:
    names = [image.name for image in talk.images]
    return {
        "id": talk.id,
        "image": names if _SOURCE_OF[talk.kind].has_many_images else names[0],
        "conversations": _conversation(len(names), *talk.turns),
        "type": talk.type,
        "solution": talk.solution,
        "unit": talk.unit,
        "sigma": talk.sigma,
        "choices": list(talk.choices),
        **talk.more,
        "question_type": talk.more.get("category", talk.type),
        "source": {"tour": talk.tour, "scale_status": talk.scale_status},
    }


def _write_views(run: RunData, ledger: Ledger, items: JsonArrayWriter) -> set[int]:
    used: set[int] = set()
    for told in view_conversations(run, ledger):
        items.add(
            {
                "id": told.id,
                "image": image_of(run, told.frames[0]),
                "conversations": _conversation(1, (told.question, told.answer)),
                "source": told.source,
            }
        )
        used.update(told.frames)
        ledger.counts["views"] += 1
    return used


def _write_ways(run: RunData, ledger: Ledger, items: JsonArrayWriter, most: int) -> set[int]:
    used: set[int] = set()
    for told in way_conversations(run, ledger, most):
        items.add(
            {
                "id": told.id,
                "image": [image_of(run, frame) for frame in told.frames],
                "conversations": _conversation(len(told.frames), (told.question, told.answer)),
                "source": told.source,
            }
        )
        used.update(told.frames)
        ledger.counts["ways"] += 1
    return used


def _conversation(images: int, *turns: tuple[str, str]) -> Sequence[dict[str, str]]:
    said = []
    for place, (question, answer) in enumerate(turns):
        marks = f"{IMAGE_TOKEN}\n" * images if place == 0 else ""
        said += [{"from": "human", "value": marks + question}, {"from": "gpt", "value": answer}]
    return said
