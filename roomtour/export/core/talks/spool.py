"""Talks of all tours aside on disk until all tours are seen, and with views and ways in words in one pass."""

from __future__ import annotations

import pickle
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from annotated_types import Ge, Le

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.talks.dialogues import DialogueTalks
from roomtour.export.core.talks.questions import ProgramTalks, SpatialTalks
from roomtour.export.core.talks.references import Form, ReferenceOptions, refer
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.talk import DRAWN, Talk, TalkSource, plain, tell_source
from roomtour.export.core.talks.view_videos import VIDEO_MEDIA, place_video
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.core.walks.ways import AugmentOptions, collect_ways
from roomtour.kinds import KINDS

SOURCES: tuple[type[TalkSource], ...] = (SpatialTalks, ProgramTalks, RegionTalks, DialogueTalks)
"""In the order of the kinds. Formats that hold talks hold all of these."""
TALK_KINDS = tuple(source.kind for source in SOURCES)
TALK_ROWS = tuple(kind.rows for kind in KINDS if kind.name in TALK_KINDS)
"""What their rows are called."""


Built = TypeVar("Built")


@dataclass(eq=False)
class TalkSpool:
    """Takes one tour at a time, then gives all talks in the order they came; goes with the files of the ledger."""

    ledger: Ledger
    balance: bool
    drawn: Path | None = None
    """Where drawn pictures are to lie; None for a place that goes with the spool."""
    needs_images: bool = True
    """Leave out talks without a picture: questions about a scan of which no view is known."""
    form: Form | None = Form()
    """How texts point at what pictures show; None leaves that to the format, with plain pictures."""
    sources: tuple[type[TalkSource], ...] = SOURCES
    """Of which kinds of data."""

    def __post_init__(self) -> None:
        self._sources = [source() for source in self.sources]
        self._file = self.ledger.files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        self._count = 0
        folder = self.ledger.files.enter_context(tempfile.TemporaryDirectory(prefix="talks_"))
        self._drawn = self.drawn or Path(folder)
        self.ledger.counts.update({source.kind: 0 for source in self._sources})

    def take(self, run: RunData) -> None:
        """Set the talks of a run aside."""
        for source in self._sources:
            for talk in source.take(run, self.ledger.split):
                pickle.dump(talk, self._file)
                self._count += 1

    def give(self) -> Iterator[Talk]:
        """The talks that stay; they are counted by kind, so is what is left out, and the card is told."""
        gone: dict[tuple[str, str], str] = {}
        for source in self._sources:
            closing = source.close(self.balance)
            gone |= {(source.kind, talk): reason for talk, reason in closing.gone.items()}
            self.ledger.card_notes += closing.notes
            left_out = Counter(closing.gone.values())
            self.ledger.dropped.update({f"{source.kind}: {reason}": count for reason, count in left_out.items()})
            self.ledger.dropped.update(closing.dropped)
        self._file.seek(0)
        for _ in range(self._count):
            talk: Talk = pickle.load(self._file)  # of this process: the file has no name
            if (talk.kind, talk.id) in gone:
                continue
            if self.needs_images and not talk.images:
                self.ledger.dropped[f"{talk.kind}: a scan without views (import it with --videos)"] += 1
                continue
            referring = talk if self.form is None else refer(talk, self.form, self._drawn)
            if isinstance(referring, str):
                self.ledger.dropped[f"{talk.kind}: {referring}"] += 1
                continue
            self.ledger.counts[talk.kind] += 1
            self.ledger.question_types.add(talk.type)
            yield referring

    def build(
        self, runs: Iterable[RunData], make: Callable[[Talk], Built | str], *, by_kind: bool = True
    ) -> Iterator[tuple[Talk, Built]]:
        """Take runs, then give the talks that stay, each with what is made of it.

        Args:
            runs: The tours.
            make: Makes it; a text says why nothing is made, and such talks are counted.
            by_kind: Whether what is left out is counted by kind of data.
        """
        for run in runs:
            self.take(run)
        for talk in self.give():
            made = make(talk)
            if isinstance(made, str):
                self.ledger.counts[talk.kind] -= 1
                self.ledger.dropped[f"{talk.kind}: {made}" if by_kind else made] += 1
            else:
                yield talk, made


def copy_images(talk: Talk, folder: Path) -> None:
    """Copy the pictures of a talk to where they are to lie; those already there are left.

    Raises:
        RoomtourError: If a picture is gone or damaged.
    """
    for image in talk.images:
        target = folder / image.name
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(read_picture(Path(image.path), talk.tour))


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
        **tell_source(run, ledger.split, frames),
        id=name,
        kind=kind,
        turns=((question, answer),),
        type=type,
        solution=answer,
        scale_status=run.scene.scale_status,
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

    spool = TalkSpool(ledger, options.balance, images / DRAWN, form=form)
    for run in runs:
        spool.take(run)
        for talk, source in tell_run(run, ledger, options.max_images):
            write(talk, source)
    for talk in spool.give():
        write(talk, None)
