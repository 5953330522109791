"""Whether anybody can answer spatial questions from their texts alone: the blind test and the balance over made homes.

    python benchmarks/blind_spatial.py [--homes 20] [--no-balance] [--uncapped height width volume vertical]

Each home is furnished by its seed (`benchmarks/made_homes.py`); its true boxes are asked about with the default caps,
and the balance of an export is taken over all homes. A forest guesses each type from template, names, categories and
options (the blind test of the card), and from the words of the question alone; folds are whole homes. Bars: words at
most 3 points above the most frequent answer, yes = no within 1 %, each option's letter and place within 2 % of even.
Few comparisons of sizes come through the caps: with `--uncapped` all that may be asked in these dimensions is judged,
and nothing else.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.asking.blind import BlindItem, BlindScore, guess_blind
from instructions.questions.core.options import ChoiceOptions, SpatialOptions
from instructions.questions.core.records import Question
from instructions.questions.quality.balance import blind_item, find_surplus, unseen_items, weigh
from instructions.questions.things.registry import THING_TYPES
from instructions.questions.writers.views import write_questions

MOST_ABOVE = 0.03
UNCAPPED = SpatialOptions(choice=ChoiceOptions(rows_per_view=0, rows_per_pair=0, again_m=0, halves=False))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=20)
    parser.add_argument("--no-balance", action="store_true", help="what the balance of an export is good for")
    parser.add_argument(
        "--uncapped", nargs="+", default=(), metavar="DIMENSION", help="judge all of these, and only these"
    )
    args = parser.parse_args()
    rows = ask_homes(range(args.homes), args.uncapped)
    gone = {} if args.no_balance else find_surplus(map(weigh, rows))
    kept = [row for row in rows if row.id not in gone]
    print(f"{args.homes} homes, {len(rows)} rows, {len(kept)} kept; left out: {dict(Counter(gone.values()))}")
    words = sum(row.form != "number" for row in kept)
    print(f"words {words}, numbers {len(kept) - words}")
    print_balance(kept)
    failed = 0
    answered = {(row.tour, row.group): row for row in rows if row.type != "unseen"}
    out_of_view = [row for row in kept if row.type == "unseen"]
    others = [row for row in kept if row.type != "unseen"]
    partners = [item for row in out_of_view for item in unseen_items(row, answered[row.tour, row.group])]
    named = [*map(blind_item, others), *partners]
    for title, items in (("names, template, options", named), ("words alone", [*map(word_item, others), *partners])):
        failed += print_scores(title, guess_blind(items))
    return 1 if failed else 0


def ask_homes(seeds: Sequence[int], uncapped: Sequence[str] = ()) -> list[Question]:
    """The rows of all homes; with `uncapped` all comparisons in these dimensions instead."""
    rows: list[Question] = []
    began = time.process_time()
    for seed in seeds:
        home = make_home(seed)
        options = UNCAPPED if uncapped else SpatialOptions()
        asked = write_questions(home.tour, options=options).rows
        rows += [row for row in asked if not uncapped or _compares(row, uncapped)]
    print(f"homes and rows in {time.process_time() - began:.0f} CPU-seconds")
    return rows


def _compares(row: Question, dimensions: Sequence[str]) -> bool:
    kind = THING_TYPES[row.type]
    return kind.has_twin and not kind.supposes and kind.dimension in dimensions


def word_item(row: Question) -> BlindItem:
    """A row as somebody reads it who sees its words and nothing of how it was made."""
    features: dict[str, str | float] = {f"word {word}": 1.0 for word in row.question.lower().strip("?.").split()}
    if row.choices:
        features["options"] = " / ".join(row.choices)
    truth = row.truth if isinstance(row.truth, int | float) else blind_item(row).answer
    return BlindItem(row.tour, row.type, features, truth)


def print_balance(rows: Sequence[Question]) -> None:
    """Yes against no, and where the right option stands."""
    answers = Counter(row.truth for row in rows if row.form == "yes_no")
    print(f"yes {answers['yes']}, no {answers['no']}, too close {answers['too close']}")
    for form in ("thing", "label"):
        places = Counter(row.correct for row in rows if row.form == form and row.correct is not None and row.choices)
        total = sum(places.values())
        print(f"{form}: right option first {places[0] / max(total, 1):.3f} of {total}")
    said = Counter((row.type, row.truth) for row in rows if row.form == "label" and row.family == "class")
    print("words of classes:", dict(sorted((f"{kind}: {word}", count) for (kind, word), count in said.items())))


def print_scores(title: str, scores: Sequence[BlindScore]) -> int:
    """A line per type; returns how many types of words are above their bar."""
    print(f"\nguessed from {title} (guess / most frequent or median)")
    failed = 0
    for score in scores:
        above = score.score - score.chance
        bad = not score.is_number and score.is_tested and above > MOST_ABOVE
        failed += bad
        kind = "MRA" if score.is_number else "   "
        few = "" if score.is_tested else "  (few)"
        mark = "  ABOVE THE BAR" if bad else ""
        print(f"  {score.kind:22s} {kind} {score.score:.3f} / {score.chance:.3f}  {score.rows:5d} rows{few}{mark}")
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
