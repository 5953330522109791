"""How many true texts the truth check rejects and how many false ones it catches, in wordings nobody tuned it on.

    python benchmarks/unseen_wordings.py [--part first|second|later|third|...|twelfth] [--show N]

`labels/unseen_wordings.json` holds walks of known truth and true and false texts about each, written by hand before the
reader's code or lexicon was opened. Every walk is judged as it is and mirrored (left and right change places in the
walk and in the words). Texts listed as `leaves_turns_out` tell rooms and things without the turns between, as the kinds
that name rooms may; they are judged as such. Parts: every second text (`first`, `second`), so that the reader could be
mended on one half only, texts written after the first half was mended, before the second was looked at (`later`), and
texts written before any of their own kind was judged: `third`, counted and mended on; `fourth`, counted and then mended
on; `fifth`, plain ones, only counted; `sixth`, as somebody giving directions says it, counted and then mended on;
`seventh`, more of these, written after that mending, counted, and two of its four faults mended; `eighth`, 300 in many
manners (curt, chatty, of a camera, of a goal, as a list), counted and then mended on; `ninth` and `tenth`, written
together before either was counted: `ninth` counted and mended on, `tenth` counted after that mending, then mended on;
`eleventh` and `twelfth`, written together in the manners of people who send a short message, chat, write formally or
write in a language they learned: `eleventh` counted and mended on, `twelfth` counted after that, then mended on.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))

from results_table import write_table
from truth_worlds import MadeWalk, observe_box, records_of, spans_of

from instructions.facts.walk import Walk
from instructions.facts.way import WayGeometry
from instructions.records import Obb, SceneObject
from instructions.truth.check import check_text
from recon.geometry import Camera, Pose

LABELS = Path(__file__).parent / "labels" / "unseen_wordings.json"
PARTS = ("first", "second", "later", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
PARTS += ("eleventh", "twelfth")
FPS = 3.0
SPEED_M_S = 0.8
TURN_DEG_S = 50.0
EYE_M = 1.5
SIGMA = 0.05
"""Of the scale, as a share: the walks are told as if a sensor had measured them, so that texts may give lengths."""
CAMERA = Camera("PINHOLE", 640, 480, (320.0, 320.0, 320.0, 240.0))
"""90 by 74 degrees: the wide lens of a phone, held so that things beside the way are seen before they are passed."""


@dataclass(frozen=True)
class Verdict:
    """What the check said of one text."""

    scenario: str
    text: str
    is_true: bool
    because: str | None
    """None where the check found no fault."""


def main() -> int:
    """Print the shares; 1 if too many true texts are rejected (3 %) or too few false ones caught (95 %)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, help="all texts if not given")
    parser.add_argument("--show", type=int, default=0, help="mistakes to print of each kind")
    args = parser.parse_args()
    verdicts = list(judge_all(args.part))
    console = Console(highlight=False)
    table = Table(title=f"Unseen wordings, part: {args.part or 'all'}")
    for column in ("texts", "wordings", "judged", "rejected", "share"):
        table.add_column(column, justify="left" if column == "texts" else "right")
    shares, rows = [], []
    for is_true in (True, False):
        mine = [one for one in verdicts if one.is_true == is_true]
        rejected = sum(one.because is not None for one in mine)
        shares.append(rejected / len(mine))
        name = "true" if is_true else "false"
        rows.append((name, str(len(mine) // 2), str(len(mine)), str(rejected), f"{shares[-1]:.1%}"))
        table.add_row(*rows[-1])
    console.print(table)
    write_table(f"unseen_wordings_{args.part or 'all'}", ("texts", "wordings", "judged", "rejected", "share"), rows)
    for is_true in (True, False):
        mistakes = [one for one in verdicts if one.is_true == is_true and (one.because is not None) == is_true]
        for one in mistakes[: args.show]:
            name = "true, rejected" if is_true else "false, accepted"
            console.print(f"[{name}; {one.scenario}] {one.text}\n    {one.because}", markup=False, soft_wrap=True)
    return int(shares[0] > 0.03 or shares[1] < 0.95)


def judge_all(part: str | None = None) -> Iterator[Verdict]:
    """The verdict on every text of a part, as it is and mirrored."""
    scenarios = json.loads(LABELS.read_text(encoding="utf-8"))["scenarios"]
    for scenario in scenarios:
        for mirror in (False, True):
            made = make_walk(scenario, mirror)
            walk = Walk.of(made.trajectory)
            objects = {thing.id: thing for thing in made.objects}
            model = made.scene.models[0]
            way = WayGeometry(
                walk, 0, len(walk.frames) - 1, model.nominal_metre, objects, made.rooms, length_sigma=SIGMA
            )
            for is_true in (True, False):
                for text in _texts(scenario, "true" if is_true else "false", part):
                    told = swap_sides(text) if mirror else text
                    must_tell = text not in scenario.get("leaves_turns_out", ())
                    because = check_text(told, way, must_tell_turns=must_tell).false_because
                    yield Verdict(scenario["name"], told, is_true, because)


def _texts(scenario: dict, which: str, part: str | None) -> list[str]:
    early = scenario[which]
    parts = {"first": early[::2], "second": early[1::2]}
    parts |= {name: scenario[f"{name}_{which}"] for name in PARTS[2:]}
    return [text for name, texts in parts.items() if part in (None, name) for text in texts]


def make_walk(scenario: dict, mirror: bool) -> MadeWalk:
    """The walk of a scenario with its things and rooms."""
    sign = -1.0 if mirror else 1.0
    by_frame = dict(enumerate((_pose(x, sign * y, sign * view) for x, y, view in _steps(scenario["moves"])), start=1))
    rooms = [(name, np.array([[x0, y0], [x1, y1]])) for name, x0, y0, x1, y1 in scenario["rooms"]]
    room_of = {frame: _room_at(pose.center[0], sign * pose.center[1], rooms) for frame, pose in by_frame.items()}
    objects, observations = [], []
    for number, (category, x, y, *size) in enumerate(scenario["things"]):
        half = (size[0] / 2, size[1] / 2, size[2] / 2)
        base = 1.2 if category == "painting" else 0.0
        box = Obb((x, sign * y, base + half[2]), half, ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
        found = list(observe_box(f"0_{number}", box, by_frame, CAMERA, 12.0))
        observations += found
        frames = tuple(one.frame for one in found)
        objects.append(SceneObject(f"0_{number}", "0", category, category, None, None, box, (), frames, False, "truth"))
    scene, trajectory = records_of(scenario["name"], CAMERA, by_frame)
    return MadeWalk(scenario["name"], scene, trajectory, tuple(objects), tuple(observations), spans_of(room_of))


def _steps(moves: Sequence[Sequence]) -> Iterator[tuple[float, float, float]]:
    """x, y and direction of view in radians, frame by frame."""
    x = y = heading = 0.0
    yield x, y, heading
    for kind, *numbers in moves:
        if kind in ("walk", "back"):
            count = max(1, round(numbers[0] / SPEED_M_S * FPS))
            along = numbers[0] / count * (1.0 if kind == "walk" else -1.0)
            for _ in range(count):
                x, y = x + along * math.cos(heading), y + along * math.sin(heading)
                yield x, y, heading
        elif kind in ("turn", "look"):
            count = max(1, round(abs(numbers[0]) / TURN_DEG_S * FPS))
            looks = np.radians(numbers[0]) * np.arange(1, count + 1) / count
            for turned in looks:
                yield x, y, heading + turned
            if kind == "look":
                for turned in [looks[-1]] * 2 + [*looks[-2::-1], 0.0]:
                    yield x, y, heading + turned
            else:
                heading += math.radians(numbers[0])
        else:
            radius, angle = numbers[0], math.radians(numbers[1])
            aside = math.radians(numbers[2]) if len(numbers) > 2 else 0.0
            count = max(1, round(radius * abs(angle) / SPEED_M_S * FPS))
            for _ in range(count):
                heading += angle / count / 2
                step = radius * abs(angle) / count
                x, y = x + step * math.cos(heading), y + step * math.sin(heading)
                heading += angle / count / 2
                yield x, y, heading + aside


def _pose(x: float, y: float, view: float) -> Pose:
    """world_from_cam of a level camera."""
    forward = np.array([math.cos(view), math.sin(view), 0.0])
    right = np.array([math.sin(view), -math.cos(view), 0.0])
    return Pose(np.stack([right, [0.0, 0.0, -1.0], forward], axis=1), np.array([x, y, EYE_M]))


def _room_at(x: float, y: float, rooms: Sequence[tuple[str, np.ndarray]]) -> str | None:
    for name, ((x0, y0), (x1, y1)) in rooms:
        if x0 <= x < x1 and y0 <= y < y1:
            return name
    return None


def swap_sides(text: str) -> str:
    """Left for right and clockwise for its opposite; `right in front` and `turn right around` mean no side."""
    other = {"left": "right", "right": "left", "clockwise": "counterclockwise"}
    other |= {"counterclockwise": "clockwise", "anticlockwise": "clockwise"}
    kept = re.compile(r"(?<!turn )right (?:in front|around and|angle)|(?<=, )right after the|(?<=turn )right around")
    parts: list[str] = []
    at = 0
    for found in kept.finditer(text):
        parts += [_swap(text[at : found.start()], other), found.group()]
        at = found.end()
    return "".join([*parts, _swap(text[at:], other)])


def _swap(text: str, other: dict[str, str]) -> str:
    def swap(match: re.Match[str]) -> str:
        word = other[match.group().lower()]
        return word.capitalize() if match.group()[0].isupper() else word

    return re.sub(r"\b(?:left|right|clockwise|counterclockwise|anticlockwise)\b", swap, text, flags=re.IGNORECASE)


if __name__ == "__main__":
    sys.exit(main())
