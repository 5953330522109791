"""What there is to see of a run, finished or not: what cannot be read is left out and said in one line."""

from __future__ import annotations

import importlib.metadata
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from instructions.navigation.records import Instruction, ViewDescription
from instructions.records import Observation, SceneObject, SpatialLine
from instructions.regions.records import Qar
from recon.errors import ReconError
from recon.records import Frame
from roomtour.artifacts import FLOOR_PLANS, ROOMS
from roomtour.errors import RoomtourError
from roomtour.files.frames import read_source
from roomtour.files.records import read_jsonl
from roomtour.run import Run
from roomtour.stages.table import STAGES
from roomtour.view.models import ViewModel, read_models
from trajectories.records import FloorPlan, Room, Trajectory
from trajectories.training import is_way_back

T = TypeVar("T")
_MENTION = re.compile(r"\[(\d{1,4})\]")


@dataclass(frozen=True, eq=False)
class TourView:
    """A run as the viewer and the review show it."""

    name: str
    frames: Mapping[int, Frame]
    frames_dir: Path
    models: tuple[ViewModel, ...]
    """Largest first; empty where nothing is reconstructed (yet)."""
    trajectories: tuple[Trajectory, ...]
    objects: Mapping[str, SceneObject]
    """By id, in the order of the run."""
    seen: Mapping[int, tuple[Observation, ...]]
    """What is seen, by frame."""
    lines: Mapping[int, SpatialLine]
    """The text line, by frame."""
    floor_plans: tuple[FloorPlan, ...]
    rooms: tuple[Room, ...]
    """Where something told rooms apart."""
    instructions: tuple[Instruction, ...]
    """Accepted ones about the walks."""
    further: tuple[Instruction, ...]
    """Accepted ones about parts of the walks and about ways back."""
    ways_back: frozenset[str]
    """Ids of the ways back: no picture shows what is seen on them."""
    view_descriptions: tuple[ViewDescription, ...]
    region_rows: Mapping[str, tuple[Qar, ...]]
    """Kept questions about numbered regions, of all views, by the thing that they name."""
    notices: tuple[str, ...]
    """What is missing or to be read with care, for people."""

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number, from 1, that an object carries everywhere on a page, by its id."""
        return {name: row for row, name in enumerate(self.objects, start=1)}

    def write_row(self, row: Qar) -> str:
        """Question, answer and rationale; `[n]` of the row's view becomes the number that the thing has on the page."""
        number = {one.number: self.number_of.get(one.object or "") for one in row.regions}

        def put(found: re.Match[str]) -> str:
            own = number.get(int(found.group(1)))
            return f"[{own}]" if own is not None else found.group()

        return _MENTION.sub(put, f"{row.question} {row.answer} {row.rationale}")

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Ids of the objects that texts about walks name."""
        told = (check.claim for text in (*self.instructions, *self.further) for check in text.claims)
        return frozenset(claim.object for claim in told if claim.object is not None)

    def model(self, name: str | None) -> ViewModel | None:
        """The model of this name, the largest for None; None where there is no model at all.

        Raises:
            RoomtourError: If there are models and none has this name.
        """
        if name is None or not self.models:
            return self.models[0] if self.models else None
        for model in self.models:
            if model.name == name:
                return model
        raise RoomtourError(f"--model {name}: no such model; this run has {', '.join(m.name for m in self.models)}")

    def instructions_at(self, frame: int, model: str | None) -> tuple[Instruction, ...]:
        """The instructions of a model whose way leads through a frame."""
        return tuple(
            told
            for told in self.instructions
            if told.model == model and told.views and min(told.views) <= frame <= max(told.views)
        )


def load_tour(run: Run, max_points: int) -> TourView:
    """Read what a run has to show.

    Args:
        run: Finished or not.
        max_points: Per model; more are thinned.

    Returns:
        All that could be read. A part that is not there yet, or that this version cannot read, is empty and has a
        notice.
    """
    notices = _version_notices(run)

    def part(read: Callable[[], T], instead: T) -> T:
        try:
            return read()
        except (RoomtourError, ReconError) as error:
            notices.append(str(error))
            return instead

    waiting = [
        stage.name
        for stage in STAGES
        if stage.name not in run.stages and (not stage.is_kind or stage.name in run.asked_kinds)
    ]
    if waiting:
        notices.append(f"This run is unfinished or older; not done in it: {', '.join(waiting)}. What is done is shown.")
    frames, models = (), ()
    if "scene" in run.stages:
        frames, models = part(lambda: read_models(run.path / "scene", max_points), ((), ()))
    if not frames and "sample" in run.stages:
        frames = part(lambda: read_source(run.path / "source.json").frames, ())
    if "scene" in run.stages and not models:
        notices.append("No part of the tour could be reconstructed, so there are frames but nothing in 3D.")

    def records(stage: str, read: Callable[[], tuple[T, ...]]) -> tuple[T, ...]:
        return part(read, ()) if stage in run.stages else ()

    return TourView(
        name=str(run.manifest.get("tour", run.path.name)),
        frames={frame.index: frame for frame in frames},
        frames_dir=run.path / "frames",
        models=models,
        trajectories=records("trajectories", lambda: run.trajectories),
        objects={item.id: item for item in records("perception", lambda: run.objects)},
        seen=_by_frame(records("perception", lambda: run.observations)),
        lines={line.frame: line for line in records("perception", lambda: run.spatial_lines)},
        floor_plans=records("plan", lambda: read_jsonl(run.path / FLOOR_PLANS.path, FloorPlan)),
        rooms=records("plan", lambda: read_jsonl(run.path / ROOMS.path, Room)),
        instructions=records("navigation", lambda: run.instructions),
        further=tuple(row for row in records("navigation", lambda: run.further_instructions) if row.accepted),
        ways_back=frozenset(
            walk.id for walk in records("trajectories", lambda: run.further_walks) if is_way_back(walk)
        ),
        view_descriptions=records("navigation", lambda: run.view_descriptions),
        region_rows=_by_thing(records("regions", lambda: run.rows("regions"))),
        notices=tuple(notices),
    )


def _version_notices(run: Run) -> list[str]:
    versions = run.manifest.get("versions")
    made_by = versions.get("roomtour") if isinstance(versions, Mapping) else None
    here = importlib.metadata.version("roomtour")
    if made_by == here:
        return []
    return [f"This run was made by roomtour {made_by or 'of an unknown version'} and is shown by {here}."]


def _by_thing(rows: Iterable[Qar]) -> dict[str, tuple[Qar, ...]]:
    out: dict[str, list[Qar]] = defaultdict(list)
    for row in rows:
        for name in dict.fromkeys(one.object for one in row.regions if one.object is not None):
            out[name].append(row)
    return {name: tuple(found) for name, found in out.items()}


def _by_frame(observations: Iterable[Observation]) -> dict[int, tuple[Observation, ...]]:
    out: dict[int, list[Observation]] = defaultdict(list)
    for seen in observations:
        out[seen.frame].append(seen)
    return {frame: tuple(found) for frame, found in out.items()}
