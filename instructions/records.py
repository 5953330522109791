"""Objects, observations, spatial lines and claims. Plain values, so that every record survives JSON unchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Side = Literal["left", "middle", "right"]
Range = Literal["near", "closer", "further"]
Support = Literal["floor", "wall", "thing"]
"""What holds a thing: it stands on the floor, hangs on or is built into a wall, lies or stands on another thing, or
hangs from the ceiling."""
Vec3 = tuple[float, float, float]
Box = tuple[float, float, float, float]
"""x0, y0, x1, y1 in pixels of a frame, pixel centres at +0.5."""
ClaimKind = Literal[
    "walk", "turn", "look", "pass", "approach", "stop_at", "see", "side", "length", "enter", "exit", "room", "visible",
]  # fmt: skip
"""What a text about a way may claim; `see` is that one faces a thing, `visible` that it is anywhere in view."""


@dataclass(frozen=True)
class Obb:
    """Oriented box in the model's z-up world; x_world = rotation @ x_box + center, box spans +-half_extents."""

    center: Vec3
    half_extents: Vec3
    rotation: tuple[Vec3, Vec3, Vec3]
    """Rows of a 3x3 rotation; columns are the box axes in the world."""


@dataclass(frozen=True)
class DepthStats:
    """Depths along the optical axis over the pixels of one thing in one frame."""

    near: float
    """10th percentile."""
    median: float
    far: float
    """90th percentile."""
    known: float
    """Share of the pixels whose depth is known, 0 to 1."""


@dataclass(frozen=True)
class MaskRle:
    """A binary mask as run lengths: COCO's uncompressed form, column by column, beginning with a run of zeros."""

    height: int
    width: int
    counts: tuple[int, ...]


@dataclass(frozen=True)
class Observation:
    """One object in one frame."""

    frame: int
    object: str
    box_xyxy: tuple[float, float, float, float]
    """Pixels of the sampled frame, pixel centres at +0.5, clipped to the image."""
    visible_fraction: float
    """Share of the object that this frame saw, 0 to 1: of its tracks that were observed for embedded landmarks, of its
    surface points that fall into this frame's box for detections."""
    score: float
    """Confidence of the detector; for embedded landmarks the observed points relative to the best frame."""
    depth: float
    """Median depth along the optical axis in the model's unit."""
    sides: tuple[Side, ...]
    ranges: tuple[Range, ...]
    label: str | None = None
    """What the detector called it in this frame; None for embedded landmarks."""
    depth_stats: DepthStats | None = None
    mask: MaskRle | None = None
    is_clear: bool = True
    """The box shows the whole object, as far as the picture reaches, and nothing else, as far as anybody weighed it."""
    point_xy: tuple[float, float] | None = None
    """Where the box is not clear: a pixel that surely lies on the object, centers at +0.5; None if none is known."""


@dataclass(frozen=True)
class Detection:
    """One box of a detector in one frame, joined into an object or not."""

    frame: int
    label: str
    score: float
    box_xyxy: tuple[float, float, float, float]
    sides: tuple[Side, ...]
    ranges: tuple[Range, ...]
    """Empty where no depth is known."""
    depth_stats: DepthStats | None
    """In the unit of the depth map: metres, or none for relative depth."""
    mask: MaskRle | None = None
    caption: str | None = None
    also: tuple[tuple[str, float], ...] = ()
    """Other words that detectors gave this place, each with its score, best first."""
    is_region: bool = False
    """A segmenter's region of one class, which may hold several things of it."""


GIVEN = "given"
"""Source of a thing that a user's own file names."""


