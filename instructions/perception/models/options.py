"""Which learned models look at the frames, and how they are run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from instructions.errors import InstructionError
from instructions.perception.models.catalog import ABILITIES, Ability
from recon.ranges import AtLeastOne, Count, Share

Device = Literal["auto", "cpu", "cuda", "mps"]
RegionWords = Literal["names", "captions"]
Dtype = Literal["auto", "float32", "float16", "bfloat16"]


@dataclass(frozen=True, kw_only=True)
class ModelChoice:
    """One learned model."""

    model: str
    """Model id of the Hugging Face hub (looked up in the local cache only) or a local folder; empty: not used."""
    revision: str | None = None
    """Commit, tag or branch of the hub; the cache's `main` by default. A local folder has none."""
    batch: AtLeastOne = 8
    """Frames per batch; halved by itself when memory runs out."""

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InstructionError(f"{self.model or 'model'}: batch is {self.batch}, need at least 1")


@dataclass(frozen=True, kw_only=True)
class VisionOptions:
    """Learned models and how they run; read with `--perception light` and `--perception models`."""

    folder: Path | None = None
    """Folder of the light models; that of ROOMTOUR_MODELS by default, else the user's cache."""
    device: Device = "auto"
    """Where networks run; `auto` takes cuda, then mps, then cpu."""
    dtype: Dtype = "auto"
    """Precision of matrix products; `auto` is float16 on cuda and float32 elsewhere. Weights stay float32."""
    threads: AtLeastOne = 3
    """Batches in flight: one decodes, one is in the model, one is written."""
    tags: ModelChoice = ModelChoice(model="google/siglip2-base-patch16-224", batch=32)
    """Scored tags over the vocabulary, room types and image embeddings (SigLIP, SigLIP 2 of fixed size)."""
    regions: ModelChoice = ModelChoice(model="", batch=8)
    """Free tags and region captions (Florence-2); off by default, it is slower than all others together."""
    region_words: RegionWords = "captions"
    """What regions are asked for: `captions` name things with their attributes, `names` is shorter and faster."""
    boxes: ModelChoice = ModelChoice(model="IDEA-Research/grounding-dino-tiny", batch=8)
    """Boxes of the tags (Grounding DINO, MM-Grounding-DINO)."""
    masks: ModelChoice = ModelChoice(model="", batch=4)
    """Masks of the boxes (SAM); off by default, boxes already give side and range."""
    depth: ModelChoice = ModelChoice(model="depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf", batch=16)
    """Depth (Depth Anything V2); a metric model also replaces the camera-height guess of the scale."""
    box_threshold: Share = 0.30
    """Boxes of a lower score are left out; the value its authors use for Grounding DINO is 0.25 to 0.35."""
    max_boxes: AtLeastOne = 30
    """Best boxes kept per frame; more are clutter that no text would name."""
    max_overlap: Share = 0.80
    """Of two boxes that overlap more (intersection over union) the better one stays, whatever their labels."""
    tag_probability: Share = 0.05
    """A vocabulary tag is kept if the model gives it this probability; the detector weeds out the rest ..."""
    max_tags: Count = 15
    """... and at most this many, best first; a detector asked for everything finds everything."""

    def __post_init__(self) -> None:
        if self.threads < 1 or self.max_boxes < 1 or self.max_tags < 1:
            raise InstructionError("vision options: threads, max_boxes and max_tags must be at least 1")
        if self.boxes.model and not (self.tags.model or self.regions.model):
            raise InstructionError("vision options: boxes need tags; set --vision.tags.model or --vision.regions.model")
        if self.masks.model and not self.boxes.model:
            raise InstructionError("vision options: masks need boxes; set --vision.boxes.model")

    def chosen(self) -> dict[Ability, ModelChoice]:
        """Models in use, in the order they run."""
        choices: dict[Ability, ModelChoice] = {ability: getattr(self, ability) for ability in ABILITIES}
        return {ability: choice for ability, choice in choices.items() if choice.model}
