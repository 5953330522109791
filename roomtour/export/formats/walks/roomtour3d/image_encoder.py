"""Image features for datasets: one method, and the adapter for image encoders of `transformers`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.options import ModelChoice
from instructions.perception.models.runtime import load_network, load_part, pick_runtime, torch_modules
from instructions.perception.models.weights import LocalModel, find_cached_folder


class ImageEncoder(Protocol):
    """Turns images into the vectors a model is trained on."""

    @property
    def name(self) -> str:
        """For file names: letters, digits, `-`, `_` and `.` only."""
        ...

    def encode(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """(N, d) features as the encoder gives them, not normalised."""
        ...


class TransformersEncoder:
    """CLIP, SigLIP, DINOv2 or another image encoder, from a local folder or the Hugging Face cache.

    Repositories of `timm` are loaded by its wrapper in `transformers`, which gives what `timm` gives before its head:
    1024 numbers of EVA-CLIP-02-L, the encoder of the reference model.
    """

    def __init__(self, model: str):
        """Load the weights; nothing is downloaded.

        Raises:
            InstructionError: If torch is not installed, or the model is not on this machine or has no image encoder.
        """
        _, transformers = torch_modules()
        folder = find_cached_folder(ModelChoice(model=model))
        if folder is None:
            raise InstructionError(
                f"--features {model}: not in the Hugging Face cache. Fetch it there first, or name a local folder"
            )
        local = LocalModel(model, "local", folder)
        self.name = safe_name(model)
        if _is_of_timm(folder) and find_spec("timm") is None:
            raise InstructionError(f'--features {model}: is a model of timm: pip install "roomtour[timm]"')
        self._network = load_network(transformers.AutoModel, local, pick_runtime("auto", "auto"))
        self._processor = load_part(transformers.AutoImageProcessor, local, backend="pil")
        self._method = getattr(self._network.module, "get_image_features", None)
        if self._method is None and self._network.module.main_input_name != "pixel_values":
            raise InstructionError(f"--features {model}: takes {self._network.module.main_input_name}, not images")

    def encode(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """See `ImageEncoder`."""
        pixels = self._processor(images=list(images), return_tensors="pt")["pixel_values"]
        return _features(self._network(self._method, pixel_values=pixels)).float().cpu().numpy()


def safe_name(model: str) -> str:
    """The last part of a model's id or folder, fit for a file name."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(model).name).strip("-.") or "encoder"


def _is_of_timm(folder: Path) -> bool:
    """Whether a configuration is of `timm`, which names the architecture and no type of model."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False  # what is wrong with it is said where it is loaded
    return isinstance(config, dict) and "architecture" in config and "model_type" not in config


def _features(output: Any) -> Any:
    """The tensor (N, d) of an output: projected features where there are any, else pooled ones or the first token."""
    if hasattr(output, "shape"):
        return output
    for name in ("image_embeds", "pooler_output"):
        found = getattr(output, name, None)
        if found is not None:
            return found
    return output.last_hidden_state[:, 0]
