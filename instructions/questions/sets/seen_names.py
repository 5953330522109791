"""Names by their looks of things that share a category: what tells a thing from its fellows in all views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from instructions.asking.names import Naming


@dataclass(frozen=True)
class SeenName:
    """What somebody who saw all things of a group calls one of them."""

    phrase: str
    """Without an article: `striped chair`."""
    group: str
    """Of the things it was told apart from; all of them have a name."""
    by: str = ""
    """Model that saw them, by the server's own name."""


def find_seen_names(names: Mapping[str, SeenName], things: Sequence[str], said: Sequence[Naming]) -> Iterator[SeenName]:
    """The names by looks among those that a question says."""
    for thing, naming in zip(things, said, strict=True):
        name = names.get(thing)
        if name is not None and name.phrase == naming.phrase:
            yield name


def name_seers(perception: str, names: Iterable[SeenName]) -> str:
    """What knew the things of a row, with what named some of them by their looks."""
    seers = sorted({one.by for one in names if one.by})
    return ", ".join([perception, *(f"names by {one}" for one in seers)])
