"""The floor plan of the example against its true one: free floor, rooms and doorways.

    roomtour process examples/apartment.mp4 --out RUN && python benchmarks/floor_plan.py RUN

The rooms rest on the true label of each frame, so that this measures the geometry alone.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

import roomtour
from recon.geometry import Array, Sim3
from trajectories.floor_grid import sketch_floor
from trajectories.floor_plan import draw_floor_plans
from trajectories.rooms import find_rooms

TRUTH = Path(__file__).parents[1] / "examples" / "apartment_truth"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    run = roomtour.Run(parser.parse_args().run)
    truth = json.loads((TRUTH / "truth.json").read_text(encoding="utf-8"))
    model = run.scene.models[0]
    rows = np.loadtxt(TRUTH / "trajectory.tum")
    times = [run.scene.frame_by_index[frame].time_s for frame in model.frames]
    true_centers = np.column_stack([np.interp(times, rows[:, 0], rows[:, axis]) for axis in (1, 2, 3)])
    true_from_model = Sim3.fit(true_centers, model.centers)
    label_of = {frame: room_at(truth, place) for frame, place in zip(model.frames, true_centers, strict=True)}
    labels = {frame: label for frame, label in label_of.items() if label is not None}

    walks = [walk for walk in run.trajectories if walk.model == model.name]
    grid = sketch_floor(model, walks)
    assert grid is not None, "the example is walked"
    cells = np.argwhere(grid.free)
    places = np.column_stack([grid.origin + (cells[:, ::-1] + 0.5) * grid.cell, np.zeros(len(cells))])
    inside = [room_at(truth, place) is not None for place in true_from_model @ places]
    print(f"free floor: {grid.free.sum() * grid.cell**2:.1f} m2, {np.mean(inside):.1%} of it in a true room")

    found = find_rooms(model.name, grid, walks, labels)
    names = {room.id: room.label for room in found.rooms}
    print(f"rooms: {', '.join(names.values())} (true and walked: {', '.join(sorted(set(labels.values())))})")
    for door in found.doorways:
        place = true_from_model @ np.array([*door.position, 0.0])
        off_m = min(float(np.linalg.norm(np.array(true["center_m"])[:2] - place[:2])) for true in truth["doors"])
        print(f"doorway {' - '.join(names[room] for room in door.rooms if room is not None)}: {off_m:.2f} m off")
    plan = draw_floor_plans(run.scene, run.trajectories, {}).plans[0]
    print(f"polygons: {len(plan.free)} free, {len(plan.occupied)} occupied")


def room_at(truth: dict, place: Array) -> str | None:
    """Label of the true room a place lies in."""
    for room in truth["rooms"]:
        outline = np.array(room["polygon_m"], dtype=np.float32)
        if cv2.pointPolygonTest(outline, (float(place[0]), float(place[1])), measureDist=False) >= 0:
            return room["label"]
    return None


if __name__ == "__main__":
    main()
