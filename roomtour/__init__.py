"""Room-tour videos to 3D scenes, action-enriched trajectories, navigation instructions and training data.

Names are imported when they are first used, so that `roomtour --version` does not wait for COLMAP and OpenCV.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roomtour.importing import import_on_use, require_own_packages

require_own_packages()

import recon.telemetry  # noqa: E402, F401

if TYPE_CHECKING:
    from roomtour.config import Config, InputOptions, load_config
    from roomtour.drawing.floor_plan import draw_floor_plan
    from roomtour.errors import RoomtourError
    from roomtour.pipeline import process
    from roomtour.run import Run

__all__ = ["Config", "InputOptions", "RoomtourError", "Run", "draw_floor_plan", "load_config", "process"]

__getattr__, __dir__ = import_on_use(
    __name__,
    {
        "Config": "roomtour.config",
        "InputOptions": "roomtour.config",
        "RoomtourError": "roomtour.errors",
        "Run": "roomtour.run",
        "draw_floor_plan": "roomtour.drawing.floor_plan",
        "load_config": "roomtour.config",
        "process": "roomtour.pipeline",
    },
)
