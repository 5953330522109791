"""The ways of a tour that accepted texts tell, as they are and as actions with a frame for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from instructions.navigation.records import Instruction
from recon.records import SceneModel
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_frame
from trajectories.actions import ActionOptions, AgentState, discrete_actions, replay, start_state
from trajectories.records import Action, Trajectory, TrajectoryPoint
from trajectories.training import is_way_back, part_of


@dataclass(frozen=True, eq=False)
class Way:
    """One part of a walk with the texts that tell it."""

    id: str
    """`{trajectory}_{first frame}_{last frame}`, unique in a dataset."""
    model: SceneModel
    walk: Trajectory
    """The trajectory cut to the way: its first and last point are the first and last view. At least two points."""
    views: tuple[int, ...]
    """Frames the texts were written from, in time order."""
    told: tuple[tuple[Instruction, str], ...]
    """Instructions with their text on one line; no text twice."""

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts."""
        return tuple(text for _, text in self.told)


def collect_ways(
    run: RunData, ledger: Ledger, kinds: Collection[str] = ("instruction",), scaled: bool = True
) -> Iterator[Way]:
    """The ways of a run, in the order of its trajectories and texts.

    Args:
        run: The run.
        ledger: Gets what was left out, by reason.
        kinds: Kinds of texts wanted.
        scaled: Leave out walks without metres.
    """
    models = {model.name: model for model in run.scene.models}
    wanted: dict[str, list[Instruction]] = defaultdict(list)
    for instruction in run.instructions:
        if not instruction.accepted:
            ledger.dropped["rejected text"] += 1
        elif instruction.kind in kinds:
            wanted[instruction.trajectory].append(instruction)
    for trajectory in run.trajectories:
        texts = wanted.pop(trajectory.id, [])
        if not texts:
            continue
        if scaled and trajectory.unit != "m":
            ledger.dropped["text in a model without a scale"] += len(texts)
            continue
        yield from _ways_of(trajectory, texts, models[trajectory.model], ledger)


def _ways_of(trajectory: Trajectory, texts: list[Instruction], model: SceneModel, ledger: Ledger) -> Iterator[Way]:
    row_of = {frame: row for row, frame in enumerate(trajectory.frames)}
    grouped: dict[tuple[int, int], list[tuple[Instruction, str]]] = defaultdict(list)
    views: dict[tuple[int, int], set[int]] = defaultdict(set)
    for instruction in texts:
        rows = {row_of[frame] for frame in instruction.views if frame in row_of}
        text = " ".join(instruction.text.split())
        if len(rows) < 2 or not text:
            ledger.dropped["text with fewer than 2 views on the walk, or without words"] += 1
            continue
        ends = (min(rows), max(rows))
        if any(text == known for _, known in grouped[ends]):
            ledger.dropped["same text twice for one way"] += 1
            continue
        grouped[ends].append((instruction, text))
        views[ends].update(rows)
    for (first, last), members in grouped.items():
        start, end = trajectory.points[first], trajectory.points[last]
        yield Way(
            id=f"{trajectory.id}_{start.frame:06d}_{end.frame:06d}",
            model=model,
            walk=part_of(trajectory, start, end),
            views=tuple(trajectory.frames[row] for row in sorted(views[first, last])),
            told=tuple(members),
        )


def floor_height(model: SceneModel, tour: str, ledger: Ledger) -> float:
    """Height of the floor in the model's world, guessed and reported where none was found."""
    if model.floor_z is not None:
        return model.floor_z
    guess = float(model.centers[:, 2].min()) - 1.5
    ledger.warn(
        "export.no_floor",
        f"tour {tour}, model {model.name}",
        f"no floor was found; {guess:.2f} m is used, 1.5 m (a hand-held camera) below the lowest camera",
    )
    return guess


@dataclass(frozen=True, kw_only=True)
class AugmentOptions(ExportOptions):
    """Options of formats whose rows are told ways with their pictures."""

    sub_walks: bool = False
    """Add ways that begin and end in the middle of others, with texts of the embedded writer."""


@dataclass(frozen=True, kw_only=True)
class PoseAugmentOptions(AugmentOptions):
    """Options of formats whose rows are told ways of poses only."""

    way_back: bool = False
    """Add the walk back, each place faced the other way. Its texts name no things: no frame shows what is seen then."""


def add_further_walks(run: RunData, ledger: Ledger, options: ExportOptions) -> RunData:
    """The run with more walks and their texts, as the options say.

    Args:
        run: A run.
        ledger: Told where a run has no such walks although it has trajectories.
        options: Of the format; those without augmentation give the run itself.

    Returns:
        The run with further trajectories (`{id}_s{n}`, `{id}_back`) and the rows about them.
    """
    parts = isinstance(options, AugmentOptions) and options.sub_walks
    back = isinstance(options, PoseAugmentOptions) and options.way_back
    if not parts and not back:
        return run
    if run.trajectories and not run.further_walks:
        ledger.warn(
            "export.no_further_walks",
            f"tour {run.scene.id}",
            "the run holds no parts of walks and no ways back: its walks are too short for them",
        )
    walks = [walk for walk in run.further_walks if (back if is_way_back(walk) else parts)]
    names = {walk.id for walk in walks}
    rows = [row for row in run.further_instructions if row.trajectory in names]
    more = replace(run, trajectories=(*run.trajectories, *walks))
    return more.with_rows("navigation", (*run.instructions, *rows))


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
