"""Steps for NaVILA: the frames so far, the instruction, and the next move as a sentence."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Gt, Le

from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.stepped_ways import SteppedWay, collect_stepped_ways, copy_steps
from roomtour.export.core.streams import JsonArrayWriter, split_folders
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
ANNOTATIONS, FRAME = "annotations.json", "frame_{step}.jpg"

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


def write(runs: Iterable[RunData], ledger: Ledger, options: NavilaOptions) -> None:
    """Write the rows of all tours, one tour at a time."""
    ledger.counts.update({"ways": 0, "steps": 0, "rows": 0})
    with ExitStack() as stack:
        files = {
            split: stack.enter_context(JsonArrayWriter(folder / ANNOTATIONS))
            for split, folder in split_folders(ledger.out, options.splits).items()
        }
        for run in runs:
            for stepped in collect_stepped_ways(run, ledger, SIZES):
                draw = random.Random(f"{options.seed}/{stepped.way.id}")
                kept = choose_balanced_steps(stepped.actions, options.max_forward_share, draw)
                if len(kept) < len(stepped.actions):
                    ledger.dropped["forward step without a row, to balance"] += len(stepped.actions) - len(kept)
                for row in _rows(stepped, kept):
                    files[ledger.split].add(row)
                    ledger.counts["rows"] += 1
                copy_steps(run, stepped.frames, ledger.out / ledger.split / stepped.way.id, FRAME)


def next_move(actions: Sequence[Action]) -> str:
    """The sentence for what is done next: the first action with those like it that follow at once."""
    action = actions[0]
    if action == "stop":
        return STOP
    count = next((k for k, other in enumerate(actions[:MOST_AT_ONCE]) if other != action), MOST_AT_ONCE)
    if action == "forward":
        return f"The next action is move forward {count * round(SIZES.forward_m * 100)} cm."
    return f"The next action is turn {action} {count * round(SIZES.turn_deg)} degree."


def _rows(stepped: SteppedWay, kept: Sequence[int]) -> Iterator[dict[str, Any]]:
    frames = [f"{stepped.way.id}/{FRAME.format(step=step)}" for step in range(len(stepped.actions))]
    for number, text in enumerate(stepped.way.texts):
        for step in kept:
            yield {
                "video_id": f"{stepped.way.id}-{number}-{step}",
                "q": text,
                "a": next_move(stepped.actions[step:]),
                "frames": frames[: step + 1],
            }
