"""What light networks know of a single picture: its things with masks, its floor, and how far all of it is.

The floor's own depth is that of its pixels by the vertical and the height at which cameras are held. Learned depth is
believed where it agrees with that, and takes its scale from it. On a walk through an office, held against a depth
sensor, it orders pairs that it puts apart by a factor of 2 right in 93 % of cases, and in 97 % where it agrees with the
floor; the scale of the floor was right to 14 %. Down a corridor both were better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.detections import caption_of
from instructions.perception.frames.ranks import LEARNED_SIGMA
from instructions.perception.frames.segments import SegmentMap, classes_of_kind
from instructions.perception.interfaces import FoundBox, Region, RgbImage
from instructions.perception.masks import decode_mask, encode_mask
from instructions.perception.models.light.labels import ade_words, head_of, words
from instructions.perception.single_images.image_scene import MOST_CAPTION_WORDS, ImageThing
from instructions.perception.single_images.vertical import Vertical, find_vertical
from instructions.records import MaskRle
from recon.geometry import Array, Camera
from recon.records import Scale

_LEAST_FILL = 0.25
"""Share of a box that segments must give its word to be its mask: less is a rest of something else."""
_FOOT_SHARE = 0.03
"""Of the picture's height: so far below its box a thing that stands on the floor shows floor."""
_LEAST_FOOT = 0.5
"""Share of the strip under the middle half of its box that must be floor."""
CAMERA_HEIGHT_M = 1.5
"""At which people hold a camera above the floor they stand on ..."""
CAMERA_HEIGHT_SIGMA = 0.15
"""... and how far that varies."""
_LEAST_FLOOR = 0.03
"""Share of the picture that must be floor."""
_LEAST_DEPRESSION = 0.08
"""Sine of the angle below the horizon: nearer to it the floor is too far to tell."""
_MOST_SPREAD = 0.15
"""Robust spread of the logarithm of learned over floor depth up to which the two agree."""
_SCALES = (0.65, 1.30)
"""Learned over floor depth: what the network was off on rooms with known depth (1 / 1.18 to 1 / 0.9), and 15 % for the
height of the camera."""
_LEAST_PIXELS = 200


class FloorDepth(NamedTuple):
    """The floor of a picture."""

    depth: NDArray[np.float32]  # (height, width) metres along the optical axis, NaN off the floor
    factor: float | None
    """By which learned depth is multiplied to agree with it; None where it does not agree."""


def find_floor_depth(
    floor: NDArray[np.bool_], camera: Camera, up_cam: Array, learned: NDArray[np.float32] | None
) -> FloorDepth | None:
    """How far the floor is, for a camera at the usual height.

    Args:
        floor: (height, width) which pixels are floor.
        camera: Of the picture.
        up_cam: (3,) unit, up in camera axes.
        learned: (height, width) metres, NaN where unknown; None without a network.

    Returns:
        None where less than 3 % of the picture is floor clearly below the horizon.
    """
    rows, columns = np.nonzero(floor)
    below = -(camera.rays(np.column_stack([columns, rows]) + 0.5) @ up_cam)
    is_clear = below >= _LEAST_DEPRESSION
    if is_clear.sum() < max(_LEAST_PIXELS, _LEAST_FLOOR * floor.size):
        return None
    rows, columns = rows[is_clear], columns[is_clear]
    depth = np.full(floor.shape, np.nan, dtype=np.float32)
    depth[rows, columns] = CAMERA_HEIGHT_M / below[is_clear]
    return FloorDepth(depth, None if learned is None else _fit_factor(learned[rows, columns], depth[rows, columns]))


def _fit_factor(learned: NDArray[np.float32], true: NDArray[np.float32]) -> float | None:
    known = np.isfinite(learned)
    if known.sum() < _LEAST_PIXELS:
        return None
    ratios = np.log(learned[known] / true[known])
    middle = float(np.median(ratios))
    spread = 1.4826 * float(np.median(np.abs(ratios - middle)))
    agrees = spread <= _MOST_SPREAD and np.log(_SCALES[0]) <= middle <= np.log(_SCALES[1])
    return float(np.exp(-middle)) if agrees else None


@dataclass(frozen=True, eq=False)
class PictureDepth:
    """How far what a picture shows is."""

    depth: NDArray[np.float32]  # (height, width) metres along the optical axis, NaN where unknown
    scale: Scale
    vertical: Vertical
    is_floor_only: bool
    """Only the floor and what stands on it have depth."""
    range_sigma: float = LEARNED_SIGMA


