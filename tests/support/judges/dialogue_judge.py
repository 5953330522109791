"""A judge of dialogues about the made apartment: rows as JSON, `truth.json` and rays, none of their writer's code."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from tests.support.judges.cloud_judge import judge_cloud
from tests.support.judges.views_judge import judge_views
from tests.support.worlds.apartment_surfaces import Surfaces

STEP = 4
SEEN = 4
"""Rays of the grid that must meet a thing for it to be seen."""
WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
PLURALS = {"shelves": "shelf", "bookshelves": "bookshelf"}


@dataclass(eq=False)
class Seen:
    """A view by rays: which thing each meets, and how far away."""

    owner: NDArray[np.int64]  # (h, w) place in `ids`, -1 for the shell
    range_m: NDArray[np.float64]  # (h, w)
    eye: NDArray[np.float64]
    right: NDArray[np.float64]

    def mask(self, thing: int) -> NDArray[np.bool_]:
        return self.owner == thing

    def box(self, thing: int) -> tuple[float, float, float, float]:
        rows, columns = np.nonzero(self.mask(thing))
        height, width = self.owner.shape
        return columns.min() / width, rows.min() / height, (columns.max() + 1) / width, (rows.max() + 1) / height

    def near(self, thing: int) -> float:
        return float(self.range_m[self.mask(thing)].min())


@dataclass
class Judge:
    """Judges turns one by one."""

    truth_folder: Path
    surfaces: Surfaces
    times_s: Sequence[float]
    verdicts: Counter[tuple[str, bool | None]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    @cached_property
    def truth(self) -> dict[str, Any]:
        return json.loads((self.truth_folder / "truth.json").read_text(encoding="utf-8"))

    @cached_property
    def things(self) -> list[dict[str, Any]]:
        return self.truth["objects"]

    @cached_property
    def _poses(self) -> NDArray[np.float64]:
        poses = np.loadtxt(self.truth_folder / "trajectory.tum")
        rows = np.clip(np.searchsorted(poses[:, 0], np.asarray(self.times_s) - 1e-3), 0, len(poses) - 1)
        return poses[rows]

    def view(self, frame: int) -> Seen:
        """Cast a ray through every fourth pixel of a frame."""
        if frame not in self._views:
            pose = self._poses[frame - 1]
            turn = Rotation.from_quat(pose[4:8]).as_matrix()
            camera = self.truth["camera"]
            u, v = np.meshgrid(np.arange(2, self.truth["width"], STEP), np.arange(2, self.truth["height"], STEP))
            rays = np.stack(
                [(u - camera["cx"]) / camera["fx"], (v - camera["cy"]) / camera["fy"], np.ones(u.shape)], axis=-1
            )
            rays = rays.reshape(-1, 3) @ turn.T
            geoms, lengths = self.surfaces.first_hits(pose[1:4].copy(), rays)
            place = {one["id"]: number for number, one in enumerate(self.things)}
            names = [place.get(self.surfaces.names[geom], -1) if geom >= 0 else -1 for geom in geoms]
            away = np.where(lengths < 0, np.inf, lengths * np.linalg.norm(rays, axis=1))
            flat = turn[:, 0] * (1, 1, 0)
            self._views[frame] = Seen(
                np.array(names).reshape(u.shape), away.reshape(u.shape), pose[1:4], flat / np.linalg.norm(flat)
            )
        return self._views[frame]

    @cached_property
    def _views(self) -> dict[int, Seen]:
        return {}

    def judge(self, row: Mapping[str, Any]) -> None:
        """Count every turn of a row as true, false or not judged."""
        for number, turn in enumerate(row["turns"]):
            kind = row["task"] or row["templates"][number].split("/")[0]
            try:
                found = self._judge_turn(row, turn, kind)
                told = None if found is None else bool(found)
            except (IndexError, ValueError, KeyError) as error:
                told = None if isinstance(error, KeyError) else False
            self.verdicts[kind, told] += 1
            if told is False:
                self.wrong.append(f"{row['views'] or row['cloud']} {kind}: {turn['question']} -> {turn['answer']}")

    def shares(self) -> tuple[float, int, int]:
        """Share of judged turns that are true, how many were judged, and how many were not."""
        true = sum(count for (_, told), count in self.verdicts.items() if told)
        false = sum(count for (_, told), count in self.verdicts.items() if told is False)
        return true / max(true + false, 1), true + false, sum(self.verdicts.values()) - true - false

    # Names

    def _of(self, words: str) -> list[int]:
        """Things that a phrase may mean: its longest ending that is a category, and a colour before it."""
        plain = re.sub(
            r"^(?:the|an?|one|two|three|four|five|six|seven|eight|nine|ten)\s+", "", words.strip().lower().rstrip(".")
        )
        for start in range(len(plain.split())):
            noun = " ".join(plain.split()[start:])
            colors = plain.split()[:start]
            for name in (noun, PLURALS.get(noun, noun.removesuffix("s")), noun.removesuffix("es")):
                found = [n for n, one in enumerate(self.things) if one["category"] == name]
                found = [n for n in found if all(color in self.things[n]["color"].split() for color in colors)]
                if found:
                    return found
        raise KeyError(words)

    def _seen(self, view: Seen, words: str, least: int = SEEN) -> list[int]:
        return [n for n in self._of(words) if view.mask(n).sum() >= least]

    def _one(self, view: Seen, words: str) -> int:
        """The one thing that a phrase means here: the one seen, and by far the largest where slivers of others show."""
        found = sorted(self._seen(view, words), key=lambda n: -view.mask(n).sum())
        if not found:
            raise ValueError(words)
        if len(found) > 1 and view.mask(found[1]).sum() > 0.1 * view.mask(found[0]).sum():
            raise ValueError(f"two fit {words}")
        return found[0]

    # Turns

    def _judge_turn(self, row: Mapping[str, Any], turn: Mapping[str, Any], kind: str) -> bool | None:
        if not row["views"]:
            return judge_cloud(self, row, turn, kind)
        if len(row["views"]) > 1:
            return judge_views(self, row, turn, kind)
        view = self.view(row["views"][0])
        question, answer = turn["question"], turn["answer"]
        boxes = [tuple(map(float, one.split(","))) for one in re.findall(r"\[([\d., ]+)\]", answer)]
        asked = [tuple(map(float, one.split(","))) for one in re.findall(r"\[([\d., ]+)\]", question)]
        named = [one["name"] for one in row["boxes"]]
        if kind == "detect":
            said = [part["name"] for part in row["truth"]["objects"]]
            fits = [
                any(_iou(view.box(n), box) >= 0.5 for n in self._seen(view, name))
                for name, box in zip(said, boxes, strict=True)
            ]
            spoken = all(name in answer for name in said)
            return all(fits) and spoken and all(self._fits_count(view, name, said.count(name)) for name in set(said))
        if kind in ("ground", "locate"):
            phrase = _phrase(question, named[0])
            thing = self._one(view, phrase)
            if kind == "ground":
                return _iou(view.box(thing), boxes[0]) >= 0.5
            height, width = view.owner.shape
            x, y = boxes[0]
            near = view.owner[
                max(0, int(y * height) - 1) : int(y * height) + 2, max(0, int(x * width) - 1) : int(x * width) + 2
            ]
            return bool((near == thing).any())
        if kind == "classify_thing":
            height, width = view.owner.shape
            x0, y0, x1, y1 = (int(value * side) for value, side in zip(asked[0], (width, height) * 2, strict=True))
            inside = view.owner[y0 : y1 + 1, x0 : x1 + 1]
            best = Counter(int(n) for n in inside.ravel() if n >= 0).most_common(1)[0][0]
            return self.things[best]["category"] == row["truth"]["label"] and row["truth"]["label"] in answer
        if kind == "classify_view":
            return self._room(view) in answer
        if kind == "count" or kind == "talk.count":
            word = next(one for one in re.findall(r"[a-z]+", answer.lower()) if one in WORDS)
            noun = re.search(rf"\b{word} ([a-z ]+?)(?: (?:in|are|is|can|here)\b|\.|$)", answer.lower())
            return self._fits_count(view, noun.group(1), WORDS.index(word)) if noun else False
        if kind == "presence":
            kindred = row["truth"]
            noun = next(one for one in self._nouns(question))
            seen = self._seen(view, noun, 1)
            clear = [n for n in seen if view.mask(n).sum() >= SEEN]
            said = answer.lower().startswith("yes")
            return bool(clear) if said else not clear and kindred["label"] == "no"
        if kind == "choice":
            choices, right = row["truth"]["choices"], row["truth"]["correct"]
            if f"({chr(65 + right)})" not in answer or choices[right] not in answer:
                return False
            if "nearest" in question:
                ranges = [view.near(self._one(view, one)) for one in choices]
                return int(np.argmin(ranges)) == right
            return [bool(self._seen_or_none(view, one)) for one in choices] == [n == right for n in range(len(choices))]
        if kind == "knowledge":
            return all(bool(self._seen(view, name)) for name in named)
        if kind == "length":
            (phrase,) = re.findall(r"how (?:far away|high) (the .+?) (?:is|are)\b", question)
            thing = self._one(view, phrase)
            low, high = self._box_of(thing)
            true = view.near(thing) if "far away" in question else float(high[2] - low[2])
            if said := re.search(r"about (\d+) centimeters", answer):
                return abs(int(said.group(1)) / 100 - true) <= max(0.06, 0.12 * true)
            return self._fits_length(answer, true)
        if kind == "description":
            return self._judge_description(view, answer)
        return self._judge_talk(row, view, question, answer, kind)

    def _judge_talk(self, row: Mapping[str, Any], view: Seen, question: str, answer: str, kind: str) -> bool | None:
        if kind == "talk.what":
            return all(bool(self._seen(view, noun)) for noun in self._nouns(answer))
        if kind == "talk.area":
            side = next(one for one in ("left", "middle", "right") if f"the {one}" in question)
            words = re.sub(r"^(?:I see|There (?:is|are)|I can make out) | there\.$|\.$", "", answer)
            return self._fits_side(view, words, side)
        pair = self._phrases(question) or self._phrases(answer)
        both = list(dict.fromkeys([*pair, *self._phrases(answer)]))
        if kind == "talk.where":
            side = next(one for one in ("left", "middle", "right") if f"the {one}" in answer)
            x0, _, x1, _ = view.box(self._one(view, pair[0]))
            return (
                (x0 + x1) / 2 < 0.40
                if side == "left"
                else (x0 + x1) / 2 > 0.60
                if side == "right"
                else 0.26 < (x0 + x1) / 2 < 0.74
            )
        if kind in ("talk.nearer", "talk.reach_first"):
            first = self._phrases(answer)[0]
            other = next(one for one in pair if one != first)
            return view.near(self._one(view, first)) < view.near(self._one(view, other))
        if kind == "talk.side":
            a, b = pair[:2]
            if question.startswith("On which side of"):
                a, b = b, a
            if question.startswith("Seen from here"):
                a, b = b, a
            x = [np.mean(np.nonzero(view.mask(self._one(view, one)))[1]) for one in (a, b)]
            return (x[0] < x[1]) == ("left" in answer)
        if kind == "talk.on":
            a, b = (self._box_of(self._one(view, one)) for one in both[:2])
            upper, lower = (a, b) if a[0][2] > b[0][2] else (b, a)
            return bool(abs(upper[0][2] - lower[1][2]) < 0.12)
        if kind == "talk.where_by":
            a, b = (self._box_of(self._one(view, one)) for one in both[:2])
            apart = np.maximum(np.maximum(a[0] - b[1], b[0] - a[1]), 0.0)
            return bool(np.linalg.norm(apart) <= 0.55)
        if kind == "talk.larger":
            first = self._phrases(answer)[0]
            other = next(one for one in pair if one != first)
            tall = [high[2] - low[2] for low, high in (self._box_of(self._one(view, one)) for one in (first, other))]
            return bool(tall[0] > tall[1])
        if kind == "talk.arm":
            return self._fits_length(answer, view.near(self._one(view, both[0])))
        if kind == "talk.seated":
            top = self._box_of(self._one(view, both[0]))[1][2]
            return bool(top > 1.2) if "could not" in answer else bool(top < 1.2)
        return None

    def _judge_description(self, view: Seen, answer: str) -> bool:
        for sentence in re.split(r"(?<=\.)\s+", answer):
            side = re.match(r"(?:On|In) the (left|middle|right) of the view (?:is|are) (.+)\.", sentence)
            link = re.match(r"(The .+?) (?:is|are|stands?) (on|next to|in front of) (the .+)\.", sentence)
            most = re.match(r"Nearest to us is (the .+)\.|Of these, (the .+) is the nearest\.", sentence)
            far = re.match(r"(The .+) is the furthest away(?:, about (.+) from where we stand)?\.", sentence)
            if side:
                if not self._fits_side(view, side.group(2), side.group(1)):
                    return False
            elif link and link.group(2) != "in front of":
                a, b = (self._box_of(self._one(view, link.group(n))) for n in (1, 3))
                apart = np.linalg.norm(np.maximum(np.maximum(a[0] - b[1], b[0] - a[1]), 0.0))
                if apart > 0.55 or (link.group(2) == "on" and abs(a[0][2] - b[1][2]) > 0.12):
                    return False
            elif most:
                self._one(view, most.group(1) or most.group(2))
            elif far:
                if far.group(2) and not self._fits_length(far.group(2), view.near(self._one(view, far.group(1)))):
                    return False
            elif re.match(r"(?:One can see|In sight (?:is|are)|It holds) ", sentence):
                for noun in self._nouns(re.sub(r", as far as.*", ".", sentence)):
                    count = re.match(r"(one|two|three|four|five|six|seven|eight) ", noun)
                    if not self._seen(view, noun) or (
                        count and not self._fits_count(view, noun, WORDS.index(count.group(1)))
                    ):
                        return False
        return True

    def _fits_side(self, view: Seen, words: str, side: str) -> bool:
        """Whether of each noun of a list something is on a side of the picture."""
        low, high = {"left": (0, 0.40), "middle": (0.26, 0.74), "right": (0.60, 1)}[side]
        for noun in re.split(r", | and ", words):
            middles = [(view.box(n)[0] + view.box(n)[2]) / 2 for n in self._seen(view, noun)]
            if not any(low <= middle <= high for middle in middles):
                return False
        return True

    # Measures

    def _box_of(self, thing: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        obb = self.things[thing]["obb"]
        reach = np.abs(np.array(obb["rotation"])) @ np.array(obb["half_extents_m"])
        return np.array(obb["center_m"]) - reach, np.array(obb["center_m"]) + reach

    def _fits_count(self, view: Seen, words: str, count: int) -> bool:
        """Between what is plainly there and what shows at all."""
        sizes = [int(view.mask(n).sum()) for n in self._of(words)]
        return sum(size >= 60 for size in sizes) <= count <= sum(size >= 2 for size in sizes)

    def _fits_length(self, words: str, value: float) -> bool:
        table = {"half a meter": 0.5, "one meter": 1.0, **{f"{word} meters": n for n, word in enumerate(WORDS)}}
        table |= {f"{word} and a half meters": n + 0.5 for n, word in enumerate(WORDS)}
        table |= {f"{number} meters": float(number) for number in re.findall(r"\b(\d+) meters", words)}
        said = max((words.rfind(one), len(one), size) for one, size in table.items() if one in words)[2]
        return abs(said - value) <= max(0.3, 0.2 * value)

    def _room(self, view: Seen) -> str:
        away = []
        for room in self.truth["rooms"]:
            corners = np.array(room["polygon_m"])
            away.append(
                np.linalg.norm(np.maximum(np.maximum(corners.min(0) - view.eye[:2], view.eye[:2] - corners.max(0)), 0))
            )
        return self.truth["rooms"][int(np.argmin(away))]["label"]

    def _seen_or_none(self, view: Seen, words: str) -> list[int]:
        try:
            return self._seen(view, words)
        except KeyError:
            return []

    def _nouns(self, text: str) -> list[str]:
        """Everything in a text that is called by a category of the apartment, with the word before it."""
        names = sorted({one["category"] for one in self.things}, key=len, reverse=True)
        plural = {name: f"{name}s?|{name}es|{name[:-1]}ves" for name in names}
        pattern = "|".join(rf"(?:\w+ )?(?:{plural[name]})" for name in names)
        return [match.group() for match in re.finditer(rf"\b(?:{pattern})\b", text.lower())] or [text]

    def _phrases(self, text: str) -> list[str]:
        names = sorted({one["category"] for one in self.things}, key=len, reverse=True)
        return [match.group() for match in re.finditer(rf"\bthe (?:\w+ ){{0,2}}?(?:{'|'.join(names)})\b", text.lower())]


def _phrase(question: str, name: str) -> str:
    found = re.search(rf"the (?:\w+ ){{0,2}}?{re.escape(name)}\b", question)
    return found.group() if found else name


def _iou(one: Sequence[float], other: Sequence[float]) -> float:
    width, height = (min(one[n + 2], other[n + 2]) - max(one[n], other[n]) for n in (0, 1))
    if min(width, height) <= 0:
        return 0.0
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (one, other)]
    return width * height / (sum(areas) - width * height)
