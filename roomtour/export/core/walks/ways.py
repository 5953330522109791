"""The ways of a tour that accepted texts tell: what most training formats make an episode of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from instructions.navigation.records import Instruction
from recon.records import SceneModel
from roomtour.export.core.ledger import ExportOptions, Ledger
from roomtour.export.core.records import RunData
from trajectories.records import Trajectory
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
    for (first, last), told in grouped.items():
        start, end = trajectory.points[first], trajectory.points[last]
        yield Way(
            id=f"{trajectory.id}_{start.frame:06d}_{end.frame:06d}",
            model=model,
            walk=part_of(trajectory, start, end),
            views=tuple(trajectory.frames[row] for row in sorted(views[first, last])),
            told=tuple(told),
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
