"""What accepted region knowledge says of the things of a tour: kind, color and use."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from instructions.wording.english import capital, with_article
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.conversations import plain


@dataclass(frozen=True)
class ToldThing:
    """A thing in words, each of which a row was asked about and measured."""

    kind: str
    color: str | None
    """None where no row tells it, or rows differ."""
    use: str
    """A sentence; empty where no row tells it."""

    @property
    def caption(self) -> str:
        """One or two sentences."""
        name = f"{self.color} {self.kind}" if self.color else self.kind
        return f"{capital(with_article(name))}. {self.use}".strip()


def tell_things(run: RunData) -> Mapping[str, ToldThing]:
    """By id, the things whose kind the rows agree on."""
    told: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for row in run.rows.get("regions", ()):
        if row.accepted and len(row.regions) == 1 and row.regions[0].object is not None:
            said = row.answer if row.task == "use" and row.mode == "id" else row.solution
            if said:
                told[row.regions[0].object][row.task].add(plain(said))
    return {
        thing: ToldThing(
            next(iter(said["kind"])),
            next(iter(said["colour"])) if len(said["colour"]) == 1 else None,
            min((use for use in said["use"] if use.startswith("It")), default=""),
        )
        for thing, said in told.items()
        if len(said["kind"]) == 1
    }
