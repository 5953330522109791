"""Runs in a copy of the project with the toy family: asks, exports, validates, scores, makes the table of the page."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from docs.generate.pages import fill
from instructions.questions.core.options import MarkOptions
from instructions.questions.writers.marks import write_mark_questions
from recon.records import Scene
from roomtour.export import RunData, export_runs, validate_export
from roomtour.scoring import score_answers
from tests.support.export.breaking import frames_on_disk
from tests.support.worlds.seen_points import make_seen_points

PLENTY = MarkOptions(rows_per_view=100)
"""Room for every type in each view."""


def main(out: Path) -> None:
    """Write what was found as JSON."""
    scene: Scene = make_seen_points(views=12)
    frames = frames_on_disk(out / "frames", 12, 640, 480)
    rows = [row for row in write_mark_questions(scene, options=PLENTY, not_asked=Counter()) if row.type == "toy_half"]
    run = RunData(scene, (), (), (), (), {"spatial": tuple(rows)}, frames, {})
    found: dict[str, object] = {"rows": len(rows), "docs": fill("<!-- generated: marktypes -->")}
    for name in ("messages", "llava", "hf", "vlmeval", "verl", "swift", "osprey", "spatialrgpt", "jsonl"):
        export_runs([run], name, out / name, kinds=("spatial",))
        found[name] = [str(problem) for problem in validate_export(out / name)]
    lines = [json.loads(line) for line in (out / "messages" / "train.jsonl").read_text().splitlines()]
    said = "".join(json.dumps({"id": row["id"], "answer": f"{row['solution']}!"}) + "\n" for row in lines)
    (out / "answers.jsonl").write_text(said)
    (report,) = score_answers(out / "answers.jsonl", out / "messages")
    found["exported"], found["figures"] = len(lines), report.figures["words"]
    (out / "found.json").write_text(json.dumps(found, default=str))


main(Path(sys.argv[1]))
