"""Region knowledge of a run as exports write it: accepted rows with the view and the regions that they are about."""

from __future__ import annotations

import re
from collections.abc import Iterator

from instructions.regions.records import Region, RegionView
from instructions.regions.talks import RegionTalk, find_talks
from roomtour.export.core.images import copy_frames
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


def image_of_view(run: RunData, view: RegionView) -> str:
    """Path of a view's picture below `images/`."""
    return f"{run.scene.id}/{view.image}"


def copy_views(run: RunData, ledger: Ledger, frames: set[int]) -> None:
    """Copy the pictures of views."""
    if frames:
        copy_frames(run, sorted(frames), ledger.out / "images" / run.scene.id)


def round_box(region: Region) -> list[float]:
    """Corners in pixels with two decimals."""
    return [round(float(value), 2) for value in region.box_xyxy]
