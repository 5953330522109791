"""What the models said of a frame as records: each box with its side, ranges, depths, mask and caption."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.overlap import box_iou
from instructions.facts.placing import DepthMap, FramePlaces
from instructions.perception.frames.results import FrameResults
from instructions.perception.interfaces import FoundBox, Region
from instructions.perception.masks import decode_mask
from instructions.records import Detection, MaskRle

_CAPTION_OVERLAP = 0.5
"""A region's words are said of a box if the two overlap by at least this (intersection over union)."""


def detections_of(results: FrameResults, frame: int, width: int, depth: DepthMap | None) -> list[Detection]:
    """Detections of one frame, best first.

    Args:
        results: What the models said.
        frame: Frame index.
        width: Width of the frame in pixels.
        depth: Depth of the frame in whatever unit the record should have; None gives sides only.
    """
    places = FramePlaces(width, depth)
    masks = results.masks(frame)
    regions = results.regions(frame)
    return [
        place_box(places, frame, found, masks[number] if number < len(masks) else None, caption_of(found, regions))
        for number, found in enumerate(results.boxes(frame))
    ]


def place_box(places: FramePlaces, frame: int, found: FoundBox, mask: MaskRle | None, caption: str | None) -> Detection:
    """A box as a record.

    Args:
        places: Of its frame.
        frame: Frame index.
        found: The box.
        mask: Of what is in it, if known.
        caption: What a model says of it, if anything.
    """
    place = places.place(found.box_xyxy, decode_mask(mask) if mask else None)
    return Detection(
        frame=frame,
        label=found.label,
        score=found.score,
        box_xyxy=found.box_xyxy,
        sides=place.sides,
        ranges=place.ranges,
        depth_stats=place.depth_stats,
        mask=mask,
        caption=caption,
        also=found.also,
        is_region=found.is_region,
    )


def caption_of(found: FoundBox, regions: Sequence[Region]) -> str | None:
    """The words of the region that a box is, None if it is none."""
    best = max(regions, key=lambda region: box_iou(found.box_xyxy, region.box_xyxy), default=None)
    return best.text if best and box_iou(found.box_xyxy, best.box_xyxy) >= _CAPTION_OVERLAP else None
