"""Talks that take several measures as chat messages in which each measure is the call of a tool."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from instructions.questions.thinking.records import ThinkingTalk, Turn
from roomtour.export.core.conversations import IMAGE_TOKEN, image_of, plain
from roomtour.export.core.images import copy_frames
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData

CONVENTION = """\
* `tool_calls_{split}.jsonl`: `messages`, `tools`, `images` (relative to this folder), and beside them `solution` (the
  truth), `type`, `tour`, `scale_status`. The assistant calls the tool `measure` (arguments as an object: `measure` and
  `things`), the role `tool` gives the numbers in metres, two decimals; the last message answers.
* Only talks whose answer is the truth are in it; turns in which nothing was measured are left out."""
TOOL = "measure"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": TOOL,
            "description": "Measure something of the things in the picture, in metres.",
            "parameters": {
                "type": "object",
                "properties": {
                    "measure": {"type": "string", "description": "what to measure, such as distance or height"},
                    "things": {"type": "array", "items": {"type": "string"}, "description": "one or two things"},
                },
                "required": ["measure", "things"],
            },
        },
    }
]


@dataclass(frozen=True, kw_only=True)
class ToolCallsOptions(ExportOptions):
    """Options of the format."""

    copy_images: bool = True
    """Copy the frames that are used to `images/`, about 40 kB each."""


def file_name(split: str) -> str:
    """The file of a split."""
    return f"tool_calls_{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: ToolCallsOptions) -> None:
    """Write the talks of all tours, one tour at a time."""
    ledger.counts.update({"talks": 0})
    splits = options.splits
    with ExitStack() as stack:
        files = {
            split: stack.enter_context((ledger.out / file_name(split)).open("w", encoding="utf-8")) for split in splits
        }
        for run in runs:
            kept = [talk for talk in run.thinking if talk.accepted]
            for talk in kept:
                row = json.dumps(_row(run, talk), ensure_ascii=False, allow_nan=False)
                files[ledger.split].write(row + "\n")
                ledger.counts["talks"] += 1
            rejected = len(run.thinking) - len(kept)
            if rejected:
                ledger.dropped["talk was rejected"] += rejected
            if options.copy_images and kept:
                copy_frames(run, sorted({talk.views[0] for talk in kept}), ledger.out / "images" / run.scene.id)


def _row(run: RunData, talk: ThinkingTalk) -> dict[str, object]:
    phrase_of = {one.object: f"{one.phrase} {one.clause}" if one.clause else one.phrase for one in talk.references}
    messages: list[dict[str, object]] = [{"role": "user", "content": IMAGE_TOKEN + plain(talk.question)}]
    for turn in talk.turns:
        if turn.measured:
            messages += _call(turn, phrase_of)
    messages.append({"role": "assistant", "content": plain(f"{talk.conclusion} {talk.answer}".strip())})
    return {
        "id": talk.id,
        "messages": messages,
        "tools": TOOLS,
        "images": [f"images/{image_of(run, talk.views[0])}"],
        "solution": plain(phrase_of.get(talk.truth, talk.truth)),
        "type": talk.puzzle,
        "tour": run.scene.id,
        "scale_status": talk.scale_status,
    }


def _call(turn: Turn, phrase_of: dict[str, str]) -> list[dict[str, object]]:
    arguments = {"measure": turn.measured[0].name, "things": [plain(phrase_of[name]) for name in turn.about]}
    call = {"type": "function", "function": {"name": TOOL, "arguments": arguments}}
    numbers = ", ".join(f"{one.value:.2f}" for one in turn.measured)
    return [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "name": TOOL, "content": f"{numbers} m"},
    ]
