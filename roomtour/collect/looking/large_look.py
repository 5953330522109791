"""What a video shows, by large models: an image encoder that scores sentences, and a detector asked for people."""

from __future__ import annotations

import numpy as np

from instructions.perception.frames.look import find_models
from instructions.perception.interfaces import RgbImage
from instructions.perception.models.grounding_dino import GroundingDino
from instructions.perception.models.options import VisionOptions
from instructions.perception.models.runtime import pick_runtime
from instructions.perception.models.siglip import Siglip
from roomtour.collect.looking.look import Looked
from roomtour.errors import RoomtourError

_SENTENCES = {
    "indoors": ("a photo of a room inside a home.", "a video frame taken inside a house.", "a corridor indoors."),
    "outdoors": ("a photo of a street.", "a photo of a landscape.", "a photo of a house seen from outside."),
    "text": ("a slide with text.", "a title screen with words.", "a page of a document."),
    "people": ("a person who talks to the camera.", "a selfie video.", "a news presenter."),
}
"""Kinds of pictures, and sentences that fit them; a picture is of the kind with the best sentence."""


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
        runtime = pick_runtime(options.device, options.dtype)
        self._words = Siglip(found["tags"], runtime)
        self._boxes = GroundingDino(found["boxes"], runtime, options.box_threshold)

    def look(self, image: RgbImage) -> Looked:
        """At one picture, upright: the probability of each kind, and the share that the largest person takes."""
        texts = [text for sentences in _SENTENCES.values() for text in sentences]
        (scores,) = self._words.score(self._words.embed([image]), texts)
        grown = np.exp(scores - scores.max())
        kinds = dict.fromkeys(_SENTENCES, 0.0)
        for share, kind in zip(grown / grown.sum(), (k for k, some in _SENTENCES.items() for _ in some), strict=True):
            kinds[kind] += float(share)
        (found,) = self._boxes.detect([image], [["person"]])
        boxes = (one.box_xyxy for one in found)
        largest = max(((box[2] - box[0]) * (box[3] - box[1]) for box in boxes), default=0.0)
        person = float(largest) / (image.shape[0] * image.shape[1])
        return Looked(person, kinds["outdoors"], kinds["indoors"], kinds["text"])
