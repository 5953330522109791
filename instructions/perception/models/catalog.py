"""The models that are known to fit each ability: how big, under what licence. Others of the same kind work as well."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Ability = Literal["tags", "regions", "boxes", "masks", "depth"]

ABILITIES: dict[Ability, str] = {
    "tags": "scored tags, room types and image embeddings",
    "regions": "free tags and region captions",
    "boxes": "open-vocabulary detection",
    "masks": "masks of the boxes",
    "depth": "depth per frame; a metric model also gives the scene its scale",
}
"""What each ability is for, in the order they run."""

MODEL_TYPES: dict[Ability, tuple[str, ...]] = {
    "tags": ("siglip",),
    "regions": ("florence2",),
    "boxes": ("grounding-dino", "mm-grounding-dino"),
    "masks": ("sam",),
    "depth": ("depth_anything",),
}
"""`model_type` in the config.json of a model that the adapter of this ability can run."""


@dataclass(frozen=True)
class KnownModel:
    """One published model."""

    ability: Ability
    name: str
    licence: str
    weights_mb: int
    """About the size of the weight file as published, in 10^6 bytes."""
    note: str = ""


KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel("tags", "google/siglip2-base-patch16-224", "Apache-2.0", 1500),
    KnownModel("tags", "google/siglip2-so400m-patch14-384", "Apache-2.0", 4540),
    KnownModel("regions", "florence-community/Florence-2-base", "MIT", 463),
    KnownModel("regions", "florence-community/Florence-2-large", "MIT", 1540),
    KnownModel("boxes", "IDEA-Research/grounding-dino-tiny", "Apache-2.0", 689),
    KnownModel("boxes", "IDEA-Research/grounding-dino-base", "Apache-2.0", 933),
    KnownModel("boxes", "openmmlab-community/mm_grounding_dino_tiny_o365v1_goldg_v3det", "Apache-2.0", 692),
    KnownModel("masks", "facebook/sam-vit-base", "Apache-2.0", 375),
    KnownModel("masks", "facebook/sam-vit-huge", "Apache-2.0", 2560),
    KnownModel("depth", "depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf", "Apache-2.0", 99, "metric"),
    KnownModel("depth", "depth-anything/Depth-Anything-V2-Metric-Indoor-Base-hf", "CC-BY-NC-4.0", 390, "metric"),
    KnownModel("depth", "depth-anything/Depth-Anything-V2-Metric-Indoor-Large-hf", "CC-BY-NC-4.0", 1340, "metric"),
    KnownModel("depth", "depth-anything/Depth-Anything-V2-Small-hf", "Apache-2.0", 99, "relative"),
)


def find_known_model(name: str) -> KnownModel | None:
    """The entry of one model, None if it is not in the list."""
    return next((model for model in KNOWN_MODELS if model.name == name), None)
