"""The models that are known to fit each ability: how big, under what licence. Others of the same kind work as well."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
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
    """One published model, pinned: the commit that is fetched, and what its weights must be."""

    ability: Ability
    name: str
    revision: str
    """Commit of the hub."""
    sha256: str
    """Of `model.safetensors` there, in hex digits."""
    licence: str
    weights_mb: int
    """About the size of the weight file as published, in 10^6 bytes."""
    note: str = ""


def _read_models() -> tuple[KnownModel, ...]:
    table = tomllib.loads((files("instructions.perception.models") / "catalog.toml").read_text(encoding="utf-8"))
    return tuple(KnownModel(ability, **row) for ability in ABILITIES for row in table[ability])


KNOWN_MODELS = _read_models()


def find_known_model(name: str) -> KnownModel | None:
    """The entry of one model, None if it is not in the list."""
    return next((model for model in KNOWN_MODELS if model.name == name), None)
