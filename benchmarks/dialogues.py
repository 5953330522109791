"""How many embedded turns about the made apartment are true, by a judge that shares no code with their writer.

    python benchmarks/dialogues.py [--fps 2] [--noise 0.0] [--seed 0] [--show 20]

The writer gets the apartment's true boxes, rooms, depth, and what rays against its surfaces show. The judge reads rows
as JSON, casts its own rays through every fourth pixel, and reads the words. Besides: rows by kind, CPU per view, and
how the cloud lies (turn against the walls, growth of boxes).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.results_table import write_table
from instructions.dialogues.clouds.clouds import DepthOf
from instructions.dialogues.options import DialogueOptions
from instructions.dialogues.records import Dialogue
from instructions.dialogues.tour import TalkTour
from instructions.dialogues.writer import DialogueRows, write_dialogues
from instructions.records import FrameRoom
from recon.records import SceneModel
from roomtour.files.records import to_plain
from tests.support.judges.dialogue_judge import Judge
from tests.support.worlds.apartment_surfaces import TRUTH, KnownWorld, Surfaces, know_apartment

STEP_PX = 4
ABSENT = ("bathtub", "piano", "bicycle", "fireplace", "microwave", "clock")
"""Kinds that the apartment has not, which the detector of the made world knows."""


def know_tour(
    surfaces: Surfaces, times_s: list[float], noise_m: float = 0.0, seed: int = 0
) -> tuple[TalkTour, KnownWorld]:
    """The made apartment as dialogues see it; with noise its boxes are moved."""
    world = know_apartment(surfaces, times_s)
    rng = np.random.default_rng(seed)
    objects = []
    for one in world.objects:
        x, y, z = (float(value) for value in np.array(one.obb.center) + rng.normal(0.0, noise_m, 3))
        objects.append(replace(one, obb=replace(one.obb, center=(x, y, z))) if noise_m else one)
    judge = Judge(TRUTH, surfaces, times_s)
    rooms = []
    for frame in world.scene.frames:
        label = judge._room(judge.view(frame.index))
        rooms.append(FrameRoom(frame.index, label, 1.0, label))
    looked = frozenset(one.category or "" for one in objects) | frozenset(ABSENT)
    tour = TalkTour(
        world.scene, objects, world.observations, frame_rooms=rooms, looked_for=looked, exact=noise_m == 0.0, seed=seed
    )
    return tour, world


def cast_depth(surfaces: Surfaces, model: SceneModel) -> DepthOf:
    """Depth along the optical axis by rays, at the centre of every fourth pixel."""

    def depth_of(frame: int):
        pose, camera = model.world_from_cam[frame], model.camera
        u, v = np.meshgrid(np.arange(0, camera.width, STEP_PX), np.arange(0, camera.height, STEP_PX))
        rays = camera.rays(np.stack([u, v], axis=-1).reshape(-1, 2) + 0.5) @ pose.rotation.T
        _, lengths = surfaces.first_hits(pose.center, rays)
        depth = np.where(lengths < 0, np.nan, lengths).reshape(u.shape).astype(np.float32)
        return depth, np.full((*u.shape, 3), 128, np.uint8)

    return depth_of


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fps", type=float, default=2.0, help="views per second of the tour")
    parser.add_argument("--noise", type=float, default=0.0, help="metres, standard deviation of where boxes are")
    parser.add_argument("--seed", type=int, default=0, help="of the noise and of what is written")
    parser.add_argument("--show", type=int, default=20, help="print so many wrong turns")
    parser.add_argument("--all", action="store_true", help="no caps: every view, every task")
    args = parser.parse_args()
    surfaces = Surfaces()
    times_s = np.arange(0.0, 74.7, 1.0 / args.fps).tolist()
    tour, _ = know_tour(surfaces, times_s, args.noise, args.seed)
    options = DialogueOptions()
    if args.all:
        options = replace(options, views=0, apart_m=0.0, tasks_per_view=0, rows_per_thing=1_000_000)
    began = time.process_time()
    written = write_dialogues(tour, replace(options, medium="view"))
    took = time.process_time() - began
    views = len(written.contexts)
    print(f"views {views}, rows {len(written.rows)}, CPU per view {1000 * took / max(views, 1):.0f} ms")
    print("rows:", dict(sorted(Counter(f"{row.kind} {row.task or ''}".strip() for row in written.rows).items())))
    truths = [_tell_truth("views", written, Judge(TRUTH, surfaces, times_s), args.show)]
    clouds = write_dialogues(tour, replace(options, medium="cloud"), depth_of=lambda model: cast_depth(surfaces, model))
    print("cloud rows:", dict(Counter(row.task or row.kind for row in clouds.rows)))
    truths += [_tell_truth("clouds", clouds, Judge(TRUTH, surfaces, times_s), args.show)]
    for made in clouds.clouds:
        _tell_cloud(made.cloud, made.xyz_rgb, tour)
    write_table(
        "dialogues" if args.noise == 0.0 else f"dialogues_noise_{args.noise:g}",
        ("what", "figure"),
        [
            ("views, rows", f"{views}, {len(written.rows)}"),
            ("true turns about views, by a judge that shares no code with the writer", truths[0]),
            ("true turns about clouds", truths[1]),
            ("CPU per view", f"{1000 * took / max(views, 1):.0f} ms"),
        ],
    )
    return 0


def _tell_truth(name: str, written: DialogueRows, judge: Judge, show: int) -> str:
    for row in written.rows:
        judge.judge(to_plain(row, Dialogue))
    share, judged, unjudged = judge.shares()
    print(f"{name}: turns true {share:.2%} of {judged} judged, {unjudged} not judged")
    print(
        "  by kind (kind, verdict):",
        {f"{kind} {told}": count for (kind, told), count in sorted(judge.verdicts.items(), key=str)},
    )
    for line in judge.wrong[:show]:
        print("  ", line)
    return f"{round(share * judged)} of {judged}"


def _tell_cloud(cloud, xyz_rgb, tour: TalkTour) -> None:
    turn = np.array(cloud.cloud_from_world)[:3, :3]
    angle = np.degrees(np.arctan2(turn[1, 0], turn[0, 0]))
    off = abs((angle + 45) % 90 - 45)
    growth = []
    for box in cloud.boxes:
        half = next(one.obb.half_extents for one in tour.objects if one.id == box.object)
        growth.append(np.prod(box.lengths) / np.prod(2 * np.array(half)) - 1)
    print(f"cloud {cloud.name}: {len(xyz_rgb)} points, {cloud.points}; off the walls by {off:.2f} deg")
    print(f"  boxes grow by {np.median(growth):.1%} (median), {np.percentile(growth, 90):.1%} (nine of ten)")


if __name__ == "__main__":
    raise SystemExit(main())
