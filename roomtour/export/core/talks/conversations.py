"""Navigation texts as question and answer: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.core.walks.ways import collect_ways

IMAGE_TOKEN = "<image>"
"""Where a client puts an image; one for each, in the order of the row's images."""
WAY_QUESTIONS = {
    "description": "These are views along a walk, in order. Describe the way the camera takes.",
    "instruction": "These are views along a walk, in order. Tell someone at its start how to walk this way.",
}


@dataclass(frozen=True)
class Conversation:
    """One question about frames, and its answer; both without the client's mark."""

    id: str
    frames: tuple[int, ...]
    question: str
    answer: str
    source: dict[str, object]
    """What it was made from."""


def view_conversations(run: RunData, ledger: Ledger) -> Iterator[Conversation]:
    """One per view that is described; views without words are counted. The caller counts under `views`."""
    for row in run.view_descriptions:
        text = plain(row.text)
        if not row.accepted or not text:
            ledger.dropped["view without words"] += 1
            continue
        frame = row.views[0]
        name = f"{run.scene.id}_view_{frame:06d}_{ledger.counts['views']}"
        source = {"tour": run.scene.id, "frames": list(row.views), "room": row.room}
        yield Conversation(name, (frame,), row.question, text, source)


def way_conversations(run: RunData, ledger: Ledger, most_images: int) -> Iterator[Conversation]:
    """One per told way, with at most so many frames of it, first and last included."""
    for way in collect_ways(run, ledger, kinds=tuple(WAY_QUESTIONS), scaled=False):
        frames = tuple(thin(way.views, most_images))
        for instruction, text in way.told:
            source = {
                "tour": run.scene.id,
                "model": way.model.name,
                "frames": list(frames),
                "kind": instruction.kind,
                "writer": instruction.writer,
            }
            yield Conversation(instruction.id, frames, WAY_QUESTIONS[instruction.kind], plain(text), source)


def tell_run(run: RunData, ledger: Ledger, most_images: int) -> Iterator[tuple[str, Conversation]]:
    """All of a run, with what each is counted as (`views` or `ways`)."""
    both = {"views": view_conversations(run, ledger), "ways": way_conversations(run, ledger, most_images)}
    for name, told_of in both.items():
        for told in told_of:
            yield name, told
            ledger.counts[name] += 1


def plain(text: str) -> str:
    """One line, without the client's own mark."""
    return " ".join(text.replace(IMAGE_TOKEN, "image").split())
