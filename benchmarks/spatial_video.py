"""Spatial questions from the made apartment's video against its truth.

    roomtour process examples/apartment.mp4 --out RUN
    python benchmarks/spatial_video.py RUN [--capped | --apart] [--show 20]

The rows are asked anew with all caps off (`--capped`: the run's own rows). The cameras of the run are laid onto the
true ones by the similarity that fits them best. Each thing of the run is matched to the true one whose box it overlaps
most: intersection over union of both boxes, each 5 cm larger on all sides, at least `--least`. A row whose things are
all matched is judged by the checker of `tests/support/judges/spatial_checker.py`, which shares no code with what writes
rows: words by the true boxes, numbers in true metres, the assumed scale's error being part of their sigma.
Most pairs are never asked about because a name fits several things, which says nothing about where they are: with
`--apart` each thing has a name of its own, and every other gate stays.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from instructions.tour import Tour

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.spatial_office import name_apart
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.views import write_questions
from recon.geometry import Sim3
from roomtour.files.records import to_plain
from roomtour.run import Run
from tests.support.judges.spatial_checker import Checker

TRUTH = Path(__file__).parents[1] / "examples" / "apartment_truth"
UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))
MARGIN_M = 0.05
SAMPLES = 4000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a finished run of examples/apartment.mp4")
    parser.add_argument("--capped", action="store_true", help="judge the rows of the run as they are")
    parser.add_argument("--apart", action="store_true", help="ask of all things, each under a name of its own")
    parser.add_argument("--least", type=float, default=0.1, help="overlap of a thing with its true one")
    parser.add_argument("--show", type=int, default=10, help="print so many rows that contradict the truth")
    args = parser.parse_args()
    run = Run(args.run)
    if args.capped:
        rows = list(run.rows("spatial"))
    else:
        seen = (run.objects, run.observations, run.detections)
        if args.apart:
            things = [replace(one, category=one.category or "landmark") for one in run.objects]
            seen = (*name_apart(things, run.observations), ())
        written = write_questions(Tour(run.scene, *seen), UNCAPPED)
        # What is out of view is told by names, which the boxes of the truth do not judge.
        rows = [row for row in written.rows if row.type != "unseen"]
    frames = sorted(frame.index for frame in run.scene.frames)
    times = {frame.index: frame.time_s for frame in run.scene.frames}
    checker = Checker(TRUTH, None, [times[frame] for frame in frames])
    number_of = {frame: number for number, frame in enumerate(frames, 1)}
    matched = match_things(run, checker, number_of, args.least)
    print(f"things {len(run.objects)}, matched to a true one {len(matched)}")
    judged = [told for row in rows if (told := _with_true_things(row, matched, number_of)) is not None]
    print(f"rows {len(rows)}, with all things matched {len(judged)}")
    _tell_words([row for row in judged if row["form"] != "number"], checker, args.show)
    _tell_numbers([row for row in judged if row["form"] == "number"], checker)
    return 0


def match_things(run: Run, checker: Checker, number_of: dict[int, int], least: float) -> dict[str, str]:
    """The true thing of each thing of the run that overlaps one."""
    true_boxes = {name: _Box.of(one["obb"]) for name, one in checker.things.items()}
    rng = np.random.default_rng(0)
    out: dict[str, str] = {}
    for model in run.scene.models:
        pairs = [(checker.cameras[number_of[f]][1:4], pose.center) for f, pose in model.world_from_cam.items()]
        true_from_model = Sim3.fit(*zip(*pairs, strict=True))
        off = [np.linalg.norm(true_from_model @ np.array(mine) - true) for true, mine in pairs]
        print(
            f"model {model.name}: scale of the run off by {true_from_model.scale:.3f}, cameras {np.median(off):.3f} m"
        )
        for thing in run.objects:
            if thing.model != model.name:
                continue
            mine = _Box(
                true_from_model @ np.array(thing.obb.center),
                true_from_model.rotation @ np.array(thing.obb.rotation),
                true_from_model.scale * np.array(thing.obb.half_extents),
            )
            overlaps = {name: mine.overlap(box, rng) for name, box in true_boxes.items() if mine.is_near(box)}
            best = max(overlaps, key=lambda name: overlaps[name], default=None)
            if best is not None and overlaps[best] >= least:
                out[thing.id] = best
    return out


@dataclass(frozen=True, eq=False)
class _Box:
    center: np.ndarray
    rotation: np.ndarray
    half: np.ndarray

    @staticmethod
    def of(obb: dict[str, Any]) -> _Box:
        return _Box(np.array(obb["center_m"]), np.array(obb["rotation"]), np.array(obb["half_extents_m"]))

    def is_near(self, other: _Box) -> bool:
        reach = np.linalg.norm(self.half) + np.linalg.norm(other.half) + 2 * MARGIN_M
        return bool(np.linalg.norm(self.center - other.center) <= reach)

    def overlap(self, other: _Box, rng: np.random.Generator) -> float:
        """Intersection over union, both boxes larger by the margin."""
        half, other_half = self.half + MARGIN_M, other.half + MARGIN_M
        points = self.center + (rng.uniform(-1, 1, (SAMPLES, 3)) * half) @ self.rotation.T
        inside = (np.abs((points - other.center) @ other.rotation) <= other_half).all(axis=1).mean()
        common = float(inside * np.prod(half))
        return common / (float(np.prod(half) + np.prod(other_half)) - common)


def _with_true_things(row: Question, matched: dict[str, str], number_of: dict[int, int]) -> dict[str, Any] | None:
    """A row as plain values about true things; None where one is not known, or both are the same."""
    plain = to_plain(row, Question)
    names = [matched.get(one["object"]) for one in plain["references"]]
    if None in names or len(set(names)) < len(names):
        return None
    plain["truth"] = matched.get(plain["truth"], plain["truth"])
    plain["views"] = [number_of[plain["views"][0]]]
    for one, name in zip(plain["references"], names, strict=True):
        one["object"] = name
    return plain


def _tell_words(rows: list[dict[str, Any]], checker: Checker, show: int) -> None:
    wrong = [row for row in rows if checker.contradicts(row)]
    print(f"words: {len(rows)}, contradicting the truth {len(wrong)} ({len(wrong) / max(len(rows), 1):.1%})")
    print("  by type:", dict(Counter(row["type"] for row in wrong)))
    for row in wrong[:show]:
        names = [one["object"] for one in row["references"]]
        margin = {one["name"]: round(one["value"], 2) for one in row["evidence"]}
        print(f"  frame {row['views'][0]} {row['type']}: {row['question']} | {row['answer']} | {names} {margin}")


def _tell_numbers(rows: list[dict[str, Any]], checker: Checker) -> None:
    """Within two of their own sigmas, and how far off."""
    told = [(row, checker.number(row)) for row in rows]
    near = [abs(row["measured"]["value"] - true) <= 2 * row["measured"]["sigma"] for row, true in told]
    off = [abs(row["measured"]["value"] - true) / true for row, true in told if np.isfinite(true) and true > 0]
    print(f"numbers: {len(told)}, within two sigmas {np.mean(near):.1%}, median error {np.median(off):.1%}")
    for kind in sorted({row["type"] for row in rows}):
        mine = [good for (row, _), good in zip(told, near, strict=True) if row["type"] == kind]
        print(f"  {kind:22s} {len(mine):5d} rows, within two sigmas {np.mean(mine):.1%}")


if __name__ == "__main__":
    raise SystemExit(main())
