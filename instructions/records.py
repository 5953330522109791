"""Objects, observations, spatial lines and instructions. Plain values, so that every record survives JSON unchanged."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Side = Literal["left", "middle", "right"]
Range = Literal["near", "closer", "further"]
Vec3 = tuple[float, float, float]
ClaimKind = Literal["walk", "turn", "pass", "approach", "leave", "stop_at", "see"]


@dataclass(frozen=True)
class Obb:
    """Oriented box in the model's z-up world; x_world = rotation @ x_box + center, box spans +-half_extents."""

    center: Vec3
    half_extents: Vec3
    rotation: tuple[Vec3, Vec3, Vec3]
    """Rows of a 3x3 rotation; columns are the box axes in the world."""


@dataclass(frozen=True)
class Observation:
    """One object in one frame."""

    frame: int
    object: str
    box_xyxy: tuple[float, float, float, float]
    """Pixels of the sampled frame, pixel centres at +0.5, clipped to the image."""
    visible_fraction: float
    """Share of the object's points that this frame really saw (tracks), 0 to 1."""
    score: float
    """Confidence of the detector; for embedded landmarks the observed points relative to the best frame."""
    depth: float
    """Median depth along the optical axis in the model's unit."""
    sides: tuple[Side, ...]
    ranges: tuple[Range, ...]


@dataclass(frozen=True)
class SceneObject:
    """A thing in one model. `category` is None where nothing that knows categories looked (embedded perception)."""

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


@dataclass(frozen=True)
class ClaimCheck:
    """What geometry says of one claim."""

    claim: Claim
    true: bool
    reason: str
    """The measured value the verdict rests on, in words."""


@dataclass(frozen=True)
class Instruction:
    """One instruction or description, with everything it was made from."""

    id: str
    trajectory: str
    model: str
    kind: Literal["description", "instruction"]
    """`description` tells the way walked; `instruction` asks for it and ends at a destination."""
    text: str
    frames: tuple[int, ...]
    """Views of the way in time order."""
    objects: tuple[str, ...]
    checks: tuple[ClaimCheck, ...]
    writer: str
    perception: str
    seed: int
    accepted: bool
    rejected_because: str | None = None
    spatial_lines: tuple[str, ...] = field(default=())
    dropped: tuple[ClaimCheck, ...] = field(default=())
    """Claims that were left out of the text because geometry contradicts them."""
