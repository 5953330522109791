"""Free tags and region captions with Florence-2."""

from __future__ import annotations

import re
from collections.abc import Sequence

from instructions.perception.interfaces import Region, RgbImage
from instructions.perception.models.options import RegionWords
from instructions.perception.models.runtime import Network, Runtime, load_network, load_part, torch_modules
from instructions.perception.models.weights import LocalModel

_TASKS: dict[RegionWords, str] = {"names": "<OD>", "captions": "<DENSE_REGION_CAPTION>"}

_MAX_TOKENS = 512
"""Some forty regions with short phrases; generation ends by itself long before in most frames."""
_MAX_CAPTION_CHARACTERS = 120
_BINS = 1000
"""Location marks count from 0 to 999 over the width and height of the image."""
_PHRASE_WITH_BOXES = re.compile(r"([^<>]+)((?:<loc_\d{1,3}>\s*)+)")
_MARK = re.compile(r"<loc_(\d+)>")


class Florence:
    """Regions of a frame in the model's own words."""

    def __init__(
        self,
        local: LocalModel,
        runtime: Runtime,
        words: RegionWords = "captions",
        max_tokens: int = _MAX_TOKENS,
    ) -> None:
        """Load the model; it gives plain names, or captions: names with their attributes."""
        self._torch, transformers = torch_modules()
        self._network: Network = load_network(transformers.Florence2ForConditionalGeneration, local, runtime)
        self._processor = load_part(transformers.AutoProcessor, local, backend="pil")
        self._task = _TASKS[words]
        self._max_tokens = max_tokens

    def regions(self, images: Sequence[RgbImage]) -> list[list[Region]]:
        """See `RegionTagger`. Boxes that the model wrote wrongly are left out."""
        texts = self._generate(images)
        return [parse_regions(text, image.shape[1], image.shape[0]) for text, image in zip(texts, images, strict=True)]

    def _generate(self, images: Sequence[RgbImage]) -> list[str]:
        if not images:
            return []
        prompts = [self._task] * len(images)
        inputs = self._processor(images=list(images), text=prompts, padding=True, return_tensors="pt")
        tokens = self._network(
            self._network.module.generate, **inputs, max_new_tokens=self._max_tokens, num_beams=1, do_sample=False
        )
        return self._processor.batch_decode(tokens, skip_special_tokens=False)


def parse_regions(text: str, width: int, height: int) -> list[Region]:
    """Regions out of generated text: phrases, each followed by four or more location marks, four per box.

    Boxes with an edge missing or no area, and boxes without a phrase, are left out.
    """
    out = []
    for phrase, marks in _PHRASE_WITH_BOXES.findall(text):
        caption = plain_caption(phrase)
        bins = [int(number) for number in _MARK.findall(marks)]
        for at in range(0, len(bins) - 3, 4):
            left, top, right, bottom = ((number + 0.5) / _BINS for number in bins[at : at + 4])
            box = (left * width, top * height, right * width, bottom * height)
            if caption and box[2] - box[0] >= 1.0 and box[3] - box[1] >= 1.0:
                out.append(Region(caption, box))
    return out


def plain_caption(text: str) -> str:
    """Generated words as one short line without marks of the model; they are data, whatever they say."""
    for mark in ("<s>", "</s>", "<pad>", "<unk>"):
        text = text.replace(mark, " ")
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line.strip(" .,;:")[:_MAX_CAPTION_CHARACTERS]
