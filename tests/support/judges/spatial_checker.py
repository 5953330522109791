"""Judges spatial questions of the made apartment and shares no code with what writes them.

It reads rows as plain values, and `truth.json` and `trajectory.tum` itself; its geometry is its own, distances of boxes
come from a general solver, and what is visible or unique from rays against the surfaces.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

_WORD_AXES = {
    "left": ("side", -1), "right": ("side", 1), "above": ("up", 1), "below": ("up", -1), "behind": ("away", 1),
    "front": ("away", -1), "tall": ("height", 1), "short": ("height", -1), "wide": ("width", 1), "thin": ("width", -1),
    "big": ("volume", 1), "small": ("volume", -1),
}  # fmt: skip
_SAYS = {
    "left": "left", "right": "right", "above": "above", "below": "below", "behind": "behind", "in front of": "front",
    "taller": "tall", "shorter": "short", "wider": "wide", "narrower": "thin", "bigger": "big", "smaller": "small",
}  # fmt: skip
_CLASSES = {
    "left_right": ("right", "left"), "above_below": ("above", "below"), "behind_front": ("behind", "front"),
    "tall_short": ("tall", "short"), "wide_thin": ("wide", "thin"), "big_small": ("big", "small"),
}  # fmt: skip
_NUMBER = re.compile(r"(\d+(?:\.\d+)?|one and a half|two and a half|half an?|an? foot and a half)\s*(\w+)")
_METRES = {
    "m": 1, "meter": 1, "meters": 1, "cm": 0.01, "centimeter": 0.01, "centimeters": 0.01, "foot": 0.3048,
    "feet": 0.3048, "inch": 0.0254, "inches": 0.0254,
}  # fmt: skip
RAYS = 96
NEARLY = 0.10
"""Share of the mean size within which `too close` is true, with 5 cm as the least."""


@dataclass(eq=False)
class Verdicts:
    """What the checker found."""

    rows: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    """By what was wrong."""
    examples: list[str] = field(default_factory=list)
    by_type: Counter[str] = field(default_factory=Counter)

    def blame(self, what: str, row: Mapping[str, Any], why: str) -> None:
        self.wrong[what] += 1
        if len(self.examples) < 60:
            self.examples.append(
                f"{what}: {row['type']} frame {row['views'][0]}: {row['question']} | {row['answer']} | {why}"
            )

    @property
    def true_share(self) -> float:
        """Of the rows."""
        return 1.0 - self.wrong.total() / max(self.rows, 1)


class Checker:
    """Knows the apartment by its truth and its surfaces."""

    def __init__(self, folder: Path, surfaces: Any, times_s: Iterable[float]) -> None:
        self.truth = json.loads((folder / "truth.json").read_text())
        table = np.loadtxt(folder / "trajectory.tum")
        times = np.asarray(list(times_s))
        self.cameras = {
            frame: table[min(int((table[:, 0] < t - 1e-3).sum()), len(table) - 1)] for frame, t in enumerate(times, 1)
        }
        self.surfaces = surfaces
        self.things = {one["id"]: one for one in self.truth["objects"]}
        self._gaps: dict[tuple[str, str, bool], float] = {}
        self._shown: dict[int, dict[str, tuple[float, float, float, float]]] = {}

    def judge(self, rows: Iterable[Mapping[str, Any]]) -> Verdicts:
        """Check every row; a row is blamed once, for the first thing wrong with it."""
        out = Verdicts()
        for row in rows:
            out.rows += 1
            out.by_type[row["type"]] += 1
            for test in (self._invisible, self._not_alone, self._untrue, self._misread):
                why = test(row)
                if why is not None:
                    out.blame(test.__name__.strip("_"), row, why)
                    break
        return out

    # ------------------------------------------------------------- the picture

    def _rotation(self, frame: int) -> np.ndarray:
        return Rotation.from_quat(self.cameras[frame][4:8]).as_matrix()

    def _cast(self, frame: int, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """The meshes that rays through pixels meet first."""
        shot = self.truth["camera"]
        rays = np.stack([(u - shot["cx"]) / shot["fx"], (v - shot["cy"]) / shot["fy"], np.ones_like(u)], -1)
        turned = rays.reshape(-1, 3) @ self._rotation(frame).T
        return self.surfaces.first_hits(self.cameras[frame][1:4].copy(), turned)[0]

    def shown(self, frame: int) -> dict[str, tuple[float, float, float, float]]:
        """Everything that a frame shows by rays at every 5th pixel: extent in pixels, by id."""
        if frame not in self._shown:
            u, v = np.meshgrid(np.arange(1.0, self.truth["width"], 5), np.arange(1.0, self.truth["height"], 5))
            geoms = self._cast(frame, u, v)
            found = {}
            for geom in set(geoms.tolist()) - {-1}:
                hit = geoms == geom
                found[self.surfaces.names[geom]] = (
                    float(u.ravel()[hit].min()), float(v.ravel()[hit].min()),
                    float(u.ravel()[hit].max()), float(v.ravel()[hit].max()),
                )  # fmt: skip
            self._shown[frame] = found
        return self._shown[frame]

    def contradicts(self, row: Mapping[str, Any]) -> bool:
        """Whether the canonical truth of a row is untrue of the apartment."""
        return self._untrue(row) is not None

    def _invisible(self, row: Mapping[str, Any]) -> str | None:
        """Rays through the reference's own box must meet the thing."""
        frame = row["views"][0]
        side = int(np.ceil(np.sqrt(RAYS)))
        for one in row["references"]:
            if one["box_xyxy"] is None:
                continue  # it is said to be out of view: see `_untrue_unseen`
            x0, y0, x1, y1 = one["box_xyxy"]
            at = (np.arange(side) + 0.5) / side
            u, v = np.meshgrid(x0 + at * (x1 - x0), y0 + at * (y1 - y0))
            geoms = self._cast(frame, u, v)
            hits = sum(self.surfaces.names[geom] == one["object"] for geom in geoms if geom >= 0)
            if hits == 0:
                return f"{one['object']}: none of {side * side} rays meets it"
        return None

    def _not_alone(self, row: Mapping[str, Any]) -> str | None:
        """The phrase must fit one thing of the picture, or a box with a number of its own be drawn around the one."""
        shown = self.shown(row["views"][0])
        for one in row["references"]:
            if one["box_xyxy"] is None:
                continue
            fits = [name for name in shown if self._fits(one["phrase"].removeprefix("the "), name)]
            if one["object"] not in fits:
                return f"{one['phrase']} fits {fits}, not {one['object']}"
            if one["mark"] is None and len(fits) > 1:
                return f"{one['phrase']} fits {fits}"
        return find_mark_fault(row)

    def _fits(self, words: str, name: str) -> bool:
        """Whether a person could call a thing so: its category, with its colour or none."""
        thing = self.things.get(name)
        if thing is None:
            return False
        return words in (thing["category"], f"{thing['color']} {thing['category']}")

    # ------------------------------------------------------------- geometry

    def _axes(self, frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Eye, the viewer's right, and ahead on the floor."""
        look = self._rotation(frame) @ [0.0, 0.0, 1.0]
        ahead = np.array([look[0], look[1], 0.0]) / np.hypot(look[0], look[1])
        return self.cameras[frame][1:4], np.array([ahead[1], -ahead[0], 0.0]), ahead

    def _corners(self, name: str) -> np.ndarray:
        box = self.things[name]["obb"]
        signs = np.array(list(product([1, -1], [1, -1], [1, -1])))
        return np.array(box["center_m"]) + signs * box["half_extents_m"] @ np.array(box["rotation"]).T

    def _value(self, name: str, axis: str, frame: int) -> float:
        """One thing along one axis."""
        eye, right, ahead = self._axes(frame)
        box, corners = self.things[name]["obb"], self._corners(name)
        center = np.array(box["center_m"])
        if axis == "side":
            return float(np.dot(center - eye, right))
        if axis == "away":
            return float(np.dot(center - eye, ahead))
        if axis == "up":
            return float(center[2])
        if axis == "height":
            return float(corners[:, 2].max() - corners[:, 2].min())
        if axis == "width":
            return float((corners @ right).max() - (corners @ right).min())
        if axis == "volume":
            return float(np.prod(2 * np.array(box["half_extents_m"])))
        if axis == "range":
            return float(np.linalg.norm(center - eye))
        if axis == "bottom":
            return float(corners[:, 2].min())
        raise AssertionError(axis)

    def _gap(self, a: str, b: str, flat: bool = False) -> float:
        """Least distance of two boxes by a bounded least-squares solver."""
        key = (min(a, b), max(a, b), flat)
        if key not in self._gaps:
            parts = []
            for name in key[:2]:
                box = self.things[name]["obb"]
                parts.append((np.array(box["center_m"]), np.array(box["rotation"]) * np.array(box["half_extents_m"])))
            (ca, ma), (cb, mb) = parts
            matrix, target = np.hstack([ma, -mb]), cb - ca
            if flat:
                matrix, target = matrix[:2], target[:2]
            found = lsq_linear(matrix, target, (-1, 1), method="bvls")  # the other method may stop early
            self._gaps[key] = float(np.sqrt(2 * found.cost))
        return self._gaps[key]

    def number(self, row: Mapping[str, Any]) -> float:
        """The true number of a row; NaN where what it supposes is not so."""
        kind, frame = row["type"], row["views"][0]
        names = [one["object"] for one in row["references"]]
        a, b = names[0], names[-1]

        def along(axis: str) -> float:
            return self._value(a, axis, frame) - self._value(b, axis, frame)

        centers = [np.array(self.things[name]["obb"]["center_m"]) for name in (a, b)]
        if kind == "distance":
            return float(np.linalg.norm(centers[0] - centers[1]))
        if kind == "horizontal_distance":
            return float(np.linalg.norm((centers[0] - centers[1])[:2]))
        if kind == "vertical_distance":
            return abs(along("up"))
        if kind in ("gap", "passage"):
            return self._gap(a, b, flat=kind == "passage")
        if kind in ("height", "width"):
            return self._value(a, kind, frame)
        if kind == "elevation":
            return self._value(a, "bottom", frame)
        if kind == "camera_distance":
            box, eye = self.things[a]["obb"], self._axes(frame)[0]
            local = np.array(box["rotation"]).T @ (eye - np.array(box["center_m"]))
            nearest = np.clip(local, -np.array(box["half_extents_m"]), box["half_extents_m"])
            return float(np.linalg.norm(local - nearest))
        if kind.startswith("ratio_"):
            side = "range" if kind == "ratio_distance" else kind[6:]
            return self._value(a, side, frame) / self._value(b, side, frame)
        word = kind.removesuffix("_difference")
        axis, sign = _WORD_AXES[word]
        if sign * along(axis) <= 0:
            return float("nan")  # it is not so
        return abs(along("bottom" if axis == "up" else axis))

    def _sign(self, row: Mapping[str, Any], axis: str) -> int:
        """1, 0 (nothing) or -1: A against B."""
        frame = row["views"][0]
        a, b = (one["object"] for one in row["references"])
        one, other = self._value(a, axis, frame), self._value(b, axis, frame)
        if row["truth"] != "too close":
            return int(np.sign(one - other))
        if axis == "volume":
            return 0 if max(one / other, other / one) <= 1 + NEARLY + 1e-9 else 2
        size = {"side": "width", "away": "depth", "up": "height"}.get(axis, axis)
        if size == "depth":
            ahead = self._axes(frame)[2]
            mean = np.mean([np.ptp(self._corners(name) @ ahead) for name in (a, b)])
        else:
            mean = np.mean([self._value(name, size, frame) for name in (a, b)])
        return 0 if abs(one - other) <= max(0.05, NEARLY * mean) + 1e-9 else 2

    def _untrue(self, row: Mapping[str, Any]) -> str | None:
        """The canonical truth against the apartment's."""
        kind, names = row["type"], [one["object"] for one in row["references"]]
        if row["form"] == "number":
            true, told = self.number(row), float(row["truth"])
            off = abs(true - told)
            return None if off <= max(0.01, 0.01 * abs(true)) else f"told {told:.3f}, true {true:.3f}"
        if kind == "clock":
            eye, right, ahead = self._axes(row["views"][0])
            to = np.array(self.things[names[0]]["obb"]["center_m"]) - eye
            turn = np.degrees(np.arctan2(to @ right, to @ ahead)) % 360
            hour = int((turn + 15) // 30) % 12 or 12
            return None if str(hour) == row["truth"] else f"it is at {turn:.0f} degrees"
        if kind == "stands_on":
            return self._untrue_stand(row)
        if kind == "unseen":
            return self._untrue_unseen(row)
        if kind.startswith(("turn_", "step_")):
            return self._untrue_supposed(row)
        word, _, form = kind.rpartition("_")
        if form == "class":
            more, less = _CLASSES[word]
            sign = self._sign(row, _WORD_AXES[more][0])
            want = "too close" if sign == 0 else more if sign == 1 else less if sign == -1 else "neither"
            return None if _SAYS.get(row["truth"], row["truth"]) == want else f"it is {want}"
        axis, side = _WORD_AXES[word]
        sign = self._sign(row, axis)
        if row["truth"] == "too close":
            return None if sign == 0 else "they are not that close"
        holds = sign == side
        want = ("yes" if holds else "no") if form == "predicate" else names[0 if holds else 1]
        return None if row["truth"] == want else f"it is {want}"

    def _untrue_unseen(self, row: Mapping[str, Any]) -> str | None:
        """One of the two is in the picture, and nothing that the other's phrase fits is, by rays."""
        gone = [one for one in row["references"] if one["box_xyxy"] is None]
        if len(gone) != 1 or len(row["references"]) != 2 or row["truth"] != "not visible":
            return "need one thing in view and one out of it"
        words = gone[0]["phrase"].removeprefix("the ")
        there = [name for name in self.shown(row["views"][0]) if self._fits(words, name)]
        return f"{words} is in view: {there}" if there else None

    def _untrue_supposed(self, row: Mapping[str, Any]) -> str | None:
        """The camera itself is turned, or moved, and both things are seen from there."""
        action, side, _ = row["type"].split("_")
        eye, right, ahead = self._axes(row["views"][0])
        names = [one["object"] for one in row["references"]]
        to = [np.array(self.things[name]["obb"]["center_m"]) - eye for name in names]
        if action == "turn":
            quarter = np.radians(-90 if side == "right" else 90)
            cos, sin = np.cos(quarter), np.sin(quarter)
            axis = np.array([cos * right[0] - sin * right[1], sin * right[0] + cos * right[1], 0.0])
            places = [float(one @ axis) for one in to]
            spans = [np.ptp(self._corners(name) @ axis) for name in names]
            alike = max(0.05, NEARLY * float(np.mean(spans))) + 1e-9
        else:
            moved = [one - (right if side == "right" else -right) for one in to]
            places = [float(np.arctan2(one @ right, one @ ahead)) for one in moved]
            alike = 0.025
        apart = places[0] - places[1]
        if row["truth"] == "too close":
            return None if abs(apart) <= alike else f"they are {apart:.2f} apart"
        leftmost = names[0] if apart < 0 else names[1]
        want = leftmost if side == "right" else next(name for name in names if name != leftmost)
        return None if row["truth"] == want else f"it is {want}"

    def _untrue_stand(self, row: Mapping[str, Any]) -> str | None:
        a, b = (one["object"] for one in row["references"])
        lift = self._corners(a)[:, 2].min() - self._corners(b)[:, 2].max()
        box = self.things[a]["obb"]
        at = (np.arange(24) + 0.5) / 12 - 1
        grid = np.stack(np.meshgrid(at, at), -1).reshape(-1, 2)
        spots = (
            np.array(box["center_m"])
            + np.column_stack([grid, np.zeros(len(grid))]) * box["half_extents_m"] @ np.array(box["rotation"]).T
        )
        below = self.things[b]["obb"]
        local = (spots - np.array(below["center_m"])) @ np.array(below["rotation"])
        over = (np.abs(local[:, :2]) <= np.array(below["half_extents_m"])[:2]).all(axis=1).mean()
        want = "yes" if abs(lift) <= 0.03 and over >= 0.45 else "no"
        return None if row["truth"] == want else f"lift {lift:.2f}, over {over:.2f}"

    # ------------------------------------------------------------- the answer's words

    def _misread(self, row: Mapping[str, Any]) -> str | None:
        """The words of the answer against the canonical truth."""
        answer, truth = row["answer"], row["truth"]
        low = answer.lower()
        if row["type"] == "unseen":
            gone = next(one["phrase"].lower() for one in row["references"] if one["box_xyxy"] is None)
            denies = any(word in low for word in ("not", "cannot", "out of view"))
            return None if gone in low and denies else "the answer does not say what is out of view"
        if truth == "too close":
            ok = any(word in low for word in ("too close", "neither", "no telling"))
            return None if ok else "the answer does not say that they are too close"
        if row["form"] == "yes_no":
            says_no = low.startswith(("no", "not so", "that is wrong"))
            return None if says_no == (truth == "no") else "the answer says the opposite"
        if row["form"] == "thing":
            texts = [say_reference(one) for one in row["references"]]
            want = [one["object"] for one in row["references"]].index(truth)
            place = [-1, -1]
            for which in sorted((0, 1), key=lambda which: -len(texts[which])):  # `the tv` is also in `the tv stand`
                place[which] = low.find(texts[which])
                low = low.replace(texts[which], "#" * len(texts[which]))
            if place[want] < 0:
                return "the answer does not name the right one"
            first = place[1 - want] < 0 or place[want] < place[1 - want] or answer.lower().startswith("compared")
            return None if first else "the answer names the other one"
        if row["type"] == "clock":
            return None if re.search(rf"\b{truth} o'clock", answer) else "another hour"
        if row["form"] == "label":
            plain = low
            for one in row["references"]:
                plain = plain.replace(say_reference(one), " ")
            return None if re.search(rf"\b{truth}\b", plain) else f"the answer does not say {truth}"
        if row["type"].startswith("ratio_"):
            found = re.search(r"(\d+(?:\.\d+)?) times|\b(twice|half)\b", low)
            said = None if found is None else float(found[1]) if found[1] else {"twice": 2.0, "half": 0.5}[found[2]]
        else:
            said = self.read_length(low)
        if said is None:
            return "no number in the answer"
        off = abs(said - float(truth)) / float(truth)
        return None if off <= 0.2001 else f"says {said:.3f} for {float(truth):.3f}"

    @staticmethod
    def read_length(text: str) -> float | None:
        """Metres of the first length in a text."""
        words = {"one and a half": 1.5, "two and a half": 2.5}
        for number, unit in _NUMBER.findall(text):
            if "foot and a half" in number:
                return 1.5 * 0.3048
            if unit in _METRES:
                return (0.5 if number.startswith("half") else words.get(number) or float(number)) * _METRES[unit]
        if "a foot and a half" in text:
            return 1.5 * 0.3048
        return None


def say_reference(reference: Mapping[str, Any]) -> str:
    """As texts say it, in small letters."""
    mark = reference["mark"]
    return (reference["phrase"] + (f" at mark {mark['number']}" if mark and mark["xy"] is None else "")).lower()


def find_mark_fault(row: Mapping[str, Any]) -> str | None:
    """Why the marks of a row do not tell its things apart; None if they do."""
    marked = [one for one in row["references"] if one["mark"] is not None]
    numbers = sorted(one["mark"]["number"] for one in marked)
    if numbers != list(range(1, len(marked) + 1)):
        return f"marks {numbers}"
    if any(one["box_xyxy"] is None or one["frame"] not in row["views"] for one in marked):
        return "a mark that no picture shows"
    return next((f"no {say_reference(one)} in the question" for one in marked
                 if say_reference(one) not in row["question"].lower()), None)  # fmt: skip
