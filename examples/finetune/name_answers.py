"""Give the answers of `swift infer`, which keeps no ids, the ids of the rows that it was asked.

python examples/finetune/name_answers.py ROWS ANSWERS NAMED
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path


def name_answers(rows: Path, answers: Path, named: Path) -> None:
    """Write id and answer of each row, which come in the same order.

    Raises:
        SystemExit: If a row is missing among the answers, or another stands in its place.
    """
    asked, replies = ([json.loads(line) for line in file.open(encoding="utf-8")] for file in (rows, answers))
    lines = []
    for row, reply in zip(asked, replies, strict=False):
        if reply["labels"] != row["messages"][-1]["content"]:
            raise SystemExit(f"{answers}: line {len(lines) + 1} answers another row than {row['id']} of {rows}")
        lines.append(json.dumps({"id": row["id"], "answer": reply["response"]}, ensure_ascii=False) + "\n")
    if len(asked) != len(replies):
        raise SystemExit(f"{answers}: {len(replies)} answers to {len(asked)} rows of {rows}; ms-swift left rows out")
    named.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("rows", "answers", "named"):
        parser.add_argument(name, type=Path)
    name_answers(**vars(parser.parse_args()))
