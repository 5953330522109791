"""The one exception class of `trajectories`."""


class TrajectoryError(Exception):
    """Poses that `trajectories` cannot work with. The message is one line: what, where, how far off, what to try."""
