"""Image embeddings, and how well words fit them, with SigLIP or a SigLIP 2 of fixed image size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import RgbImage
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel

_TEXTS_AT_ONCE = 64


class Siglip:
    """An image is embedded once; tags, room types and whatever is asked later are products with that vector."""

    def __init__(self, local: LocalModel, runtime: Runtime) -> None:
        self._torch, transformers = torch_modules()
        self._network: Network = load_network(transformers.SiglipModel, local, runtime)
        self._processor = load_part(transformers.AutoImageProcessor, local, backend="pil")
        self._tokenizer = load_part(transformers.AutoTokenizer, local)

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """See `ImageEmbedder`."""
        if not images:
            return np.zeros((0, 0), dtype=np.float32)
        pixels = self._processor(images=list(images), return_tensors="pt")
        return _unit(self._network(self._network.module.get_image_features, **pixels))

    def score(self, embeddings: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        """See `TextScorer`."""
        if not len(embeddings) or not texts:
            return np.zeros((len(embeddings), len(texts)), dtype=np.float32)
        words = np.concatenate(
            [self._embed_texts(texts[at : at + _TEXTS_AT_ONCE]) for at in range(0, len(texts), _TEXTS_AT_ONCE)]
        )
        scale = float(self._network.module.logit_scale.exp().item())
        return embeddings @ words.T * scale + float(self._network.module.logit_bias.item())

    def _embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        tokens = self._tokenizer(
            [text.lower() for text in texts],
            # SigLIP was trained on texts padded to full length and reads the last position.
            padding="max_length",
            max_length=self._network.config.text_config.max_position_embeddings,
            truncation=True,
            return_tensors="pt",
        )
        return _unit(self._network(self._network.module.get_text_features, input_ids=tokens["input_ids"]))


def _unit(output: object) -> NDArray[np.float32]:
    """Rows of unit length; the features are a tensor, or the pooled part of an output."""
    features = getattr(output, "pooler_output", output)
    rows = features.float().cpu().numpy()  # type: ignore[attr-defined]  # a torch tensor; torch is not imported here
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
