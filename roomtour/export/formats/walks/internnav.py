"""Scenes for InternNav: ways as actions with a frame, a pose and a pixel goal for each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from instructions.perception.frames.results import FrameResults, VisionIndex
from recon.conventions import heading_deg
from recon.floor_masks import FloorMask
from recon.geometry import Array, Pose
from recon.pictures import write_picture_file
from roomtour.artifacts import DEPTH as DEPTH_MAPS
from roomtour.artifacts import VISION
from roomtour.export.core.checking import SPLITS, DatasetCheck, Row, RowCheck
from roomtour.export.core.fields import Finite, Size, Text, Whole, find_size, is_pose, must, schema_of
from roomtour.export.core.format import ExportFormat
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import copy_frame, read_depth_mm
from roomtour.export.core.walks.ways import START, AugmentOptions, SteppedWay, collect_stepped_ways
from roomtour.files.arrays import STEP_PX, depth_path
from roomtour.files.floors import read_floors
from roomtour.files.records import from_plain, read_json
from trajectories.actions import ActionOptions
from trajectories.pixel_goals import PixelGoals

SETTING = "150cm_0deg"
"""Height and pitch of the camera, by which the loader names columns and folders: the height at which a phone is carried
where nothing tells it better, and level. The poses say how it really was."""
POSE, GOAL, STEPS_TO_GOAL = f"pose.{SETTING}", f"goal.{SETTING}", f"relative_goal_frame_id.{SETTING}"
SEPARATOR = "<INSTRUCTION_SEP>"
EPISODES = "meta/episodes.jsonl"
CHUNK_EPISODES = 1000
"""Episodes per folder of a scene."""
RGB, DEPTH = f"observation.images.rgb.{SETTING}", f"observation.images.depth.{SETTING}"
LEAST_STEPS = 4
"""The loader skips episodes with fewer."""
NO_GOAL = -1


TABLE = "data/chunk-{chunk:03d}/episode_{episode:06d}.parquet"
PICTURE = f"videos/chunk-{{chunk:03d}}/{RGB}/episode_{{episode:06d}}_{{step}}.jpg"


def path_of(scene: Path, pattern: str, episode: int, step: int = 0) -> Path:
    """The table of an episode, or the picture of one of its steps."""
    return scene / pattern.format(chunk=episode // CHUNK_EPISODES, episode=episode, step=step)


def depth_of(picture: Path) -> Path:
    """The depth of a picture."""
    return picture.parent.parent / DEPTH / f"{picture.stem}.png"


SIZES = ActionOptions(forward_m=0.25, turn_deg=15.0)
"""Of VLN-CE, as its own data."""

CONVENTION = f"""\
* A folder per split, in it one per tour (LeRobot v2.1 as far as InternNav reads it). Enter it in `data_dict` of the
  loader: `{{"data_path": "DATASET/train", "height": 150, "pitch_1": 0, "pitch_2": 0}}`. Keep `rgb` out of the path: the
  loader puts `depth` in its place.
* `action`: 0 stop, 1 forward 25 cm, 2 left 15 degrees, 3 right 15 degrees, led to its step; the first is -1, and the
  loader adds the stop. The pictures are those of the walk nearest to where an agent that does so stands and looks.
* `goal.{SETTING}`: x and y in whole pixels, from the top left corner of the picture, of the farthest place of the
  walked way that the picture shows: the floor where the walker went, 0.5 to 6 m away, hidden by nothing that was seen,
  floor to the segmenter where light models looked, reached by a walk at most 1.3 times the straight line.
  `relative_goal_frame_id`: steps to it. -1 where there is none: before a turn or the stop, and where the way leaves the
  picture.
* `pose.{SETTING}`: world_from_cam (4x4, OpenCV axes, metres, z up) of a level camera at the place and heading of the
  picture's, since the loader takes a way on the floor from it; `world_from_cam` is the picture's own. `source_frame` is
  its number in the run.
* Depth pictures: 16 bit, millimetres, a fourth of the size, 0 where nothing is known, which is nearly everywhere in a
  sparse reconstruction. The loader opens them always and uses them only with `--pixel_goal_only True` (System 1): do
  not train that on sparse depth.