def find_things(
    boxes: Sequence[FoundBox],
    segments: SegmentMap | None,
    masks: Sequence[MaskRle] = (),
    regions: Sequence[Region] = (),
) -> list[ImageThing]:
    """Detected boxes as things; their masks are those given, else what segments call as the box, in one piece.

    Args:
        boxes: Of one picture.
        segments: Of the same picture; light networks alone make them, and their names of one look are seldom sure.
        masks: Of the boxes, in their order; empty without a model for them.
        regions: Captions of parts of the picture.
    """
    given = [*masks, *[None] * (len(boxes) - len(masks))]
    return [
        ImageThing(
            box.label,
            box.score,
            box.box_xyxy,
            mask or (_cut_out(box, segments) if segments else None),
            caption=_shorten(caption_of(box, regions)),
            may_be=((box.label, box.score), *(also for also in box.also if also[0] != box.label)) if segments else (),
        )
        for box, mask in zip(boxes, given, strict=True)
    ]


def _shorten(caption: str | None) -> str | None:
    """A caption that may stand for a name in a sentence; None if it is none."""
    return caption if caption and len(caption.split()) <= MOST_CAPTION_WORDS else None


def _cut_out(one: FoundBox, segments: SegmentMap) -> MaskRle | None:
    """The largest piece of its word in its box; None where it is small."""
    own = classes_of_kind(head_of(one.label), segments.vocabulary)
    whole = _enlarge(own[segments.classes], segments.width, segments.height)
    x0, y0, x1, y1 = (round(value) for value in one.box_xyxy)
    inside = np.zeros_like(whole)
    inside[y0:y1, x0:x1] = whole[y0:y1, x0:x1]
    count, pieces, figures, _ = cv2.connectedComponentsWithStats(inside.astype(np.uint8))
    if count < 2:
        return None
    largest = 1 + int(figures[1:, cv2.CC_STAT_AREA].argmax())
    if figures[largest, cv2.CC_STAT_AREA] < _LEAST_FILL * (x1 - x0) * (y1 - y0):
        return None
    return encode_mask(pieces == largest)


def find_floor(segments: SegmentMap) -> MaskRle | None:
    """The pixels that are called floor; None where none is."""
    floor = segments.classes == ade_words().index("floor")
    return encode_mask(_enlarge(floor, segments.width, segments.height)) if floor.any() else None


def _enlarge(mask: NDArray[np.bool_], width: int, height: int) -> NDArray[np.bool_]:
    return cv2.resize(mask.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST).astype(bool)


def estimate_depth(
    image_rgb: RgbImage,
    camera: Camera,
    focal_sigma: float,
    floor: MaskRle | None,
    things: Sequence[ImageThing],
    learned: NDArray[np.float32] | None,
) -> PictureDepth | str:
    """How far what a picture shows is, or why nobody knows.

    The floor's depth follows from the vertical and the usual height of a camera. Learned depth that agrees with it is
    taken for the rest; else only what stands on the floor has a depth, that of its foot.

    Args:
        image_rgb: The picture.
        camera: Its camera.
        focal_sigma: Relative standard deviation of the focal length.
        floor: Pixels that are floor.
        things: What it shows.
        learned: (height, width) metres of a network, NaN where unknown; None without one.
    """
    if floor is None:
        return "no floor shows"
    vertical = find_vertical(image_rgb, camera, focal_sigma)
    if vertical is None:
        return "too few upright edges tell what is up"
    floor_depth = find_floor_depth(decode_mask(floor), camera, vertical.up_cam, learned)
    if floor_depth is None:
        return "too little floor shows"
    sigma = float(np.hypot(CAMERA_HEIGHT_SIGMA, focal_sigma / 2))
    scale = Scale("assumed", 1.0, sigma, f"a camera held {CAMERA_HEIGHT_M:g} m above the floor")
    if learned is None or floor_depth.factor is None:
        return PictureDepth(_stand_things(floor_depth, things), scale, vertical, True)
    depth = np.where(np.isfinite(floor_depth.depth), floor_depth.depth, learned * np.float32(floor_depth.factor))
    return PictureDepth(depth.astype(np.float32), scale, vertical, False)


def _stand_things(found: FloorDepth, things: Sequence[ImageThing]) -> NDArray[np.float32]:
    """The floor's depth, and for what stands on it that of the floor under the middle of its box."""
    depth = found.depth.copy()
    height = depth.shape[0]
    for thing in things:
        word = words().get(thing.label)
        if word is None or (word.support and "floor" not in word.support):
            continue
        x0, y0, x1, y1 = (round(value) for value in thing.box_xyxy)
        quarter = (x1 - x0) // 4
        strip = found.depth[y1 : y1 + max(2, round(_FOOT_SHARE * height)), x0 + quarter : x1 - quarter]
        if strip.shape[0] < 2 or not strip.size or np.isfinite(strip).mean() < _LEAST_FOOT:
            continue
        inside = np.zeros(depth.shape, dtype=bool)
        inside[y0:y1, x0:x1] = True
        depth[inside if thing.mask is None else decode_mask(thing.mask)] = np.nanmedian(strip)
    return depth
