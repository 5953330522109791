"""Ways for StreamVLN: actions with a frame for each."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass

from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.stepped_ways import collect_stepped_ways, copy_steps
from roomtour.export.core.streams import JsonArrayWriter, split_folders
from trajectories.actions import ActionOptions

LOADER = Loader(
    "StreamVLN", "InternRobotics/StreamVLN", "e48f6ff", "2025-11-02", "streamvln/dataset/vln_action_dataset.py"
)
SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""The prompt of the loader says so."""
LEAST_STEPS = 4
"""The loader skips ways with fewer actions."""
ANNOTATIONS, RGB = "annotations.json", "rgb"

CONVENTION = """\
* `{split}/annotations.json`, one way per item; give the folders of the splits to `--video_folder`, joined by commas.
* `actions`: 0 stop, 1 forward 25 cm, 2 left 15 degrees, 3 right 15 degrees. `actions[i]` led to frame i, the first is
  -1, and the loader adds the stop. There are as many frames as actions.
* `{split}/{video}/rgb/` holds the frames in order; `source_frames` are their numbers in the run.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before."""


@dataclass(frozen=True, kw_only=True)
class StreamVlnOptions(AugmentOptions):
    """Options of the format."""


def write(runs: Iterable[RunData], ledger: Ledger, options: StreamVlnOptions) -> None:
    """Write the ways of all tours, one tour at a time."""
    ledger.counts.update({"ways": 0, "steps": 0})
    with ExitStack() as stack:
        files = {
            split: stack.enter_context(JsonArrayWriter(folder / ANNOTATIONS))
            for split, folder in split_folders(ledger.out, options.splits).items()
        }
        for run in runs:
            for stepped in collect_stepped_ways(run, ledger, SIZES, LEAST_STEPS):
                video = f"images/{stepped.way.id}"
                files[ledger.split].add(
                    {
                        "id": ledger.counts["ways"],
                        "video": video,
                        "instructions": list(stepped.way.texts),
                        "actions": stepped.codes_before,
                        "source_frames": list(stepped.frames),
                    }
                )
                copy_steps(run, stepped.frames, ledger.out / ledger.split / video / RGB, "{step:06d}.jpg")
