"""Rooms of the made apartment against its truth: the share of frames right, wrong and unknown.

    roomtour process examples/apartment.mp4 --perception light --out RUN && python benchmarks/rooms.py RUN

Floor, walls, doors and poses are those of the run. First the run's own things and rooms, if it has any; then the things
of the truth, put into the run's world, of which a fifth bear the name of another thing of the apartment, drawn anew for
each seed. The true room of a frame is the one whose outline holds the true camera; frames in a doorway count for
neither.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from floor_plan import TRUTH, room_at

sys.path.insert(0, str(Path(__file__).parents[1]))

import roomtour
from instructions.perception.rooms.label import label_rooms_by_things
from instructions.records import Obb, SceneObject
from recon.geometry import Sim3
from recon.records import SceneModel
from roomtour.stages.perception import find_sites
from roomtour.trial.rendered import RenderedTour, Thing

SAME = {"hall": "hallway"}
WRONG_NAMES = 0.2
LEAST_SAMPLES = 12
"""Of the rays that are cast, one per 8 x 8 pixels: a thing with fewer in view is too small to be detected."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    args = parser.parse_args()
    run = roomtour.Run(args.run)
    truth = json.loads((TRUTH / "truth.json").read_text(encoding="utf-8"))
    model = run.scene.models[0]
    rows = np.loadtxt(TRUTH / "trajectory.tum")
    times = [run.scene.frame_by_index[frame].time_s for frame in model.frames]
    true_centers = np.column_stack([np.interp(times, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)])
    model_from_true = Sim3.fit(true_centers, model.centers).inverse()
    rooms = {frame: room_at(truth, place) for frame, place in zip(model.frames, true_centers, strict=True)}
    true_rooms = {frame: SAME.get(room, room) for frame, room in rooms.items() if room is not None}

    print("| things | right | wrong | unknown |\n|---|---|---|---|")
    if run.frame_rooms:
        print_row("those of the run", {one.frame: one.room for one in run.frame_rooms}, true_rooms)
    tour = RenderedTour()
    frames_of: dict[int, list[int]] = defaultdict(list)
    for frame, view in zip(model.frames, tour.views(times), strict=True):
        for row, count in Counter(view.thing[view.thing >= 0].tolist()).items():
            if count >= LEAST_SAMPLES:
                frames_of[row].append(frame)
    names = sorted({thing.category for thing in tour.things})
    things = [
        put_into_model(f"{model.name}_{row}", tour.things[row], frames, model, model_from_true)
        for row, frames in sorted(frames_of.items())
    ]
    sites = find_sites(run.scene, run.trajectories, things)
    means = []
    for seed in range(args.seeds):
        called = rename(things, names, random.Random(seed))
        found = label_rooms_by_things(run.scene, called, sites, {})
        means.append(print_row(f"true ones, seed {seed}", {one.frame: one.room for one in found.rooms}, true_rooms))
    right, wrong, unknown = np.mean(means, axis=0)
    print(f"| true ones, mean of {args.seeds} | {right:.3f} | {wrong:.3f} | {unknown:.3f} |")
    print(f"least right: {min(row[0] for row in means):.3f}")


def print_row(name: str, found: Mapping[int, str], true_rooms: Mapping[int, str]) -> tuple[float, float, float]:
    """Shares of the frames right, wrong and unknown."""
    verdicts = Counter(
        "unknown" if frame not in found else "right" if found[frame] == room else "wrong"
        for frame, room in true_rooms.items()
    )
    shares = tuple(verdicts[verdict] / len(true_rooms) for verdict in ("right", "wrong", "unknown"))
    print(f"| {name} | {shares[0]:.3f} | {shares[1]:.3f} | {shares[2]:.3f} |")
    return shares  # type: ignore[return-value]


def put_into_model(
    id: str, thing: Thing, frames: Sequence[int], model: SceneModel, model_from_true: Sim3
) -> SceneObject:
    """A thing of the truth in the world of a model."""
    x, y, z = (model_from_true @ thing.center[None])[0].tolist()
    length, width, height = (model_from_true.scale * thing.half).tolist()
    first, second, third = (tuple(row) for row in (model_from_true.rotation @ thing.rotation).tolist())
    box = Obb((x, y, z), (length, width, height), (first, second, third))
    return SceneObject(
        id, model.name, thing.category, thing.category, None, None, box, (), tuple(frames), False, "truth"
    )


def rename(things: Sequence[SceneObject], names: Sequence[str], draw: random.Random) -> list[SceneObject]:
    """A fifth of the things under the name of another thing."""
    called = []
    for thing in things:
        others = [name for name in names if name != thing.category]
        called.append(replace(thing, category=draw.choice(others)) if draw.random() < WRONG_NAMES else thing)
    return called


if __name__ == "__main__":
    main()
