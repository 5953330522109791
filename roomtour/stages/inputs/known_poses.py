"""What the options say of `--poses`."""

from __future__ import annotations

from recon.pose_sources.read import read_pose_sources
from recon.pose_sources.records import PoseSource
from recon.records import Scale
from roomtour.config import Config


def read_given_poses(config: Config) -> tuple[PoseSource, ...]:
    """The worlds of `--poses`; none without it."""
    return () if config.poses is None else read_pose_sources(config.poses, config.pose_source.format)


def read_stated_scale(config: Config) -> Scale | None:
    """The scale of models from given poses where the user says that they are in metres."""
    if config.poses is None or not config.pose_source.metric:
        return None
    return Scale("metric", 1.0, config.pose_source.metric_sigma, f"stated for the poses of {config.poses.name}")
