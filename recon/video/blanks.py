"""Stretches of black, white or otherwise plain pictures between two shots: they are part of what parts the shots.

A fade goes through a plain picture. Its halves are found one by one, and where one is missed, its last step to or from
the plain picture looks like a cut. A plain stretch shows no place, so whatever touches it is one boundary.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2

from recon.video.picture import Image
from recon.video.transitions import Transition

TOUCH_S = 0.1  # a cut or a plain stretch this near to a transition is a part of it
_PLAIN = 2.0  # standard deviation of gray levels: what coding and grain leave of one colour; a blank wall has more


class BlankFinder:
    """Finds plain stretches in a stream of thumbnails; a plain beginning or end of the stream is none."""

    def __init__(self) -> None:
        self._stretches: list[Transition] = []
        self._begin_s: float | None = None
        self._seen = False

    def offer(self, time_s: float, thumb_bgr: Image) -> None:
        """Take the next thumbnail in time order."""
        plain = float(cv2.cvtColor(thumb_bgr, cv2.COLOR_BGR2GRAY).std()) < _PLAIN  # pyright: ignore[reportArgumentType]
        if plain:
            if self._seen and self._begin_s is None:
                self._begin_s = time_s
            return
        if self._begin_s is not None:
            self._stretches.append(Transition(self._begin_s, time_s))
            self._begin_s = None
        self._seen = True

    def stretches(self) -> tuple[Transition, ...]:
        """Those that are over, in time order, each from its first plain picture to the first one after it."""
        return tuple(self._stretches)


def join_blanks(
    transitions: Sequence[Transition], cuts_s: Sequence[float], blanks: Sequence[Transition]
) -> tuple[Transition, ...]:
    """Transitions in time order, each with the plain stretches it touches; a plain stretch at a cut is one as well."""
    joined = list(transitions)
    for blank in blanks:
        begin_s, end_s = blank.begin_s - TOUCH_S, blank.end_s + TOUCH_S
        touching = [transition for transition in joined if transition.begin_s <= end_s and transition.end_s >= begin_s]
        if touching or any(begin_s <= cut_s <= end_s for cut_s in cuts_s):
            group = [blank, *touching]
            whole = Transition(
                min(transition.begin_s for transition in group), max(transition.end_s for transition in group)
            )
            joined = [transition for transition in joined if transition not in touching] + [whole]
    return tuple(sorted(joined, key=lambda transition: transition.begin_s))
