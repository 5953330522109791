"""Discrete actions with a frame for each, as streaming and video language models for navigation are trained on."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from annotated_types import Ge, Gt, Le

from recon.ranges import Positive
from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.guided_paths import thin
from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.streams import JsonArrayWriter, JsonLines
from roomtour.export.core.ways import Way, collect_ways
from trajectories.actions import ActionOptions, AgentState, discrete_actions, replay, start_state
from trajectories.balance import choose_balanced_steps
from trajectories.records import Action, TrajectoryPoint

Style = Literal["plain", "streamvln"]

CODES: dict[Action, int] = {"stop": 0, "forward": 1, "left": 2, "right": 3}
START = -1
"""StreamVLN's mark of a first frame that no action led to."""

CONVENTION = """\
* `annotations_{split}.json`: one way per item. Actions: 0 stop, 1 forward, 2 left, 3 right.
* Style `plain`: `actions[i]` is taken at frame i; the last is 0. Style `streamvln`: `actions[i]` led to frame i, the
  first is -1, and the client adds the stop. Either way there are as many frames as actions.
* `{video}/rgb/` holds the frames in order. `frames` are their numbers in the run.
* `samples_{split}.jsonl` (then `samples_{split}-00001.jsonl`, ... where there are many): one row per step and text:
  the frames so far (thinned), the current one last, and the action.
* The actions are those of an agent that faces its way: each is shown the frame of the walk nearest to where the agent
  stands and looks, never one earlier than the step before. `forward_m` and `turn_deg` are the sizes of a step.
* `sample_steps`, where `forward` was thinned (`max_forward_share`), are the steps of a way that have a sample."""


