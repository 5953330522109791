"""LLaVA conversations: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Le

from instructions.dialogues.spots import BoxSpace, BoxText
from recon.ranges import Positive
from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.conversations import IMAGE_TOKEN, image_of, view_conversations, way_conversations
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter
from roomtour.export.core.talks.place_rows import PLACES, list_places
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.sources import SOURCES
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk
from roomtour.export.core.view_videos import VIDEO_MEDIA, place_video

CONVENTION = (
    """\
* `views_{split}.json`: one image (a text in `image`) and the things in it, by side and distance.
* `ways_{split}.json`: several images in time order (a list in `image`) and the way in words; for clients that take
  more than one image. Each file holds one kind, because readers that infer a schema stop at a mixture.
* One file per other kind of data: `questions_{split}.json` are spatial questions, `programs_{split}.json` questions
  answered by programs (a list of images each), `regions_{split}.json` questions about numbered regions, drawn in
  `drawn/`, `dialogues_{split}.json` talks of several turns. `solution` is the truth in full, `unit` and `sigma` those
  of a number, `question_type` the type as released data sets spell it.
* Rows about several pictures are in files of their own, `several_questions_{split}.json` and so on, with a list in
  `image`, so that every other file is one that single-picture trainers read.
* Marked points and numbered regions are drawn (`drawn/`), things are named. With `references=marks` things are numbered
  and drawn too; with `boxes` or `points` the pictures are plain and numbers stand in the text, with `both` behind the
  first mention of what is drawn. Numbers are shares of width and height (`box_text` has other ways) of the picture that
  `box_space` names: `picture` as it is, `padded` to a square as the first LLaVA trainers do, or its `cropped` middle
  square; rows about what that cuts off are left out.
"""
    + f"* {PLACES}"
    + """
* With `videos=true` questions about a video are in `program_videos_{split}.json`: `video` is one file that holds
  exactly their views, and `<video>` in the question stands for it (`video_mark=image`: `<image>`, as LLaVA-NeXT and
  VLM-3R have it). Without, they have their 32 views as pictures.
* `image` and `video` are relative to `images/`: give that folder as the image folder. Each `<image>` in the question
  stands for one.
* `source` names the frames, the model and what wrote the text."""
)


@dataclass(frozen=True, kw_only=True)
class LlavaOptions(AugmentOptions, ReferenceOptions):
    """Options of the format."""

    max_images: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    box_text: BoxText = "unit2"
    """Numbers of boxes and points: shares with two or three decimals (`unit2`, `unit3`), thousandths of width and
    height (`thousand`), or `pixels` of the picture as it is written."""
    box_space: BoxSpace = "picture"
    """The picture that boxes and points are shares of."""
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
SEVERAL = "several_"
"""Begins the names of files of rows about several pictures, of kinds whose other rows are about one."""
VIDEOS = "program_videos"
"""The file of questions about a video, where videos are asked for."""
_SOURCE_OF = {source.kind: source for source in SOURCES}


def file_names(split: str) -> tuple[str, ...]:
    """The files of a split."""
    return tuple(f"{file}_{split}.json" for file in FILES)


def video_file_name(split: str) -> str:
    """The file of a split that holds questions about videos; only with `videos=true`."""
    return f"{VIDEOS}_{split}.json"


def several_file_names(split: str) -> tuple[str, ...]:
    """The files of a split whose rows are about several pictures; those of them that have rows are written."""
    return tuple(f"{SEVERAL}{one.file}_{split}.json" for one in SOURCES if not one.has_many_images)


def write(runs: Iterable[RunData], ledger: Ledger, options: LlavaOptions) -> None:
    """Write the conversations of all tours, one tour at a time."""
    splits = options.splits
    images = ledger.out / "images"
    with ExitStack() as stack:
        ledger.counts.update({"views": 0, "ways": 0})
        form = Form(options.references, options.box_text, options.box_space)
        spool = stack.enter_context(TalkSpool(ledger, options.balance, images / DRAWN, form=form))
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
        for talk in spool.give():
            if options.videos and talk.more.get("medium") in VIDEO_MEDIA:
                name = f"videos/{place_video(talk, images / 'videos', options.frames_per_second)}"
                videos[talk.split].add(_video_item(talk, name, options.video_mark))
                continue
            file = _file_of(talk)
            if (file, talk.split) not in files:
                path = ledger.out / f"{file}_{talk.split}.json"
                files[file, talk.split] = stack.enter_context(JsonArrayWriter(path))
            files[file, talk.split].add(_talk_item(talk))
            if options.copy_images:
                copy_images(talk, images)
        ledger.card_notes.append(
            f"References: {options.references}; numbers in texts: {options.box_text} of {options.box_space}."
        )


def _file_of(talk: Talk) -> str:
    source = _SOURCE_OF[talk.kind]
    return f"{SEVERAL}{source.file}" if len(talk.images) > 1 and not source.has_many_images else source.file


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
        "image": names if _SOURCE_OF[talk.kind].has_many_images or len(names) > 1 else names[0],
        "conversations": _conversation(len(names), *talk.turns),
        "type": talk.type,
        "solution": talk.solution,
        "unit": talk.unit,
        "sigma": talk.sigma,
        "choices": list(talk.choices),
        "places": list_places(talk),
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
