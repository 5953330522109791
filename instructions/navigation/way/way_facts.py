"""What the events of one way are found in: the walk, what may be named on it, and what may be told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from instructions.facts.placing import measure_shown_span
from instructions.facts.walk import ThingAlongWalk
from instructions.navigation.moves.motion import Motion
from instructions.navigation.moves.turns import Turn
from instructions.navigation.way.names import Name
from instructions.navigation.way.places import LEAST_TRACKED, PlaceOptions, Seen
from instructions.navigation.way.ways import Way
from instructions.records import Box, Observation, RoomSpan, SceneObject
from recon.geometry import Array
from recon.ranges import Count, NotNegative, Share
from recon.records import SceneModel

_WITHIN_DEG = 10.0
"""A walker's half width at two meters."""
_LEAST_M, _MOST_M = 0.3, 1.3
"""Heights above the floor (nominal meters): over a doorstep and its noise, and below what hangs on a wall."""
_POINTS = 8
"""So many points are no wrong matches."""


def measure_clear_m(model: SceneModel, frame: int, metre: float) -> float:
    """Nominal meters from a frame's camera to the first things that stand on its line of sight.

    Returns:
        Infinity where there are too few points, or no floor.
    """
    if model.floor_z is None:
        return float("inf")
    pose, xyz = model.world_from_cam[frame], model.tracks.xyz
    away = (xyz[:, :2] - pose.center[:2]) / metre
    forward = pose.forward[:2] / max(float(np.linalg.norm(pose.forward[:2])), 1e-9)
    ahead, aside = away @ forward, np.abs(away @ np.array([-forward[1], forward[0]]))
    height_m = (xyz[:, 2] - model.floor_z) / metre
    stands = (height_m >= _LEAST_M) & (height_m <= _MOST_M)
    first_m = np.sort(ahead[stands & (ahead > 0.0) & (aside <= ahead * np.tan(np.radians(_WITHIN_DEG)))])
    return float(first_m[_POINTS - 1]) if len(first_m) >= _POINTS else float("inf")


_EDGE_PX, _STRIP_SHARE = 2.0, 0.025
"""What the edge of the image cuts and fills less than this share of it is a strip by which nobody knows a thing."""
_INNER_PERCENT = (5.0, 95.0)
"""Between these lie the points of a thing that are not matched wrongly."""


@dataclass(frozen=True, kw_only=True)
class ProgressionOptions:
    """When something is worth mentioning. Lengths in metres (nominal ones where the model has no scale)."""

    pass_within_m: NotNegative = 2.5
    """Things further to the side are not passed but seen."""
    pass_clear_m: NotNegative = 0.3
    """The centre of a passed thing lies at least this far to the side, so that its side is beyond doubt."""
    seen_before_s: NotNegative = 6.0
    """A passed thing must have been seen at most this long before it was passed."""
    approach_share: Share = 0.30
    """An approach makes at least this share of the distance; the check asks for half of it."""
    approach_m: NotNegative = 0.7
    """And at least this much of it."""
    approach_end_m: NotNegative = 4.0
    """And ends no further away than this."""
    max_passes_per_leg: Count = 2
    """More make a list, not a way."""
    max_objects: Count = 4
    """Mentions per text that a reader can follow, without those at its start, its turns and its end."""
    places: PlaceOptions = PlaceOptions()
    """What marks a place."""
    only_passes: bool = False
    """Of things tell only which are passed, seen before or after: on a way back no frame shows what one faces."""


@dataclass(frozen=True)
class Telling:
    """What one wording tells of a way beyond its walks and turns."""

    by_view: bool = False
    """Starts with what is on a side, and says what turns and looks lead to; else starts with what is ahead."""
    avoid: frozenset[str] = frozenset()
    """Things that another wording passes: not passed again."""


