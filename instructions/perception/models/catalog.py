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


KNOWN_MODELS: tuple[KnownModel, ...] = (
    KnownModel(
        "tags",
        "google/siglip2-base-patch16-224",
        "75de2d55ec2d0b4efc50b3e9ad70dba96a7b2fa2",
        "612923381c76ec5a9bed335d1c48827e3f2e506ac31b044b63b2031fadee6a0b",
        "Apache-2.0",
        1500,
    ),
    KnownModel(
        "tags",
        "google/siglip2-so400m-patch14-384",
        "e8e487298228002f3d8a82e0cd5c8ea9c567f57f",
        "9f4f4a49f908ef0c979bce8ff5a5c0e88882dc6c5dc4304387cbbd152558e2c2",
        "Apache-2.0",
        4540,
    ),
    KnownModel(
        "regions",
        "florence-community/Florence-2-base",
        "00921df66db728a9ceb750f5eca43e5c203a2051",
        "62f3e696da74f8869a68ddb529a9b3e14eb25b21c592cb3dea6179bf944df6a0",
        "MIT",
        463,
    ),
    KnownModel(
        "regions",
        "florence-community/Florence-2-large",
        "4271c66b88cdbc05735372ec13b2360108de5317",
        "7715423d6549bf1e71188bdd84f4ac960cc0597886af24a5ef7b66f128660685",
        "MIT",
        1554,
    ),
    KnownModel(
        "boxes",
        "IDEA-Research/grounding-dino-tiny",
        "a2bb814dd30d776dcf7e30523b00659f4f141c71",
        "1a2412ef99bd74bcd3c2a246fa1e48581f8889a1300c9051974741314fc042f3",
        "Apache-2.0",
        689,
    ),
    KnownModel(
        "boxes",
        "IDEA-Research/grounding-dino-base",
        "12bdfa3120f3e7ec7b434d90674b3396eccf88eb",
        "5548f844c928c4b6f411fa8cbcc2bfa8dbbba437cb1d513975519f93c2a9ed21",
        "Apache-2.0",
        933,
    ),
    KnownModel(
        "masks",
        "facebook/sam-vit-base",
        "70c1a07f894ebb5b307fd9eaaee97b9dfc16068f",
        "892c410e496344e527255ccdcb2cb7244a609acb5389c7c4fdba1288f861c579",
        "Apache-2.0",
        375,
    ),
    KnownModel(
        "masks",
        "facebook/sam-vit-huge",
        "87aecf0df4ce6b30cd7de76e87673c49644bdf67",
        "edfb0462392541fca9af44ff039bfb32dbd0c939997f3abb77a26e23af7afd7c",
        "Apache-2.0",
        2560,
    ),
    KnownModel(
        "depth",
        "depth-anything/Depth-Anything-V2-Metric-Indoor-Small-hf",
        "8078d68a9c75a972131914f6afd0c1723be0da7f",
        "e990eb82fbf11b05b7813261196a2b841bdcf5a05f64396724a8987fa90504a3",
        "Apache-2.0",
        99,
        "metric",
    ),
    KnownModel(
        "depth",
        "depth-anything/Depth-Anything-V2-Metric-Indoor-Base-hf",
        "c6d9784685727bfc6d0a7b5452ce94afaee1e7f5",
        "8b902f5d9a8c8a9520f3a8c6a00afe442b464eff5aaf0cb405d1da721cd9f79f",
        "CC-BY-NC-4.0",
        390,
        "metric",
    ),
    KnownModel(
        "depth",
        "depth-anything/Depth-Anything-V2-Metric-Indoor-Large-hf",
        "d2fc6a93601aabb1139a3bf0ebfcb4e89c67817f",
        "04d3295ff4f9cbee72b8998a85930fe870b45ba4431e7af47415fbded02388ca",
        "CC-BY-NC-4.0",
        1340,
        "metric",
    ),
    KnownModel(
        "depth",
        "depth-anything/Depth-Anything-V2-Small-hf",
        "5426e4f0f36572d16453bbda7a8389317b1bef99",
        "3152477ce0d8d6978d76b995120de97cb5b928701fd0f817769f59e249a16b70",
        "Apache-2.0",
        99,
        "relative",
    ),
)
"""Commits and digests are those that public projects pin for the same files; the hub itself was not asked. A model of
which nobody publishes both is not in the list, and can be named all the same."""


def find_known_model(name: str) -> KnownModel | None:
    """The entry of one model, None if it is not in the list."""
    return next((model for model in KNOWN_MODELS if model.name == name), None)
