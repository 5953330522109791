"""A talk about pictures, as formats write it: the same whichever kind of data it is of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, Protocol

from roomtour.export.core.conversations import image_of
from roomtour.export.core.records import RunData

Unit = Literal["", "m", "cm", "m2", "m3", "deg", "ratio", "hour", "count", "s", "unit"]
"""Of an exact number; empty for a word."""
DRAWN = "drawn"
"""Folder below `images/` of pictures that were drawn for a talk."""
METRIC_UNITS = frozenset({"m", "cm", "m2", "m3"})
"""Nothing may be told in these where the scale is relative."""


@dataclass(frozen=True)
class TalkImage:
    """A picture of a talk."""

    name: str
    """Where it is to lie, relative to `images/`."""
    path: str
    """Where it lies now: a frame of a run, or a picture drawn for the talk."""


@dataclass(frozen=True)
class TalkRegions:
    """Where the `[n]` of a talk are in its picture."""

    image: TalkImage
    """The picture without anything drawn."""
    size_px: tuple[int, int]
    """Width and height."""
    boxes: Mapping[int, tuple[float, float, float, float]]
    """By number: corners in pixels, of those that the talk names."""


@dataclass(frozen=True, kw_only=True)
class Talk:
    """Questions with their answers, in order, about pictures; all texts are one line without any client's mark."""

    id: str
    kind: str
    """Of data."""
    tour: str
    split: str
    images: tuple[TalkImage, ...]
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
    regions: TalkRegions | None = None
    """Of a talk about a picture in which they are drawn."""
    more: Mapping[str, str] = field(default_factory=dict)
    """What rows of this kind say besides, by column (`TalkSource.columns`)."""

    def __post_init__(self) -> None:
        if not self.turns:
            raise ValueError(f"talk {self.id} has no turns")


@dataclass(frozen=True)
class Closing:
    """What is known once all tours are seen."""

    gone: Mapping[str, str] = field(default_factory=dict)
    """Talks that are left out, by id, with the reason."""
    notes: tuple[str, ...] = ()
    """Lines of the dataset's card."""


class TalkSource(Protocol):
    """Makes the talks of one kind of data, tour by tour, and closes the dataset."""

    kind: ClassVar[str]
    """Of data; also what its rows are called where they leave a dataset."""
    file: ClassVar[str]
    """Begins the name of its files, and is the name of its config."""
    has_many_turns: ClassVar[bool]
    has_many_images: ClassVar[bool]
    """Some of its talks are about more than one picture: all name a list then, for readers that infer a schema."""
    columns: ClassVar[tuple[str, ...]]
    """Of text, besides those of every talk."""

    def take(self, run: RunData, split: str, drawn: Path) -> Iterator[Talk]:
        """Talks of the accepted rows of a run.

        Args:
            run: One tour.
            split: That it belongs to.
            drawn: Folder for pictures that are drawn for a talk; its name in a dataset is `images/drawn/`.
        """
        ...

    def close(self, balance: bool) -> Closing:
        """What of all that was taken is left out, and what the card says.

        Args:
            balance: Leave out rows whose answer the names would tell.
        """
        ...


def frame_images(run: RunData, frames: Iterable[int]) -> tuple[TalkImage, ...]:
    """Frames of a run as pictures of a talk."""
    images = run.scene.frame_by_index
    return tuple(TalkImage(image_of(run, frame), str(run.frames_dir / images[frame].image)) for frame in frames)
