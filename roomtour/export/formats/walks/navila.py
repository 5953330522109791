"""Steps for NaVILA: the frames so far, the instruction, and the next move as a sentence."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from annotated_types import Gt, Le
from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, Text, must, there
from roomtour.export.core.format import ExportFormat, Loader, each_run
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import rows_of
from roomtour.export.core.walks.augment import AugmentOptions
from roomtour.export.core.walks.stepped_ways import collect_stepped_ways, copy_steps
from trajectories.actions import ActionOptions
from trajectories.records import Action
from trajectories.training import choose_balanced_steps

LOADER = Loader("NaVILA", "AnjieCheng/NaVILA", "76b98f2", "2025-08-19", "llava/data/dataset.py")
SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""Its evaluation takes steps of 25 cm and 15 degrees out of a sentence."""
MOST_AT_ONCE = 3
"""A sentence names up to 75 cm or 45 degrees; its evaluation knows no more."""
STOP = "I think I should stop because I have finished the instruction."
"""As in its own data; its evaluation looks for the word "stop"."""
ANNOTATIONS, FRAME = "{split}/annotations.json", "frame_{step}.jpg"

CONVENTION = """\
* `{split}/annotations.json`, one row per step and text: `frames` (all so far, the current one last, relative to the
  folder of the split, from which the loader takes some), `q` (the text) and `a` (the next move). In
  `llava/data/datasets_mixture.py` add a `Dataset` with `dataset_type="vlnce"`, `data_path` this file and `image_path`
  its folder.
* `a` joins up to three like actions: "The next action is move forward 25, 50 or 75 cm.", "turn left 15, 30 or 45
  degree.", the same to the right, or a sentence with "stop". Its evaluation reads these.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before."""


@dataclass(frozen=True, kw_only=True)
class NavilaOptions(AugmentOptions):
    """Options of the format."""

    max_forward_share: Annotated[float, Gt(0), Le(1)] = 1.0
    """Largest share of `forward` among the rows of a way; the others are drawn with the seed. 1 keeps all: nearly
    half of the steps of a tour are `forward`, and about nine of ten in a straight flat."""


def next_move(actions: Sequence[Action]) -> str:
    """The sentence for what is done next: the first action with those like it that follow at once."""
    action = actions[0]
    if action == "stop":
        return STOP
    count = next((k for k, other in enumerate(actions[:MOST_AT_ONCE]) if other != action), MOST_AT_ONCE)
    if action == "forward":
        return f"The next action is move forward {count * round(SIZES.forward_m * 100)} cm."
    return f"The next action is turn {action} {count * round(SIZES.turn_deg)} degree."


def _rows(run: RunData, ledger: Ledger, options: NavilaOptions) -> Iterator[dict[str, Any]]:
    for stepped in collect_stepped_ways(run, ledger, SIZES):
        draw = random.Random(f"{options.seed}/{stepped.way.id}")
        kept = choose_balanced_steps(stepped.actions, options.max_forward_share, draw)
        if len(kept) < len(stepped.actions):
            ledger.dropped["forward step without a row, to balance"] += len(stepped.actions) - len(kept)
        frames = [f"{stepped.way.id}/{FRAME.format(step=step)}" for step in range(len(stepped.actions))]
        for number, text in enumerate(stepped.way.texts):
            for step in kept:
                yield {
                    "video_id": f"{stepped.way.id}-{number}-{step}",
                    "q": text,
                    "a": next_move(stepped.actions[step:]),
                    "frames": frames[: step + 1],
                }
        copy_steps(run, stepped.frames, ledger.out / ledger.split / stepped.way.id, FRAME)


_MOVES = re.compile(
    r"The next action is (?:move forward (?:25|50|75) cm|turn (?:left|right) (?:15|30|45) degrees?)\."
    r"|(?!.*\bis (?:move|turn)\b).*\bstop\b.*",
    re.IGNORECASE,
)
"""What the evaluation reads an action from; "stop" is looked for first."""


def _are_in_order(frames: list[str]) -> bool:
    return frames == [f"{Path(frames[0]).parent}/{FRAME.format(step=step)}" for step in range(len(frames))]


class _Step(Row):
    key = "video_id"
    video_id: Id
    q: Text
    a: Annotated[str, must(lambda text: _MOVES.fullmatch(text) is not None, "a move that the evaluation reads")]
    frames: Annotated[
        list[Annotated[RelativePath, there()]],  # of a lost one the loader trains on black
        Field(min_length=1),
        must(_are_in_order, "all frames of one way up to the current one, in order"),
    ]


NAVILA = ExportFormat(
    name="navila",
    summary="the frames so far and the next move in words, a row per step",
    client=str(LOADER),
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=NavilaOptions,
    write=each_run(ANNOTATIONS, _rows, "ways", "steps", "rows"),
    tables={ANNOTATIONS: _Step},
    files=("*/*/frame_0.jpg",),
    rows=rows_of("*/annotations.json"),
)
