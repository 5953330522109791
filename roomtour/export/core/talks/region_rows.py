"""Region knowledge of a run as exports write it: accepted rows with the view and the regions that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from instructions.regions.records import Region, RegionView
from instructions.regions.talks import RegionTalk, find_talks
from roomtour.export.core.images import show_frame
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData

MENTION = re.compile(r"\[(\d+)\]")


def region_talks(run: RunData, ledger: Ledger) -> Iterator[RegionTalk]:
    """Accepted rows of the kind `regions`; those whose view the run does not have are counted."""
    views = {view.id: view for view in run.region_views}
    rows = run.rows.get("regions", ())
    known = [row for row in rows if row.view in views]
    lost = sum(row.accepted for row in rows) - sum(row.accepted for row in known)
    if lost:
        ledger.dropped["region rows without their view"] += lost
    yield from find_talks(known, views)


def show_view(run: RunData, view: RegionView, dataset: Path, *, copy: bool) -> str:
    """Path of a view's picture below `images/` of a dataset, in which it then lies unless it is not to be copied."""
    if view.frame is None:
        return f"{run.scene.id}/{view.image}"
    return show_frame(run, view.frame, dataset, copy=copy)


def round_box(region: Region) -> list[float]:
    """Corners in pixels with two decimals."""
    return [round(float(value), 2) for value in region.box_xyxy]
