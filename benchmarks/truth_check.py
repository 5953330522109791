"""How well the truth check tells true texts from lies: texts in wordings it does not share, and lies made on purpose.

    python benchmarks/truth_check.py [--run RUN] [--show 5] [--wordings tuned|second|fresh|all]

Ways: the made apartment by its truth (walked, mirrored, backwards; ways of three lengths), random walks among boxes,
and with `--run` what the pipeline found in a finished run. A lie counts only if it is one: swapped things are judged by
frames and object ids, without words. Prints how many lies of each kind were caught, and how many true texts rejected.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from truth_facts import counts_of, facts_of, lies_of, tell
from truth_wordings import FRESH, SECOND, TUNED, Wording
from truth_worlds import MadeWay, apartment_walks, box_walks, make_ways, plan_options, run_walks

from instructions.truth.check import check_text

WAY_LENGTHS_S = (9.0, 14.0, 20.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, help="a finished run folder, judged by its own reconstruction")
    parser.add_argument("--boxes", type=int, default=40, help="random walks among boxes")
    parser.add_argument("--show", type=int, default=0, help="print so many wrong verdicts of each kind")
    parser.add_argument("--wordings", choices=("tuned", "second", "fresh", "all"), default="all")
    args = parser.parse_args()
    ways = list(chain(_apartment_ways(), _box_ways(args.boxes), _run_ways(args.run)))
    sets = {"tuned": TUNED, "second": SECOND, "fresh": FRESH}
    ok = True
    for name in sets if args.wordings == "all" else [args.wordings]:
        ok &= _measure(name, sets[name], ways, args.show)
    return 0 if ok else 1


def _apartment_ways() -> Iterator[MadeWay]:
    for walk in apartment_walks():
        for length_s in WAY_LENGTHS_S:
            yield from make_ways(walk, plan_options(length_s))


def _box_ways(count: int) -> Iterator[MadeWay]:
    for walk in box_walks(count):
        yield from make_ways(walk, plan_options(14.0))


def _run_ways(folder: Path | None) -> Iterator[MadeWay]:
    if folder is not None:
        for walk in run_walks(folder):
            for length_s in WAY_LENGTHS_S:
                yield from make_ways(walk, plan_options(length_s))


def _measure(name: str, wordings: tuple[Wording, ...], ways: list[MadeWay], show: int) -> bool:
    told, rejected = 0, 0
    lies: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    shown: dict[str, list[str]] = defaultdict(list)
    for number, made in enumerate(ways):
        facts = facts_of(made)
        if not any(fact.key in ("walk", "turn", "around", "slight", "circle") for fact in facts):
            continue
        for wording in wordings:
            seed = f"{number}/{wording.name}"
            counts = counts_of(made)
            counted = random.Random(seed).choice(counts) if counts else None
            text = tell(facts, wording, random.Random(seed), counted)
            verdict = check_text(text, made.geometry).false_because
            told += 1
            if verdict is not None:
                rejected += 1
                shown["true text rejected"].append(f"{text}\n      {verdict}")
            for lie in lies_of(made, facts, random.Random(seed)):
                false = tell(lie.facts, wording, random.Random(seed), lie.count)
                verdict = check_text(false, made.geometry).false_because
                lies[lie.how] += 1
                if verdict is not None:
                    caught[lie.how] += 1
                else:
                    shown[lie.how].append(f"{false}\n      (true: {text})")
    console = Console(highlight=False)
    table = Table(title=f"Truth check, wordings {name!r}: {len(ways)} ways")
    for column in ("texts", "number", "rejected", "share"):
        table.add_column(column, justify="left" if column == "texts" else "right")
    table.add_row("true", str(told), str(rejected), f"{rejected / told:.1%}", end_section=True)
    for how, count in sorted(lies.items()):
        table.add_row(f"lie: {how}", str(count), str(caught[how]), f"{caught[how] / count:.1%}")
    total, found = sum(lies.values()), sum(caught.values())
    table.add_row("all lies", str(total), str(found), f"{found / total:.1%}")
    console.print(table)
    for kind, examples in shown.items():
        picked = random.Random(0).sample(examples, min(show, len(examples)))
        for example in picked:
            console.print(f"  [{kind}] {example}", markup=False, soft_wrap=True)
    return found / total >= 0.95 and rejected / told <= 0.02


if __name__ == "__main__":
    raise SystemExit(main())
