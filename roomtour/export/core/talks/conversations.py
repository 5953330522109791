"""Navigation texts as talks: what lies where in a view, and the way through several views in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.talks.talk import Talk, frame_images
from roomtour.export.core.walks.guided_paths import thin
from roomtour.export.core.walks.ways import collect_ways

IMAGE_TOKEN = "<image>"
"""Where a client puts an image; one for each, in the order of the row's images."""
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


def plain(text: str) -> str:
    """One line, without the client's own mark."""
    return " ".join(text.replace(IMAGE_TOKEN, "image").split())
