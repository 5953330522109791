"""The rows of a LeRobot v3 dataset, as far as a schema can say what they must be."""

from __future__ import annotations

import math
from typing import Annotated, Any, Generic, TypeVar

from pydantic import Field

from recon.ranges import Positive
from roomtour.export.core.checking import Finite, Row, Text, Whole, must
from roomtour.export.core.columns import PictureCell
from roomtour.export.formats.walks.lerobot.meta import (
    ACTION,
    CAMERA,
    DATA_DIR,
    EPISODES_DIR,
    FILES,
    NAMES,
    REWARD,
    STATE,
    VERSION,
)

_DATA_PATH = f"{DATA_DIR}/{FILES}"
_FROM_ONE = Annotated[int, Field(ge=1)]
_ONE = Annotated[list[Finite], Field(min_length=1, max_length=1)]
Values = TypeVar("Values")


class Info(Row):
    """`meta/info.json`."""

    codebase_version: Annotated[str, must(lambda version: version == VERSION, VERSION)]
    fps: _FROM_ONE
    chunks_size: _FROM_ONE
    data_files_size_in_mb: Positive
    data_path: Annotated[str, must(lambda path: path == _DATA_PATH, _DATA_PATH)]
    video_path: Any
    """Null, as the images are in the data."""
    total_episodes: int
    total_frames: int
    total_tasks: int
    splits: dict[str, str]
    features: dict[str, Any]


class Feature(Row):
    """One column, as `info.json` describes it."""

    dtype: str
    shape: list[int]
    names: Any


class Statistics(Row, Generic[Values]):
    """`meta/stats.json` of one column."""

    min: Values
    max: Values
    mean: Values
    std: Values
    count: _ONE


NumberStatistics = Statistics[list[Finite]]
ChannelStatistics = Statistics[list[Annotated[list[_ONE], Field(min_length=1, max_length=1)]]]
"""Each channel as [[x]], to be spread over an image."""


class Task(Row):
    """A row of `meta/tasks.parquet`."""

    key = "task"
    task_index: int
    task: Text


class Episode(Row):
    """A row of `meta/episodes`."""

    episode_index: int
    dataset_from_index: int
    dataset_to_index: Whole
    length: _FROM_ONE
    tasks: Annotated[list[str], Field(min_length=1)]
    data_chunk: int = Field(alias="data/chunk_index")
    data_file: int = Field(alias="data/file_index")
    meta_chunk: int = Field(alias="meta/episodes/chunk_index")
    meta_file: int = Field(alias="meta/episodes/file_index")

    @property
    def files(self) -> dict[str, str]:
        """Where its rows and its own row lie, by the field that tells."""
        return {
            "data/file_index": f"{DATA_DIR}/{FILES}".format(chunk_index=self.data_chunk, file_index=self.data_file),
            "meta/episodes/file_index": f"{EPISODES_DIR}/{FILES}".format(
                chunk_index=self.meta_chunk, file_index=self.meta_file
            ),
        }


class Step(Row):
    """A row of the data."""

    index: int
    episode_index: int
    frame_index: int
    timestamp: Finite
    task_index: int
    state: Annotated[
        list[Finite],
        Field(alias=STATE, min_length=len(NAMES[STATE]), max_length=len(NAMES[STATE])),
        must(lambda state: abs(math.hypot(*state[3:]) - 1.0) <= 1e-3, "a unit quaternion after the position"),
    ]
    action: Annotated[list[Finite], Field(alias=ACTION, min_length=len(NAMES[ACTION]), max_length=len(NAMES[ACTION]))]
    reward: Annotated[Finite, Field(alias=REWARD, ge=0, le=1)]
    camera: PictureCell = Field(alias=CAMERA)
