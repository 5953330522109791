"""Which way up the pictures of a shot are held, and pictures turned for networks that know upright rooms only.

Only quarter turns are set right. In 30 frames of a walk through an office the detectors agreed on 60 things upright, on
65 and 54 at rolls of 5 and 10 degrees, on 32 at 20, and on 5 to 9 where the picture lay on its side or stood on its
head (`benchmarks/upright.py`); the cameras of two hand-held tours stayed within 7 degrees in 95 of 100 frames. The
scene would tell the roll exactly, but it is made after the networks have looked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from instructions.perception.frames.cache import RecordCache
from instructions.perception.interfaces import FoundBox, ObjectDetector, Segmenter
from instructions.perception.models.light.labels import ade_words, coco_words
from instructions.perception.models.light.mosaic import Mosaic
from instructions.perception.models.light.yolox import Yolox
from instructions.perception.read_rgb import read_rgb
from instructions.records import Box
from recon.findings import Finding
from recon.records import Frame
from recon.tasks import FanOut, fixed_threads

PROBES = 24
"""Frames per shot that are looked at, at most, evenly over it."""
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
_FILE_SIGMAS, _SHOT_SIGMAS = 2.0, 3.0
"""Standard deviations of a fair vote by which a turn has to lead: in a whole file, and in one shot against its file,
which was filmed with one camera held in one way."""

Votes = tuple[int, int, int, int]
"""Pictures that look most like a room after 0, 1, 2 and 3 quarter turns counter-clockwise."""


class LooksTurned(Protocol):
    """Looks at one frame in all four turns."""

    def __call__(self, frame: int) -> Sequence[float] | None:
        """How much it looks like a room after 0 to 3 quarter turns counter-clockwise; None if it cannot be read."""
        ...


@dataclass(frozen=True)
class VoteTask:
    """Counts the votes of a shot, in whatever process; the networks are loaded there once."""

    detector: Path
    segmenter: Path

    def __call__(self, shot: tuple[tuple[int, Path], ...]) -> Votes:
        """Votes of the frames (index, picture) of a shot."""
        pictures = dict(shot)

        def look(frame: int) -> Sequence[float] | None:
            image = read_rgb(pictures[frame])
            if image is None:
                return None
            turned = [turn_image(image, turns) for turns in range(4)]
            detector, segmenter = _load_networks(self)
            wanted = [sorted({word for word in coco_words() if word})] * len(turned)
            try:
                looks = zip(segmenter.segment(turned), detector.detect(turned, wanted), strict=True)
                return [measure_room(classes, things) for classes, things in looks]
            except Exception:  # told when the frame itself is looked at
                return None

        with fixed_threads():
            return count_votes(list(pictures), look)


def collect_votes(
    frames: Sequence[Frame],
    frames_dir: Path,
    task: VoteTask,
    fan_out: FanOut,
    known: RecordCache[Votes] | None = None,
) -> dict[int, Votes]:
    """Votes of each shot; counted once and kept, so that a killed run goes on as it began.

    Args:
        frames: The tour's frames.
        frames_dir: Their pictures.
        task: Counts the votes of a shot.
        fan_out: Gives out shots, to processes or not.
        known: Where the votes of shots are kept, if they are.
    """
    shots: dict[int, list[tuple[int, Path]]] = defaultdict(list)
    for frame in frames:
        shots[frame.shot].append((frame.index, frames_dir / frame.image))
    missing = sorted(shots) if known is None else known.missing(sorted(shots))
    votes: dict[int, Votes] = {}
    try:
        counted = fan_out(task, [tuple(shots[shot]) for shot in missing])
        for shot, own in zip(missing, counted, strict=True):
            votes[shot] = own
            if known is not None:
                known.write(shot, own)
    finally:
        _load_networks.cache_clear()  # what this process loaded; a worker keeps its own until it ends
    return {shot: votes.get(shot) or (known and known.read(shot)) or (0, 0, 0, 0) for shot in shots}


def count_votes(frames: Sequence[int], look: LooksTurned) -> Votes:
    """For which turn the frames of one shot vote.

    A picture that looks no more like a room after one turn than after another votes for none: in the dark, or close to
    a wall. Where the pictures as they are lead plainly, the rest is not looked at.

    Args:
        frames: Frames of the shot, in order.
        look: Looks at a frame in all four turns.
    """
    at = np.unique(np.linspace(0, len(frames) - 1, min(PROBES, len(frames))).round().astype(int))
    votes = [0, 0, 0, 0]
    for place in np.random.default_rng(0).permutation(at):
        seen = look(frames[place])
        if seen is None:
            continue
        second, best = np.sort(seen)[2:]
        if best - second >= _TELLS:
            votes[int(np.argmax(seen))] += 1
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
    sure = sum(one.score for one in things if one.score >= _LEAST_SCORE)
    return min(sure, _MOST_THINGS) + _FLOOR_WEIGHT * (floor - ceiling)


def decide_turns(votes: Mapping[int, Votes]) -> dict[int, int]:
    """By how many quarter turns counter-clockwise each shot stands upright.

    The shots of a file vote together. One that stands out plainly has its own turn, and one whose pictures are plainly
    upright as they are is not turned with the others. 0 where nothing is plain.

    Args:
        votes: Of the pictures of each shot.
    """
    of_file = np.sum([*votes.values(), (0, 0, 0, 0)], axis=0)
    turn = int(of_file.argmax()) if _lead(of_file, _FILE_SIGMAS) else 0
    out = {}
    for shot, own in votes.items():
        best = int(np.argmax(own))
        stays = best == 0 and own[0] - max(own[1:]) >= _STAYS
        out[shot] = best if stays or _lead(own, _SHOT_SIGMAS) else turn
    return out


def _lead(votes: Sequence[int] | NDArray[np.int64], sigmas: float) -> bool:
    """Whether the first is ahead of the second by more than chance makes it where both are as likely."""
    second, best = np.sort(votes)[2:].tolist()
    return best > second and best - second >= sigmas * sqrt(best + second)


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


def list_turned_shots(votes: Mapping[int, Votes]) -> tuple[Finding, ...]:
    """Say which shots were turned and how sure that is.

    Args:
        votes: Of the pictures of each shot.
    """
    of_file = np.sum([*votes.values(), (0, 0, 0, 0)], axis=0)
    out = []
    for shot, turn in sorted(decide_turns(votes).items()):
        if not turn:
            continue
        own, all_own = votes[shot], sum(votes[shot])
        sure = f"{own[turn]} of the {all_own} pictures of this shot in which anything tells look upright only then"
        if len(votes) > 1:
            sure += f", {of_file[turn]} of {sum(of_file)} in the whole tour"
        out.append(
            Finding(
                "warning",
                "vision.turned",
                f"shot {shot}",
                f"the pictures seem to {'stand on their head' if turn == 2 else 'lie on their side'} ({sure}); the "
                "networks saw them turned, but left and right in texts are those of the pictures as they are. If they "
                f"do, process again with --input.rotate {360 - 90 * turn}",
            )
        )
    return tuple(out)


@lru_cache(maxsize=1)
def _load_networks(task: VoteTask) -> tuple[ObjectDetector, Segmenter]:
    return Yolox(task.detector, _LEAST_SCORE), Mosaic(task.segmenter, _SIDE_PX)
