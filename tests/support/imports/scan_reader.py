"""Works out answers about scans from VSI-Bench's meta files alone; shares no code with what imports them or asks.

A thing is found by the words of its category, which must be listed once. Boxes are taken as the files have them: row i
of `normalizedAxes` is axis i, `axesLengths` are full lengths, z is up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear

Box = Mapping[str, Any]


class ScanReader:
    """Answers about one scene of a meta file."""

    def __init__(self, scene: Mapping[str, Any]) -> None:
        self.scene = scene
        self.by_words = {name.replace("_", " "): boxes for name, boxes in scene["object_bbox"].items()}

    def find(self, phrase: str) -> Box:
        """The only thing that a phrase means."""
        boxes = self.by_words[phrase.removeprefix("the ")]
        assert len(boxes) == 1, f"{phrase} means {len(boxes)} things"
        assert self.scene["object_counts"][phrase.removeprefix("the ").replace(" ", "_")] == 1
        return boxes[0]

    def answer(self, row: Mapping[str, Any]) -> Any:
        """What the file says: a number, yes or no, a label, a phrase, or phrases."""
        given = dict(row["given"])
        phrases = [one["phrase"] for one in row["references"]]
        boxes = [self.find(phrase) for phrase in phrases]
        kind = row["type"].removeprefix("vsi_")
        kind = {"object_counting": "counting", "object_size": "vsi_size"}.get(kind, kind)
        return getattr(self, f"_{kind}")(phrases, boxes, given)

    # ------------------------------------------------------------- sizes

    def _vsi_size(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return 100.0 * max(boxes[0]["axesLengths"])

    def _size_estimation(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return _side(boxes[0], given["side"])

    def _size_comparison(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        sides = [_side(box, given["side"]) for box in boxes]
        return phrases[sides.index(max(sides) if given["word"] == "greater" else min(sides))]

    def _height_determination(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        return max(zip(phrases, boxes, strict=True), key=lambda one: _side(one[1], "height"))[0]

    def _volume_estimation(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return math.prod(boxes[0]["axesLengths"])

    def _volume_comparison(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        volumes = [math.prod(box["axesLengths"]) for box in boxes]
        return phrases[volumes.index(max(volumes) if given["word"] == "largest" else min(volumes))]

    def _above(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> bool:
        return min(_heights(boxes[0])) >= max(_heights(boxes[1]))

    def _below(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> bool:
        return max(_heights(boxes[0])) <= min(_heights(boxes[1]))

    def _high_and_low(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        heights = [box["centroid"][2] for box in boxes]
        return phrases[heights.index(max(heights) if given["word"] == "higher" else min(heights))]

    # ------------------------------------------------------------- distances

    def _absolute_distance(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return _apart(boxes[0], boxes[1], given["sense"])

    def _relative_distance(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        away = [_apart(boxes[0], box, given.get("sense", "center")) for box in boxes[1:]]
        return phrases[1 + away.index(max(away) if given["word"] == "furthest" else min(away))]

    def _nearby(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> set[str]:
        within = float(given["within_m"])
        return {
            phrase
            for phrase, box in zip(phrases[1:], boxes[1:], strict=True)
            if _apart(boxes[0], box, "center") <= within
        }

    def _in_between(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> bool:
        a, b, c = (complex(*box["centroid"][:2]) for box in boxes)
        turned = (a - b) / (c - b) * abs(c - b)
        across = (c - b) / abs(c - b) * 1j
        spread = []
        for box in boxes[1:]:
            along = [x * across.real + y * across.imag for x, y, _ in _corners(box)]
            spread.append((max(along) - min(along)) / 2)
        return 0 < turned.real < abs(c - b) and abs(turned.imag) <= min(spread)

    # ------------------------------------------------------------- directions

    def _facing_complex(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        turn = _turn_deg(boxes[0], boxes[1], boxes[2])
        return ("front" if abs(turn) < 90 else "back") + ("-left" if turn > 0 else "-right")

    _direction_hard = _facing_complex

    def _facing_simple(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        ahead, side = self._facing_complex(phrases, boxes, given).split("-")
        return side if given["word"] == "left_right" else ahead

    _direction_easy = _facing_simple

    def _direction_medium(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        turn = _turn_deg(boxes[0], boxes[1], boxes[2])
        return "back" if abs(turn) >= 135 else "left" if turn > 0 else "right"

    def _route_plan(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        a, b, c, d = (complex(*box["centroid"][:2]) for box in boxes)
        turns = [_angle_deg((c - a) / (b - a)), _angle_deg((d - c) / (c - a))]
        said = ["back" if abs(turn) >= 135 else "left" if turn > 0 else "right" for turn in turns]
        return f"turn {said[0]}, then turn {said[1]}"

    # ------------------------------------------------------------- the whole place

    def _counting(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        stated = self.scene["object_counts"][given["category"].replace(" ", "_")]
        assert stated == len(self.by_words[given["category"]])
        return float(stated)

    def _room_size(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return self.scene["room_size"]

    # ------------------------------------------------------------- two questions in one

    def _compound_tallest_nearest(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        first = max(boxes[:2], key=lambda box: _side(box, "height"))
        return _nearest(first, phrases[2:], boxes[2:])

    def _compound_largest_nearest(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        first = max(boxes[:2], key=lambda box: math.prod(box["axesLengths"]))
        return _nearest(first, phrases[2:], boxes[2:])

    def _compound_order_by_distance(self, phrases: Sequence[str], boxes: Sequence[Box], given: Any) -> list[str]:
        away = {phrase: _apart(boxes[0], box, "center") for phrase, box in zip(phrases[1:], boxes[1:], strict=True)}
        return sorted(away, key=lambda phrase: away[phrase])

    def _compound_way_by_three(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return _apart(boxes[0], boxes[1], "center") + _apart(boxes[1], boxes[2], "center")

    def _compound_count_within(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> float:
        return float(len(self._nearby(phrases, boxes, given)))

    def _compound_nearest_side(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> str:
        nearest = min(boxes[2:], key=lambda box: _apart(boxes[0], box, "center"))
        return "left" if _turn_deg(boxes[0], boxes[1], nearest) > 0 else "right"

    def _compound_fits_between(self, phrases: Sequence[str], boxes: Sequence[Box], given: Mapping[str, str]) -> bool:
        return _apart(boxes[1], boxes[2], "nearest") > _side(boxes[0], "width")


def _corners(box: Box) -> list[tuple[float, float, float]]:
    axes, half = np.reshape(box["normalizedAxes"], (3, 3)), [one / 2 for one in box["axesLengths"]]
    out = []
    for signs in product((-1, 1), repeat=3):
        corner = list(box["centroid"])
        for axis, reach, sign in zip(axes, half, signs, strict=True):
            corner = [place + sign * reach * part for place, part in zip(corner, axis, strict=True)]
        out.append((corner[0], corner[1], corner[2]))
    return out


def _heights(box: Box) -> list[float]:
    return [z for _, _, z in _corners(box)]


def _side(box: Box, name: str) -> float:
    """Height is how far a box reaches from bottom to top; length and width its level sides."""
    height = max(_heights(box)) - min(_heights(box))
    rows = [list(row) for row in np.reshape(box["normalizedAxes"], (3, 3))]
    upright = max(range(3), key=lambda at: abs(rows[at][2]))
    level = sorted(length for at, length in enumerate(box["axesLengths"]) if at != upright)
    return {"height": height, "width": level[0], "length": level[1], "longest": max(height, *level)}[name]


def _apart(one: Box, other: Box, sense: str) -> float:
    """Of the centres; or least distance of the solids, by least squares over what either box holds."""
    if sense == "center":
        return math.dist(one["centroid"], other["centroid"])
    axes = [np.reshape(box["normalizedAxes"], (3, 3)).T * np.array(box["axesLengths"]) for box in (one, other)]
    apart = np.array(other["centroid"]) - np.array(one["centroid"])
    found = lsq_linear(np.hstack([axes[0], -axes[1]]), apart, bounds=(-0.5, 0.5), method="bvls", tol=1e-14)
    return float(np.linalg.norm(np.hstack([axes[0], -axes[1]]) @ found.x - apart))


def _nearest(first: Box, phrases: Sequence[str], boxes: Sequence[Box]) -> str:
    away = [_apart(first, box, "center") for box in boxes]
    return phrases[away.index(min(away))]


def _turn_deg(stand: Box, look: Box, target: Box) -> float:
    """To the left from where one looks."""
    a, b, c = (complex(*box["centroid"][:2]) for box in (stand, look, target))
    return _angle_deg((c - a) / (b - a))


def _angle_deg(ratio: complex) -> float:
    return math.degrees(math.atan2(ratio.imag, ratio.real))
