"""Pictures of a run with matplotlib, for notebooks and papers; each function returns a figure."""

try:
    import matplotlib as _  # noqa: F401
except ImportError as error:
    raise ImportError('roomtour.plots needs matplotlib: pip install "roomtour[notebooks]"') from error

from roomtour.plots.frames import draw_decision, draw_frames, draw_matches, draw_observations
from roomtour.plots.walks import draw_headings, draw_sub_models, draw_walk

__all__ = [
    "draw_decision",
    "draw_frames",
    "draw_headings",
    "draw_matches",
    "draw_observations",
    "draw_sub_models",
    "draw_walk",
]
