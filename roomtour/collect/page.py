"""One page on a collection: how many videos fell at which step, why, and what some of them show."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from recon.errors import ReconError
from recon.video.container import choose_stream, open_video
from roomtour.collect.bars import describe_rejection
from roomtour.collect.gather import Collected
from roomtour.collect.records import STEPS, Candidate, Judgement
from roomtour.drawing.pages import render
from roomtour.drawing.thumbnails import data_address, shrink, to_jpeg
from roomtour.files.records import write_text

PAGE = "collect.html"
_EXAMPLES = 3
_PICTURE_PX = 112


def write_page(out: Path, collected: Collected) -> None:
    """Write the page into the folder of the collection."""
    paths = {candidate.id: candidate for candidate in collected.candidates}
    ordered = sorted(collected.rejected, key=lambda one: (STEPS.index(one.step), one.code))
    rows = []
    for (step, code), group in groupby(ordered, key=lambda one: (one.step, one.code)):
        fallen = list(group)
        rows.append({"step": step, "code": code, "number": len(fallen), "examples": _examples(fallen, paths)})
    page = render(
        "collect/collect.html",
        title="Collected tours – roomtour",
        script="",
        kept=len(collected.kept),
        total=len(collected.candidates),
        waiting=len(collected.waiting),
        findings=collected.findings,
        rows=rows,
        tours=collected.kept,
    )
    write_text(out / PAGE, page)


def _examples(fallen: Sequence[Judgement], candidates: dict[str, Candidate]) -> list[dict[str, object]]:
    return [
        {"id": one.id, "why": describe_rejection(one), "picture": _draw(candidates[one.id].path)}
        for one in fallen[:_EXAMPLES]
    ]


def _draw(path: str) -> str:
    """Address of a small picture from the middle of a video; empty if there is none."""
    if not path:
        return ""
    try:
        with open_video(Path(path)) as container:
            stream, _ = choose_stream(Path(path), container)
            container.seek((container.duration or 0) // 2)
            frame = next(container.decode(stream))
            picture = frame.to_ndarray(format="bgr24").astype(np.uint8, copy=False)
    except (ReconError, OSError, ValueError, EOFError, StopIteration):
        return ""
    return data_address(to_jpeg(shrink(picture, _PICTURE_PX)))
