"""How many spatial questions about the made apartment are true, by a checker that shares no code with their writer.

    python benchmarks/spatial_truth.py [--fps 3] [--noise 0.1] [--show 20]

The writer gets the apartment's true boxes and what rays through every pixel show of them; all caps are off. The checker
reads the rows as JSON, recomputes every answer from `truth.json` and the trajectory, casts 100 rays per named thing,
counts how many things each phrase fits, and reads the answer's words. Prints shares, rows per CPU-second, and what was
wrong.
With `--noise`, every box is moved by so many metres (normal, each axis) and its error is found as on a real tour; then
the share of words that contradict the truth is printed, and that of numbers within two of their own sigmas.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from instructions.tour import Tour

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.views import write_questions
from instructions.records import SceneObject
from roomtour.files.records import to_plain
from tests.support.judges.spatial_checker import Checker
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces, know_apartment

UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=float, default=3.0, help="views per second of the tour")
    parser.add_argument("--show", type=int, default=20, help="print so many wrong rows")
    parser.add_argument("--noise", type=float, default=0.0, help="metres, standard deviation of where boxes are")
    args = parser.parse_args()
    surfaces = Surfaces()
    times_s = np.arange(0.0, 74.7, 1.0 / args.fps).tolist()
    world = know_apartment(surfaces, times_s, step_px=1)
    objects = [_shift_at_random(one, args.noise, rng) for rng in [np.random.default_rng(0)] for one in world.objects]
    began = time.process_time()
    written = write_questions(Tour(world.scene, objects, world.observations, exact=args.noise == 0.0), UNCAPPED)
    took = time.process_time() - began
    rows = [to_plain(row, Question) for row in written.rows]
    checker = Checker(TRUTH, surfaces, times_s)
    name = f"spatial_truth_noise_{args.noise:g}" if args.noise else "spatial_truth"
    if args.noise:
        write_table(name, ("what", "figure"), _tell_noisy(rows, checker))
        return 0
    verdicts = checker.judge(rows)
    print(f"views {len(times_s)}, rows {verdicts.rows}, types {len(verdicts.by_type)}")
    print(f"rows per CPU-second {verdicts.rows / took:.0f}")
    print(f"true {verdicts.true_share:.4%}; wrong: {dict(verdicts.wrong)}")
    right = round(verdicts.true_share * verdicts.rows)
    write_table(
        name,
        ("what", "figure"),
        [
            ("views", len(times_s)),
            ("true rows, by a checker that shares no code with the writer", f"{right} of {verdicts.rows}"),
            ("types of question", len(verdicts.by_type)),
            ("rows per CPU-second", f"{verdicts.rows / took:.0f}"),
        ],
    )
    for line in verdicts.examples[: args.show]:
        print(" ", line)
    print("rows by type:", dict(sorted(verdicts.by_type.items())))
    return 0


def _shift_at_random(thing: SceneObject, noise_m: float, rng: np.random.Generator) -> SceneObject:
    x, y, z = (float(value) for value in np.array(thing.obb.center) + rng.normal(0.0, noise_m, 3))
    return replace(thing, obb=replace(thing.obb, center=(x, y, z)))


def _tell_noisy(rows: list[dict[str, Any]], checker: Checker) -> list[tuple[str, str]]:
    words = [row for row in rows if row["form"] != "number"]
    wrong = [row for row in words if checker.contradicts(row)]
    numbers = [(row, checker.number(row)) for row in rows if row["form"] == "number"]
    near = [abs(row["measured"]["value"] - true) <= 2 * row["measured"]["sigma"] for row, true in numbers]
    print(f"words: {len(words)}, contradicting the truth {len(wrong) / max(len(words), 1):.2%}")
    print(f"numbers: {len(near)}, within two sigmas {np.mean(near):.1%}")
    return [
        ("answers in words that contradict the truth", f"{len(wrong)} of {len(words)}"),
        ("numbers within two of their own sigmas", f"{sum(near)} of {len(near)}"),
    ]


if __name__ == "__main__":
    raise SystemExit(main())
