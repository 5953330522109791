"""LeRobot v3 datasets: an episode per told way, with images in the parquet, poses as state and motion as action."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from instructions.facts.bodies import Body
from instructions.questions.reward import distance_reward, reward_walk
from instructions.records import SceneObject
from recon.conventions import wrap_deg
from recon.geometry import Array
from recon.pictures import decode_picture
from recon.ranges import AtLeastOne
from roomtour.errors import RoomtourError
from roomtour.export.core.ledger import Ledger
from roomtour.export.core.records import RunData
from roomtour.export.core.run_files import read_picture
from roomtour.export.core.walks.ways import AugmentOptions, Way, collect_ways
from roomtour.export.formats.walks.lerobot.dataset import ACTION, CAMERA, REWARD, STATE, LerobotRoot
from trajectories.records import TrajectoryPoint

CONVENTION = """\
* LeRobot v3.0: `LeRobotDataset(repo_id, root=FOLDER)`. Tours of the split `val` are a dataset of their own in `val/`,
  because LeRobot's splits are ranges of episodes.
* An episode is one told way, sampled at `fps` from its first frame: each tick takes the frame nearest in time.
* `observation.state`: x, y, z of the camera in metres (world right-handed, z up), then its rotation world_from_cam as
  a quaternion x, y, z, w with OpenCV camera axes.
* `action`: the motion to the next tick on the floor, seen from the present heading: metres forward, metres to the left,
  radians turned to the left. The last one is 0.
* `next.reward`: exp(-d / 1 m) at the next tick, for a distance d to what the text ends at (the nearest point of the
  thing's box), or to the place where the way ends if that is no thing: it rises where the distance falls.
* The task is the text; of several texts of one way the first."""

_MEASURED_IMAGES = 4
"""Images per episode that the statistics of pixels rest on; neighbours look alike."""


@dataclass(frozen=True, kw_only=True)
class LerobotOptions(AugmentOptions):
    """Options of the format."""

    fps: AtLeastOne = 3
    """Rate of the episodes in 1/s: what the frames of a tour are sampled at by default."""


def write(runs: Iterable[RunData], ledger: Ledger, options: LerobotOptions) -> None:
    """Write the episodes of all tours, one at a time."""
    ledger.counts.update({"episodes": 0, "frames": 0})
    size: tuple[int, int] | None = None
    folders = {split: root_of(ledger.out, split) for split in options.splits}
    roots = {split: ledger.files.enter_context(LerobotRoot(folder, options.fps)) for split, folder in folders.items()}
    for run in runs:
        for way in collect_ways(run, ledger):
            frame = run.scene.frame_by_index[way.walk.points[0].frame]
            size = size or (frame.width, frame.height)
            if (frame.width, frame.height) != size:
                ledger.dropped[f"way whose images are not {size[0]}x{size[1]} as the first ones"] += 1
                continue
            points = _ticks(way, options.fps)
            if points is None:
                ledger.dropped["way with a gap of more than one tick"] += 1
                continue
            ledger.dropped["further text of a way (LeRobot has one task per frame)"] += len(way.texts) - 1
            _write_episode(run, way, points, roots[ledger.split], size)
            ledger.counts["episodes"] += 1
            ledger.counts["frames"] += len(points)


def root_of(folder: Path, split: str) -> Path:
    """The dataset of a split."""
    return folder if split == "train" else folder / split


def _ticks(way: Way, fps: int) -> list[TrajectoryPoint] | None:
    """The point nearest to each tick, or None where there is none within one tick."""
    times = np.array([point.time_s for point in way.walk.points])
    count = math.floor((times[-1] - times[0]) * fps + 1e-6) + 1
    ticks = times[0] + np.arange(count) / fps
    nearest = np.abs(times[None] - ticks[:, None]).argmin(axis=1)
    if np.abs(times[nearest] - ticks).max() > 1.0 / fps + 1e-6:
        return None
    return [way.walk.points[row] for row in nearest]


def _write_episode(
    run: RunData, way: Way, points: Sequence[TrajectoryPoint], root: LerobotRoot, size: tuple[int, int]
) -> None:
    states = np.array([_state(way, point) for point in points])
    actions = _motions(points)
    rewards = _rewards(run, way, points)
    names = [run.scene.frame_by_index[point.frame].image for point in points]
    images = [read_picture(run.frames_dir / name, run.scene.id) for name in names]
    measured = np.unique(np.linspace(0, len(points) - 1, _MEASURED_IMAGES).round().astype(int))
    pixels = [_pixels(run, names[row], images[row], size) for row in measured]
    rows: list[dict[str, Any]] = [
        {
            CAMERA: {"bytes": image, "path": f"{run.scene.id}/{name}"},
            STATE: state.tolist(),
            ACTION: action.tolist(),
            REWARD: reward,
        }
        for image, name, state, action, reward in zip(images, names, states, actions, rewards, strict=True)
    ]
    root.add_episode(rows, way.texts[0], way.id, pixels, size)


def _rewards(run: RunData, way: Way, points: Sequence[TrajectoryPoint]) -> list[float]:
    """What each step earns by where it leads; the last tick stays where it is."""
    goal = _find_goal(run, way)
    frames = [point.frame for point in points]
    if goal is None:
        end = way.model.world_from_cam[frames[-1]].center
        earned = [
            distance_reward(float(np.linalg.norm(way.model.world_from_cam[frame].center - end))) for frame in frames
        ]
    else:
        earned = reward_walk(way.model, Body.of_box(goal.obb), frames)
    return [*earned[1:], earned[-1]]


def _find_goal(run: RunData, way: Way) -> SceneObject | None:
    """The thing that the text ends at (`stop in front of the sofa`), if its last true claim names one."""
    claims = [check.claim for check in way.told[0][0].claims if check.true]
    if not claims or claims[-1].object is None or claims[-1].kind not in _ENDS_AT:
        return None
    return next((thing for thing in run.objects if thing.id == claims[-1].object), None)


_ENDS_AT = ("stop_at", "approach", "side")
"""Claims by which a text says what is there at its end."""


def _state(way: Way, point: TrajectoryPoint) -> Array:
    pose = way.model.world_from_cam[point.frame]
    w, x, y, z = pose.quat_wxyz
    return np.array([*pose.center, x, y, z, w])


def _motions(points: Sequence[TrajectoryPoint]) -> Array:
    """(T, 3) metres forward, metres left, radians left to the next point; zeros at the last."""
    out = np.zeros((len(points), 3))
    for row, (here, there) in enumerate(pairwise(points)):
        heading = math.radians(here.heading_deg)
        dx, dy = there.position[0] - here.position[0], there.position[1] - here.position[1]
        forward = dx * math.cos(heading) + dy * math.sin(heading)
        left = dy * math.cos(heading) - dx * math.sin(heading)
        out[row] = forward, left, math.radians(wrap_deg(there.heading_deg - here.heading_deg))
    return out


def _pixels(run: RunData, name: str, data: bytes, size: tuple[int, int]) -> Array:
    """Some pixels (N, 3) of an image, red green blue, 0 to 1."""
    image_bgr = decode_picture(data)
    if image_bgr is None or (image_bgr.shape[1], image_bgr.shape[0]) != size:
        size_text = "no image" if image_bgr is None else f"{image_bgr.shape[1]}x{image_bgr.shape[0]}"
        raise RoomtourError(
            f"tour {run.scene.id}: {run.frames_dir / name} is {size_text}, need {size[0]}x{size[1]}. "
            "Run roomtour process again"
        )
    return image_bgr[::8, ::8, ::-1].reshape(-1, 3).astype(np.float64) / 255.0