* A text has no period at its end, since the prompt adds one."""


def write(runs: Iterable[RunData], ledger: Ledger, options: AugmentOptions) -> None:
    """Write the scenes of all tours, one tour at a time."""
    ledger.counts.update({"ways": 0, "steps": 0, "pixel goals": 0})
    for split in options.splits:
        (ledger.out / split).mkdir()
    for run in runs:
        # The loader exchanges every `rgb` in the path of a picture for `depth`.
        scene = ledger.out / ledger.split / run.scene.id.replace("rgb", "RGB")
        goals: dict[str, PixelGoals] = {}
        floors = _read_floors(run)
        episodes: list[dict[str, Any]] = []
        for stepped in collect_stepped_ways(run, ledger, SIZES, LEAST_STEPS):
            model = stepped.way.model
            if model.name not in goals:
                walks = [walk for walk in run.trajectories if walk.model == model.name]
                goals[model.name] = PixelGoals(model, walks, floors=floors)
            rows = _rows(stepped, goals[model.name])
            ledger.counts["pixel goals"] += sum(row[STEPS_TO_GOAL] != NO_GOAL for row in rows)
            number = len(episodes)
            path_of(scene, TABLE, number).parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.Table.from_pylist(rows, schema=schema_of(_WrittenStep)), path_of(scene, TABLE, number))
            _write_pictures(run, stepped.frames, scene, number)
            texts = [text.rstrip().removesuffix(".") for text in stepped.way.texts]
            episodes.append({"episode_index": number, "tasks": [SEPARATOR.join(texts)], "length": len(rows)})
        if episodes:  # the loader takes every folder for a scene
            (scene / EPISODES).parent.mkdir()
            lines = (json.dumps(episode, ensure_ascii=False) + "\n" for episode in episodes)
            (scene / EPISODES).write_text("".join(lines), encoding="utf-8")


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


def _read_floors(run: RunData) -> Mapping[int, FloorMask]:
    """Where light models saw the floor; nothing for a run without them."""
    path = run.home / VISION.path
    if not path.is_file():
        return {}
    return read_floors(run.scene.frames, FrameResults(path.parent, from_plain(read_json(path), VisionIndex, str(path))))


def _find_goal(stepped: SteppedWay, step: int, goals: PixelGoals) -> tuple[list[int], int]:
    """Pixel and steps to it; none before a turn or the stop."""
    frame, later = stepped.frames[step], stepped.frames[step + 1 :]
    if stepped.actions[step] == "forward":
        goal = goals.find(frame, [other for other in dict.fromkeys(later) if other != frame])
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
    maps = run.home / DEPTH_MAPS.path
    for step, frame in enumerate(frames):
        picture, shown = path_of(scene, PICTURE, episode, step), run.scene.frame_by_index[frame]
        picture.parent.mkdir(parents=True, exist_ok=True)
        copy_frame(run, frame, picture)
        depth_of(picture).parent.mkdir(exist_ok=True)
        unknown = np.zeros((-(-shown.height // STEP_PX), -(-shown.width // STEP_PX)), np.uint16)
        depth = read_depth_mm(maps, frame) if depth_path(maps, frame).is_file() else unknown
        write_picture_file(depth_of(picture), depth)


class _Step(Row):
    action: Annotated[int, Field(ge=START, le=3)]
    pose: Annotated[list[list[Finite]], Field(alias=POSE), must(is_pose, "a 4x4 pose")]
    goal: Annotated[list[int], Field(alias=GOAL, min_length=2, max_length=2)]
    steps_to_goal: Annotated[
        int, Field(alias=STEPS_TO_GOAL), must(lambda steps: steps == NO_GOAL or steps > 0, "-1, or steps")
    ]


class _WrittenStep(_Step):
    """With two columns of ours that others lack."""

    world_from_cam: list[list[float]]
    source_frame: int


class _Episode(Row):
    key = "episode_index"
    episode_index: Whole
    tasks: Annotated[
        list[Text],
        Field(min_length=1),
        must(lambda tasks: all(part.strip() for part in tasks[0].split(SEPARATOR)), f"texts joined by {SEPARATOR}"),
    ]
    length: Annotated[int, Field(ge=LEAST_STEPS)]


def _check(data: DatasetCheck) -> None:
    """What the loader opens, asks for and skips."""
    if not (data.folder / "train").is_dir():
        data.bad("train", "file", "a folder of scenes", "no such folder")
    for scene in sorted(folder for split in SPLITS for folder in (data.folder / split).glob("*") if folder.is_dir()):
        name = scene.relative_to(data.folder).as_posix()
        if "rgb" in scene.name:
            data.bad(name, "name", "no 'rgb': the loader puts 'depth' there", scene.name)
        for row, episode in data.rows(f"{name}/{EPISODES}", _Episode):  # every folder is taken for a scene
            _check_episode(row, episode, scene)


def _check_episode(row: RowCheck, episode: _Episode, scene: Path) -> None:
    data, number = row.data, episode.episode_index
    table = path_of(scene, TABLE, number).relative_to(data.folder).as_posix()
    steps = list(data.table(table, schema_of(_Step), exact=False))
    row.need(len(steps) == episode.length, "length", f"{len(steps)}, the rows of {table}", episode.length)
    for place, step in enumerate(steps):
        picture = path_of(scene, PICTURE, number, place)
        following = steps[place + 1].record.get("action") if place + 1 < len(steps) else 0
        for needed in (picture, depth_of(picture)):
            step.need(data.has_file(needed), "picture", needed.relative_to(scene).as_posix(), "no such file")
        fitting = step.fit(_Step)
        if fitting is None:
            continue
        if (fitting.action == START) != (place == 0) or fitting.action == 0:
            step.bad("action", "-1 first, which the loader drops, then 1, 2 or 3: it adds the stop", fitting.action)
        _check_goal(step, fitting, following, len(steps) - 1 - place, data.once(find_size, picture))


def _check_goal(row: RowCheck, step: _Step, following: object, left: int, size: Size | None) -> None:
    if step.steps_to_goal == NO_GOAL:
        row.need(step.goal == [NO_GOAL, NO_GOAL], GOAL, f"[{NO_GOAL}, {NO_GOAL}] where there is no goal", step.goal)
        return
    row.need(following == 1, STEPS_TO_GOAL, f"{NO_GOAL} before a turn or the stop", step.steps_to_goal)
    row.need(step.steps_to_goal <= left, STEPS_TO_GOAL, f"at most {left}, the steps that follow", step.steps_to_goal)
    if size is not None and not (0 <= step.goal[0] < size[0] and 0 <= step.goal[1] < size[1]):
        row.bad(GOAL, f"x and y in a picture of {size[0]}x{size[1]}", step.goal)


INTERNNAV = ExportFormat(
    name="internnav",
    summary="ways as actions with a frame, a pose and a pixel goal for each, a scene per tour",
    client="InternNav (InternRobotics/InternNav at 7a5c624 of 2026-03-10, "
    "internnav/dataset/internvla_n1_lerobot_dataset.py)",
    needs_scale=True,
    reads=("instructions",),
    shows=("depth",),
    convention=CONVENTION,
    write=write,
    options=AugmentOptions,
    check=_check,
)