@dataclass(frozen=True, eq=False)
class WayFacts:
    """What the events of a way are found in."""

    motion: Motion
    """Of the whole walk."""
    way: Way
    """The part to tell."""
    turns: Sequence[Turn]
    """Of the whole walk."""
    looks: Sequence[Turn]
    """Of the whole walk, those that no turn tells."""
    things: Sequence[Seen]
    """What may be named."""
    model: SceneModel
    """Where the walk is."""
    standing: Sequence[ThingAlongWalk]
    """All that stands in the model and has a category, named or not: one walks up to it, not to what is behind."""
    rooms: Sequence[RoomSpan] = ()

    def measure_clear_m(self, index: int) -> float:
        """How far ahead of a position of the walk nothing stands, in nominal metres."""
        return measure_clear_m(self.model, self.motion.walk.frames[index], self.motion.metre)

    @property
    def of_known_kind(self) -> list[Seen]:
        """What may be named and has a category."""
        return [one for one in self.things if one.along.thing.category is not None]

    @property
    def names(self) -> frozenset[str]:
        """Ids of what may be named."""
        return frozenset(thing.id for thing in self.things)


def find_nameable(
    along: Mapping[str, ThingAlongWalk],
    names: Mapping[str, Name],
    sure: Collection[str],
    observations: Sequence[Observation],
    find_followed: Callable[[str], Mapping[int, Array]],
    model: SceneModel,
    least_share: float,
) -> list[Seen]:
    """What a text about a way may name: big enough in a frame, and surely known by kind, or by a colour of its own.

    Args:
        along: All things of the model, by id.
        names: What those of the way are called.
        sure: Things whose kind and place are known.
        observations: From the way.
        find_followed: Gives, of a thing, the pixels (N, 2) of its points in each frame that places are told at.
        model: Where the walk is.
        least_share: Of the image that a frame of the way shows at least.

    Returns:
        Most salient first.
    """
    by_thing: dict[str, list[Observation]] = defaultdict(list)
    for one in observations:
        by_thing[one.object].append(one)
    camera, found = model.camera, list[Seen]()
    for name, known in names.items():
        thing, seen = along[name].thing, by_thing[name]
        boxes: dict[int, Box] = {one.frame: one.box_xyxy for one in seen}
        shares = {frame: (x1 - x0) * (y1 - y0) / (camera.width * camera.height)
                  for frame, (x0, y0, x1, y1) in boxes.items()}  # fmt: skip
        is_sure = name in sure if thing.category is not None else thing.color is not None and known.is_alone
        if known.is_part or not is_sure or max(shares.values()) < least_share:
            continue
        salience = measure_salience(thing, max(shares.values()), not known.is_open)
        for frame, (x0, y0, x1, y1) in boxes.items():
            is_cut = min(x0, y0, camera.width - x1, camera.height - y1) <= _EDGE_PX
            shares[frame] = 0.0 if is_cut and shares[frame] < _STRIP_SHARE else shares[frame]
        inner = {
            frame: _bound_inner(pixels) for frame, pixels in find_followed(name).items() if len(pixels) >= LEAST_TRACKED
        }
        spans = {frame: measure_shown_span(box, camera, model.world_from_cam[frame])
                 for frame, box in {**inner, **boxes}.items()}  # fmt: skip
        ranges = {one.frame: one.ranges for one in seen}
        found.append(Seen(along[name], salience, known.is_alone, ranges, shares, spans, frozenset(inner)))
    return sorted(found, key=lambda one: (-one.salience, one.id))


def _bound_inner(pixels: Array) -> Box:
    (x0, y0), (x1, y1) = np.percentile(pixels, _INNER_PERCENT, axis=0).tolist()
    return x0, y0, x1, y1


_STRIKING = {"red", "orange", "yellow", "green", "blue", "turquoise", "purple", "pink"}
_SIZES: Mapping[str | None, float] = {"tall": 1.0, "large": 0.9, "wide": 0.8, "low": 0.3, None: 0.2, "small": -0.4}
_ALONE = 0.6
"""What the only thing of its name on a way is worth more: nobody has to ask which one."""


def measure_salience(thing: SceneObject, image_share: float, is_alone: bool = True) -> float:
    """How well a thing serves as a landmark.

    Its size word and the largest share of an image it fills (0 to 1); its colour where that is all that names it; and
    whether it is the only one of its name.
    """
    base = (thing.color or "").split(" ")[-1]
    color = 1.0 if base in _STRIKING else 0.6 if base in ("white", "black") else 0.4
    named = color if thing.category is None else 0.6
    return named + _SIZES.get(thing.size_word, 0.2) + min(4.0 * image_share, 0.8) + (_ALONE if is_alone else 0.0)
