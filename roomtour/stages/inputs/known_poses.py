"""What the options say of `--poses`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from recon.pose_sources.match import match_to_tour
from recon.pose_sources.read import read_pose_sources
from recon.pose_sources.records import PoseSource
from recon.records import Scale, Scene
from roomtour.config import Config
from roomtour.files.arrays import STEP_PX


def read_given_poses(config: Config) -> tuple[PoseSource, ...]:
    """The worlds of `--poses`; none without it."""
    return () if config.poses is None else read_pose_sources(config.poses, config.pose_source.format)


def read_stated_scale(config: Config) -> Scale | None:
    """The scale of models from given poses where the user says that they are in metres."""
    if config.poses is None or not config.pose_source.metric:
        return None
    return Scale("metric", 1.0, config.pose_source.metric_sigma, f"stated for the poses of {config.poses.name}")


def read_given_depth(config: Config, tour: Path, scene: Scene) -> dict[int, NDArray[np.float32]]:
    """Depth that lies beside the poses of `--poses`, by frame, at every `STEP_PX`-th pixel; empty where none does.

    Raises:
        ReconError: If it cannot be read, or the poses have changed since they were placed and fit no frame.
    """
    sources = [source for source in read_given_poses(config) if source.depth is not None]
    if not sources:
        return {}
    picture = (scene.source.width, scene.source.height)
    depths: dict[int, NDArray[np.float32]] = {}
    for source, matched in match_to_tour(sources, tour, scene.frames, config.pose_source, config.input.fps)[0]:
        for index, position in matched.positions.items():
            frame = scene.frame_by_index[index]
            depth = source.depth and source.depth.sample(position, (frame.width, frame.height), picture, STEP_PX)
            if depth is not None:
                depths[index] = depth
    return depths
