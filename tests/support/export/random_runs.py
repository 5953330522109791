"""Random runs for property tests: any walk, any decisions, any windows of text, one to three models."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from instructions.navigation.records import Instruction
from recon.geometry import Pose
from recon.records import ScaleStatus
from roomtour.export import RunData
from tests.support.export.made_run import (
    level_camera,
    make_frames,
    make_instruction,
    make_model,
    make_run,
    make_source,
    make_trajectory,
)
from trajectories.records import Trajectory
from trajectories.training import cut_for_training

_METRES = st.floats(-20, 20)
_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=20).filter(
    lambda text: text.strip()
)


@st.composite
def walks(draw: st.DrawFn) -> list[Pose]:
    """Cameras anywhere, also some that look straight down."""
    elevations = st.one_of(st.floats(-60, 60), st.just(-90.0))
    return [
        level_camera(draw(_METRES), draw(_METRES), draw(st.floats(-180, 180)), elevation=draw(elevations))
        for _ in range(draw(st.integers(2, 24)))
    ]


@st.composite
def runs(draw: st.DrawFn, tour: str = "home", scaled: bool = False) -> RunData:
    """A run; with `scaled` no model is of relative scale."""
    known: tuple[ScaleStatus, ...] = ("metric", "assumed") if scaled else ("metric", "assumed", "relative")
    models, trajectories, texts, first = [], [], [], 1
    for k in range(draw(st.integers(0, 3))):
        model = make_model(draw(walks()), str(k), first, draw(st.sampled_from(known)), seed=k)
        first += len(model.frames) + draw(st.integers(0, 3))
        models.append(model)
        level = make_trajectory(tour, model, ()).frames
        if len(level) >= 2:
            trajectory = make_trajectory(tour, model, draw(_decisions(level)))
            trajectories.append(trajectory)
            texts += draw(_instructions(trajectory))
    base = make_run(tour)
    return replace(
        base,
        scene=replace(
            base.scene, source=make_source(tour, first), frames=make_frames(first), clips=(), models=tuple(models)
        ),
        trajectories=tuple(trajectories),
        objects=(),
        observations=(),
        spatial_lines=(),
        view_descriptions=(),
        rows={"navigation": tuple(texts)},
        training=tuple(piece for walk in trajectories for piece in cut_for_training(walk)[0]),
        floor_plans=(),
        rooms=(),
        doorways=(),
    )


def _decisions(frames: tuple[int, ...]) -> st.SearchStrategy[list[tuple[int, tuple[int, ...]]]]:
    one = st.lists(st.sampled_from(frames), min_size=2, max_size=5, unique=True).map(
        lambda chosen: (chosen[0], tuple(chosen[1:]))
    )
    return st.lists(one, max_size=6)


@st.composite
def _instructions(draw: st.DrawFn, trajectory: Trajectory) -> list[Instruction]:
    out = []
    for number in range(draw(st.integers(0, 5))):
        views = sorted(draw(st.lists(st.sampled_from(trajectory.frames), min_size=1, unique=True)))
        text = make_instruction(trajectory, number, views, draw(_TEXTS))
        if draw(st.booleans()):
            text = replace(text, kind="description")
        if draw(st.booleans()) and draw(st.booleans()):
            text = replace(text, accepted=False, rejected_because="false_claim", rejection="not true")
        out.append(text)
    return out
