"""Ways for StreamVLN: actions with a frame for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from roomtour.export.core.checking import Id, RelativePath, Row, RowCheck, Text, must
from roomtour.export.core.format import ExportFormat, Loader, each_run
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.row_files import FileRow, read_row_files
from roomtour.export.core.walks.augment import AugmentOptions
from roomtour.export.core.walks.stepped_ways import START, collect_stepped_ways, copy_steps
from trajectories.actions import ActionOptions

LOADER = Loader(
    "StreamVLN", "InternRobotics/StreamVLN", "e48f6ff", "2025-11-02", "streamvln/dataset/vln_action_dataset.py"
)
SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""The prompt of the loader says so."""
LEAST_STEPS = 4
"""The loader skips ways with fewer actions."""
ANNOTATIONS, RGB = "{split}/annotations.json", "rgb"

CONVENTION = """\
* `{split}/annotations.json`, one way per item; give the folders of the splits to `--video_folder`, joined by commas.
* `actions`: 0 stop, 1 forward 25 cm, 2 left 15 degrees, 3 right 15 degrees. `actions[i]` led to frame i, the first is
  -1, and the loader adds the stop. There are as many frames as actions.
* `{split}/{video}/rgb/` holds the frames in order; `source_frames` are their numbers in the run.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before."""


def _rows(run: RunData, ledger: Ledger, options: AugmentOptions) -> Iterator[dict[str, Any]]:
    for stepped in collect_stepped_ways(run, ledger, SIZES, LEAST_STEPS):
        video = f"images/{stepped.way.id}"
        yield {
            "id": ledger.counts["ways"],
            "video": video,
            "instructions": list(stepped.way.texts),
            "actions": stepped.codes_before,
            "source_frames": list(stepped.frames),
        }
        copy_steps(run, stepped.frames, ledger.out / ledger.split / video / RGB, "{step:06d}.jpg")


class _Way(Row):
    id: Id
    video: RelativePath
    instructions: Annotated[list[Text], Field(min_length=1)]
    actions: Annotated[
        list[Literal[-1, 0, 1, 2, 3]],
        Field(min_length=LEAST_STEPS),
        must(lambda actions: actions[0] == START, f"{START} first: the loader drops it"),
        must(lambda actions: {1, 2, 3}.issuperset(actions[1:]), "1, 2 or 3 after the first: the loader adds the stop"),
    ]

    def check(self, row: RowCheck) -> None:
        """A frame for each action."""
        found = len(list((row.home / self.video / RGB).glob("*")))
        if found != len(self.actions):
            row.bad("video", f"{len(self.actions)} frames in {self.video}/{RGB}, one per action", found)


def _read_rows(folder: Path) -> Iterator[FileRow]:
    """The items of the splits, each with the names of its pictures below the dataset."""
    for name, row in read_row_files(folder, ANNOTATIONS.format(split="*")):
        pictures = sorted((folder / name).parent.glob(f"{row.get('video')}/{RGB}/*.jpg"))
        yield name, {**row, "images": [path.relative_to(folder).as_posix() for path in pictures]}


STREAMVLN = ExportFormat(
    name="streamvln",
    summary="ways as actions of 25 cm and 15 degrees with a frame for each",
    client=str(LOADER),
    needs_scale=True,
    reads=("instructions",),
    convention=CONVENTION,
    options=AugmentOptions,
    write=each_run(ANNOTATIONS, _rows, "ways", "steps", counted=""),
    tables={ANNOTATIONS: _Way},
    files=("*/images/*/rgb",),
    rows=_read_rows,
)