@dataclass(frozen=True, kw_only=True)
class ActionsOptions(AugmentOptions):
    """Options of the format."""

    style: Style = "plain"
    """`streamvln` starts the actions with -1 and leaves the stop to the client; else as Uni-NaVid and NaVILA."""
    forward_m: Positive = 0.25
    """Length of a forward action in metres, as in VLN-CE."""
    turn_deg: Annotated[float, Gt(0), Le(180)] = 15.0
    """Angle of a turn in degrees; VLN-CE and StreamVLN use 15, others 30."""
    history: Annotated[int, Ge(2), Le(1_000_000)] = 8
    """Frames per sample at most, the current one included: NaVILA's number."""
    max_forward_share: Annotated[float, Gt(0), Le(1)] = 1.0
    """Largest share of `forward` among the samples of a way; the others are drawn with the seed. 1 keeps all: nearly
    half of the steps of a tour are `forward`, and about nine of ten in a straight flat."""
    max_shard_mb: Positive = 500.0
    """Size of a file of samples before the next one (`samples_train-00001.jsonl`) begins."""
    copy_images: bool = True
    """Copy a frame for each action, about 40 kB each."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.history < 2:
            raise ValueError(f"history is {self.history}, need at least 2, the first frame and the current one")
        if not self.max_shard_mb > 0:
            raise ValueError(f"max_shard_mb is {self.max_shard_mb}, need more than 0")
        if not 0.0 < self.max_forward_share <= 1.0:
            raise ValueError(f"max_forward_share is {self.max_forward_share}, need more than 0 and at most 1")

    @property
    def sizes(self) -> ActionOptions:
        """Size of the actions."""
        return ActionOptions(forward_m=self.forward_m, turn_deg=self.turn_deg)


def annotation_file(split: str) -> str:
    """Name of the file of ways."""
    return f"annotations_{split}.json"


def sample_file(split: str) -> str:
    """Name of the file of samples."""
    return f"samples_{split}.jsonl"


def write(runs: Iterable[RunData], ledger: Ledger, options: ActionsOptions) -> None:
    """Write the ways of all tours, one tour at a time."""
    splits = ["train"] + (["val"] if options.val_share > 0 else [])
    ledger.counts.update({"ways": 0, "actions": 0, "samples": 0})
    with ExitStack() as stack:
        files = {s: stack.enter_context(JsonArrayWriter(ledger.out / annotation_file(s))) for s in splits}
        samples = {s: stack.enter_context(JsonLines(ledger.out / sample_file(s), options.max_shard_mb)) for s in splits}
        for run in runs:
            for way in collect_ways(run, ledger):
                taken = discrete_actions(way.walk, options.sizes)
                if taken == ["stop"]:
                    ledger.dropped["way without a movement as long as one action"] += 1
                    continue
                states = replay(taken, start_state(way.walk.points[0]), options.sizes)
                frames = frames_at(states[: len(taken)], way.walk.points, options.sizes)
                ledger.counts["ways"] += 1
                draw = random.Random(f"{options.seed}/{way.id}")
                kept = choose_balanced_steps(taken, options.max_forward_share, draw)
                item = _annotation(ledger.counts["ways"], way, taken, frames, options)
                if len(kept) < len(taken):
                    item["sample_steps"] = kept
                    ledger.dropped["forward step without a sample, to balance"] += len(taken) - len(kept)
                files[ledger.split].add(item)
                if options.copy_images:
                    _copy(run, ledger, item)
                ledger.counts["samples"] += samples[ledger.split].add_all(_samples(item, taken, kept, options))
                ledger.counts["actions"] += len(taken)
                ledger.labels.update(taken[step] for step in kept)


def frames_at(
    states: Sequence[AgentState], points: Sequence[TrajectoryPoint], sizes: ActionOptions = ActionOptions()
) -> list[int]:
    """The frame of the walk each state is shown: nearest in place and direction over the whole way, never going back.

    Distance counts in forward steps, direction in turns; the sum of squares over all states is least.
    """
    place = np.array([point.position[:2] for point in points])
    heading = np.array([point.heading_deg for point in points])
    best = np.zeros(len(points))
    came_from = np.zeros((len(states), len(points)), dtype=np.int64)
    for row, state in enumerate(states):
        apart = np.linalg.norm(place - [state.x_m, state.y_m], axis=1) / sizes.forward_m
        turned = ((heading - state.heading_deg + 180.0) % 360.0 - 180.0) / sizes.turn_deg
        # The cheapest way to any point up to this one, and which it was.
        least = np.minimum.accumulate(best)
        came_from[row] = np.maximum.accumulate(np.where(best == least, np.arange(len(points)), 0))
        best = least + apart**2 + turned**2
    at = int(np.argmin(best))
    chosen = []
    for row in range(len(states) - 1, -1, -1):
        chosen.append(points[at].frame)
        at = int(came_from[row][at])
    return chosen[::-1]


def _annotation(
    number: int, way: Way, taken: Sequence[Action], frames: list[int], options: ActionsOptions
) -> dict[str, Any]:
    codes = [CODES[action] for action in taken]
    return {
        "id": number,
        "video": f"images/{way.id}",
        "instructions": list(way.texts),
        "actions": [START, *codes[:-1]] if options.style == "streamvln" else codes,
        "frames": frames,
        "forward_m": options.forward_m,
        "turn_deg": options.turn_deg,
    }


def _samples(
    item: dict[str, Any], taken: Sequence[Action], kept: Sequence[int], options: ActionsOptions
) -> Iterator[dict[str, Any]]:
    words: dict[Action, str] = {
        "stop": "stop",
        "forward": f"move forward {options.forward_m * 100:g} cm",
        "left": f"turn left {options.turn_deg:g} degrees",
        "right": f"turn right {options.turn_deg:g} degrees",
    }
    for number, text in enumerate(item["instructions"]):
        for step in kept:
            action = taken[step]
            shown = thin(range(step + 1), options.history)
            yield {
                "id": f"{item['id']}_{number}_{step}",
                "annotation": item["id"],
                "step": step,
                "instruction": text,
                "images": [image_name(item["video"], seen) for seen in shown],
                "action": CODES[action],
                "answer": words[action],
            }


def image_name(video: str, step: int) -> str:
    """The image of a step."""
    return f"{video}/rgb/{step:06d}.jpg"


def _copy(run: RunData, ledger: Ledger, item: dict[str, Any]) -> None:
    (ledger.out / item["video"] / "rgb").mkdir(parents=True)
    for step, frame in enumerate(item["frames"]):
        copy_frame(run, frame, ledger.out / image_name(item["video"], step))
