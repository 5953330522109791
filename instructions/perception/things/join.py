"""Detections of many frames into things: those that overlap in the world and agree in what they are belong together.

Average-linkage clustering over 3D overlap, first within short stretches of the walk, then between them, so that the
cost grows with the length of a tour and not with its square. Boxes made from points of the reconstruction reach as far
as its points do, so that two views of one sofa overlap little: of joined things at one place the pictures then decide
(`join_doubles`). Two of one word that a frame shows beside each other are two; two of different words are one if what
is called one is where the other is, as far as the picture reaches: a sofa seen near is easily called an armchair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from instructions.facts.overlap import box_iou, measure_contained_share
from instructions.perception.things.lift import Lifted
from instructions.records import Box, Detection
from recon.geometry import Array
from recon.ranges import AtLeastOne, NotNegative, Share
from recon.records import SceneModel

_APART = 10.0
"""Distance of two groups that single frames show as two things; overlap with other groups cannot make up for it."""
_STRETCHES = (6, 36)
"""Frames that are joined first, then second; then all. Short stretches first, because there most frames show both of
two neighbours, so that they are told apart before anything could blur them."""
_REACH = 20
"""Percentile of the members' edges that a group's box reaches to."""
_BOTH = 0.3
"""Groups are two things if at least this share of the frames of the one with fewer show both at once."""
_SHARED = 0.45
"""Share of the smaller thing's box that lies in the other's."""
_MARGIN_M = 0.10
"""Boxes are widened by this: a door has hardly any depth."""
_BESIDE = 0.30
"""Boxes of one picture that share less than this of the smaller one lie beside each other ..."""
_TOLD_APART = 0.40
"""... and if this share of the pictures with both show them so, they are two things."""
_TOGETHER = 0.1
"""Things of different words of which more than this share of the frames of the one with fewer show both are two: a
detector seldom has two words for one thing in one picture."""
_SAME_OUTLINE = 0.5
"""Intersection over union of a box and the outline of another thing in that picture, from which on it bounds that thing
..."""
_MOST_FRAMES = 0.5
"""... and if more than this share of a thing's boxes do, it is the other thing."""
_OUTLINE_PERCENT = 3.0
"""An outline leaves so many of the points out at each side: some are wrong."""
_LEAST_OUTLINE_POINTS, _OUTLINE_POINTS = 8, 500
"""With fewer in the picture an outline is chance; more draw it no better."""


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """When detections are one thing. Lengths in metres (nominal ones where the model has no scale)."""

    min_overlap: Share = 0.25
    """Mean overlap (shared volume over that of the smaller) at which two groups of one category are one thing."""
    min_overlap_other: Share = 0.45
    """Intersection over union at which two things of different categories are one thing with two names."""
    margin_m: NotNegative = 0.10
    """Boxes are widened by this before they are compared: a picture or a door leaf has hardly any volume."""
    margin_per_distance: NotNegative = 0.03
    """... and by this share of the distance they were seen from: that is how far learned depth is off."""
    min_frames: AtLeastOne = 3
    """Things detected in fewer frames are dropped: a single detection is as often wrong as right."""


@dataclass(frozen=True, eq=False)
class Joined:
    """Detections that are one thing, in frame order."""

    category: str
    members: tuple[Lifted, ...]

    @property
    def frames(self) -> tuple[int, ...]:
        """Frames that detected it, in order, each once."""
        return tuple(sorted({member.frame for member in self.members}))

    @property
    def score(self) -> float:
        """Mean confidence."""
        return float(np.mean([member.score for member in self.members]))


@dataclass(eq=False)
class _Group:
    members: list[Lifted]
    low: Array  # (3,)
    high: Array  # (3,)

    @property
    def frames(self) -> set[int]:
        return {member.frame for member in self.members}


