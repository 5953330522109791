"""What perception must be able to do, one Protocol per ability. Embedded and learned implementations share these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.records import Box, Observation, SceneObject
from recon.findings import Finding


@dataclass(frozen=True)
class LandmarkResult:
    """Objects of one model with what each frame sees of them. Observations are sorted by frame, then by object."""

    objects: tuple[SceneObject, ...]
    observations: tuple[Observation, ...]
    findings: tuple[Finding, ...] = field(default=())


RgbImage = NDArray[np.uint8]
"""(height, width, 3), red first."""


@dataclass(frozen=True)
class FoundBox:
    """One thing a detector found. `label` is one of the labels it was asked for."""

    label: str
    score: float
    box_xyxy: Box
    also: tuple[tuple[str, float], ...] = ()
    """Other words that were given to this place, each with its score, best first."""
    is_region: bool = False
    """It bounds a region of one class, which may hold several things of it that hide or touch one another."""


@dataclass(frozen=True)
class Region:
    """A phrase for a part of an image, in the model's own words."""

    text: str
    box_xyxy: Box


@dataclass(frozen=True)
class FoundText:
    """One line of writing and where it is, in pixels of the image."""

    text: str
    score: float
    box_xyxy: Box


class TextReader(Protocol):
    """Reads what is written in a picture."""

    @property
    def name(self) -> str:
        """Program, models and version, as rows tell it."""
        ...

    def read_text(self, image: RgbImage) -> list[FoundText]:
        """Lines of writing, from the top; empty where nothing is written."""
        ...


class ObjectDetector(Protocol):
    """Finds things by name (open vocabulary)."""

    def detect(self, images: Sequence[RgbImage], labels: Sequence[Sequence[str]]) -> list[list[FoundBox]]:
        """Boxes per image, best first, of the labels asked for in that image; none for no labels."""
        ...


class DepthModel(Protocol):
    """Depth of single images."""

    @property
    def is_metric(self) -> bool:
        """Whether `depth` gives metres; else it gives inverse depth up to an unknown factor and offset."""
        ...

    def depth(self, images: Sequence[RgbImage], step_px: int) -> list[NDArray[np.float32]]:
        """Per image the map at the centres of every `step_px`-th pixel, (ceil(h / step), ceil(w / step))."""
        ...


class BoxMasker(Protocol):
    """Cuts things out of their boxes."""

    def masks(self, images: Sequence[RgbImage], boxes: Sequence[Sequence[Box]]) -> list[list[NDArray[np.bool_]]]:
        """Per image one mask (height, width) per box, in order."""
        ...


class Segmenter(Protocol):
    """Says of every pixel what it belongs to."""

    def segment(self, images: Sequence[RgbImage]) -> list[NDArray[np.uint8]]:
        """Per image a map of class ids (h, w) that covers it evenly, coarser than the image or not."""
        ...


class ImageTagger(Protocol):
    """Says what an image mostly shows."""

    def tag(self, images: Sequence[RgbImage]) -> list[dict[str, float]]:
        """Words per image with their probability, best first."""
        ...


class RegionTagger(Protocol):
    """Names and describes what it sees, in free words: free tags and region captions."""

    def regions(self, images: Sequence[RgbImage]) -> list[list[Region]]:
        """Regions per image."""
        ...


class ImageEmbedder(Protocol):
    """Turns images into vectors that can be compared with each other and with words."""

    def embed(self, images: Sequence[RgbImage]) -> NDArray[np.float32]:
        """(N, D), unit length."""
        ...


class TextScorer(Protocol):
    """Compares image embeddings with words."""

    def score(self, embeddings: NDArray[np.float32], texts: Sequence[str]) -> NDArray[np.float32]:
        """Logits (N, T): the sigmoid of one is how likely that text fits that image."""
        ...


class ImageWords(ImageEmbedder, TextScorer, Protocol):
    """Embeds images and compares them with words, as SigLIP does."""
