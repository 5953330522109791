"""Where the walk of a model leaps: a step many times longer than those before and after it.

A person does not. It happens where the camera turns on the spot past something bare: the pictures there hold a rotation
and no translation, and the mapper invents the length of the next step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import pycolmap

from recon.audit.verdict import Verdict

_LEAP_RATIO = 5.0
"""A start from standing is two to three times the median of its surroundings, a stride between pauses four."""
_STEPS_AROUND = 5  # steps on either side that tell what is usual there
_LEAST_FRAMES = 4  # of which three steps are judged by each other; fewer have no usual step
_MOST_REPORTED_RATIO = 100.0
"""From here on the usual step is next to nothing, and a number of them says nothing."""
_LEAST_GAP_S = 0.01  # two pictures that a clock puts closer are no hundred steps


def find_leaps(
    model: pycolmap.Reconstruction, among: Sequence[int] | None = None, times_s: Mapping[int, float] | None = None
) -> list[Verdict]:
    """The steps, from one registered frame to the next, that are too long to be steps, in time order.

    A step counts against the median of all steps and of those around it.

    Args:
        model: Any.
        among: A stretch of its frames, where scale may differ from one to another; all if not given.
        times_s: Of the frames. Steps count per second then, else per frame between the two; turns are sampled more
            densely, so that there a leap of the same pace is a shorter step.
    """
    frames = np.array(sorted(model.reg_image_ids() if among is None else among))
    if len(frames) < _LEAST_FRAMES:
        return []
    centers = np.array([model.image(frame).projection_center() for frame in frames.tolist()])
    places = frames if times_s is None else np.array([times_s[frame] for frame in frames.tolist()])
    steps = np.linalg.norm(np.diff(centers, axis=0), axis=1) / np.maximum(np.diff(places), _LEAST_GAP_S)
    usual = float(np.median(steps))
    leaps = []
    for place, step in enumerate(steps):
        first = max(0, place - _STEPS_AROUND)
        around = np.delete(steps[first : place + _STEPS_AROUND + 1], place - first)
        if step > _LEAP_RATIO * usual and step > _LEAP_RATIO * float(np.median(around)):
            times = step / max(usual, 1e-12)
            far = f"{times:.0f} times" if times < _MOST_REPORTED_RATIO else "far more than"
            reason = f"the camera moves {far} its usual step"
            place_of = int(frames[place]), int(frames[place + 1])
            leaps.append(Verdict(False, "leap", float(times), _LEAP_RATIO, place_of, reason))
    return leaps


def find_flung(model: pycolmap.Reconstruction) -> list[int]:
    """Frames that lie off the walk by themselves: a leap leads into each and another out of it, none past it.

    A mapper registers a blurred frame by few false matches, and all that follow by the good ones.
    """
    leaps = find_leaps(model)
    flung = {into.last for into, out in pairwise(leaps) if into.last == out.first}
    past = find_leaps(model, sorted(set(model.reg_image_ids()) - flung)) if flung else []
    return sorted(frame for frame in flung if not any(leap.first < frame < leap.last for leap in past))
