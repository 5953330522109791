"""One frame of a tour with everything known of what it shows: the ground of all questions, texts and checks about it.

Lengths are in the unit of the frame's model. A picture without a pose is a view too: its things have boxes and no
bodies, and its model no poses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.existence import judge_absence
from instructions.facts.overlap import box_iou
from instructions.facts.pairs import Pair
from instructions.facts.sizes import camera_distance
from instructions.facts.things import Thing, may_point_at
from instructions.facts.verdict import SIGMAS, Verdict
from instructions.facts.viewer import Standpoint, Viewer, find_standpoint
from instructions.records import Box, Detection, MaskRle, Observation
from instructions.wording.english import head_noun
from recon.geometry import Pose
from recon.records import SceneModel

LEAST_DETECTION_SCORE = 0.15
"""A detection this sure may be another thing that a phrase fits; below, detectors answer with noise."""
BORDER_PX = 2.0
"""A box this near to the border of the picture is cut by it."""
OUTSIDE_DEG = 10.0
"""By so much all of a thing's box must lie out of the picture, besides the error of its place, not to be in it."""
_SAME_IOU = 0.5
"""A detection this alike in place is the same thing."""
_REACH_M = 8.0
"""Things further away, in (nominal) meters, are small in the picture, and mostly behind a wall."""
_RIVAL_PX = 24.0
"""What shows less than this beyond the border nobody takes for another one: half a door does."""
_CONE_DEG = 45.0
"""Half of the angle around straight ahead in which a thing may show, be it only by an end of it."""


@dataclass(frozen=True, eq=False)
class SeenThing(Thing):
    """A thing with how one frame shows it."""

    seen: Observation = field(kw_only=True)

    @classmethod
    def of(cls, thing: Thing, seen: Observation) -> SeenThing:
        """A thing as an observation shows it."""
        return cls(thing.thing, thing.solid, thing.sigma, thing.frames, thing.room_probability, thing.is_one, seen=seen)

    @property
    def box(self) -> Box:
        """In the picture; an empty box for a thing that is not in view."""
        return self.seen.box_xyxy

    @property
    def point(self) -> tuple[float, float] | None:
        """Pixel by which alone the picture can point at it; None for a thing that its box points at."""
        return None if may_point_at(self.thing, self.seen) else self.seen.point_xy

    @property
    def visible_fraction(self) -> float:
        """Share of the thing that the frame shows, 0 to 1."""
        return self.seen.visible_fraction

    @property
    def score(self) -> float:
        """Of the detector in this frame."""
        return self.seen.score

    @property
    def depth(self) -> float:
        """Median along the optical axis, in the model's unit."""
        return self.seen.depth

    @property
    def label(self) -> str | None:
        """What the detector called it in this very frame."""
        return self.seen.label

    @property
    def mask(self) -> MaskRle | None:
        """In the picture."""
        return self.seen.mask


@dataclass(frozen=True)
class Rival:
    """Something else in the picture that a phrase may fit, by its words and where it is."""

    words: str
    box_xyxy: Box
    score: float | None = None
    """Of a detection; None for a thing of the model that the frame should show."""


