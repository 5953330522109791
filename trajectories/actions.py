"""The walk as discrete actions: forward, left, right, stop. What an agent that faces its way would do to follow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from annotated_types import Ge, Le

from recon.conventions import wrap_deg
from recon.geometry import Array
from recon.ranges import Step
from trajectories.errors import TrajectoryError
from trajectories.records import Action, Trajectory, TrajectoryPoint

_LOOK_AHEAD = 2.0
"""The agent heads for the way this many forward steps ahead: nearer it would follow every sway of the hand."""


@dataclass(frozen=True, kw_only=True)
class ActionOptions:
    """Size of the actions."""

    forward_m: Step = 0.25
    """Length of one forward action in metres, as in VLN-CE."""
    turn_deg: Annotated[float, Ge(1), Le(180)] = 15.0
    """Angle of one turn in degrees; VLN-CE and StreamVLN use 15, others 30."""

    def __post_init__(self) -> None:
        if not (self.forward_m > 0 and 0 < self.turn_deg <= 90):
            raise TrajectoryError(
                f"action options: forward {self.forward_m} m, turn {self.turn_deg} deg; need forward above 0 and a "
                "turn of more than 0 and at most 90 deg"
            )


@dataclass(frozen=True)
class AgentState:
    """Where an agent stands and faces."""

    x_m: float
    y_m: float
    heading_deg: float


def discrete_actions(trajectory: Trajectory, options: ActionOptions = ActionOptions()) -> list[Action]:
    """Turn a walk into actions, starting at its first pose and facing its first heading.

    Walking, the agent faces the way it goes, not where the camera looks. Turns on the spot are turned as they were, by
    their side and whole angle. At the end it turns to the camera's last heading.

    Args:
        trajectory: In metres (scale metric or assumed), with its view changes.
        options: Size of the actions.

    Returns:
        Actions that end with `stop`. Only `stop` for a walk of one point.

    Raises:
        TrajectoryError: If the walk has no points or no metres.
    """
    if trajectory.unit != "m":
        raise TrajectoryError(
            f"trajectory {trajectory.id}: forward {options.forward_m:g} m needs metres, its scale is "
            f"{trajectory.scale_status}. Give the scene a scale"
        )
    if not trajectory.points:
        raise TrajectoryError(f"trajectory {trajectory.id}: has no points, so no actions")
    points = trajectory.points
    agent = _Agent(start_state(points[0]), options)
    row_of = {point.frame: row for row, point in enumerate(points)}
    row = 0
    for change in trajectory.view_changes:
        if not change.on_the_spot:
            continue
        first, last = row_of[change.first_frame], row_of[change.last_frame]
        if first < row:
            continue
        agent.follow(_floor_path(points[row : first + 1]))
        # What the agent still owes to the first heading of the turn is turned the short way and added.
        owed = wrap_deg(points[first].heading_deg - agent.state.heading_deg)
        agent.turn(owed + change.angle_deg)
        row = last
    agent.follow(_floor_path(points[row:]))
    agent.turn(wrap_deg(points[-1].heading_deg - agent.state.heading_deg))
    return [*agent.actions, "stop"]


def replay(actions: Sequence[Action], start: AgentState, options: ActionOptions = ActionOptions()) -> list[AgentState]:
    """States before the first and after every action; `stop` changes nothing and ends the replay."""
    states = [start]
    for action in actions:
        states.append(_move(states[-1], action, options))
        if action == "stop":
            break
    return states


def start_state(point: TrajectoryPoint) -> AgentState:
    """An agent at a point of a walk, facing where the camera looks."""
    return AgentState(point.position[0], point.position[1], point.heading_deg)


def _move(state: AgentState, action: Action, options: ActionOptions) -> AgentState:
    if action == "stop":
        return state
    if action == "forward":
        heading = np.radians(state.heading_deg)
        x = state.x_m + options.forward_m * float(np.cos(heading))
        y = state.y_m + options.forward_m * float(np.sin(heading))
        return AgentState(x, y, state.heading_deg)
    side = 1.0 if action == "left" else -1.0
    return AgentState(state.x_m, state.y_m, wrap_deg(state.heading_deg + side * options.turn_deg))


class _Agent:
    """Takes actions one by one and remembers them."""

    def __init__(self, state: AgentState, options: ActionOptions) -> None:
        self.state = state
        self.actions: list[Action] = []
        self._options = options

    def turn(self, angle_deg: float) -> None:
        """Turn by the angle, left positive, rounded to whole actions."""
        count = round(angle_deg / self._options.turn_deg)
        for _ in range(abs(count)):
            self._take("left" if count > 0 else "right")

    def follow(self, path: Array) -> None:
        """Walk along a path (N, 2) to within half a forward step of its end."""
        forward = self._options.forward_m
        path = _evenly(path, forward / 4)
        passed = 0
        while True:
            here = np.array([self.state.x_m, self.state.y_m])
            distances = np.linalg.norm(path[passed:] - here, axis=1)
            ahead = np.flatnonzero(distances >= _LOOK_AHEAD * forward)
            if len(ahead) == 0:
                break
            # The first point far enough ahead is aimed at; the way up to where the agent stands counts as passed.
            target = passed + int(ahead[0])
            self._step_towards(path[target], here)
            passed = target - 1 if target > passed else passed
        self._approach(path[-1])

    def _approach(self, goal: Array) -> None:
        for _ in range(2 * int(_LOOK_AHEAD) + 2):
            here = np.array([self.state.x_m, self.state.y_m])
            # Half the diagonal of rounding: another step would not come nearer.
            if np.linalg.norm(goal - here) <= 0.55 * self._options.forward_m:
                return
            self._step_towards(goal, here)

    def _step_towards(self, target: Array, here: Array) -> None:
        bearing = float(np.degrees(np.arctan2(*(target - here)[::-1])))
        self.turn(wrap_deg(bearing - self.state.heading_deg))
        self._take("forward")

    def _take(self, action: Action) -> None:
        self.actions.append(action)
        self.state = _move(self.state, action, self._options)


def _floor_path(points: Sequence[TrajectoryPoint]) -> Array:
    return np.array([point.position[:2] for point in points])


def _evenly(path: Array, step: float) -> Array:
    """Points along a polyline at even distances, with its two ends."""
    arc = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    places = np.append(np.arange(0.0, arc[-1], step), arc[-1])
    return np.column_stack([np.interp(places, arc, path[:, axis]) for axis in range(2)])
