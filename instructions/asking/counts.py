"""How far questions reach over a tour, and what was not asked, as counts for people."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from instructions.asking.bars import GateOptions
from instructions.records import SceneObject
from recon.records import Scene

NotAsked = Counter[tuple[str, str]]
"""How often something was not asked, by type and reason."""
_FINER = "names, or surer ones: roomtour models pull light, or --perception models"
_SCALE = (
    "a surer scale: roomtour models pull light, poses with --pose-source.metric, or how high the camera was held "
    "(--scene.camera-height-m and --scene.camera-height-sigma)"
)
STEPS: Mapping[str, Collection[str]] = {
    _FINER: (
        "ambiguous", "disputed", "not_unique", "clause_tells", "missed_often", "few_things",
        "thing_full",
    ),
    _SCALE: ("no_scale",),
    "the floor in the picture for most of the walk: without it nothing says what is up": (
        "not_upright", "no_floor", "no_sides",
    ),
    "things seen whole: film from farther away, with fewer things cut by the border": (
        "hidden", "partly_hidden", "small_in_image", "cut_by_border", "near_camera", "spans_picture", "off_picture",
        "box_unclear", "foot_unseen", "far_or_near", "boxes_overlap", "boxes_nested", "out_of_view",
    ),
    "surer points: a slower walk past things, not a turn on the spot, and more frames per second (--sample.fps)": (
        "few_spots", "uncertain", "no_view",
    ),
}  # fmt: skip
"""What would let more be asked, with the reasons that it removes. Other reasons lie in the world (two things are alike)
or are wanted (a view has its rows)."""


@dataclass(frozen=True)
class Reach:
    """How much of a tour is asked about."""

    views: int
    """Frames with a pose, or imported pictures, that a row is about."""
    all_views: int
    things: int
    """Things that a row points at."""
    all_things: int
    step: str
    """What would add most; empty where nothing would."""

    def __str__(self) -> str:
        told = f"{self.views} of {self.all_views} views"
        if self.all_things:
            told += f" and {self.things} of {self.all_things} things"
        return f"{told} are asked about" + (f"; most would come with {self.step}" if self.step else "")


def measure_reach(
    scene: Scene, things: Iterable[SceneObject], rows: Iterable[Any], not_asked: Mapping[tuple[str, str], int]
) -> Reach:
    """Count each view and each thing once.

    Args:
        scene: Of the tour.
        things: All that it knows.
        rows: With `accepted`, `views` and `references`.
        not_asked: How often something was not asked, by type and reason: what a step would let be asked. Numbers are
            uncertain for want of a scale where this alone is less sure than they must be.
    """
    kept = [row for row in rows if row.accepted]
    posed = (frame for model in scene.models for frame in model.frames)
    frames = {frame.index for frame in scene.frames} if scene.is_pictures else set(posed)
    known = {thing.id for thing in things}
    views = {frame for row in kept for frame in row.views} & frames
    named = {reference.object for row in kept for reference in row.references} & known
    gains = dict.fromkeys(STEPS, 0)
    is_rough = bool(scene.models) and min(model.scale.sigma for model in scene.models) > GateOptions.most_relative_sigma
    for (_, reason), count in not_asked.items():
        cause = "no_scale" if is_rough and reason == "uncertain" else reason
        for step, reasons in STEPS.items():
            gains[step] += count if cause in reasons else 0
    best = max(gains, key=lambda step: gains[step])
    return Reach(len(views), len(frames), len(named), len(known), best if gains[best] else "")


def count_not_asked(not_asked: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """By reason and type, from counts by type and reason; most frequent reason first."""
    by_reason: dict[str, Counter[str]] = defaultdict(Counter)
    for (kind, reason), count in not_asked.items():
        by_reason[reason][kind] += count
    order = sorted(by_reason, key=lambda reason: (-by_reason[reason].total(), reason))
    return {reason: dict(sorted(by_reason[reason].items())) for reason in order}
