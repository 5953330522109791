"""Whether anybody can answer questions answered by programs from their texts alone, over made homes.

    python benchmarks/program_blind.py [--homes 20] [--first 0] [--no-balance]

Each home is furnished by its seed (`benchmarks/made_homes.py`); its true boxes are asked about with the default caps,
and the balance of an export is taken over all homes. A forest guesses each type from template, names, options and what
is asked for; folds are whole homes. Bars: at most 3 points above the most frequent answer (among rows whose question
offers the same answers); every letter and the labels of a direction within 2 points of even; the right option as long
as the others within 5 %. The views of a home stand anywhere, so what hangs on the order of time or on the walk is not
judged by this.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.blind_spatial import print_scores
from benchmarks.made_homes import make_home
from instructions.asking.blind import guess_blind
from instructions.questions.core.asker import Surroundings
from instructions.questions.core.records import Question
from instructions.questions.quality.balance import blind_item, find_surplus, weigh
from instructions.questions.writers.sets import write_questions


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first home, for homes that nobody looked at")
    parser.add_argument("--no-balance", action="store_true", help="what the balance of an export is good for")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="The number of unique classes")  # lists and orders are nearly all so
    asked = ask_homes(range(args.first, args.first + args.homes))
    gone = {} if args.no_balance else find_surplus(one for row in asked if (one := weigh(row)) is not None)
    rows = [row for row in asked if row.id not in gone]
    print(f"{args.homes} homes, {len(asked)} rows of {len({row.type for row in asked})} types, {len(rows)} kept")
    print(f"left out: {dict(Counter((row.type, gone[row.id]) for row in asked if row.id in gone))}")
    print_letters(rows)
    print_labels(rows)
    items = [blind_item(row) for row in rows]
    pooled = [replace(item, kind=item.kind.split(" ", 1)[1]) for item in items]
    return 1 if print_scores("by type, all media together", guess_blind(pooled)) else 0


def ask_homes(seeds: Sequence[int]) -> list[Question]:
    """The rows of all homes."""
    rows: list[Question] = []
    began = time.process_time()
    for seed in seeds:
        home = make_home(seed)
        around = {"0": Surroundings(floor_area=60.0 + seed)}
        written = write_questions(replace(home.tour, seed=seed), around)
        rows += written.rows
    print(f"homes and rows in {time.process_time() - began:.0f} CPU-seconds")
    return rows


def print_letters(rows: Sequence[Question]) -> None:
    """How often each letter is right, by number of options, and how long right options are beside the others."""
    places: dict[int, Counter[int]] = defaultdict(Counter)
    right, others = [], []
    for row in rows:
        if row.is_choice and row.correct is not None:
            places[len(row.choices)][row.correct] += 1
            right.append(len(row.choices[row.correct]))
            others.append(mean(len(text) for at, text in enumerate(row.choices) if at != row.correct))
    for count, found in sorted(places.items()):
        whole = sum(found.values())
        shares = ", ".join(f"{'ABCD'[at]} {found[at] / whole:.3f}" for at in range(count))
        print(f"{count} options, {whole} rows: {shares} (even {1 / count:.3f})")
    print(f"right options {mean(right):.1f} characters, others of the same row {mean(others):.1f}")


def print_labels(rows: Sequence[Question]) -> None:
    """How often each word is the answer, of types whose answer is one of a few."""
    said: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row.form in ("label", "yes_no"):
            pair = dict(row.given).get("word", "")
            said[f"{row.type} {pair}".strip()][str(row.truth)] += 1
    for name, found in sorted(said.items()):
        print(f"  {name}: {dict(sorted(found.items()))}")


if __name__ == "__main__":
    raise SystemExit(main())
