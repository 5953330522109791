"""Networks look at the pictures of an import: things, floor and depth where nobody gave them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.light_look import look_at_frames_lightly
from instructions.perception.frames.look import look_at_frames
from instructions.perception.frames.results import FrameResults
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.catalog import KNOWN_MODELS
from instructions.perception.models.light.fast_depth import FastDepth
from instructions.perception.models.light.folder import find_light_files, light_folder, why_not_light
from instructions.perception.models.options import ModelChoice, VisionOptions
from instructions.perception.models.weights import find_cached_folder
from instructions.perception.single_images.image_scene import ImageThing
from instructions.perception.single_images.look import find_floor, find_things
from instructions.perception.things.certainty import keep_sure_names
from instructions.records import MaskRle, SceneObject
from recon.findings import Finding
from recon.records import Frame


@dataclass(frozen=True, eq=False)
class Looked:
    """What networks say of one picture."""

    things: tuple[ImageThing, ...] = ()
    floor: MaskRle | None = None
    source: str = ""
    """What found the things."""


class PictureLook:
    """The networks of this machine, and what they said of pictures."""

    def __init__(self, perception: str) -> None:
        """Find the networks; of the large ones the captioner only where it is here, for it is slower than all others.

        Args:
            perception: `light`, `models`, or `auto` for the light ones if they are here.

        Raises:
            InstructionError: If what was asked for is not on this machine.
        """
        folder = light_folder()
        why_not = why_not_light(folder)
        self._is_light = perception == "light" or why_not is None
        self._is_large = perception == "models"
        captioner = ModelChoice(model=next(model.name for model in KNOWN_MODELS if model.ability == "regions"))
        has_captions = self._is_large and find_cached_folder(captioner) is not None
        self._options = VisionOptions(regions=captioner) if has_captions else VisionOptions()
        self._depth = FastDepth(find_light_files(folder)["depth"]) if self._is_light else None
        self._looked: dict[int, Looked] = {}
        self._large_depth: dict[int, NDArray[np.float32]] = {}
        self.findings: tuple[Finding, ...] = ()

    @property
    def is_any(self) -> bool:
        """Whether this machine has anything that looks."""
        return self._is_light or self._is_large

    def look(self, frames: Sequence[Frame], frames_dir: Path, key: str) -> None:
        """Look at pictures, all at once; `key` names their content."""
        if not frames:
            return
        with TemporaryDirectory() as folder:
            looks = [look_at_frames_lightly] if self._is_light else []
            for look in (*looks, *([look_at_frames] if self._is_large else [])):
                done = look(frames, frames_dir, Path(folder), self._options, frames_key=key)
                self.findings += done.findings
                self._keep(frames, FrameResults(Path(folder), done.index))

    def _keep(self, frames: Sequence[Frame], results: FrameResults) -> None:
        for frame in frames:
            before = self._looked.get(frame.index, Looked())
            segments = results.segments(frame.index, frame.width, frame.height)
            floor = find_floor(segments) if segments is not None else before.floor
            seen = (results.boxes(frame.index), segments, results.masks(frame.index), results.regions(frame.index))
            things = find_things(*seen)
            self._looked[frame.index] = Looked(tuple(things), floor, results.source("boxes") or before.source)
            raw = results.raw_depth(frame.index)
            if raw is not None and results.depth_is_metric:
                self._large_depth[frame.index] = raw

    def of(self, frame: int) -> Looked:
        """What was said of a picture; nothing where it was not looked at."""
        return self._looked.get(frame, Looked())

    def learn_depth(self, frame: Frame, image_rgb: RgbImage) -> NDArray[np.float32] | None:
        """Depth of a picture by a network, (height, width) metres, NaN where unknown; None without one."""
        coarse = self._large_depth.get(frame.index)
        if coarse is not None:
            step = round(frame.width / coarse.shape[1])
            full = np.repeat(np.repeat(coarse, step, axis=0), step, axis=1)[: frame.height, : frame.width]
        elif self._depth is not None:
            full = self._depth.depth([image_rgb], 1)[0]
        else:
            return None
        return np.where(full > 0, full, np.nan).astype(np.float32)


def forget_unsure_names(objects: Sequence[SceneObject]) -> list[SceneObject]:
    """Things without the names that one look of networks is not sure of; what has no name of its own is not told."""
    sure = keep_sure_names([thing for thing in objects if thing.categories], {thing.model: 1.0 for thing in objects})
    kept = iter(replace(thing, ambiguous=thing.ambiguous or thing.category is None) for thing in sure)
    return [next(kept) if thing.categories else thing for thing in objects]
