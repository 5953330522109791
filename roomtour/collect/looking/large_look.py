"""What a video shows, by large models: an image encoder that scores sentences, and a detector asked for people."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from instructions.perception.frames.look import find_models
from instructions.perception.interfaces import ObjectDetector, RgbImage
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.shelf import ModelShelf
from roomtour.collect.looking.look import Looked
from roomtour.errors import RoomtourError

_SENTENCES = {
    "indoors": (
        "a photo of a room inside a home.",
        "a video frame taken inside a house.",
        "a corridor indoors.",
    ),
    "outdoors": ("a photo of a street.", "a photo of a landscape.", "a photo of a house seen from outside."),
    "text": ("a slide with text.", "a title screen with words.", "a page of a document."),
    "people": ("a person who talks to the camera.", "a selfie video.", "a news presenter."),
}
"""Kinds of pictures, and sentences that fit them; a picture is of the kind with the best sentence."""
_PERSON = "person"


class PictureWords(Protocol):
    """Scores how well sentences fit pictures."""

    def embed(self, images: list[RgbImage]) -> np.ndarray:
        """A row per picture."""
        ...

    def score(self, embeddings: np.ndarray, texts: list[str]) -> np.ndarray:
        """Of each picture and text."""
        ...


class LargeLook:
    """The models, loaded once; they look at a frame in five seconds."""

    looks, every_s = 24, 5.0

    def __init__(self, options: VisionOptions = VisionOptions()):
        """Load those that the options name.

        Raises:
            InstructionError: If one is not on this machine, or damaged.
            RoomtourError: If the options name none for tags or boxes.
        """
        found = find_models(options)
        lacking = [ability for ability in ("tags", "boxes") if ability not in found]
        if lacking:
            raise RoomtourError(f"--perception models: collect needs --vision.{lacking[0]}.model")
        runtime, shelf = pick_runtime(options.device, options.dtype), ModelShelf(keeps_on_cpu=True)
        self._words: PictureWords = shelf.image_words(found["tags"], runtime)  # type: ignore[assignment]
        self._boxes: ObjectDetector = shelf.boxes(found["boxes"], runtime, options)

    def look(self, image: RgbImage) -> Looked:
        """At one picture, upright."""
        return judge_picture(image, self._words, self._boxes)


def judge_picture(image: RgbImage, words: PictureWords, boxes: ObjectDetector) -> Looked:
    """What one picture shows: the probability of each kind of picture, and the share that the largest person takes."""
    texts = [text for sentences in _SENTENCES.values() for text in sentences]
    (scores,) = words.score(words.embed([image]), texts)
    grown = np.exp(scores - scores.max())
    kinds = dict.fromkeys(_SENTENCES, 0.0)
    for share, kind in zip(grown / grown.sum(), (k for k, some in _SENTENCES.items() for _ in some), strict=True):
        kinds[kind] += float(share)
    (found,) = boxes.detect([image], [[_PERSON]])
    area = image.shape[0] * image.shape[1]
    sizes = [(box[2] - box[0]) * (box[3] - box[1]) / area for box in (one.box_xyxy for one in found)]
    return Looked(float(max(sizes, default=0.0)), kinds["outdoors"], kinds["indoors"], kinds["text"])
