"""A model that describes parts of a picture in its own words (Florence-2) as captioner of given regions."""

from __future__ import annotations

from collections.abc import Sequence

from instructions.facts.overlap import box_iou
from instructions.perception.interfaces import RegionTagger
from instructions.regions.interfaces import SightView
from instructions.regions.records import Told
from instructions.regions.sight.pictures import read_rgb

_SAME_IOU = 0.5
"""A described part this alike in place is the region."""


class TaggerCaptioner:
    """Takes of all that the model describes what lies where the region is."""

    def __init__(self, tagger: RegionTagger, source: str) -> None:
        """Take a model.

        Args:
            tagger: Gives captions with boxes.
            source: Name of the model, kept with every caption.
        """
        self._tagger, self._source = tagger, source

    def caption(self, views: Sequence[SightView]) -> list[list[Told | None]]:
        """See `RegionCaptioner`."""
        out: list[list[Told | None]] = []
        for view in views:
            (found,) = self._tagger.regions([read_rgb(view.image)])
            told: list[Told | None] = []
            for box in view.boxes:
                best = max(found, key=lambda one: box_iou(one.box_xyxy, box), default=None)
                is_same = best is not None and box_iou(best.box_xyxy, box) >= _SAME_IOU
                told.append(Told(best.text, self._source) if best is not None and is_same else None)
            out.append(told)
        return out
