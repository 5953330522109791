"""Masks of boxes with SAM."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel
from instructions.records import Box


class SamMasks:
    """One mask per box: the image is encoded once, its boxes are decoded together."""

    def __init__(self, local: LocalModel, runtime: Runtime) -> None:
        self._torch, transformers = torch_modules()
        self._network: Network = load_network(transformers.SamModel, local, runtime)
        self._images = load_part(transformers.AutoImageProcessor, local, backend="pil")
        self._processor = transformers.SamProcessor(self._images)

    def masks(self, images: Sequence[RgbImage], boxes: Sequence[Sequence[Box]]) -> list[list[NDArray[np.bool_]]]:
        """See `BoxMasker`."""
        out: list[list[NDArray[np.bool_]]] = [[] for _ in images]
        asked = [number for number, own in enumerate(boxes) if own]
        if not asked:
            return out
        most = max(len(boxes[number]) for number in asked)
        # A batch has as many boxes in every image: the last one is repeated, and its copies are dropped again.
        padded = [[list(box) for box in [*boxes[n], *([boxes[n][-1]] * (most - len(boxes[n])))]] for n in asked]
        inputs = self._processor(images=[images[n] for n in asked], input_boxes=padded, return_tensors="pt")
        original, reshaped = inputs.pop("original_sizes"), inputs.pop("reshaped_input_sizes")
        inputs["input_boxes"] = inputs["input_boxes"].float()
        output = self._network(**inputs, multimask_output=False)
        scaled = self._images.post_process_masks(output.pred_masks.float().cpu(), original, reshaped)
        for number, masks in zip(asked, scaled, strict=True):
            out[number] = [np.asarray(mask[0].numpy(), dtype=bool) for mask in masks[: len(boxes[number])]]
        return out
