"""Which things of a view become its numbered regions: five rules, the largest, most central and rarest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, hypot, sqrt

from instructions.describing.lines import ThingLine, describe_things
from instructions.facts.overlap import box_iou, measure_contained_share
from instructions.records import Box
from instructions.regions.options import RegionChoiceOptions, RegionOptions
from instructions.regions.records import Region, RegionView
from instructions.view import View

PERSONS = frozenset({"person", "man", "woman", "boy", "girl", "child", "people", "baby"})
LEAST_RARITY, MOST_RARITY = 0.5, 3.0


@dataclass(frozen=True)
class Candidate:
    """A thing that may become a region."""

    id: str
    label: str | None
    box_xyxy: Box
    score: float


def is_person(label: str | None) -> bool:
    """Whether a label is one of people."""
    return label is not None and label.split()[-1] in PERSONS


def clean(
    candidates: Sequence[Candidate], size: tuple[int, int], options: RegionChoiceOptions = RegionChoiceOptions()
) -> list[Candidate]:
    """Boxes clipped to the picture; without those too weak, too small, or doubled. Best score first."""
    width, height = size
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda one: (-one.score, one.id))[: options.most_read]:
        x0, y0 = max(candidate.box_xyxy[0], 0.0), max(candidate.box_xyxy[1], 0.0)
        x1, y1 = min(candidate.box_xyxy[2], float(width)), min(candidate.box_xyxy[3], float(height))
        is_small = min(x1 - x0, y1 - y0) < options.least_side_px
        if candidate.score < options.least_score or is_small:
            continue
        if (x1 - x0) * (y1 - y0) < options.least_area * width * height:
            continue
        box = (x0, y0, x1, y1)
        if any(candidate.label == other.label and box_iou(box, other.box_xyxy) > options.same_iou for other in kept):
            continue
        kept.append(Candidate(candidate.id, candidate.label, box, candidate.score))
    return kept


def weigh(box: Box, size: tuple[int, int]) -> float:
    """Root of the area's share of the picture, less the further its centre is from the picture's."""
    width, height = size
    share = (box[2] - box[0]) * (box[3] - box[1]) / (width * height)
    x, y = (box[0] + box[2]) / 2 - width / 2, (box[1] + box[3]) / 2 - height / 2
    off = hypot(x, y) / (hypot(width, height) / 2)
    return sqrt(share) * exp(-2 * off**2)


def measure_rarity(label: str | None, frequencies: Mapping[str, float]) -> float:
    """Root of median frequency over own frequency, 0.5 to 3; 1 for what has no label."""
    if label is None or not frequencies:
        return 1.0
    order = sorted(frequencies.values())
    middle = (order[(len(order) - 1) // 2] + order[len(order) // 2]) / 2
    own = frequencies.get(label, 1.0)
    return min(max(sqrt(middle / max(own, 1e-9)), LEAST_RARITY), MOST_RARITY)


def count_labels(labels: Sequence[str | None]) -> dict[str, float]:
    """Frequencies, add-one: of the things of the runs at hand."""
    return {label: count + 1.0 for label, count in Counter(one for one in labels if one is not None).items()}


def choose_regions(
    candidates: Sequence[Candidate],
    size: tuple[int, int],
    frequencies: Mapping[str, float],
    options: RegionChoiceOptions = RegionChoiceOptions(),
) -> list[Candidate]:
    """The regions of a picture in the order of their numbers.

    Persons first (at most `most_persons`, by weight), then the rest greedily by weight, rarity and how little they
    overlap with what is chosen; at most `most_alike` of a label, none that overlaps more than `most_iou` with a chosen
    one, none almost inside another of its label.
    """
    left = clean(candidates, size, options)
    chosen: list[Candidate] = []
    for one in sorted(
        (one for one in left if is_person(one.label)), key=lambda one: (-weigh(one.box_xyxy, size), one.id)
    ):
        if len(chosen) < min(options.most_persons, options.most) and _may_join(one, chosen, options):
            chosen.append(one)

    def rate(one: Candidate) -> float:
        overlap = max((box_iou(one.box_xyxy, other.box_xyxy) for other in chosen), default=0.0)
        return weigh(one.box_xyxy, size) * measure_rarity(one.label, frequencies) * (1.0 - overlap)

    rest = [one for one in left if not is_person(one.label)]
    while len(chosen) < options.most:
        rest = [one for one in rest if one not in chosen and _may_join(one, chosen, options)]
        if not rest:
            break
        chosen.append(min(rest, key=lambda one: (-rate(one), one.id)))
    return chosen


def _may_join(one: Candidate, chosen: Sequence[Candidate], options: RegionChoiceOptions) -> bool:
    alike = [other for other in chosen if one.label is not None and other.label == one.label]
    if not is_person(one.label) and len(alike) >= options.most_alike:
        return False
    if any(box_iou(one.box_xyxy, other.box_xyxy) > options.most_iou for other in chosen):
        return False
    return not any(measure_contained_share(one.box_xyxy, other.box_xyxy) >= options.most_inside for other in alike)


def number_regions(
    view: View, image: str, frequencies: Mapping[str, float], options: RegionOptions = RegionOptions(), *, seed: int = 0
) -> tuple[View, RegionView]:
    """Choose the regions of a view and give them their numbers.

    Returns:
        The view with its numbers, and the same as a record.
    """
    candidates = [Candidate(thing.id, thing.category, thing.box, thing.score) for thing in view.things]
    if options.people == "drop":
        candidates = [candidate for candidate in candidates if not is_person(candidate.label)]
    chosen = choose_regions(candidates, view.size, frequencies, options.choice)
    numbered = view.number_things([one.id for one in chosen])
    lines = {line.number: line for line in describe_things(numbered, options.bars)}
    regions = tuple(_region(view, one, number, lines.get(number), frequencies) for number, one in enumerate(chosen))
    width, height = view.size
    model = view.model.name or None
    place = f"m{model}_v" if model else "v"
    name = f"{view.tour}_{place}{view.frame:06d}"
    record = RegionView(name, view.tour, model, view.frame, image, width, height, regions, seed)
    return numbered, record


def _region(
    view: View, one: Candidate, number: int, line: ThingLine | None, frequencies: Mapping[str, float]
) -> Region:
    thing = view.find_thing(one.id)
    if thing is None:
        raise AssertionError(f"region {number}: {one.id} is no thing of the view")
    return Region(
        number,
        one.id if view.has_pose else None,
        one.label,
        thing.thing.captions[0] if thing.thing.captions else thing.alias,
        line.additions if line is not None else (),
        one.box_xyxy,
        thing.mask,
        round(one.score, 4),
        round(thing.visible_fraction, 4),
        is_person(one.label),
        round(measure_rarity(one.label, frequencies), 4),
        thing.thing.source,
    )
