"""Told ways as discrete actions with a frame for each: what trainers of agents that step are fed with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.walks.ways import Way, collect_ways
from trajectories.actions import ActionOptions, AgentState, discrete_actions, replay, start_state
from trajectories.records import Action, TrajectoryPoint

CODES: dict[Action, int] = {"stop": 0, "forward": 1, "left": 2, "right": 3}
"""Of VLN-CE, which StreamVLN and InternNav share."""
START = -1
"""In place of the action that led to the first frame; the loaders drop it and add the stop."""


@dataclass(frozen=True, eq=False)
class SteppedWay:
    """One told way as an agent would walk it."""

    way: Way
    actions: tuple[Action, ...]
    """`actions[i]` is taken at step i; the last is `stop`, and it is the only one."""
    frames: tuple[int, ...]
    """The frame that each step is shown, in time order; neighbours may share one."""

    @property
    def codes_before(self) -> list[int]:
        """The action that led to each step, `START` for the first."""
        return [START, *(CODES[action] for action in self.actions[:-1])]


def collect_stepped_ways(
    run: RunData, ledger: Ledger, sizes: ActionOptions, least_steps: int = 2
) -> Iterator[SteppedWay]:
    """The ways of a run as actions, counted in the ledger.

    Args:
        run: The run.
        ledger: Gets what was left out, and how often each action is a label.
        sizes: Of the actions.
        least_steps: Ways of fewer steps, the stop included, are left out.
    """
    for way in collect_ways(run, ledger):
        actions = discrete_actions(way.walk, sizes)
        if len(actions) < least_steps:
            ledger.dropped[f"way of fewer than {least_steps} steps"] += 1
            continue
        states = replay(actions, start_state(way.walk.points[0]), sizes)
        frames = frames_at(states[: len(actions)], way.walk.points, sizes)
        ledger.counts["ways"] += 1
        ledger.counts["steps"] += len(actions)
        ledger.labels.update(actions)
        yield SteppedWay(way, tuple(actions), tuple(frames))


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


def copy_steps(run: RunData, frames: Sequence[int], folder: Path, name: str) -> None:
    """Copy the frame of each step under `name`, in which `{step}` stands for its number from 0."""
    folder.mkdir(parents=True, exist_ok=True)
    for step, frame in enumerate(frames):
        copy_frame(run, frame, folder / name.format(step=step))
