"""Open-vocabulary detection with Grounding DINO or MM-Grounding-DINO."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox, RgbImage
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel

_SEPARATOR = ". "
"""Grounding DINO was trained on phrases that end in a full stop, and attends within a phrase only."""


@dataclass(frozen=True)
class _Prompt:
    """Labels of one image that fit into one text, and the characters each of them covers there."""

    image: int
    text: str
    labels: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]


class GroundingDino:
    """Boxes for labels. A box gets the label whose words it fits best, and the score of the best of these words."""

    def __init__(self, local: LocalModel, runtime: Runtime, threshold: float) -> None:
        """Load the model; `threshold` is the least score of a box."""
        self._torch, transformers = torch_modules()
        self._network: Network = load_network(transformers.AutoModelForZeroShotObjectDetection, local, runtime)
        self._processor = load_part(transformers.AutoImageProcessor, local, backend="pil")
        self._tokenizer = load_part(transformers.AutoTokenizer, local)
        self._threshold = threshold

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        """See `ObjectDetector`. Labels are lower case, without full stops."""
        found: list[list[FoundBox]] = [[] for _ in images]
        prompts: list[_Prompt] = []
        for number, wanted in enumerate(labels):
            prompts += self._prompts(number, list(dict.fromkeys(wanted)))
        if not prompts:
            return found
        text = self._tokenizer(
            [prompt.text for prompt in prompts],
            padding=True,
            return_token_type_ids=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = text.pop("offset_mapping").numpy()
        pixels = self._processor(images=list(images), return_tensors="pt")
        rows = self._torch.tensor([prompt.image for prompt in prompts])
        output = self._network(**text, **{name: value[rows] for name, value in pixels.items()})
        scores = self._torch.sigmoid(output.logits.float()).cpu().numpy()
        boxes = output.pred_boxes.float().cpu().numpy()
        for prompt, score, box, offset in zip(prompts, scores, boxes, offsets, strict=True):
            height, width = images[prompt.image].shape[:2]
            found[prompt.image] += _boxes(prompt, score, box, offset, width, height, self._threshold)
        return [sorted(per_image, key=lambda one: -one.score) for per_image in found]

    def _prompts(self, image: int, labels: list[str]) -> list[_Prompt]:
        """As few texts as hold all labels; the model reads `max_text_len` tokens of each."""
        room = self._network.config.max_text_len - 2
        prompts: list[_Prompt] = []
        waiting: list[str] = []
        used = 0
        for label in labels:
            tokens = len(self._tokenizer(label + _SEPARATOR, add_special_tokens=False)["input_ids"])
            if waiting and used + tokens > room:
                prompts.append(_prompt(image, waiting))
                waiting, used = [], 0
            waiting.append(label)
            used += tokens
        return [*prompts, _prompt(image, waiting)] if waiting else prompts


def _prompt(image: int, labels: list[str]) -> _Prompt:
    spans: list[tuple[int, int]] = []
    text = ""
    for label in labels:
        spans.append((len(text), len(text) + len(label)))
        text += label + _SEPARATOR
    return _Prompt(image, text.rstrip(), tuple(labels), tuple(spans))


def _boxes(
    prompt: _Prompt,
    scores: NDArray[np.float32],
    boxes: NDArray[np.float32],
    offsets: NDArray[np.int64],
    width: int,
    height: int,
    threshold: float,
) -> list[FoundBox]:
    """Boxes of one prompt: scores (Q, tokens), boxes (Q, 4) as centre and size in shares of the image."""
    tokens = [
        np.flatnonzero((offsets[:, 0] >= start) & (offsets[:, 1] <= end) & (offsets[:, 1] > offsets[:, 0]))
        for start, end in prompt.spans
    ]
    usable = [number for number, own in enumerate(tokens) if len(own)]
    if not usable:
        return []
    best = np.stack([scores[:, tokens[number]].max(axis=1) for number in usable], axis=1)
    mean = np.stack([scores[:, tokens[number]].mean(axis=1) for number in usable], axis=1)
    out = []
    for query in np.flatnonzero(best.max(axis=1) >= threshold):
        label = int(np.argmax(mean[query]))
        x, y, w, h = (float(value) for value in boxes[query])
        x0, x1 = (float(np.clip(edge, 0.0, 1.0)) * width for edge in (x - w / 2, x + w / 2))
        y0, y1 = (float(np.clip(edge, 0.0, 1.0)) * height for edge in (y - h / 2, y + h / 2))
        score = float(best[query, label])
        if score >= threshold and x1 - x0 >= 1.0 and y1 - y0 >= 1.0:
            out.append(FoundBox(prompt.labels[usable[label]], score, (x0, y0, x1, y1)))
    return out
