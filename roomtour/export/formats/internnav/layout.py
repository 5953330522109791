"""Where InternNav's loader looks for what in a scene, and under which names."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

SETTING = "150cm_0deg"
"""Height and pitch of the camera, by which the loader names columns and folders: the height at which a phone is carried
where nothing tells it better, and level. The poses say how it really was."""
POSE, GOAL, STEPS_TO_GOAL = f"pose.{SETTING}", f"goal.{SETTING}", f"relative_goal_frame_id.{SETTING}"
SEPARATOR = "<INSTRUCTION_SEP>"
EPISODES = "meta/episodes.jsonl"
CHUNK_EPISODES = 1000
"""Episodes per folder of a scene."""
RGB, DEPTH = f"observation.images.rgb.{SETTING}", f"observation.images.depth.{SETTING}"
LEAST_STEPS = 4
"""The loader skips episodes with fewer."""
NO_GOAL = -1

_MATRIX = pa.list_(pa.list_(pa.float64()))
SCHEMA = pa.schema(
    [
        ("action", pa.int64()),
        (POSE, _MATRIX),
        (GOAL, pa.list_(pa.int64())),
        (STEPS_TO_GOAL, pa.int64()),
        ("world_from_cam", _MATRIX),
        ("source_frame", pa.int64()),
    ]
)
"""Of the table of an episode; the last two are ours."""


def table_of(scene: Path, episode: int) -> Path:
    """The table of an episode."""
    return scene / "data" / _chunk(episode) / f"episode_{episode:06d}.parquet"


def picture_of(scene: Path, episode: int, step: int) -> Path:
    """The picture of a step."""
    return scene / "videos" / _chunk(episode) / RGB / f"episode_{episode:06d}_{step}.jpg"


def depth_of(picture: Path) -> Path:
    """The depth of a picture."""
    return picture.parent.parent / DEPTH / f"{picture.stem}.png"


def _chunk(episode: int) -> str:
    return f"chunk-{episode // CHUNK_EPISODES:03d}"
