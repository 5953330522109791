"""The rows of a tour: views chosen, regions numbered, views described, and questions written and judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from instructions.facts.cover import cover_tour
from instructions.facts.picture_views import find_picture_views
from instructions.facts.view_things import ViewFacts, find_views
from instructions.records import Detection, FrameRoom, Observation, RoomSpan, SceneObject
from instructions.regions.choose import count_labels
from instructions.regions.describe import describe_view
from instructions.regions.facts_qar import LEAST_ROWS, WrittenFact, write_facts
from instructions.regions.interfaces import SentenceEncoder
from instructions.regions.options import RegionOptions
from instructions.regions.records import Pair, Qar, RegionView, Verbalization
from instructions.regions.regions_of_view import number_regions
from instructions.regions.twins import twist_rows
from instructions.rows import name_perception
from recon.findings import Finding
from recon.records import Scene


@dataclass(frozen=True, eq=False)
class PreparedView:
    """A view with its regions, described."""

    facts: ViewFacts
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
    scene: Scene,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    options: RegionOptions = RegionOptions(),
    *,
    rooms: Sequence[RoomSpan] = (),
    frame_rooms: Sequence[FrameRoom] = (),
    looked_for: frozenset[str] | None = None,
    frequencies: Mapping[str, float] | None = None,
    seed: int = 0,
    exact: bool = False,
) -> Iterator[PreparedView]:
    """The views of a tour with their regions, one at a time, in time order; views without regions are left out.

    Of plain pictures every one is a view; of a tour, frames without a pose are none.
    """
    posed = {frame for model in scene.models for frame in model.world_from_cam}
    shown: dict[int, dict[str, float]] = defaultdict(dict)
    for one in observations:
        if one.frame in posed:
            shown[one.frame][one.object] = one.visible_fraction
    bars = options.views
    cover = set(
        cover_tour(scene, shown, most=bars.most, apart_m=bars.apart_m, apart_deg=bars.apart_deg, apart_s=bars.apart_s)
    )
    images = {frame.index: frame.image for frame in scene.frames}
    if frequencies is None:
        told = [one.category for one in objects] if objects else [one.label for one in detections]
        frequencies = count_labels(told)
    found = find_views(
        scene,
        objects,
        observations,
        detections,
        rooms=rooms,
        frame_rooms=frame_rooms,
        looked_for=looked_for,
        exact=exact,
        frames=frozenset(cover),
    )
    if scene.source.kind == "images":
        most = options.choice.most_read
        pictures = find_picture_views(scene, detections, frame_rooms=frame_rooms, looked_for=looked_for, most=most)
        found = chain(found, pictures)
    for view in found:
        image = images.get(view.frame, f"{view.frame:06d}.jpg")
        numbered, record = number_regions(view, image, frequencies, options, seed=seed)
        if record.regions:
            yield PreparedView(numbered, record, describe_view(numbered, record))


def write_regions(
    scene: Scene,
    objects: Sequence[SceneObject],
    observations: Sequence[Observation],
    detections: Sequence[Detection] = (),
    options: RegionOptions = RegionOptions(),
    *,
    rooms: Sequence[RoomSpan] = (),
    frame_rooms: Sequence[FrameRoom] = (),
    looked_for: frozenset[str] | None = None,
    seed: int = 0,
    exact: bool = False,
) -> RegionRows:
    """Ask about the views of a tour from measures alone.

    Args:
        scene: Models with poses.
        objects: Things of all models.
        observations: Which frames see them.
        detections: What the detector found in single frames.
        options: Choice of views and regions, and bars.
        rooms: Stays in rooms.
        frame_rooms: Rooms frame by frame.
        looked_for: Kinds that a detector would have found.
        seed: Of every random choice.
        exact: A known world: boxes have no error.

    Returns:
        Rows, kept and rejected, in time order; with a finding where there are none. The same for the same input and
        seed, in any process.
    """
    views = prepare_views(
        scene,
        objects,
        observations,
        detections,
        options,
        rooms=rooms,
        frame_rooms=frame_rooms,
        looked_for=looked_for,
        seed=seed,
        exact=exact,
    )
    return write_measured(scene, objects, views, options, seed=seed)


def write_measured(
    scene: Scene,
    objects: Sequence[SceneObject],
    prepared: Iterable[PreparedView],
    options: RegionOptions = RegionOptions(),
    *,
    seed: int = 0,
    encoder: SentenceEncoder | None = None,
) -> RegionRows:
    """Ask about prepared views from measures alone, one view at a time."""
    perception = name_perception(objects)
    rows: list[Qar] = []
    views: list[RegionView] = []
    verbal: list[Verbalization] = []
    pairs: list[Pair] = []
    for one in prepared:
        written: list[WrittenFact] = write_facts(one.facts, one.record, perception, options, seed=seed, encoder=encoder)
        rows += [fact.row for fact in written]
        pairs += twist_rows(one.facts, [fact.row for fact in written], options, seed=seed)
        views.append(one.record)
        verbal.append(one.verbal)
    found = find_findings(scene, rows, views, objects)
    return RegionRows(tuple(rows), tuple(views), tuple(verbal), tuple(pairs), found)


def find_findings(
    scene: Scene, rows: Sequence[Qar], views: Sequence[RegionView], objects: Sequence[SceneObject]
) -> tuple[Finding, ...]:
    """What a person should know of what was made."""
    if not scene.models and scene.source.kind != "images":
        return ()
    out: list[Finding] = []
    if not views:
        out.append(Finding("warning", "regions.none", scene.id, "no view shows a thing that could be a region"))
    elif not any(row.accepted for row in rows):
        codes = Counter(row.rejected_because for row in rows)
        told = ", ".join(f"{code} {count}" for code, count in codes.most_common(3)) or "nothing measured well enough"
        out.append(Finding("warning", "regions.none", scene.id, f"no row about {len(views)} views was kept: {told}"))
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
    rejected = sum(not row.accepted for row in rows)
    if len(rows) >= 20 and rejected > 0.5 * len(rows):
        codes = Counter(row.rejected_because for row in rows if not row.accepted)
        told = ", ".join(f"{code} {count}" for code, count in codes.most_common(3))
        message = f"{rejected} of {len(rows)} rows were rejected ({told}); see regions/rejected.jsonl"
        out.append(Finding("warning", "regions.rejected", scene.id, message))
    return tuple(out)
