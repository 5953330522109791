"""How many questions answered by programs about the made apartment are true, by a checker that shares no code.

    python benchmarks/program_truth.py [--fps 3] [--seeds 3] [--first 0] [--show 20]

The writer gets the apartment's true boxes and what rays against its surfaces show; caps are off, and every seed draws
other combinations of things, other sets of views and other words. The checker reads the rows as JSON, recomputes every
answer from `truth.json` and the trajectory with its own geometry, casts rays for what views show and when, counts how
many things each phrase fits, and reads answers and options. Prints shares, rows per CPU-second, what was wrong, and
how even letters and labels are.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.writers.sets import write_questions
from roomtour.files.records import to_plain
from tests.support.judges.program_checker import ProgramChecker
from tests.support.worlds.apartment_surfaces import TRUTH, Surfaces, know_apartment

UNCAPPED = ProgramOptions(choice=ProgramChoiceOptions(rows_per_image=0, rows_per_video=0, rows_per_type=0))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=float, default=3.0, help="views per second of the tour")
    parser.add_argument("--seeds", type=int, default=3, help="how many draws of combinations")
    parser.add_argument("--first", type=int, default=0, help="the first of these seeds, for one that nobody looked at")
    parser.add_argument("--show", type=int, default=20, help="print so many wrong rows")
    args = parser.parse_args()
    surfaces = Surfaces()
    times_s = np.arange(0.0, 74.7, 1.0 / args.fps).tolist()
    world = know_apartment(surfaces, times_s)
    began = time.process_time()
    rows = [
        row
        for seed in range(args.first, args.first + args.seeds)
        for row in write_questions(replace(world.tour, seed=seed), options=UNCAPPED).rows
    ]
    took = time.process_time() - began
    plain = [json.loads(json.dumps(to_plain(row, Question))) for row in rows]
    verdicts = ProgramChecker(TRUTH, surfaces, times_s).judge(plain)
    print(f"views {len(times_s)}, rows {verdicts.rows}, types {len(verdicts.by_type)}")
    print(f"rows per CPU-second {verdicts.rows / took:.0f}")
    print(f"true {verdicts.true_share:.4%}; wrong: {dict(verdicts.wrong)}")
    right = round(verdicts.true_share * verdicts.rows)
    write_table(
        "program_truth",
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
    letters = Counter((len(row.choices), row.correct) for row in rows if row.is_choice)
    print("letters by number of options:", dict(sorted(letters.items())))
    labels = Counter((row.type, str(row.truth)) for row in rows if row.form in ("label", "yes_no"))
    print("labels:", {f"{kind} {label}": count for (kind, label), count in sorted(labels.items())})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
