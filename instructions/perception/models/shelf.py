"""Builds adapters, and keeps those on a GPU for the next tour of the same process."""

from __future__ import annotations

from typing import Any

from instructions.perception.interfaces import BoxMasker, DepthModel, ObjectDetector, RegionTagger
from instructions.perception.models.depth_anything import DepthAnything
from instructions.perception.models.florence import Florence
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import Runtime
from instructions.perception.models.sam import SamMasks
from instructions.perception.models.siglip import Siglip
from instructions.perception.models.weights import LocalModel


class ModelShelf:
    """Adapters by what made them. On a CPU they are built for one pass: six networks would fill a laptop's memory."""

    def __init__(self, *, keeps_on_cpu: bool = False) -> None:
        """Make an empty one; `keeps_on_cpu` for a process whose only work they are."""
        self._keeps_on_cpu = keeps_on_cpu
        self._kept: dict[object, Any] = {}

    def image_words(self, local: LocalModel, runtime: Runtime) -> Siglip:
        """Embeddings, tags, rooms."""
        return self._take(Siglip, local, runtime)

    def regions(self, local: LocalModel, runtime: Runtime, options: VisionOptions) -> RegionTagger:
        """Free tags."""
        return self._take(Florence, local, runtime, options.region_words)

    def boxes(self, local: LocalModel, runtime: Runtime, options: VisionOptions) -> ObjectDetector:
        """Detection."""
        return self._take(GroundingDino, local, runtime, options.box_threshold)

    def masks(self, local: LocalModel, runtime: Runtime) -> BoxMasker:
        """Masks."""
        return self._take(SamMasks, local, runtime)

    def depth(self, local: LocalModel, runtime: Runtime) -> DepthModel:
        """Depth."""
        return self._take(DepthAnything, local, runtime)

    def _take(self, adapter: Any, local: LocalModel, runtime: Runtime, *more: object) -> Any:
        if runtime.device == "cpu" and not self._keeps_on_cpu:
            return adapter(local, runtime, *more)
        key = (adapter, local, runtime, *more)
        if key not in self._kept:
            self._kept[key] = adapter(local, runtime, *more)
        return self._kept[key]
