"""Room-tour videos to 3D scenes, action-enriched trajectories, navigation instructions and training data."""

from roomtour.config import Config, InputOptions, load_config
from roomtour.errors import RoomtourError
from roomtour.pipeline import process
from roomtour.run import Run

__all__ = ["Config", "InputOptions", "RoomtourError", "Run", "load_config", "process"]
