"""Depth with Depth Anything V2: metric (indoor) or relative."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel


class DepthAnything:
    """Metres along the optical axis, or inverse depth up to factor and offset, as the checkpoint says."""

    def __init__(self, local: LocalModel, runtime: Runtime) -> None:
        self._torch, transformers = torch_modules()
        self._network: Network = load_network(transformers.AutoModelForDepthEstimation, local, runtime)
        self._processor = load_part(transformers.AutoImageProcessor, local, backend="pil")

    @property
    def is_metric(self) -> bool:
        """See `DepthModel`."""
        return self._network.config.depth_estimation_type == "metric"

    def depth(self, images: Sequence[RgbImage], step_px: int) -> list[NDArray[np.float32]]:
        """See `DepthModel`."""
        if not images:
            return []
        pixels = self._processor(images=list(images), return_tensors="pt")
        predicted = self._network(**pixels).predicted_depth.float().cpu()
        out = []
        for one, image in zip(predicted, images, strict=True):
            # To the size of the frame first, so that row and column n of the result are pixel n * step_px.
            full = self._torch.nn.functional.interpolate(
                one[None, None], size=image.shape[:2], mode="bilinear", align_corners=False
            )
            out.append(np.ascontiguousarray(full[0, 0].numpy()[::step_px, ::step_px]))
        return out
