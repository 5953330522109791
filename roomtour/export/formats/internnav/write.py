"""Scenes for InternNav: ways as actions with a frame, a pose and a pixel goal for each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from recon.conventions import heading_deg
from recon.geometry import Array, Pose
from recon.pictures import write_picture_file
from roomtour.artifacts import DEPTH as DEPTH_MAPS
from roomtour.export.core.augment import AugmentOptions
from roomtour.export.core.images import copy_frame
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.loader import Loader
from roomtour.export.core.records import RunData
from roomtour.export.core.stepped_ways import SteppedWay, collect_stepped_ways
from roomtour.export.core.streams import split_folders
from roomtour.export.formats.internnav.layout import (
    EPISODES,
    GOAL,
    LEAST_STEPS,
    NO_GOAL,
    POSE,
    SCHEMA,
    SEPARATOR,
    SETTING,
    STEPS_TO_GOAL,
    depth_of,
    picture_of,
    table_of,
)
from roomtour.files.depth import STEP_PX, depth_path, read_depth
from trajectories.actions import ActionOptions
from trajectories.pixel_goals import PixelGoals

LOADER = Loader(
    "InternNav",
    "InternRobotics/InternNav",
    "7a5c624",
    "2026-03-10",
    "internnav/dataset/internvla_n1_lerobot_dataset.py",
)
SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""Of VLN-CE, as its own data."""
_MM = 1000.0
"""Depth pictures are in millimetres, 0 where unknown."""

CONVENTION = f"""\
* A folder per split, in it one per tour (LeRobot v2.1 as far as InternNav reads it). Enter it in `data_dict` of the
  loader: `{{"data_path": "DATASET/train", "height": 150, "pitch_1": 0, "pitch_2": 0}}`. Keep `rgb` out of the path: the
  loader puts `depth` in its place.
* `action`: 0 stop, 1 forward 25 cm, 2 left 15 degrees, 3 right 15 degrees, led to its step; the first is -1, and the
  loader adds the stop. The pictures are those of the walk nearest to where an agent that does so stands and looks.
* `goal.{SETTING}`: x and y in whole pixels, from the top left corner of the picture, of the farthest place of the
  walked way that the picture shows: the floor where the walker went, at most 6 m away, hidden by nothing that was seen,
  reached by a walk at most 1.3 times the straight line. `relative_goal_frame_id`: steps to it. -1 where there is none:
  before a turn or the stop, and where the way leaves the picture.
* `pose.{SETTING}`: world_from_cam (4x4, OpenCV axes, metres, z up) of a level camera at the place and heading of the
  picture's, since the loader takes a way on the floor from it; `world_from_cam` is the picture's own. `source_frame` is
  its number in the run.
* Depth pictures: 16 bit, millimetres, a fourth of the size, 0 where nothing is known, which is nearly everywhere in a
  sparse reconstruction. The loader opens them always and uses them only with `--pixel_goal_only True` (System 1): do
  not train that on sparse depth.
* A text has no period at its end, since the prompt adds one."""


@dataclass(frozen=True, kw_only=True)
class InternNavOptions(AugmentOptions):
    """Options of the format."""


def write(runs: Iterable[RunData], ledger: Ledger, options: InternNavOptions) -> None:
    """Write the scenes of all tours, one tour at a time."""
    ledger.counts.update({"ways": 0, "steps": 0, "pixel goals": 0})
    folders = split_folders(ledger.out, options.splits)
    for run in runs:
        scene = folders[ledger.split] / scene_name(run.scene.id)
        goals: dict[str, PixelGoals] = {}
        episodes: list[dict[str, Any]] = []
        for stepped in collect_stepped_ways(run, ledger, SIZES, LEAST_STEPS):
            model = stepped.way.model
            if model.name not in goals:
                goals[model.name] = PixelGoals(model, [walk for walk in run.trajectories if walk.model == model.name])
            rows = _rows(stepped, goals[model.name])
            ledger.counts["pixel goals"] += sum(row[STEPS_TO_GOAL] != NO_GOAL for row in rows)
            number = len(episodes)
            table_of(scene, number).parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), table_of(scene, number))
            _write_pictures(run, stepped.frames, scene, number)
            texts = [text.rstrip().removesuffix(".") for text in stepped.way.texts]
            episodes.append({"episode_index": number, "tasks": [SEPARATOR.join(texts)], "length": len(rows)})
        if episodes:  # the loader takes every folder for a scene
            (scene / EPISODES).parent.mkdir()
            lines = (json.dumps(episode, ensure_ascii=False) + "\n" for episode in episodes)
            (scene / EPISODES).write_text("".join(lines), encoding="utf-8")


def scene_name(tour: str) -> str:
    """Name of a tour's folder: the loader exchanges every `rgb` in the path of a picture for `depth`."""
    return tour.replace("rgb", "RGB")


def _rows(stepped: SteppedWay, goals: PixelGoals) -> list[dict[str, Any]]:
    rows = []
    for step, (code, frame) in enumerate(zip(stepped.codes_before, stepped.frames, strict=True)):
        goal, steps_to_goal = _find_goal(stepped, step, goals)
        pose = stepped.way.model.world_from_cam[frame]
        rows.append(
            {
                "action": code,
                POSE: _level(pose).matrix().tolist(),
                GOAL: goal,
                STEPS_TO_GOAL: steps_to_goal,
                "world_from_cam": pose.matrix().tolist(),
                "source_frame": frame,
            }
        )
    return rows


def _find_goal(stepped: SteppedWay, step: int, goals: PixelGoals) -> tuple[list[int], int]:
    """Pixel and steps to it; none before a turn or the stop."""
    frame, later = stepped.frames[step], stepped.frames[step + 1 :]
    if stepped.actions[step] == "forward":
        goal = goals.find(frame, [one for one in dict.fromkeys(later) if one != frame])
        if goal is not None:
            return [int(value) for value in goal.xy_px], 1 + later.index(goal.frame)
    return [NO_GOAL, NO_GOAL], NO_GOAL


def _level(world_from_cam: Pose) -> Pose:
    """The camera at the same place and with the same heading that looks at the horizon."""
    heading = np.radians(heading_deg(world_from_cam))
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    down: Array = np.array([0.0, 0.0, -1.0])
    return Pose(np.column_stack([np.cross(down, ahead), down, ahead]), world_from_cam.center)


def _write_pictures(run: RunData, frames: Sequence[int], scene: Path, episode: int) -> None:
    for step, frame in enumerate(frames):
        picture = picture_of(scene, episode, step)
        picture.parent.mkdir(parents=True, exist_ok=True)
        copy_frame(run, frame, picture)
        depth_of(picture).parent.mkdir(exist_ok=True)
        write_picture_file(depth_of(picture), _read_depth_mm(run, frame))


def _read_depth_mm(run: RunData, frame: int) -> np.ndarray:
    """Depth (h, w) in millimetres, 0 where unknown."""
    folder = run.frames_dir.parent / DEPTH_MAPS.path
    if not depth_path(folder, frame).is_file():
        shown = run.scene.frame_by_index[frame]
        return np.zeros((-(-shown.height // STEP_PX), -(-shown.width // STEP_PX)), np.uint16)
    depth = np.nan_to_num(read_depth(folder, frame), nan=0.0, posinf=0.0, neginf=0.0)
    return np.clip(np.rint(depth * _MM), 0, np.iinfo(np.uint16).max).astype(np.uint16)
