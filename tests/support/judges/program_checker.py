"""Judges questions answered by programs about the made apartment and shares no code with what writes them.

It reads rows as plain values, `truth.json` and `trajectory.tum`; geometry is its own, and what a view shows comes from
rays against the surfaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from tests.support.judges.spatial_checker import Checker, Verdicts, find_mark_fault, say_reference

ENOUGH, AREA = 0.30, 0.004
SLACK = 0.05
"""Of a share of points seen: rays through other pixels than the writer's differ by so much."""


class ProgramChecker(Checker):
    """Knows the apartment by its truth and its surfaces."""

    def judge(self, rows: Iterable[Mapping[str, Any]]) -> Verdicts:
        """Check every row; a row is blamed once, for the first thing wrong with it."""
        out = Verdicts()
        for row in rows:
            out.rows += 1
            out.by_type[row["type"]] += 1
            for test in (self._unnamed, self._false, self._mistold, self._bad_options):
                why = test(row)
                if why is not None:
                    out.blame(test.__name__.strip("_"), row, why)
                    break
        return out

    # ------------------------------------------------------------- what views show

    def share(self, frame: int, name: str) -> tuple[float, float]:
        """Seen share of a thing's surface points, and its box as a share of the picture."""
        key = (frame, name)
        if key not in self._shares:
            shot, turn, eye = self.truth["camera"], self._rotation(frame), self.cameras[frame][1:4].copy()
            points = self.surfaces.points[name]
            local = (points - eye) @ turn
            with np.errstate(divide="ignore", invalid="ignore"):
                u = shot["fx"] * local[:, 0] / local[:, 2] + shot["cx"]
                v = shot["fy"] * local[:, 1] / local[:, 2] + shot["cy"]
            inside = (local[:, 2] > 0) & (u >= 0) & (u <= self.truth["width"]) & (v >= 0) & (v <= self.truth["height"])
            seen = inside.copy()
            if inside.any():
                geoms, _ = self.surfaces.first_hits(eye, points[inside] - eye)
                seen[inside] = [g >= 0 and self.surfaces.names[g] == name for g in geoms]
            box = self.shown(frame).get(name)
            area = 0.0 if box is None else (box[2] - box[0] + 5) * (box[3] - box[1] + 5)
            self._shares[key] = float(seen.mean()), area / (self.truth["width"] * self.truth["height"])
        return self._shares[key]

    @property
    def _shares(self) -> dict[tuple[int, str], tuple[float, float]]:
        return self.__dict__.setdefault("share_cache", {})

    def shows(self, frame: int, name: str, slack: float = 0.0) -> bool:
        """Whether a view shows enough of a thing; a positive slack is generous."""
        share, area = self.share(frame, name)
        return share >= ENOUGH - slack and area >= AREA * (1 - 4 * slack)

    def first(self, row: Mapping[str, Any], name: str) -> tuple[int, int]:
        """Earliest and latest place of the view that may be called the first one of a thing."""
        early = next((at for at, frame in enumerate(row["views"]) if self.shows(frame, name, SLACK)), 10**6)
        late = next((at for at, frame in enumerate(row["views"]) if self.shows(frame, name, -SLACK)), 10**6)
        return early, late

    def _first_or_next(self, row: Mapping[str, Any], name: str) -> tuple[int, ...]:
        """Places of the views that may be called the first one, or the one after it."""
        early, late = self.first(row, name)
        return tuple(range(early, min(max(late, early + 1), len(row["views"]) - 1) + 1))

    # ------------------------------------------------------------- tests

    def _unnamed(self, row: Mapping[str, Any]) -> str | None:
        """Every phrase must fit one thing of the views, or the one that a mark is drawn around."""
        if len(row["views"]) == 1:
            return self._not_alone(row)
        shown = set().union(*(self.shown(frame) for frame in row["views"]))
        for one in row["references"]:
            fits = [name for name in shown if self._fits(one["phrase"].removeprefix("the "), name)]
            if one["object"] not in fits or (one["mark"] is None and len(fits) > 1):
                return f"{one['phrase']} fits {fits}, not {one['object']} alone"
        return find_mark_fault(row)

    def _middle(self, name: str) -> np.ndarray:
        return np.array(self.things[name]["obb"]["center_m"])

    def _side(self, name: str, side: str) -> float:
        box = self.things[name]["obb"]
        full, axes = 2 * np.array(box["half_extents_m"]), np.array(box["rotation"])
        level = sorted(full[np.argsort(abs(axes[2]))[:2]])
        corners = self._corners(name)
        height = float(corners[:, 2].max() - corners[:, 2].min())
        values = {"height": height, "length": float(level[1]), "width": float(level[0])}
        return values.get(side, max(values.values()))

    def _turn(self, stand: np.ndarray, look: np.ndarray, to: np.ndarray) -> float:
        """Clockwise angle from the way one looks to the way to a place, degrees in (-180, 180]."""
        one = np.arctan2(*(look - stand)[1::-1])
        other = np.arctan2(*(to - stand)[1::-1])
        return float((np.degrees(one - other) + 180) % 360 - 180)

    def true_value(self, row: Mapping[str, Any]) -> Any:
        """The answer, from the truth alone."""
        kind, names = row["type"].removeprefix("vsi_"), [one["object"] for one in row["references"]]
        given = dict(row["given"])
        if kind in ("size_estimation", "object_size"):
            return self._side(names[0], given["side"]) * (100 if kind == "object_size" else 1)
        if kind == "size_comparison":
            sign = 1 if given["word"] == "greater" else -1
            return max(names, key=lambda name: sign * self._side(name, given["side"]))
        if kind in ("volume_estimation", "volume_comparison"):
            volumes = {name: float(np.prod(2 * np.array(self.things[name]["obb"]["half_extents_m"]))) for name in names}
            if kind == "volume_estimation":
                return volumes[names[0]]
            return (max if given["word"] == "largest" else min)(names, key=lambda name: volumes[name])
        if kind == "height_determination":
            return max(names, key=lambda name: self._side(name, "height"))
        if kind in ("above", "below"):
            upper, lower = names if kind == "above" else names[::-1]
            return bool(self._corners(upper)[:, 2].min() >= self._corners(lower)[:, 2].max())
        if kind == "high_and_low":
            return (max if given["word"] == "higher" else min)(names, key=lambda name: self._middle(name)[2])
        if kind.startswith(("facing", "direction")):
            return self._direction(kind, self._turn(*(self._middle(name) for name in names)), given.get("word", ""))
        if kind == "route_plan":
            a, b, c, d = (self._middle(name) for name in names)
            turns = (self._turn(a, b, c), self._turn(c, 2 * c - a, d))
            return ", then ".join("turn " + self._direction("direction_medium", turn, "") for turn in turns)
        if kind == "absolute_distance":
            a, b = names
            near = given["sense"] == "nearest"
            return self._gap(a, b) if near else float(np.linalg.norm(self._middle(a) - self._middle(b)))
        if kind == "relative_distance":
            pick = min if given["word"] == "nearest" else max
            if given.get("sense") == "nearest":
                return pick(names[1:], key=lambda name: self._gap(names[0], name))
            return pick(names[1:], key=lambda name: np.linalg.norm(self._middle(name) - self._middle(names[0])))
        if kind == "nearby":
            reach = float(given["within_m"])
            near = [n for n in names[1:] if np.linalg.norm(self._middle(n) - self._middle(names[0])) <= reach]
            return sorted(near)
        if kind == "in_between":
            return self._between(*names)
        if kind == "unseen":
            (frame,) = row["views"]
            (phrase,) = (one["phrase"].removeprefix("the ") for one in row["references"] if not one["box_xyxy"])
            return "in view" if any(self._fits(phrase, name) for name in self.shown(frame)) else "not visible"
        if kind.startswith("camera"):
            return self._from_camera(kind, names, row["views"][0], given)
        if kind == "path_length":
            walk = np.array([self.cameras[frame][1:3] for frame in sorted(self.cameras)])
            return float(np.hypot(*np.diff(walk, axis=0).T).sum())
        if kind.startswith("walk_") and "between" not in kind:
            return self._along_walk(kind.removeprefix("walk_"), names, row, given)
        if kind == "room_size":
            return float(sum(_area(room["polygon_m"]) for room in self.truth["rooms"]))
        if kind == "room_transitions":
            return float(sum(a != b for a, b in pairwise(self._rooms_walked())))
        if kind.startswith("compound_"):
            return self._join(kind.removeprefix("compound_"), row)
        return NotImplemented

    def _rooms_walked(self) -> list[str]:
        """The room of every frame; in a doorway the last one."""
        out: list[str] = []
        for frame in sorted(self.cameras):
            x, y = self.cameras[frame][1:3]
            rooms = [
                room["name"]
                for room in self.truth["rooms"]
                if min(p[0] for p in room["polygon_m"]) <= x <= max(p[0] for p in room["polygon_m"])
                and min(p[1] for p in room["polygon_m"]) <= y <= max(p[1] for p in room["polygon_m"])
            ]
            out += rooms or out[-1:]
        return out

    def _along_walk(self, kind: str, names: list[str], row: Mapping[str, Any], given: Mapping[str, str]) -> Any:
        frames = sorted(self.cameras)
        walk = np.array([self.cameras[frame][1:3] for frame in frames])
        first, last = row["views"][0], row["views"][-1]
        if kind == "straight":
            return float(np.linalg.norm(walk[-1] - walk[0]))
        if kind == "turned":
            return "left" if self._left_turn(first, last) > 0 else "right"
        at = [np.hypot(*(walk - self._middle(name)[:2]).T) for name in names]
        if kind == "closest":
            return names[int(np.argmin([ranges.min() for ranges in at]))]
        frame = first if given.get("word") == "start" else last
        eye, right, ahead = self._axes(frame)
        if kind == "nearest_at":
            return min(names, key=lambda name: float(np.hypot(*(self._middle(name) - eye)[:2])))
        away = self._middle(names[0]) - eye
        side = "right" if away @ right > 0 else "left"
        if kind == "side_at":
            return side
        if kind == "quadrant_at":
            return ("front" if away[:2] @ ahead[:2] > 0 else "back") + f"-{side}"
        if kind == "approach":
            return bool(at[0][frames.index(last)] < at[0][frames.index(first)])
        place = int(at[0].argmin())
        step = walk[place + 1] - walk[place - 1]
        beside = self._middle(names[0])[:2] - walk[place]
        return "left" if step[0] * beside[1] - step[1] * beside[0] > 0 else "right"

    def _left_turn(self, one: int, other: int) -> float:
        looks = [(self._rotation(frame) @ [0.0, 0.0, 1.0])[:2] for frame in (one, other)]
        (ax, ay), (bx, by) = looks
        return float(np.arctan2(ax * by - ay * bx, ax * bx + ay * by))

    def _join(self, kind: str, row: Mapping[str, Any]) -> Any:
        """Composed truths, each worked out in one go."""
        names = [one["object"] for one in row["references"]]
        a, b, c = names[:3]

        def away(one: str, other: str) -> float:
            return float(np.linalg.norm(self._middle(one) - self._middle(other)))

        if kind in ("tallest_nearest", "largest_nearest"):
            size = {
                name: self._side(name, "height")
                if kind == "tallest_nearest"
                else np.prod(self.things[name]["obb"]["half_extents_m"])
                for name in (a, b)
            }
            target = a if size[a] > size[b] else b
            return min(names[2:], key=lambda name: away(target, name))
        if kind == "fits_between":
            return bool(self._side(a, "width") < self._gap(b, c))
        if kind == "order_by_distance":
            return sorted(names[1:], key=lambda name: away(a, name))
        if kind == "nearest_side":
            near = min(names[2:], key=lambda name: away(a, name))
            return self._direction("", self._turn(self._middle(a), self._middle(b), self._middle(near)), "left_right")
        if kind == "first_taller":
            first = min((a, b), key=lambda name: self.first(row, name))
            return bool(self._side(first, "height") > self._side(c, "height"))
        if kind == "way_by_three":
            return away(a, b) + away(b, c)
        return float(sum(away(a, name) <= 2.0 for name in names[1:]))

    def _direction(self, kind: str, turn: float, word: str) -> str:
        if kind == "direction_medium":
            return "back" if abs(turn) >= 135 else "right" if turn > 0 else "left"
        side, depth = "right" if turn > 0 else "left", "front" if abs(turn) < 90 else "back"
        return {"left_right": side, "front_back": depth}.get(word, f"{depth}-{side}")

    def _between(self, a: str, b: str, c: str) -> bool:
        """By the shadow of the corridor: a rectangle from box to box, as wide as the narrower."""
        start, end, at = (self._middle(name)[:2] for name in (b, c, a))
        way = (end - start) / np.linalg.norm(end - start)
        across = np.array([-way[1], way[0]])
        spans = [(self._corners(name)[:, :2] @ way, self._corners(name)[:, :2] @ across) for name in (b, c)]
        half = min(np.ptp(side) for _, side in spans) / 2
        along = float(at @ way)
        return bool(spans[0][0].max() < along < spans[1][0].min() and abs((at - start) @ across) <= half)

    def _from_camera(self, kind: str, names: list[str], frame: int, given: Mapping[str, str]) -> Any:
        eye, right, ahead = self._axes(frame)
        away = [self._middle(name) - eye for name in names]
        if kind == "camera_distance_absolute":
            return float(np.linalg.norm(away[0]))
        if kind == "camera_distance_relative":
            ranges = [float(np.linalg.norm(one)) for one in away]
            return names[int(np.argmin(ranges) if given["word"] == "nearer" else np.argmax(ranges))]
        depth = "front" if away[0] @ ahead < away[1] @ ahead else "back"
        side = "right" if away[0] @ right > away[1] @ right else "left"
        return {"left_right": side, "front_back": depth}.get(given.get("word", ""), f"{depth}-{side}")

    def _false(self, row: Mapping[str, Any]) -> str | None:
        truth = row["truth"]
        want = self.true_value(row)
        want = ("no", "yes")[want] if isinstance(want, bool) else want
        if want is NotImplemented:
            return self._false_in_time(row)
        if isinstance(want, float):
            return None if abs(float(truth) - want) <= max(0.01, 0.01 * abs(want)) else f"told {truth}, true {want:.3f}"
        return None if truth == want else f"it is {want}"

    def _false_in_time(self, row: Mapping[str, Any]) -> str | None:
        """Answers that hang on what views show: false if no reading of `shown` within the slack makes them true."""
        kind, truth = row["type"].removeprefix("vsi_"), row["truth"]
        names = [one["object"] for one in row["references"]]
        if kind == "steps":
            return self._untrue_steps(row)
        if kind in ("appearance_order", "temporal_sequence"):
            order = list(truth) if kind == "appearance_order" else [truth, *(n for n in names if n != truth)]
            if dict(row["given"]).get("word") == "last":
                order = order[::-1]
            firsts = [self.first(row, name) for name in order]
            wrong = any(one[0] >= other[1] for one, other in pairwise(firsts))
            told = {one["name"].removeprefix("first view of "): one["value"] for one in row["evidence"]}
            off = [
                name
                for name, (early, late) in zip(order, firsts, strict=True)
                if not early - 1 <= told[name] <= late + 1
            ]
            return f"first views {firsts}" if wrong else f"first views of {off}" if off else None
        if kind == "in_same":
            both = any(all(self.shows(frame, name, SLACK) for name in names) for frame in row["views"])
            surely = any(all(self.shows(frame, name, -SLACK) for name in names) for frame in row["views"])
            return None if truth in (("no", "yes")[both], ("no", "yes")[surely]) else f"both in one image: {both}"
        if kind == "in_frame":
            _, late = self.first(row, names[0])
            early, _ = self.first(row, names[0])
            for at in range(early, late + 1):
                frame = row["views"][at]
                shown = [[n for n in names[1:] if self.shows(frame, n, slack)] for slack in (SLACK, 0.0, -SLACK)]
                if set(shown[2]) <= set(truth) <= set(shown[0]):
                    return None
            return "the first view shows others"
        if kind == "walk_between":
            spans = [self._first_or_next(row, name) for name in names]
            ways = [self._walked(row["views"][a], row["views"][b]) for a in spans[0] for b in spans[1]]
            near = min(ways, key=lambda way: abs(way - truth))
            return None if abs(near - truth) <= max(0.02, 0.02 * near) else f"walked {min(ways):.2f} to {max(ways):.2f}"
        if kind == "walk_turned_between":
            spans = [self._first_or_next(row, name) for name in names]
            turns = {self._left_turn(row["views"][a], row["views"][b]) > 0 for a in spans[0] for b in spans[1]}
            return None if (truth == "left") in turns else "turned the other way"
        if kind == "seen_from":
            return self._missed_from(names, truth == "yes")
        if kind in ("counting", "object_counting"):
            category = dict(row["given"])["category"]
            mine = [name for name, one in self.things.items() if one["category"] == category]
            counts = [
                sum(any(self.shows(frame, name, slack) for frame in row["views"]) for name in mine)
                for slack in (-SLACK, SLACK)
            ]
            return None if counts[0] <= truth <= counts[1] else f"the views show {counts}"
        return f"nobody checks {row['type']}"

    def _walked(self, one: int, other: int) -> float:
        frames = [frame for frame in sorted(self.cameras) if min(one, other) <= frame <= max(one, other)]
        xy = np.array([self.cameras[frame][1:3] for frame in frames])
        return float(np.hypot(*np.diff(xy, axis=0).T).sum()) if len(xy) > 1 else 0.0

    def _missed_from(self, names: list[str], truth: bool) -> str | None:
        """Rays from over the first thing to the surface of the third, against the surfaces, not against boxes."""
        stand, look, target = names
        eye = self._middle(stand).copy()
        eye[2] = float(np.median([camera[3] for camera in self.cameras.values()]))
        points = self.surfaces.points[target]
        geoms, _ = self.surfaces.first_hits(eye, points - eye)
        hit = np.array([geom >= 0 and self.surfaces.names[geom] == target for geom in geoms])
        bearings = np.array([self._turn(eye, self._middle(look), point) for point in points])
        share = float((hit & (np.abs(bearings) <= 45)).mean())
        # About half of the points are on faces turned away.
        wrong = share < 0.1 if truth else share > 0.02
        return f"{share:.0%} of its surface is in view" if wrong else None

    def _untrue_steps(self, row: Mapping[str, Any]) -> str | None:
        """The steps' sums against the walk, and each stop that they lead to against a place of the walk."""
        turns = [(-1 if side == "right" else 1) * int(d) for t in row["truth"] for side, d in _TURN.findall(t)]
        ways = [float(d) for t in row["truth"] for d in _WALK.findall(t)]
        frames = range(row["views"][0], row["views"][-1] + 1)
        xy = np.array([self.cameras[frame][1:3] for frame in frames])
        looks = np.array([(self._rotation(frame) @ [0.0, 0.0, 1.0])[:2] for frame in frames])
        steps = np.degrees(np.diff(np.arctan2(looks[:, 1], looks[:, 0])))
        whole_turn, whole_way = ((steps + 180) % 360 - 180).sum(), np.hypot(*np.diff(xy, axis=0).T).sum()
        if abs(sum(turns) - whole_turn) > 5 or abs(sum(ways) - whole_way) > 0.02 * whole_way:
            return f"sums {sum(turns)} deg, {sum(ways):.2f} m; walked {whole_turn:.1f} deg, {whole_way:.2f} m"
        return None

    def _mistold(self, row: Mapping[str, Any]) -> str | None:
        """The words of the answer against the canonical truth."""
        answer, truth = row["answer"].lower(), row["truth"]
        named = {one["object"]: say_reference(one) for one in row["references"]}
        if row["type"] == "unseen":
            (gone,) = (one["phrase"] for one in row["references"] if not one["box_xyxy"])
            return None if gone in answer else "the answer does not say what is out of view"
        if row["choices"]:
            return None if answer.startswith("abcd"[row["correct"]] + ". ") else "another letter"
        if row["form"] == "yes_no":
            return None if answer.startswith(truth) else "the answer says the opposite"
        if row["form"] == "number":
            found = re.search(r"(?<!mark )\b\d+(?:\.\d+)?", answer)
            off = abs(float(found[0]) - truth) if found else np.inf
            return None if off <= max(0.051 * truth, 0.006) else f"says {found and found[0]} for {truth:.3f}"
        if row["form"] == "label":
            words = {"front": "ahead|in front", "back": "behind|back"} if "-" not in str(truth) else {}
            return None if re.search(words.get(str(truth), str(truth)), answer) else "another word"
        if row["form"] == "text":
            return None if all(part in row["answer"] for part in truth[1:]) else "a step is missing"
        wanted = [truth] if isinstance(truth, str) else truth
        if row["form"] == "thing" and named[truth] not in answer:
            return "the answer does not name it"
        places = [answer.find(named[name]) for name in wanted]
        if min(places) < 0:
            return "a name is missing"
        return "in another order" if row["form"] == "order" and places != sorted(places) else None

    def _bad_options(self, row: Mapping[str, Any]) -> str | None:
        """One option is right, the others are not, and numbers are far enough apart."""
        if not row["choices"]:
            return None
        values = row["choice_values"]
        if len(set(values)) != len(values) or len(set(row["choices"])) != len(values) or not 2 <= len(values) <= 4:
            return "two options are the same"
        right = values[row["correct"]]
        if row["form"] == "number":
            numbers = sorted(float(value) for value in values)
            apart = min((b - a) / b for a, b in combinations(numbers, 2))
            return (
                "options are too near"
                if apart < 0.249 or abs(float(right) - row["truth"]) > 0.01 * row["truth"]
                else None
            )
        truth = ",".join(row["truth"]) if isinstance(row["truth"], list) else row["truth"]
        return None if right == truth else "the option marked right is another"


def _area(polygon: list[list[float]]) -> float:
    x, y = np.array(polygon).T
    return float(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)


_TURN = re.compile(r"turn (left|right) by (\d+) degrees")
_WALK = re.compile(r"walk (\d+\.\d+) meters")
