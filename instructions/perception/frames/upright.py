"""Which way up the pictures of a tour are held, and pictures turned for networks that know upright rooms only.

A file was filmed with one camera held in one way, so one quarter turn is decided for all its pictures, here and nowhere
else. Who films pans about the vertical, so the picture moves along its horizontal: that tells lying pictures from
standing ones (24 upright films and crops of films, 11 to 237 frames, each also turned by 90, 180 and 270 degrees: all
right, also with half a meter between frames). Which of the two ways is up, networks vote on. Asked alone, they
laid an upright film of stairs on its side by 8 votes of 8.

Only quarter turns are set right. In 30 frames of a walk through an office the detectors agreed on 60 things upright, on
65 and 54 at rolls of 5 and 10 degrees, on 32 at 20, and on 5 to 9 where the picture lay on its side or stood on its
head (`benchmarks/upright.py`); the cameras of two hand-held tours stayed within 7 degrees in 95 of 100 frames. The
scene would tell the roll exactly, but it is made after the networks have looked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from instructions.perception.interfaces import FoundBox, ObjectDetector, Segmenter
from instructions.perception.models.light.labels import ade_words, coco_words
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.read_rgb import read_rgb
from instructions.records import Box
from recon.findings import Finding
from recon.pictures import read_picture_file
from recon.tasks import fixed_threads

PROBES = 24
"""Pictures per tour that are looked at, at most, evenly over it."""
_LEAST_SCORE = 0.35
"""Boxes below count for nothing: turned pictures are full of them."""
_MOST_THINGS = 2.0
"""Sum of scores from which more things tell no more; a row of chairs is one observation."""
_FLOOR_WEIGHT = 2.0
"""Half a picture of floor tells as much as one sure thing. Things alone leave two corridors of 13 tours undecided,
floor alone half of all turned ones: kitchens and bedrooms show little of it, and walls on their side pass for it."""
_SIDE_PX = 256
"""Floor and ceiling are large: seen at half the size, at a quarter of the work, pictures of ten tours vote as well."""
_TELLS = 0.2
"""A picture votes for a turn that is ahead of every other by so much. Of 13 tours at four turns each, 49 were set right
and none wrong at 0.2, 46 at 0.3."""
_STAYS = 3
"""Votes by which the pictures as they are have to lead until no more are looked at."""
_SIGMAS = 2.0
"""Standard deviations of a fair vote by which a turn has to lead."""
_MOST_PAIRS = 100
"""Pairs of neighbouring pictures whose motion is measured, evenly over the tour; about a millisecond each."""
_LONG_SIDE_PX = 160
"""Of the pictures whose motion is measured. At 240 blur and repeated edges mislead more often, at 120 small pans do."""
_MAIN_MOTION = 1.4
"""Root mean square motion along one side of the pictures over that along the other from which it tells. Films that were
not turned have 1.75 to 13 along the horizontal, cameras that stand 0.78 to 2.3."""
_LEAST_MOTION = 0.5
"""Of the longer side, added up over the pairs, below which the camera stands and its trembling tells nothing."""

Votes = tuple[int, int, int, int]
"""Pictures that look most like a room after 0, 1, 2 and 3 quarter turns counter-clockwise."""
LooksTurned = Callable[[Path], Sequence[float] | None]
"""How much a picture looks like a room after each turn that is asked about; None if it cannot be read."""
ALL_TURNS = (0, 1, 2, 3)


@dataclass(frozen=True)
class VoteTask:
    """Counts the votes of a tour, in whatever process; the networks are loaded there for it alone."""

    detector: Path
    segmenter: Path

    def __call__(self, pictures: tuple[Path, ...]) -> Votes:
        """Votes of the pictures of a tour, in order of time."""
        with fixed_threads():
            turns = find_level_turns(pictures)
            detector, segmenter = _load_networks(self)
            wanted = [sorted({word for word in coco_words() if word})] * len(turns)

            def look(picture: Path) -> Sequence[float] | None:
                image = read_rgb(picture)
                if image is None:
                    return None
                turned = [turn_image(image, quarter_turns) for quarter_turns in turns]
                try:
                    looks = zip(segmenter.segment(turned), detector.detect(turned, wanted), strict=True)
                    return [measure_room(classes, things) for classes, things in looks]
                except Exception:  # told when the frame itself is looked at
                    return None

            return count_votes(pictures, look, turns)


def find_level_turns(pictures: Sequence[Path]) -> tuple[int, ...]:
    """Quarter turns after which the picture moves sideways more than up and down: 0 and 2, or 1 and 3.

    Motion is that of phase correlation, which finds wide steps too; a pair counts by the height of its peak.

    Args:
        pictures: In order of time. Pairs that cannot be read, or differ in size, are left out.

    Returns:
        All four where the camera stands, or moves along neither side plainly more.
    """
    squares, moved = np.zeros(2), 0.0
    for pair in list(pairwise(pictures))[:: len(pictures) // _MOST_PAIRS + 1]:
        before, after = map(_read_small, pair)
        if before is None or after is None or before.shape != after.shape:
            continue
        window = cv2.createHanningWindow(before.shape[::-1], cv2.CV_32F)
        shift_px, peak = cv2.phaseCorrelate(before, after, window)
        if peak > 0.0:
            shift = np.array(shift_px) / max(before.shape)
            squares += peak * shift**2
            moved += float(np.abs(shift).sum())
    across, along = np.sqrt(squares)
    if moved < _LEAST_MOTION or max(across, along) <= _MAIN_MOTION * min(across, along):
        return ALL_TURNS
    return (0, 2) if across > along else (1, 3)


def _read_small(picture: Path) -> NDArray[np.float32] | None:
    gray = read_picture_file(picture, cv2.IMREAD_GRAYSCALE)
    if gray is None:
        return None
    scale = min(1.0, _LONG_SIDE_PX / max(gray.shape))
    return cv2.resize(gray, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA).astype(np.float32)


def count_votes(pictures: Sequence[Path], look: LooksTurned, turns: Sequence[int] = ALL_TURNS) -> Votes:
    """For which turn the pictures of a tour vote.

    A picture that looks no more like a room after one turn than after another votes for none: in the dark, or close to
    a wall. Where the pictures as they are lead plainly, the rest is not looked at.

    Args:
        pictures: In order of time.
        look: Looks at a picture after each of the turns.
        turns: Quarter turns that are asked about; the others get no votes.
    """
    at = np.unique(np.linspace(0, len(pictures) - 1, min(PROBES, len(pictures))).round().astype(int))
    votes = [0, 0, 0, 0]
    for place in np.random.default_rng(0).permutation(at):
        seen = look(pictures[place])
        if seen is None:
            continue
        second, best = np.sort(seen)[-2:]
        if best - second >= _TELLS:
            votes[turns[int(np.argmax(seen))]] += 1
        if votes[0] - max(votes[1:]) >= _STAYS:
            break
    return (votes[0], votes[1], votes[2], votes[3])


def measure_room(classes: NDArray[np.uint8], things: Sequence[FoundBox]) -> float:
    """How much a picture looks like a room that stands upright.

    The networks know rooms that do: turned, they find few things in them, and call the floor a ceiling or a wall. Where
    in the picture they see floor says nothing, since they look for it at the bottom in any.

    Args:
        classes: Class map of the segmenter.
        things: What the detector found.
    """
    floor, ceiling = (float((classes == ade_words().index(word)).mean()) for word in ("floor", "ceiling"))
    sure = sum(thing.score for thing in things if thing.score >= _LEAST_SCORE)
    return min(sure, _MOST_THINGS) + _FLOOR_WEIGHT * (floor - ceiling)


def decide_turn(votes: Votes) -> int:
    """By how many quarter turns counter-clockwise a tour stands upright; 0 where nothing is plain."""
    second, best = sorted(votes)[2:]
    is_plain = best > second and best - second >= _SIGMAS * sqrt(best + second)
    return votes.index(best) if is_plain else 0


def turn_image(image: NDArray[np.uint8], quarter_turns: int) -> NDArray[np.uint8]:
    """Turn a picture, or a map over it, counter-clockwise; back by as many negative turns."""
    return np.ascontiguousarray(np.rot90(image, quarter_turns))


def turn_box_back(box_xyxy: Box, quarter_turns: int, width: int, height: int) -> Box:
    """Box in a turned picture, for the picture as it was.

    Args:
        box_xyxy: In pixels of the turned picture.
        quarter_turns: Counter-clockwise turns that made it.
        width: Of the picture as it was.
        height: Of the picture as it was.
    """
    x0, y0, x1, y1 = box_xyxy
    match quarter_turns % 4:
        case 1:
            return (width - y1, x0, width - y0, x1)
        case 2:
            return (width - x1, height - y1, width - x0, height - y0)
        case 3:
            return (y0, height - x1, y1, height - x0)
        case _:
            return box_xyxy


def list_turned(votes: Votes) -> tuple[Finding, ...]:
    """Say that a tour was turned and how sure that is; nothing where it was not."""
    turn = decide_turn(votes)
    if not turn:
        return ()
    message = (
        f"the pictures seem to {'stand on their head' if turn == 2 else 'lie on their side'} ({votes[turn]} of the "
        f"{sum(votes)} pictures in which anything tells look upright only then); the networks saw them turned, but "
        "left and right in texts are those of the pictures as they are. If they do, process again with "
        f"--input.rotate {360 - 90 * turn}"
    )
    return (Finding("warning", "vision.turned", "tour", message),)


def _load_networks(task: VoteTask) -> tuple[ObjectDetector, Segmenter]:
    return Yolox(task.detector, _LEAST_SCORE), Mosaic(task.segmenter, _SIDE_PX)
