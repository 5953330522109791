"""The rows of a tour: views chosen, regions numbered, views described, and questions written and judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from instructions.regions.choose import count_labels, number_regions
from instructions.regions.dedup import SentenceEncoder
from instructions.regions.describe import describe_view
from instructions.regions.facts_qar import LEAST_ROWS, write_facts
from instructions.regions.options import RegionOptions
from instructions.regions.records import Pair, Qar, RegionView, Verbalization
from instructions.regions.sets.twins import twist_rows
from instructions.rows import name_perception
from instructions.tour import Tour
from instructions.view import View
from recon.findings import Finding


@dataclass(frozen=True, eq=False)
class PreparedView:
    """A view with its regions, described."""

    facts: View
    record: RegionView
    verbal: Verbalization


@dataclass(frozen=True)
class RegionRows:
    """Everything made of a tour."""

    rows: tuple[Qar, ...]
    views: tuple[RegionView, ...]
    verbalizations: tuple[Verbalization, ...]
    pairs: tuple[Pair, ...]
    findings: tuple[Finding, ...] = ()


def prepare_views(
    tour: Tour, options: RegionOptions = RegionOptions(), *, frequencies: Mapping[str, float] | None = None
) -> Iterator[PreparedView]:
    """The views of a tour with their regions, one at a time, in time order; views without regions are left out.

    Of plain pictures every one is a view; of a tour, frames without a pose are none.
    """
    scene, bars = tour.scene, options.views
    views = [view for model in scene.models for view in tour.views(model)]
    shown = {view.frame: {thing.id: thing.visible_fraction for thing in view.things} for view in views}
    cover = tour.cover(shown, most=bars.most, apart_m=bars.apart_m, apart_deg=bars.apart_deg, apart_s=bars.apart_s)
    if frequencies is None:
        detected = [detection.label for detection in tour.detections]
        frequencies = count_labels([one.category for one in tour.objects] or detected)
    found: Iterable[View] = (view for view in views if view.frame in cover)
    if scene.source.kind == "images":
        found = chain(found, tour.pictures(options.choice.most_read))
    for view in found:
        image = scene.frame_by_index[view.frame].image
        numbered, record = number_regions(view, image, frequencies, options, seed=tour.seed)
        if record.regions:
            yield PreparedView(numbered, record, describe_view(numbered, record))


def write_measured(
    tour: Tour,
    prepared: Iterable[PreparedView],
    options: RegionOptions = RegionOptions(),
    *,
    encoder: SentenceEncoder | None = None,
) -> RegionRows:
    """Ask about the prepared views of a tour from measures alone, one view at a time.

    Returns:
        Rows, kept and rejected, in time order; with a finding where there are none. The same for the same tour, in any
        process.
    """
    perception = name_perception(tour.objects)
    rows: list[Qar] = []
    views: list[RegionView] = []
    verbal: list[Verbalization] = []
    pairs: list[Pair] = []
    for one in prepared:
        told = write_facts(one.facts, one.record, perception, options, seed=tour.seed, encoder=encoder)
        written = [fact.row for fact in told]
        rows += written
        pairs += twist_rows(one.facts, written, options, seed=tour.seed)
        views.append(one.record)
        verbal.append(one.verbal)
    return RegionRows(tuple(rows), tuple(views), tuple(verbal), tuple(pairs), find_findings(tour, rows, views))


def find_findings(tour: Tour, rows: Sequence[Qar], views: Sequence[RegionView]) -> tuple[Finding, ...]:
    """What a person should know of what was made."""
    scene, objects = tour.scene, tour.objects
    if not scene.models and scene.source.kind != "images":
        return ()
    out: list[Finding] = []
    codes = Counter(row.rejected_because for row in rows if not row.accepted)
    causes = ", ".join(f"{code} {count}" for code, count in codes.most_common(3))
    if not views:
        out.append(Finding("warning", "regions.none", scene.id, "no view shows a thing that could be a region"))
    elif not any(row.accepted for row in rows):
        why = causes or "nothing measured well enough"
        out.append(Finding("warning", "regions.none", scene.id, f"no row about {len(views)} views was kept: {why}"))
    if objects and all(one.category is None for one in objects):
        message = "no thing has a category, so nothing is asked about kinds and purposes; try --perception light"
        out.append(Finding("info", "regions.no_categories", scene.id, message))
    kept = Counter(row.view for row in rows if row.accepted)
    few = [view for view in views if kept[view.id] < LEAST_ROWS]
    if few and all(row.writer == "embedded" for row in rows) and kept:
        alone = sum(len(view.regions) == 1 for view in few)
        message = (
            f"{len(few)} of {len(views)} views gave fewer than {LEAST_ROWS} rows, since little that they show is sure "
            f"({alone} show one thing); {few[0].id} gave {kept[few[0].id]}"
        )
        out.append(Finding("info", "regions.few", scene.id, message))
    if len(rows) >= 20 and codes.total() > 0.5 * len(rows):
        message = f"{codes.total()} of {len(rows)} rows were rejected ({causes}); see regions/rejected.jsonl"
        out.append(Finding("warning", "regions.rejected", scene.id, message))
    return tuple(out)
