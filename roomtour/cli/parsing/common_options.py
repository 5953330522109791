"""The options that `roomtour process --help` lists: what changes from tour to tour, no thresholds.

All others are listed by `roomtour options` and given by `--set` or `--config`; their own flags work too.
"""

from __future__ import annotations

from collections.abc import Mapping

COMMON_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "Input": (
        "input.fps", "input.rotate", "input.stretch", "input.mask_overlays", "sample.fps", "sample.short_side",
        "sample.until_s",
    ),
    "Poses that are there already": (
        "poses", "pose_source.format", "pose_source.metric", "pose_source.time_offset_s",
        "pose_source.intrinsics", "pose_source.refine",
    ),
    "Reconstruction": (
        "clips.length_s", "clips.overlap_s", "features.max_features", "recon.min_model_frames",
        "scene.camera_height_m", "scene.camera_height_sigma",
    ),
    "Things": (
        "perception", "vision.folder", "vision.device", "vision.tags.model", "vision.boxes.model",
        "vision.masks.model", "vision.depth.model", "vision.box_threshold",
    ),
    "Texts": (
        "writer", "data", "navigation.wordings", "language.base_url", "language.model", "language.key_variable",
        "language.temperature", "language.wordings", "language.concurrency", "language.max_tokens",
        "language.max_cost", "language.price_per_million_in", "language.price_per_million_out",
    ),
    "Machine": (
        "workers", "seed",
    ),
}  # fmt: skip
"""Names by heading, in the order of the help."""
