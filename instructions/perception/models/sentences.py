"""Vectors of sentences by an encoder in a local folder: the mean over its tokens, of unit length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from instructions.errors import InstructionError
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel

MOST_TOKENS = 256
_AT_ONCE = 64


class MeanPooledSentences:
    """Any transformers encoder with a tokenizer, such as those of sentence-transformers that take the mean."""

    def __init__(self, folder: Path, runtime: Runtime = Runtime("cpu", "float32")) -> None:
        """Load the encoder; nothing is downloaded.

        Raises:
            InstructionError: Without torch, or if the folder holds no encoder in safetensors.
        """
        self._torch, transformers = torch_modules()
        _require_encoder(folder)
        local = LocalModel(folder.resolve().name, "local", folder)
        self._tokenizer = load_part(transformers.AutoTokenizer, local)
        self._network: Network = load_network(transformers.AutoModel, local, runtime)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """See `SentenceEncoder`."""
        if not texts:
            return np.zeros((0, 0))
        parts = [self._encode(list(texts[at : at + _AT_ONCE])) for at in range(0, len(texts), _AT_ONCE)]
        return np.concatenate(parts)

    def _encode(self, texts: list[str]) -> NDArray[np.float64]:
        tokens = self._tokenizer(texts, padding=True, truncation=True, max_length=MOST_TOKENS, return_tensors="pt")
        states = self._network(**tokens).last_hidden_state.float().cpu().numpy().astype(np.float64)
        # Padding is no part of a text.
        mask = tokens["attention_mask"].numpy().astype(np.float64)[:, :, None]
        rows = (states * mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1.0)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _require_encoder(folder: Path) -> None:
    if not folder.is_dir():
        raise InstructionError(f"--regions.sentences {folder}: no such folder; name one with config.json and weights")
    if not (folder / "config.json").is_file():
        raise InstructionError(f"--regions.sentences {folder}: has no config.json; name a sentence encoder")
    if not any(folder.glob("model*.safetensors")):
        pickled = "; pickled weights are never loaded" if any(folder.glob("*.bin")) else ""
        raise InstructionError(f"--regions.sentences {folder}: has no model.safetensors{pickled}")
