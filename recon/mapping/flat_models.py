"""What of a model rests on a camera that moved, where its pictures show planes only or the camera turned."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pycolmap

from recon.audit.one_plane import measure_off_plane
from recon.audit.parallax_share import find_moving, parallax_share, parallax_share_of
from recon.audit.pose_uncertainty import measure_path_sigma
from recon.audit.seams import subset
from recon.audit.verdict import Verdict, cut_at

_GAP = 3
"""Frames from one to the next of a model: beyond it a step is no step of a walk."""
LEAST_MOVING = 8
"""Frames that tell by most of their matches that they were taken from elsewhere, from which a camera is said to have
moved. Made walks along bare walls had 12 and more, standing and turning on the spot 0."""
_MOVING_SHARE = 0.9
"""Of the frames of a model that its pictures determine, taken from elsewhere than a partner: it walks nearly always."""
_LEAST_OFF_PLANE = 0.3
"""Share of its points off the plane that most lie on. A walk along one wall has 0.00, and was 1.1 % of its path off;
walks in rooms have 0.54 to 0.81."""
_ONE_PLANE = 0.05
"""Share of its points off one plane, below which a model shows no room whatever its matches say: two thirds of those of
a page of text that scrolls by fit no homography, because one word is taken for another, and its model had 0.00."""
_MOST_SIGMA = 0.0003
"""Uncertainty of its positions over its path. 14 clips of a walk through made rooms: at most 0.0002, and at most 0.09 %
off; five bare walks: 0.00035 to 0.003, and 0.1 to 9 % off."""


def keep_moving_part(
    model: pycolmap.Reconstruction, database_path: Path, least_share: float, least_moving: int
) -> tuple[pycolmap.Reconstruction | None, Verdict]:
    """A model as it is where its matches show parallax; else its walk without the turns at its ends, or nothing.

    Two frames of a walk through an empty room share one wall, and no pair of them shows parallax; but the walls hold
    the walk together where they meet. Such a model is kept as it is if its frames were taken from different places, its
    points lie on several planes, and they determine its poses.

    Frames at an end of a flat model, or beside a gap in it, from which on the camera only turns hang on one side, by
    what has no depth there: on two made tours they were up to 17 cm off where the rest of the walk was right to 3.

    Args:
        model: Image ids as in the database.
        database_path: From `build_database`.
        least_share: `SfmOptions.min_parallax_share`.
        least_moving: `SfmOptions.min_moving_frames`.

    Returns:
        What is kept, None where the camera stood or only turned, and the verdict on its parallax; of a model that is
        kept in part, on the frames that were left out.
    """
    share = parallax_share(model, database_path)
    is_one_plane = measure_off_plane(model) < _ONE_PLANE
    frames = sorted(model.reg_image_ids())

    def judge(ok: bool, words: str) -> Verdict:
        ends = min(frames, default=0), max(frames, default=0)
        return Verdict(ok, "parallax", share, least_share, ends, words)

    moves = judge(True, f"{share:.0%} of what frames have in common shows that the camera moved")
    if share >= least_share and not is_one_plane:
        return model, moves
    moving = find_moving(frames, database_path)
    if len(moving) >= _MOVING_SHARE * len(frames) and _is_determined(model):
        return model, moves
    if not least_moving or len(moving) < least_moving:
        why = "it stands still or only turns, so walk while filming"
        if len(moving) >= LEAST_MOVING:
            why = "it moves past one bare wall or floor at a time, which does not hold a path; film past corners"
        past = f", and {len(moving)} of them that it did so past planes, need {least_moving}" if least_moving else ""
        shows = (
            f"only {share:.0%} of what frames have in common shows that the camera moved, need {least_share:.0%}{past}"
        )
        if is_one_plane:
            shows = "all its points lie on one plane, such as a wall, a page or a screen"
        return None, judge(False, f"{shows}; {why}")
    turned = _find_turned(frames, set(moving))
    if not turned:
        return model, moves
    runs = cut_at(turned, [step for step in pairwise(turned) if step[1] - step[0] > 1])
    told = ", ".join(f"{run[0]} to {run[-1]}" for run in runs)
    message = (
        f"{len(turned)} frames ({told}) were left out of a sub-model of {len(frames)}: the camera only turns there, "
        "past planes, and nothing tells its place"
    )
    walk = subset(model, set(frames).difference(turned))
    return walk, judge(True, message)


def _is_determined(model: pycolmap.Reconstruction) -> bool:
    """Whether points on several planes hold every pose of a model far better than a path has to be known."""
    return measure_off_plane(model) >= _LEAST_OFF_PLANE and measure_path_sigma(model) <= _MOST_SIGMA


def is_standing(
    frames: Sequence[int], database_path: Path, least_share: float, least_moving: int, was_dropped: bool
) -> bool:
    """Whether a clip without a model was filmed from one place.

    Args:
        frames: Of the clip.
        database_path: From `build_database`.
        least_share: As above.
        least_moving: As above.
        was_dropped: Whether a model of it was dropped because it shows no parallax.
    """
    share = parallax_share_of(frames, database_path)
    if not was_dropped and (share is None or share >= least_share):
        return False
    return len(find_moving(frames, database_path)) < (least_moving or LEAST_MOVING)


def _find_turned(frames: Sequence[int], moving: set[int]) -> list[int]:
    """The frames before the first and after the last that moves, in each stretch without a gap."""
    gaps = [step for step in pairwise(frames) if step[1] - step[0] > _GAP]
    turned: list[int] = []
    for stretch in cut_at(frames, gaps):
        rows = [row for row, frame in enumerate(stretch) if frame in moving]
        turned += [*stretch[: rows[0]], *stretch[rows[-1] + 1 :]] if rows else stretch
    return turned