def join_detections(detections: Sequence[Lifted], metre: float, options: JoinOptions = JoinOptions()) -> list[Joined]:
    """Join the detections of one model.

    Args:
        detections: In any order.
        metre: Length of a (nominal) metre in the model's unit.
        options: Thresholds.

    Returns:
        Things in order of their first frame. Every detection is in exactly one.
    """
    by_category: dict[str, list[Lifted]] = defaultdict(list)
    for one in sorted(detections, key=lambda one: (one.frame, one.row)):
        by_category[one.category].append(one)
    things: list[_Group] = []
    for category in sorted(by_category):
        groups = [_group([one], metre, options) for one in by_category[category]]
        for length in _STRETCHES:
            stretches: dict[int, list[_Group]] = defaultdict(list)
            for group in groups:
                stretches[group.members[0].frame // length].append(group)
            groups = [thing for number in sorted(stretches) for thing in _merge(stretches[number], metre, options)]
        things += _merge(groups, metre, options)
    things = _merge_names(things, metre, options)
    joined = [Joined(_category(thing.members), tuple(thing.members)) for thing in things]
    return sorted(joined, key=lambda thing: (thing.members[0].frame, thing.members[0].row))


def _group(members: list[Lifted], metre: float, options: JoinOptions) -> _Group:
    """Members with the box around the bulk of their points, widened by the margins."""
    lows, highs = [], []
    for one in members:
        margin = options.margin_m * metre + options.margin_per_distance * one.distance
        low, high = one.edges
        lows.append(low - margin)
        highs.append(high + margin)
    # Members show parts, so the box reaches beyond the typical one; but one wrong depth must not stretch it at will.
    low, high = np.percentile(lows, _REACH, axis=0), np.percentile(highs, 100 - _REACH, axis=0)
    return _Group(sorted(members, key=lambda one: (one.frame, one.row)), low, np.maximum(high, low + 1e-6))


def _merge(groups: list[_Group], metre: float, options: JoinOptions) -> list[_Group]:
    """Groups of one category, joined as far as they overlap."""
    if len(groups) < 2:
        return groups
    shared, volumes = _measure_shared_volume(groups)
    overlap = shared / np.minimum(volumes[:, None], volumes[None, :])
    distance = 1.0 - np.minimum(overlap, 1.0)
    for i, j in _conflicts(groups):
        distance[i, j] = distance[j, i] = _APART
    labels = _cluster(distance, 1.0 - options.min_overlap)
    return [
        _group([member for row in np.flatnonzero(labels == label) for member in groups[row].members], metre, options)
        for label in range(int(labels.max()) + 1)
    ]


def _merge_names(groups: list[_Group], metre: float, options: JoinOptions) -> list[_Group]:
    """Groups of different categories at one place are one thing."""
    if len(groups) < 2:
        return groups
    shared, volumes = _measure_shared_volume(groups)
    union = volumes[:, None] + volumes[None, :] - shared
    distance = 1.0 - shared / union
    categories = np.array([_category(group.members) for group in groups])
    distance[categories[:, None] == categories[None, :]] = _APART  # those were judged already
    labels = _cluster(distance, 1.0 - options.min_overlap_other)
    return [
        _group([member for row in np.flatnonzero(labels == label) for member in groups[row].members], metre, options)
        for label in range(int(labels.max()) + 1)
    ]


def _measure_shared_volume(groups: Sequence[_Group]) -> tuple[Array, Array]:
    """Shared volume of each pair of boxes (N, N), and volumes (N,)."""
    low = np.array([group.low for group in groups])
    high = np.array([group.high for group in groups])
    sides = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    return np.prod(np.maximum(sides, 0.0), axis=2), np.prod(high - low, axis=1)


def _conflicts(groups: Sequence[_Group]) -> list[tuple[int, int]]:
    """Pairs that the same frames show as two things."""
    of_frame: dict[int, list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for frame in group.frames:
            of_frame[frame].append(number)
    both: dict[tuple[int, int], int] = defaultdict(int)
    for numbers in of_frame.values():
        for at, i in enumerate(numbers):
            for j in numbers[at + 1 :]:
                both[i, j] += 1
    sizes = [len(group.frames) for group in groups]
    return [pair for pair, count in both.items() if count > _BOTH * min(sizes[pair[0]], sizes[pair[1]])]


def _cluster(distance: Array, threshold: float) -> NDArray[np.int64]:
    from sklearn.cluster import AgglomerativeClustering  # 120 MB, which whoever only drives others does without

    model = AgglomerativeClustering(
        n_clusters=None,  # type: ignore[arg-type]  # the stubs know only numbers; None leaves it to the threshold
        metric="precomputed",
        linkage="average",
        distance_threshold=threshold,
    )
    return np.asarray(model.fit_predict(distance), dtype=np.int64)


def _category(members: Sequence[Lifted]) -> str:
    """The name with most confidence behind it; ties go to the first in the alphabet."""
    votes: dict[str, float] = defaultdict(float)
    for member in members:
        votes[member.category] += member.score
    return min(votes, key=lambda name: (-votes[name], name))


def join_doubles(things: Sequence[Joined], detections: Sequence[Detection], model: SceneModel) -> list[Joined]:
    """Join things of one model that are one.

    Args:
        things: With a category each that is the head of its word.
        detections: All detections; `Lifted.row` points into them.
        model: Of the things.

    Returns:
        Things in order of their first detection.
    """
    groups = list(things)
    boxes = {thing: _box(thing, model.nominal_metre) for thing in groups}
    are_one = cache(partial(_are_one, detections=detections, model=model))
    while True:
        pair = _most_shared(groups, [boxes[thing] for thing in groups], are_one)
        if pair is None:
            return sorted(groups, key=lambda thing: (thing.members[0].frame, thing.members[0].row))
        one, other = groups[pair[0]], groups[pair[1]]
        members = tuple(sorted((*one.members, *other.members), key=lambda member: (member.frame, member.row)))
        groups = [thing for thing in groups if thing is not one and thing is not other]
        groups.append(Joined(_category(members), members))
        boxes[groups[-1]] = _box(groups[-1], model.nominal_metre)


def _most_shared(
    groups: Sequence[Joined], boxes_of: Sequence[Array], are_one: Callable[[Joined, Joined], bool]
) -> tuple[int, int] | None:
    """The pair that overlaps most of those that may be one thing; None if there is none."""
    if len(groups) < 2:
        return None
    boxes = np.array(boxes_of)  # (N, 2, 3)
    low = np.maximum(boxes[:, None, 0], boxes[None, :, 0])
    high = np.minimum(boxes[:, None, 1], boxes[None, :, 1])
    volumes = np.prod(boxes[:, 1] - boxes[:, 0], axis=1)
    shared = np.prod(np.maximum(high - low, 0.0), axis=2) / np.minimum(volumes[:, None], volumes[None])
    order = np.dstack(np.unravel_index(np.argsort(-shared, axis=None, kind="stable"), shared.shape))[0]
    for i, j in order.tolist():
        if shared[i, j] < _SHARED:
            return None
        if i < j and are_one(groups[i], groups[j]):
            return i, j
    return None


def _are_one(one: Joined, other: Joined, detections: Sequence[Detection], model: SceneModel) -> bool:
    """Whether the pictures show two things at one place as one."""
    if one.category == other.category:
        return not _are_told_apart(one, other, detections)
    frames, others = set(one.frames), set(other.frames)
    if len(frames & others) > _TOGETHER * min(len(frames), len(others)):
        return False
    return any(_is_seen_as(part, whole, detections, model) for part, whole in ((one, other), (other, one)))


def _is_seen_as(part: Joined, whole: Joined, detections: Sequence[Detection], model: SceneModel) -> bool:
    """Whether most boxes of a thing bound what the pictures show of another one, cut by the border where that is."""
    points = np.concatenate([member.points for member in whole.members])
    points = points[:: max(1, len(points) // _OUTLINE_POINTS)]
    boxes = [(member.frame, detections[member.row].box_xyxy) for member in part.members]
    fits = [_fits_outline(points, model, *box) for box in boxes]
    return sum(fits) > _MOST_FRAMES * len(fits)


def _fits_outline(points: Array, model: SceneModel, frame: int, box_xyxy: Box) -> bool:
    """Whether a box bounds what the picture shows of these points (N, 3)."""
    pixels = model.camera.project(model.world_from_cam[frame].inverse() @ points)
    pixels = pixels[model.camera.is_inside(pixels)]
    if len(pixels) < _LEAST_OUTLINE_POINTS:
        return False
    (x0, y0), (x1, y1) = np.percentile(pixels, [_OUTLINE_PERCENT, 100.0 - _OUTLINE_PERCENT], axis=0).tolist()
    return box_iou(box_xyxy, (x0, y0, x1, y1)) >= _SAME_OUTLINE


def _box(thing: Joined, metre: float) -> Array:
    points = np.concatenate([member.points for member in thing.members])
    low, high = np.percentile(points, [8, 92], axis=0)
    return np.stack([low - _MARGIN_M * metre, high + _MARGIN_M * metre])


def _are_told_apart(one: Joined, other: Joined, detections: Sequence[Detection]) -> bool:
    """Whether the pictures that show both show them beside each other."""
    of_frame: dict[int, list[Box]] = {}
    for member in other.members:
        of_frame.setdefault(member.frame, []).append(detections[member.row].box_xyxy)
    beside: dict[int, bool] = {}
    for member in one.members:
        for box in of_frame.get(member.frame, ()):
            is_beside = measure_contained_share(detections[member.row].box_xyxy, box) < _BESIDE
            beside[member.frame] = beside.get(member.frame, True) and is_beside
    return bool(beside) and sum(beside.values()) >= _TOLD_APART * len(beside)
