"""Questions about the regions of one picture, as trainers take them that read masks: a JSON list for each split."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from roomtour.export.core.columns import turns_of
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.questions import SpatialTalks
from roomtour.export.core.talks.references import say_places
from roomtour.export.core.talks.regions import RegionTalks
from roomtour.export.core.talks.spool import TalkSpool, copy_images
from roomtour.export.core.talks.talk import Place, Talk, TalkSource

BY_WORDS = "names things by words"
"""Why a question that points at nothing is left out."""
BOXES = "boxes for masks"


@dataclass(frozen=True, kw_only=True)
class RegionOptions(ExportOptions):
    """Options of formats of regions."""

    balance: bool = True
    """Leave out spatial questions whose answer the names would tell."""


def number_places(talk: Talk, mark: Callable[[int], str]) -> tuple[list[dict[str, str]], list[Place]] | str:
    """The turns of a talk with marks for what they point at, and what each mark stands for; or why there are none.

    Args:
        talk: With plain pictures.
        mark: Makes the mark of a place from its position, counted from 0 in the order of first mention.
    """
    if len(talk.images) != 1:
        return "about more than one picture"
    order: list[Place] = []

    def say(place: Place, _: str) -> str:
        if place not in order:
            order.append(place)
        return mark(order.index(place))

    told = say_places(talk, say)
    if isinstance(told, str):
        return told
    if not order:
        return BY_WORDS
    return turns_of(told.turns), order


def write_region_items(
    runs: Iterable[RunData],
    ledger: Ledger,
    options: RegionOptions,
    name: str,
    build: Callable[[Talk], tuple[dict[str, object], Talk] | str],
    sources: tuple[type[TalkSource], ...] = (SpatialTalks, RegionTalks),
) -> None:
    """Write the items of all tours and their pictures; talks wait on disk until all tours are seen.

    Args:
        runs: The tours.
        ledger: Where to write, and where items are counted.
        options: Of the format.
        name: Of the files, with `{split}`.
        build: The item of a talk, and the talk with the places whose masks it holds and the pictures to copy; or why it
            has none.
        sources: Of the talks.
    """
    ledger.counts.update({"rows": 0, "masks": 0, BOXES: 0})
    with (
        TalkSpool(ledger, options.balance, form=None, sources=sources) as spool,
        ledger.open_rows(name, options, "rows") as add,
    ):
        for run in runs:
            spool.take(run)
        for talk, (item, shown) in spool.build(build):
            add(item, talk.split)
            ledger.counts["masks"] += len(shown.places)
            ledger.counts[BOXES] += sum(one.mask is None and len(one.spot or ()) == 4 for one in shown.places)
            copy_images(shown, ledger.out / "images")