@dataclass(frozen=True)
class SceneObject:
    """A thing in one model.

    `category` is what it may be called: None where nothing that knows categories looked, or where its name is not sure.
    """

    id: str
    """`{model}_{n}`, unique in the scene."""
    model: str
    category: str | None
    alias: str
    """How texts name it, without article: `tall dark red object`."""
    color: str | None
    size_word: str | None
    obb: Obb
    points: tuple[int, ...]
    """Rows of the model's `tracks.xyz`."""
    frames: tuple[int, ...]
    """Frames that see it, in time order."""
    ambiguous: bool
    """Another object of the scene would be described by the same alias."""
    source: str
    """What made it: `embedded` or a model id with revision."""
    room: str | None = None
    captions: tuple[str, ...] = ()
    """What a captioner said of it in single frames, most frequent first."""
    score: float | None = None
    """Mean confidence of its observations; None for embedded landmarks."""
    categories: tuple[tuple[str, float], ...] = ()
    """What it may be, each word with the probability that it is right, best first; `category` is the first if that is
    sure, else None. Empty where nobody weighed names: by landmarks, large models and imports."""
    clues: tuple[tuple[str, float], ...] = ()
    """What the probability of the first rests on, by name, from 0 to 1."""
    support: Support | None = None
    """What holds it, as far as pictures and floor tell."""
    rests_on: str | None = None
    """The object under it, where `support` is `thing` and that thing is known."""
    range_sigma: float = 0.0
    """Standard deviation of its distance, as a share of that, where learned depth placed it; 0 where points did."""
    region_share: float = 0.0
    """Share of its boxes that bound regions of one class: the rest came from a detector that tells things apart."""

    @property
    def likely_category(self) -> str | None:
        """What it is most likely, sure or not: for what weighs names, never to be said."""
        return self.category or (self.categories[0][0] if self.categories else None)

    @property
    def possible_names(self) -> tuple[str, ...]:
        """What a name that is meant for another thing may be taken for: its alias and, if unsure, all it may be."""
        return (self.alias,) if self.category is not None else (self.alias, *(word for word, _ in self.categories))


@dataclass(frozen=True)
class SourcedText:
    """A line and what made it."""

    text: str
    source: str


@dataclass(frozen=True)
class LabelFrequency:
    """How frequent a kind of thing is in the data set that its boxes are from."""

    label: str
    frequency: float


@dataclass(frozen=True)
class Scan:
    """What an imported scene says of itself besides its things."""

    model: str
    name: str
    """Of the scene, as its file calls it."""
    dataset: str = ""
    """That the scene is from; empty where no file tells it."""
    video: str = ""
    """Path of its video as the file gives it."""
    views: tuple[int, ...] = ()
    """Frames of its video, in order of time; without poses. None where the video was not given."""
    floor_area_m2: float | None = None
    counts: tuple[tuple[str, int], ...] = ()
    """Things by category, as the file states them."""
    uncounted: tuple[str, ...] = ()
    """Categories of which the scene may hold others than those that were imported."""


@dataclass(frozen=True)
class FrameRoom:
    """The type of room that one frame was taken in, smoothed over time."""

    frame: int
    room: str
    """One label of the room list, lower case: `living room`."""
    probability: float
    """Of that label given all frames of the shot, 0 to 1."""
    seen_alone: str
    """The label this frame would get by itself."""


@dataclass(frozen=True)
class RoomSpan:
    """A stay in one type of room: consecutive frames of one shot with the same label. Its start is a room change."""

    id: str
    """`s0`, `s1`, ... in time order."""
    room: str
    first_frame: int
    last_frame: int
    """Inclusive; frames between are all in the span."""
    probability: float
    """Mean over its frames."""
    changed_from: str | None
    """Room of the span before in the same shot; None at the start of a shot."""


@dataclass(frozen=True)
class SpatialLine:
    """One frame in words, by side and range (paper's rules)."""

    frame: int
    room: str | None
    text: str


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a text, in the order of the walk."""

    kind: ClaimKind
    text: str
    """The words that make the claim."""
    object: str | None = None
    side: Side | None = None
    """Side of the object relative to the walking direction, or the direction of a turn (left or right)."""
    angle_deg: float | None = None
    first_frame: int | None = None
    last_frame: int | None = None
    range: Range | None = None
    """How far the thing is, by the rules of frame lines; None where the words do not say."""
    room: str | None = None
    """Label of the room that the words name."""
    length_m: float | None = None
    """Of a length, whole meters; None for a few steps."""


@dataclass(frozen=True)
class ClaimCheck:
    """What geometry says of one claim."""

    claim: Claim
    true: bool
    reason: str
    """The measured value the verdict rests on, in words."""