@dataclass(frozen=True, eq=False)
class View:
    """A frame and what is known of it."""

    frame: int
    model: SceneModel
    things: tuple[SeenThing, ...] = ()
    """In view."""
    pointed: tuple[SeenThing, ...] = ()
    """In view too, but in a box that shows only a part of them or something else too: each has a point."""
    others: tuple[Thing, ...] = ()
    """Things of the model of which no box here shows them alone, though the picture may show them."""
    detections: tuple[Detection, ...] = ()
    """Of the frame, joined into things or not."""
    tour: str = ""
    room: str | None = None
    """That the frame was taken in."""
    room_probability: float = 0.0
    looked_for: frozenset[str] = frozenset()
    """Kinds of things that would have been found if they were there."""
    nearby_kinds: Mapping[str, int] = field(default_factory=dict)
    """By kind: the most boxes of it that this frame or one of its neighbors in time shows."""
    strays: frozenset[str] = frozenset()
    """Nouns that the detector found in the tour where no known thing is: as nobody knows where, nobody denies these."""
    is_exact: bool = False
    """A known world: the observations name all that the frame shows."""
    numbers: Mapping[int, str] = field(default_factory=dict)
    """Ids of things by the number that texts call them `[n]` by; empty where nothing is numbered."""

    @property
    def referable(self) -> tuple[SeenThing, ...]:
        """Things that a question may point at, by their box or by a point on them."""
        return (*self.things, *self.pointed)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.model.camera.width, self.model.camera.height

    @property
    def has_pose(self) -> bool:
        """Whether anybody knows where it was taken."""
        return self.frame in self.model.world_from_cam

    @cached_property
    def standpoint(self) -> Standpoint:
        """From where relations of this view are meant; only of a view with a pose."""
        return find_standpoint(self.model, self.frame)

    @property
    def pose(self) -> Pose:
        """World from camera."""
        return self.standpoint.pose

    @property
    def viewer(self) -> Viewer:
        """Who looks."""
        return self.standpoint.viewer

    @cached_property
    def widest_column(self) -> float:
        """Tangent of the angle from the middle of the picture to the nearer of its two sides."""
        camera = self.model.camera
        ends = camera.rays([[0.0, camera.height / 2], [camera.width, camera.height / 2]])
        return float(abs(ends[:, 0] / ends[:, 2]).min())

    @property
    def metre(self) -> float:
        """One (nominal) metre in the model's unit."""
        return self.model.nominal_metre

    @property
    def has_scale(self) -> bool:
        """Whether metres may be told."""
        return self.model.scale.status != "relative"

    def pair(self, a: Thing, b: Thing) -> Pair:
        """Two things of a view with a pose as relations see them."""
        key = (a.id, b.id)
        if key not in self._pairs:
            self._pairs[key] = Pair(a, b, self.metre, self.has_scale)
        return self._pairs[key]

    @cached_property
    def _pairs(self) -> dict[tuple[str, str], Pair]:
        return {}

    def find_thing(self, name: str) -> SeenThing | None:
        """The thing of an id, in view or not."""
        return self._by_id.get(name)

    @cached_property
    def _by_id(self) -> Mapping[str, SeenThing]:
        nothing = (0.0, 0.0, 0.0, 0.0)
        unseen = [
            SeenThing.of(
                other, Observation(self.frame, other.id, nothing, 0.0, other.thing.score or 0.0, np.inf, (), ())
            )
            for other in self.others
        ]
        return {one.id: one for one in (*self.things, *unseen)}

    def number_things(self, ids: Sequence[str]) -> View:
        """The same view with things numbered from 0 in this order."""
        return replace(self, numbers=dict(enumerate(ids)))

    @cached_property
    def elsewhere(self) -> frozenset[str]:
        """Ids of things that this view certainly does not show."""
        return frozenset(other.id for other in self.others if self.lies_outside(other))

    def lies_outside(self, one: Thing) -> bool:
        """Whether all of a thing's box, with its error, lies well beside the picture or behind the camera."""
        camera = self.model.camera
        local = self.pose.inverse() @ one.body.points
        slack = SIGMAS * one.sigma
        if bool((local[:, 2] < -slack).all()):
            return True
        edges = camera.rays(np.array([[0.0, camera.height / 2], [float(camera.width), camera.height / 2]]))
        left, right = (float(np.arctan2(ray[0], ray[2])) for ray in edges)
        bearing = np.arctan2(local[:, 0], local[:, 2])
        margin = np.radians(OUTSIDE_DEG) + np.arctan2(slack, np.linalg.norm(local[:, [0, 2]], axis=1))
        return bool((bearing - margin > right).all() or (bearing + margin < left).all())

    @cached_property
    def perhaps(self) -> frozenset[str]:
        """Nouns of things that may be in view though no observation says so: nobody counts or denies these."""
        if self.is_exact:
            return frozenset()
        return frozenset(
            head_noun(word) for other in self.others if self._may_show(other) for word in (other.head, *other.maybe)
        )

    def _may_show(self, one: Thing) -> bool:
        """Whether a thing is near and may lie in the picture: at its edge what is near shows, its middle far aside."""
        center = one.body.center
        if self.viewer.range(center) > _REACH_M * self.metre:
            return False
        return abs(self.viewer.measure_bearing_deg(center)) <= _CONE_DEG or one.id not in self.elsewhere

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """Detections of the frame, joined into things or not, and things that it should show and nobody observed."""
        found = [
            Rival(detection.label, detection.box_xyxy, detection.score)
            for detection in self.detections
            if detection.score >= LEAST_DETECTION_SCORE
        ]
        if not self.is_exact and self.has_pose:
            found += [Rival(one.alias, box) for one, box in self.expected]
        return tuple(found)

    @cached_property
    def expected(self) -> tuple[tuple[Thing, Box], ...]:
        """Things that the frame should show by their place, though nothing saw them there: a wall may hide them."""
        out = []
        for other in self.others:
            if self.viewer.range(other.body.center) >= _REACH_M * self.metre:
                continue
            box = draw_box(self.model, self.pose, other.body)
            if box is not None and min(box[2] - box[0], box[3] - box[1]) >= _RIVAL_PX:
                out.append((other, box))
        return tuple(out)

    @cached_property
    def loose(self) -> tuple[Detection, ...]:
        """Detections that are no observation of a thing: elsewhere, or in the same place under another name."""
        return tuple(
            detection
            for detection in self.detections
            if all(
                box_iou(detection.box_xyxy, thing.box) < _SAME_IOU
                or detection.label not in (thing.label, thing.category)
                for thing in self.things
            )
        )

    def find_disputes(self, thing: SeenThing) -> tuple[str, ...]:
        """What else this very frame calls a thing: its own box there, or one in the same place with at least its score.

        Nothing for a thing that has no category.
        """
        if thing.category is None:
            return ()
        words = [thing.label] if thing.label is not None else []
        words += [
            detection.label
            for detection in self.detections
            if detection.score >= max(thing.score, LEAST_DETECTION_SCORE)
            and box_iou(detection.box_xyxy, thing.box) >= _SAME_IOU
        ]
        return tuple(dict.fromkeys(word for word in words if head_noun(word) != thing.head))

    @cached_property
    def is_detected(self) -> bool:
        """Whether only perception says what there is."""
        is_measured = not self.has_pose or any(one.sigma > 0 for one in (*self.things, *self.others))
        return is_measured and not self.is_exact

    def judge_absence(self, kind: str) -> Verdict:
        """Whether the view shows none of a kind: it was looked for, and not found in this or a neighboring frame."""
        is_looked_for, elsewhere = kind in self.looked_for, self.perhaps | self.strays
        return judge_absence(kind, self._shown, elsewhere, is_looked_for=is_looked_for, is_detected=self.is_detected)

    @cached_property
    def _shown(self) -> frozenset[str]:
        """Nouns of everything that this or a neighboring frame has a box of, and of what such a thing may be."""
        words = [rival.words for rival in self.rivals] + [kind for kind, most in self.nearby_kinds.items() if most]
        words += [word for thing in self.things for word in (thing.head, *thing.maybe)]
        return frozenset(map(head_noun, words))

    def measure_share(self, one: SeenThing) -> float:
        """Area of a thing's box as a share of the picture."""
        return measure_area(one.box) / (self.size[0] * self.size[1])

    def measure_middle(self, one: SeenThing) -> float:
        """Where the middle of a thing's box is from left to right, as a share of the width."""
        return (one.box[0] + one.box[2]) / 2 / self.size[0]

    def measure_range(self, one: Thing) -> float:
        """Distance from the camera to the nearest point of a thing."""
        return camera_distance(one.body, self.viewer)

    def find_cut_sides(self, one: SeenThing, border_px: float = BORDER_PX) -> frozenset[str]:
        """The borders of the picture that cut a thing."""
        return find_cut_sides(one.box, self.size, border_px)


def measure_area(box: Box) -> float:
    """In square pixels."""
    return (box[2] - box[0]) * (box[3] - box[1])


def find_cut_sides(box: Box, size_px: tuple[int, int], border_px: float) -> frozenset[str]:
    """The borders of a picture within so many pixels of a box: they cut what it shows."""
    x0, y0, x1, y1 = box
    gaps = {"left": x0, "top": y0, "right": size_px[0] - x1, "bottom": size_px[1] - y1}
    return frozenset(side for side, gap in gaps.items() if gap <= border_px)


def draw_box(model: SceneModel, pose: Pose, body: Body) -> Box | None:
    """The box of a body in a picture, clipped to it; None where it is not in it or partly behind the camera."""
    local = (body.points - pose.center) @ pose.rotation
    if local[:, 2].min() <= 1e-6:
        return None
    pixels = model.camera.project(local)
    size = (float(model.camera.width), float(model.camera.height))
    (x0, y0), (x1, y1) = (
        np.clip(pixels.min(axis=0), 0.0, size).tolist(),
        np.clip(pixels.max(axis=0), 0.0, size).tolist(),
    )
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None
