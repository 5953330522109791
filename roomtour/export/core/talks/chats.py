"""Views, ways and talks of all kinds in one pass: what formats of conversations write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from annotated_types import Ge, Le

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.references import Form, ReferenceOptions
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import DRAWN, Talk, frame_images, plain
from roomtour.export.core.talks.view_videos import VIDEO_MEDIA, place_video
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.core.walks.ways import AugmentOptions, collect_ways

VIEWS, WAYS = "views", "ways"
"""What these talks are called as a kind, and in the counts."""
WAY_QUESTIONS = {
    "description": "These are views along a walk, in order. Describe the way the camera takes.",
    "instruction": "These are views along a walk, in order. Tell someone at its start how to walk this way.",
}


def tell_run(run: RunData, ledger: Ledger, most_images: int) -> Iterator[tuple[Talk, dict[str, object]]]:
    """A talk per described view, then per told way, each with what it was made from; all are counted.

    Args:
        run: One tour.
        ledger: Counts them as `views` and `ways`, and views without words.
        most_images: Of a way, evenly chosen, first and last included.
    """
    tour = run.scene.id
    for row in run.view_descriptions:
        text = plain(row.text)
        if not row.accepted or not text:
            ledger.dropped["view without words"] += 1
            continue
        name = f"{tour}_view_{row.views[0]:06d}_{ledger.counts[VIEWS]}"
        source = {"tour": tour, "frames": list(row.views), "room": row.room}
        yield _talk(run, ledger, VIEWS, name, row.views[:1], row.question, text, "view"), source
        ledger.counts[VIEWS] += 1
    for way in collect_ways(run, ledger, kinds=tuple(WAY_QUESTIONS), scaled=False):
        frames = thin(way.views, most_images)
        for told, text in way.told:
            source = {"tour": tour, "model": way.model.name, "frames": list(frames)}
            source |= {"kind": told.kind, "writer": told.writer}
            yield _talk(run, ledger, WAYS, told.id, frames, WAY_QUESTIONS[told.kind], plain(text), told.kind), source
            ledger.counts[WAYS] += 1


def _talk(
    run: RunData, ledger: Ledger, kind: str, name: str, frames: Sequence[int], question: str, answer: str, type: str
) -> Talk:
    return Talk(
        id=name,
        kind=kind,
        tour=run.scene.id,
        split=ledger.split,
        images=frame_images(run, frames),
        turns=((question, answer),),
        type=type,
        solution=answer,
        scale_status=run.scene.scale_status,
        licence=run.scene.source.licence,
    )


AddTalk = Callable[[Talk, dict[str, object] | None, str], None]
"""Writes a talk: with what it was made from for a view or a way, and the name of its video if it has one."""


@dataclass(frozen=True, kw_only=True)
class ChatOptions(AugmentOptions, ReferenceOptions):
    """Options of formats of conversations."""

    max_images: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Images per way, evenly chosen, first and last included: 8 fill about half of a 8k context at 576 tokens each."""
    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""
    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""
    videos: bool = False
    """Give a question about a video one file that holds exactly its views, in a folder `videos`, instead of as many
    pictures."""


def write_chats(
    runs: Iterable[RunData], ledger: Ledger, options: ChatOptions, form: Form, add: AddTalk, videos: Path
) -> None:
    """Write the talks of all tours; all but views and ways wait on disk until all tours are seen.

    Args:
        runs: The tours.
        ledger: Where to write, and where talks are counted.
        options: Of the format.
        form: How texts point at what pictures show.
        add: Gets each talk.
        videos: Folder of the videos, where they are asked for.
    """
    images = ledger.out / "images"
    ledger.counts.update({VIEWS: 0, WAYS: 0})

    def write(talk: Talk, source: dict[str, object] | None) -> None:
        video = ""
        if options.videos and talk.more.get("medium") in VIDEO_MEDIA:
            video = f"videos/{place_video(talk, videos)}"
        add(talk, source, video)
        if options.copy_images and not video:
            copy_images(talk, images)

    with TalkSpool(ledger, options.balance, images / DRAWN, form=form) as spool:
        for run in runs:
            spool.take(run)
            for talk, source in tell_run(run, ledger, options.max_images):
                write(talk, source)
        for talk in spool.give():
            write(talk, None)
