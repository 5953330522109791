"""How true region knowledge is on the made apartment, by a judge that shares no code with its writer.

    python benchmarks/regions.py [--fps 2] [--noise 0.0] [--show 20]

The writer gets the apartment's boxes and what rays against its surfaces show. The judge reads rows and views as plain
values, `truth.json` and the trajectory itself; it looks for sides, orders, heights, colours and kinds with its own
patterns and measures them with its own geometry: rays against the surfaces, and samples of the boxes. With `--noise`
every box is moved by so many metres (normal, each axis).

Prints M1 (things that are a region somewhere), M4 (rows that are true, kept per view, types) and M13 (CPU per view).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.records import FrameRoom, SceneObject
from instructions.regions.options import RegionOptions, ViewCoverOptions
from instructions.regions.records import Qar, RegionView
from instructions.regions.writer import prepare_views, write_measured
from instructions.tour import Tour
from roomtour.files.records import to_plain
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces, know_apartment

INVENTED = ("piano", "harp", "aquarium", "billiard table", "treadmill")
NEAR_COLOURS = ({"gray", "white", "black"}, {"brown", "beige", "orange"})


class Judge:
    """Knows the apartment by its truth file and its surfaces; nothing of ours measures here."""

    def __init__(self, surfaces: Surfaces, times_s: list[float]) -> None:
        self.truth = json.loads((TRUTH / "truth.json").read_text())
        table = np.loadtxt(TRUTH / "trajectory.tum")
        rows = [min(int((table[:, 0] < t - 1e-3).sum()), len(table) - 1) for t in times_s]
        self.cameras = {frame: table[row] for frame, row in enumerate(rows, 1)}
        self.things = {one["id"]: one for one in self.truth["objects"]}
        self.surfaces = surfaces
        self._near: dict[tuple[int, str], float] = {}

    def room_at(self, frame: int) -> str | None:
        """Of the floor plan, where the camera stands; None in a doorway."""
        x, y = self.cameras[frame][1:3]
        for room in self.truth["rooms"]:
            across, along = zip(*room["polygon_m"], strict=True)
            if min(across) <= x <= max(across) and min(along) <= y <= max(along):
                return room["label"]
        return None

    def corners(self, name: str) -> np.ndarray:
        """Of the box, (8, 3)."""
        box = self.things[name]["obb"]
        signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).T.reshape(-1, 3)
        return np.array(box["center_m"]) + (signs * box["half_extents_m"]) @ np.array(box["rotation"]).T

    def camera(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """Eye, and rotation with columns right, down, ahead."""
        row = self.cameras[frame]
        x, y, z, w = row[4:8]
        rotation = np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
            ]
        )
        return row[1:4], rotation

    def nearest(self, frame: int, name: str) -> float:
        """To the nearest point of the box, by a dense sample of its faces."""
        key = (frame, name)
        if key not in self._near:
            box = self.things[name]["obb"]
            eye, _ = self.camera(frame)
            local = np.array(box["rotation"]).T @ (eye - np.array(box["center_m"]))
            half = np.array(box["half_extents_m"])
            self._near[key] = float(np.linalg.norm(local - np.clip(local, -half, half)))
        return self._near[key]

    def across(self, frame: int, name: str) -> float:
        """How far right of the line of sight the middle lies, laid on the floor."""
        eye, rotation = self.camera(frame)
        ahead = rotation[:, 2] * (1, 1, 0)
        right = np.cross(ahead / np.linalg.norm(ahead), (0, 0, 1))
        return float((np.array(self.things[name]["obb"]["center_m"]) - eye) @ right)

    def gap(self, a: str, b: str) -> float:
        """Between two boxes, by points on a grid of both."""
        at = np.linspace(-1, 1, 9)
        grid = np.array(np.meshgrid(at, at, at)).T.reshape(-1, 3)
        best = np.inf
        for one, other in ((a, b), (b, a)):
            box, into = self.things[one]["obb"], self.things[other]["obb"]
            points = np.array(box["center_m"]) + (grid * box["half_extents_m"]) @ np.array(box["rotation"]).T
            local = (points - np.array(into["center_m"])) @ np.array(into["rotation"])
            half = np.array(into["half_extents_m"])
            best = min(best, float(np.linalg.norm(local - np.clip(local, -half, half), axis=1).min()))
        return best

    def wrong(self, row: dict[str, Any], view: dict[str, Any]) -> str | None:
        """What is false in the answer and rationale of a row, or None."""
        frame = row["views"][0]
        names = [one["object"] for one in row["regions"]]
        boxes = {one["object"]: one["box_xyxy"] for one in view["regions"]}
        text = f"{row['answer']} {row['rationale']}"
        task, a = row["task"], names[0] if names else ""
        if task in ("lateral", "side_yes", "side_no"):
            return self._side_of(row, text, names, boxes, frame)
        if task in ("nearer", "nearer_yes", "nearer_no", "first"):
            return self._order(row, names, frame)
        if task in ("taller_yes", "taller_no"):
            return self._taller(row, names)
        if task == "colour":
            said = next((w for w in re.findall(r"[a-z]+", row["answer"].lower()) if w in COLOURS), None)
            true = self.things[a]["color"].split()[-1].replace("grey", "gray")
            is_near = any(said in group and true in group for group in NEAR_COLOURS)
            return None if said == true or is_near else f"{a} is {true}, said {said}"
        if task in ("kind", "kind_on", "kind_yes", "kind_no"):
            subject = self._upper(names) if task == "kind_on" else a
            told = row["answer"].startswith("Yes")
            asked = any(re.search(rf"\b{word}\b", row["question"]) for word in _words_of(self.things[a]["category"]))
            if task in ("kind_yes", "kind_no") and told != asked:
                return f"{a} is a {self.things[a]['category']}"
            true = self.things[subject]["category"]
            return None if any(word in row["answer"] for word in _words_of(true)) else f"{subject} is a {true}"
        if task in ("height", "height_floor"):
            z = self.corners(a)[:, 2]
            return self._length(row["answer"], float(z.max() - z.min()))
        if task in ("side", "placed_yes", "placed_no"):
            x0, _, x1, _ = boxes[a]
            at = (x0 + x1) / 2 / view["width"]
            side = "left" if at < 0.3 else ("right" if at > 0.7 else "middle")
            if not re.search(rf"(?:on|in) the {side}\b", text):
                return f"{a} is at {at:.2f}"
            return self._length(text, self.nearest(frame, a)) if re.search(r"\d (?:m|cm)\b", text) else None
        if task == "placed_not":
            x0, _, x1, _ = boxes[a]
            at = (x0 + x1) / 2 / view["width"]
            is_there = at < 0.3 if "not on the left" in row["answer"] else at > 0.7
            return f"{a} is at {at:.2f}" if is_there else None
        if task == "on":
            lower = next((n for n in names if n != self._upper(names)), a)
            lift = self.corners(self._upper(names))[:, 2].min() - self.corners(lower)[:, 2].max()
            return None if abs(lift) <= 0.1 else f"{lift:+.2f} m over it"
        if task in ("next", "next_close"):
            return None if self.gap(names[0], names[1]) <= 0.5 else f"{self.gap(names[0], names[1]):.2f} m apart"
        if task == "room":
            true = self.things[a]["room"].replace("_", " ")
            return None if re.search(rf"\b{true}\b", row["answer"]) else f"{a} is in the {true}"
        if task in ("fits", "fits_not"):
            return self._fit(task, names)
        if task == "largest":
            area = {n: (b[2] - b[0]) * (b[3] - b[1]) for n, b in boxes.items()}
            return None if area[self._first_said(row, names)] == max(area[n] for n in names) else "not the larger"
        return None if task == "use" else f"task {task} is not judged"

    def _first_said(self, row: dict[str, Any], names: list[str]) -> str:
        """The thing that the answer names first."""
        order = self._said(row["answer"], row)
        return order[0] if order else names[0]

    def _said(self, text: str, row: dict[str, Any]) -> list[str]:
        """Things that a text names, in its order: by number, or by their words."""
        by_number = {one["number"]: one["object"] for one in row["regions"]}
        found = [(m.start(), by_number[int(m.group(1))]) for m in re.finditer(r"\[(\d+)\]", text)]
        if row["mode"] == "description":
            for one in row["regions"]:
                thing = self.things[one["object"]]
                nouns = _words_of(thing["category"])
                for words in (f"{thing['color'].split()[-1]} {thing['category']}", *nouns):
                    match = re.search(rf"\b{re.escape(words)}\b", text.lower())
                    if match:
                        found.append((match.start(), one["object"]))
                        break
        return [name for _, name in sorted(found)]

    def _pair(self, row: dict[str, Any], names: list[str]) -> tuple[str, str]:
        """Subject and object of the answer; those of the question for a bare yes or no."""
        said = self._said(row["answer"], row)
        if len(said) < 2:
            asked = self._said(row["question"], row)
            if row["answer"].startswith("No"):
                asked = asked[::-1]
            said = said or asked
            said = [*said, *(name for name in names if name not in said)]  # words may be found for one, or for none
        return said[0], said[1]

    def _side_of(self, row, text, names, boxes, frame) -> str | None:
        a, b = self._pair(row, names)
        whole = row["answer"] if re.search(r"\b(left|right)\b", row["answer"]) else row["question"]
        way = re.search(r"\b(left|right)\b", whole)
        if way is None:
            return "no side"
        sign = -1 if way.group(1) == "left" else 1
        middle = {n: (boxes[n][0] + boxes[n][2]) / 2 for n in (a, b)}
        in_picture = sign * (middle[a] - middle[b]) > 0
        in_room = sign * (self.across(frame, a) - self.across(frame, b)) > 0
        return None if in_picture and in_room else f"{a} {way.group(1)} of {b}: {in_picture} {in_room}"

    def _order(self, row, names, frame) -> str | None:
        if row["task"].startswith("first"):
            a = self._first_said(row, names)
            b = next(n for n in names if n != a)
        else:
            a, b = self._pair(row, names)
        near, far = self.nearest(frame, a), self.nearest(frame, b)
        return None if near < far else f"{a} {near:.2f} m, {b} {far:.2f} m"

    def _taller(self, row, names) -> str | None:
        a, b = self._pair(row, names)
        one, other = (float(np.ptp(self.corners(n)[:, 2])) for n in (a, b))
        return None if one > other else f"{a} {one:.2f} m, {b} {other:.2f} m"

    def _upper(self, names: list[str]) -> str:
        return max(names, key=lambda n: self.corners(n)[:, 2].min())

    def _fit(self, task: str, names: list[str]) -> str | None:
        sizes = {n: sorted(2 * np.array(self.things[n]["obb"]["half_extents_m"])[:2]) for n in names}
        a, b = names[0], names[1]
        fits = all(x <= y for x, y in zip(sizes[a], sizes[b], strict=True))
        return None if fits == (task == "fits") else f"{sizes[a]} on {sizes[b]}"

    def _length(self, text: str, true: float) -> str | None:
        found = re.search(r"(\d+(?:\.\d+)?) (m|cm)\b", text)
        if found is None:
            return "no length"
        said = float(found.group(1)) * (1.0 if found.group(2) == "m" else 0.01)
        return None if abs(said - true) <= max(0.25, 0.2 * true) else f"said {said:.2f} m, true {true:.2f} m"


def _words_of(kind: str) -> list[str]:
    """The kind, other words for it, and what it is a sort of: a wall cabinet is a cabinet."""
    singular = kind.removesuffix("s") if not kind.endswith("ss") else kind  # a row of books is called a book
    return [kind, singular, *OTHER_WORDS.get(kind, ()), *([kind.split()[-1]] if " " in kind else [])]


OTHER_WORDS = {"fridge": ("refrigerator",), "tv": ("television",), "sofa": ("couch",), "nightstand": ("night stand",)}
COLOURS = {
    "black",
    "gray",
    "white",
    "red",
    "pink",
    "orange",
    "brown",
    "beige",
    "yellow",
    "green",
    "blue",
    "purple",
    "gold",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=float, default=2.0, help="views per second of the tour that may be chosen")
    parser.add_argument("--noise", type=float, default=0.0, help="metres, standard deviation of where boxes are")
    parser.add_argument("--show", type=int, default=20, help="print so many wrong rows")
    args = parser.parse_args()
    surfaces = Surfaces()
    times_s = np.arange(0.0, 74.7, 1.0 / args.fps).tolist()
    world = know_apartment(surfaces, times_s)
    rng = np.random.default_rng(0)
    objects = [_shift(one, args.noise, rng) for one in world.objects]
    looked = frozenset({one.category for one in objects if one.category} | set(INVENTED))
    options = RegionOptions(views=ViewCoverOptions(most=60))
    judge = Judge(surfaces, times_s)
    rooms = [(frame.index, judge.room_at(frame.index)) for frame in world.scene.frames]
    tour = Tour(
        world.scene,
        objects,
        world.observations,
        frame_rooms=[FrameRoom(frame, room, 1.0, room) for frame, room in rooms if room is not None],
        looked_for=looked,
        exact=args.noise == 0.0,
    )
    began = time.process_time()
    made = write_measured(tour, prepare_views(tour, options), options)
    took = time.process_time() - began
    rows = [(row, to_plain(row, Qar)) for row in made.rows]
    views = {view.id: to_plain(view, RegionView) for view in made.views}
    kept = [(row, plain) for row, plain in rows if row.accepted]
    print(f"views {len(views)}, rows {len(rows)}, kept {len(kept)}, pairs {len(made.pairs)}")
    cover = _tell_cover(world.objects, made.views)
    wrong: Counter[str] = Counter()
    shown: list[str] = []
    for _, plain in kept:
        why = judge.wrong(plain, views[plain["view"]])
        if why is not None:
            wrong[plain["task"]] += 1
            shown.append(f"  {plain['task']}: {plain['question']} | {plain['answer']} | {why}")
    judged = sum(plain["task"] != "use" for _, plain in kept)
    print(f"M4 true {1 - wrong.total() / max(judged, 1):.4f} of {judged} rows that can be judged; wrong {dict(wrong)}")
    for line in shown[: args.show]:
        print(line)
    per_view = Counter(row.view for row, _ in kept)
    counts = sorted(per_view.get(name, 0) for name in views)
    print(
        f"M4 kept per view: least {counts[0]}, median {counts[len(counts) // 2]}; "
        f"views under 6: {sum(count < 6 for count in counts)}"
    )
    print(f"M4 types {dict(Counter(row.type for row, _ in kept))}")
    rejected = len(rows) - len(kept)
    print(f"M5 own rows rejected {rejected / max(len(rows), 1):.3f}")
    cost_ms = 1000 * took / max(len(views), 1)
    print(f"M13 CPU per view {cost_ms:.0f} ms")
    write_table(
        "regions" if args.noise == 0.0 else f"regions_noise_{args.noise:g}",
        ("what", "figure"),
        [
            ("views, rows kept", f"{len(views)}, {len(kept)}"),
            ("things seen in 3 frames that are a region somewhere", f"{cover:.1%}"),
            ("true rows, by a judge that shares no code with the writer", f"{judged - wrong.total()} of {judged}"),
            ("rows per view: least, median", f"{counts[0]}, {counts[len(counts) // 2]}"),
            ("CPU per view", f"{cost_ms:.0f} ms"),
        ],
    )
    return 0


def _shift(thing: SceneObject, noise_m: float, rng: np.random.Generator) -> SceneObject:
    x, y, z = (float(value) for value in np.array(thing.obb.center) + rng.normal(0.0, noise_m, 3))
    room = thing.room.replace("_", " ") if thing.room else None
    return replace(thing, obb=replace(thing.obb, center=(x, y, z)), room=room)


def _tell_cover(objects, views) -> float:
    chosen = {region.object for view in views for region in view.regions}
    seen = [one.id for one in objects if len(one.frames) >= 3]
    share = sum(n in chosen for n in seen) / len(seen)
    print(f"M1 things seen in 3 frames that are a region somewhere: {share:.3f}")
    return share


if __name__ == "__main__":
    raise SystemExit(main())
