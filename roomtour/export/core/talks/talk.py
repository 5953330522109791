"""A talk about pictures, as formats write it: the same whichever kind of data it is of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from instructions.records import MaskRle
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import image_of

Unit = Literal["", "m", "cm", "m2", "m3", "deg", "ratio", "hour", "count", "s", "unit"]
"""Of an exact number; empty for a word."""
IMAGE_TOKEN = "<image>"
"""Where a client puts an image; one for each, in the order of the row's images."""
DRAWN = "drawn"
"""Folder below `images/` of pictures that were drawn for a talk."""
PLACES = """\
`places` say what the texts point at: `words` as the run has them, `number` as it is drawn, `picture` (from 0) and
  `spot`: a point or the corners of a box in pixels of that picture."""
"""A line of the convention of every format with the column `places`."""
METRIC_UNITS = frozenset({"m", "cm", "m2", "m3"})
"""Nothing may be told in these where the scale is relative."""


@dataclass(frozen=True)
class TalkImage:
    """A picture of a talk."""

    name: str
    """Where it is to lie, relative to `images/`."""
    path: str
    """Where it lies now: a frame of a run, or a picture drawn for the talk."""
    size_px: tuple[int, int]
    """Width and height."""


@dataclass(frozen=True)
class Place:
    """What a phrase of a talk points at."""

    kind: Literal["thing", "region", "mark"]
    """A named thing, a numbered region, or a marked point or thing. Texts say the numbers of the last two, so without a
    drawing nobody knows what they mean."""
    number: int
    """That it is drawn with."""
    words: str
    """As the texts say it: `the red chair by the door`, `[2]`, `mark 1`, `the chair at mark 1`."""
    picture: int
    """Which of the talk's pictures shows it."""
    spot: tuple[float, ...] | None
    """Pixels of that picture: corners of a box, or a point; None for what is out of view."""
    mask: MaskRle | None = None
    phrase: str = ""
    """Of a thing that is shown by a point on it: its name, which its texts keep in every form."""


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Questions with their answers, in order, about pictures; all texts are one line without any client's mark."""

    id: str
    kind: str
    """Of data."""
    tour: str
    split: str
    images: tuple[TalkImage, ...]
    """Without anything drawn, until `references.refer` decides on a form."""
    turns: tuple[tuple[str, str], ...]
    """Question and answer, at least one of them."""
    type: str
    solution: str
    """The truth as one may compare it: a word, the phrase of the right option, or the exact number."""
    choices: tuple[str, ...] = ()
    unit: str = ""
    """Of the exact number; empty for a word."""
    sigma: float | None = None
    """Of the exact number, one standard deviation."""
    scale_status: str
    licence: str
    places: tuple[Place, ...] = ()
    """What its texts point at; regions that are drawn besides those named are among them."""
    rejected: str = ""
    """A false answer to the last question, where one is known."""
    more: Mapping[str, str] = field(default_factory=dict)
    """What rows of this kind say besides, by column (`TalkSource.columns`)."""

    def __post_init__(self) -> None:
        if not self.turns:
            raise ValueError(f"talk {self.id} has no turns")

    def tell(self, *names: str) -> dict[str, Any]:
        """Columns of its row, by the names of its fields."""
        listed = {"choices": list(self.choices), "places": self.list_places()}
        return {name: listed[name] if name in listed else getattr(self, name) for name in names}

    def list_places(self) -> list[dict[str, Any]]:
        """The column `places` of its row; what is out of view is not in it."""
        return [
            {
                "words": place.words,
                "number": place.number,
                "picture": place.picture,
                "spot": [round(float(v), 2) for v in place.spot],
            }
            for place in self.places
            if place.spot is not None
        ]


@dataclass(frozen=True)
class Closing:
    """What is known once all tours are seen."""

    gone: Mapping[str, str] = field(default_factory=dict)
    """Talks that are left out, by id, with the reason."""
    notes: tuple[str, ...] = ()
    """Lines of the dataset's card."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Rows that made no talk, by reason."""


class TalkSource(ABC):
    """Makes the talks of one kind of data, tour by tour, and closes the dataset."""

    kind: ClassVar[str]
    """Of data; also what its rows are called where they leave a dataset."""
    file: ClassVar[str]
    """Begins the name of its files, and is the name of its config."""
    has_many_turns: ClassVar[bool] = False
    has_many_images: ClassVar[bool] = False
    """Its talks are about lists of pictures; those of other kinds are mostly about one."""
    columns: ClassVar[tuple[str, ...]] = ()
    """Of text, besides those of every talk."""

    @abstractmethod
    def take(self, run: RunData, split: str) -> Iterator[Talk]:
        """Talks of the accepted rows of a run, which belongs to a split."""

    def close(self, balance: bool) -> Closing:
        """What of all that was taken is left out, and what the card says.

        Args:
            balance: Leave out rows whose answer the names would tell.
        """
        return Closing()


def frame_images(run: RunData, frames: Iterable[int]) -> tuple[TalkImage, ...]:
    """Frames of a run as pictures of a talk."""
    shown = [(frame, run.scene.frame_by_index[frame]) for frame in frames]
    return tuple(
        TalkImage(image_of(run, frame), str(run.frames_dir / picture.image), (picture.width, picture.height))
        for frame, picture in shown
    )


def tell_source(run: RunData, split: str, frames: Iterable[int], text_licence: str | None = None) -> dict[str, Any]:
    """The fields of a talk that its run tells: tour, split, pictures, and licence with that of the text if any."""
    images, licence = frame_images(run, frames), "; ".join(filter(None, (run.scene.source.licence, text_licence)))
    return {"tour": run.scene.id, "split": split, "images": images, "licence": licence}


def plain(text: str) -> str:
    """One line, without the client's own mark."""
    return " ".join(text.replace(IMAGE_TOKEN, "image").split())
