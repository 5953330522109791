"""Made tours of bare, dark, grainy, small rooms and of pans past bare walls: right, or said to be wrong?

    python benchmarks/bare_worlds.py FOLDER [--worlds NAME...] [--kinds auto sift xfeat] [--seeds 3]
        [--world-seed 7] [--jobs 1] [--quick] [--film-only]

Needs the light models (ROOMTOUR_MODELS) for `auto` and `xfeat`, and the `dev` extra (mujoco) where a video has yet to
be filmed. The made apartment has little furniture, its walls and floors hardly any texture, and it is filmed with less
light, sensor noise, an open shutter, a mirror. FOLDER keeps the lit rooms, the videos with their truth and one row per
run: what is there is not made again, and a run that was cut short goes on. Another world seed gives other textures,
sway and noise, and way points and turns that differ a little; it wants a FOLDER of its own. So does --quick: lamps
light the rooms without shadows, and 8 pictures per second are filmed instead of 15, in a tenth of the time.

Each row: share of the frames that any model holds and that the largest holds, models, error of the largest (root mean
square of the camera centres after the best similarity, largest in brackets) in per cent of the true path, the error
findings of the run. WRONG is a largest model that is more than 1 % off in a run without an error finding.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")
sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

import cv2
import numpy as np
from apartment_world.furnishing import furnish
from apartment_world.geometry import Patch, WorldObject
from apartment_world.rooms import HEIGHT_M, build_shell, floor_plan
from apartment_world.truth import write_trajectory
from apartment_world.walk import CameraPath, Turn, Wait, Walk, camera_path

from benchmarks.results_table import write_table
from recon.evaluate import pose_error
from recon.pose_sources.match import PictureIndex, match_poses
from recon.pose_sources.read import read_tum
from roomtour.run import Run

WIDTH_PX, HEIGHT_PX, FPS, QUICK_FPS, FOV_DEG = 640, 360, 15, 8, 77.0
WORLD_SEED = 7
WAY_OFF_M, TURN_OFF = 0.08, 0.1
"""By how much way points and turns of another world seed differ: doors are that wide."""
BLUR_M = 0.15
"""Texture finer than this is what `texture` scales; light and shade are coarser and stay."""
WRONG = 0.01
FURNITURE = {
    "living_room": ("sofa", "coffee_table", "armchair"),
    "kitchen": ("fridge", "kitchen_counter", "dining_table"),
    "hall": ("front_door",),
    "bedroom": ("bed", "cabinet", "wardrobe"),
    "study": ("desk", "office_chair"),
    "bathroom": ("bathtub", "washbasin", "toilet"),
}

MIRROR_M = ((3.0, 6.32, 1.45), (0.9, 0.01, 0.7))
"""On the north wall of the hall: center and half extents, as wide as a wardrobe's door."""

ALONG_HALL = ((1.0, 5.5), 0.0, [Wait(0.3), Walk(((4.0, 5.5), (4.0, 2.6))), Turn(60)])
INTO_LIVING_ROOM = ((4.0, 5.5), -90.0, [Wait(0.2), Walk(((4.0, 2.5),)), Turn(-90, 40), Walk(((1.9, 2.3),))])
INTO_BEDROOM = ((1.7, 5.4), 90.0, [Wait(0.2), Walk(((1.75, 8.0),)), Turn(180, 45), Walk(((1.7, 6.2),))])
ROUND_AND_ON = ((1.7, 5.4), 90.0, [Walk(((1.75, 7.6),)), Turn(360, 60), Walk(((2.6, 8.6),))])
BATHROOM = ((9.0, 5.6), 90.0, [Walk(((9.0, 8.2),)), Turn(130, 45), Walk(((8.3, 7.3),)), Turn(-100, 45)])
FROM_ROOM_TO_ROOM = (
    (1.7, 7.6),
    -90.0,
    [Walk(((1.7, 5.5),)), Turn(90, 45), Walk(((3.9, 5.5),)), Turn(-90, 45), Walk(((4.0, 3.8),))],
)


@dataclass(frozen=True)
class World:
    """One way to film the bare apartment."""

    name: str
    walk: tuple[tuple[float, float], float, list]
    texture: float = 0.1
    """Share of the fine texture that walls, floors and furniture keep."""
    exposure: float = 1.0
    """Multiplies linear light."""
    noise: float = 0.0
    """Standard deviation of the sensor's noise (0..255)."""
    shutter: float = 0.0
    """Share of the time between two pictures in which the shutter is open."""
    mirror: bool = False


WORLDS = (
    World("plain", ALONG_HALL, texture=0.35),
    World("bare, pan 90", INTO_LIVING_ROOM, texture=0.05),
    World("dark", ALONG_HALL, exposure=0.12, noise=3.0),
    World("grainy", INTO_LIVING_ROOM, exposure=0.5, noise=10.0),
    World("blurred", ALONG_HALL, exposure=0.6, noise=2.0, shutter=0.8),
    World("mirror", ALONG_HALL, texture=0.2, mirror=True),
    World("small", BATHROOM),
    World("pan 180", INTO_BEDROOM),
    World("pan 360", ROUND_AND_ON),
    World("room to room, dark, grainy, blurred", FROM_ROOM_TO_ROOM, exposure=0.3, noise=5.0, shutter=0.6),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", nargs="*", help="names, or their beginnings; all by default")
    parser.add_argument("--kinds", nargs="*", default=["auto"])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--world-seed", type=int, default=WORLD_SEED)
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side; rows come as they are ready")
    parser.add_argument("--quick", action="store_true", help="film worlds without shadows, at half the rate")
    parser.add_argument("--film-only", action="store_true")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    chosen = [one for one in WORLDS if args.worlds is None or any(one.name.startswith(word) for word in args.worlds)]
    objects: list[WorldObject] | None = None
    for world in chosen:
        if not video_of(args.folder, world).exists():
            objects = objects or light_rooms(args.folder / "lit_rooms.npz", args.world_seed, args.quick)
            film(world, objects, args.folder, args.world_seed, args.quick)
    if args.film_only:
        return
    columns = ("world", "features", "seed", "in any model", "in the largest", "models", "error, % of the path")
    runs = [(world, kind, seed) for seed in range(args.seeds) for world in chosen for kind in args.kinds]
    rows: list[dict] = []
    with ThreadPoolExecutor(args.jobs) as pool:
        waiting = [pool.submit(measure, *run, args.folder) for run in runs]
        for done in waiting if args.jobs == 1 else as_completed(waiting):
            rows.append(done.result())
            print("|", " | ".join(cells_of(rows[-1])), "|", flush=True)
    sums = [summary([row for row in rows if row["kind"] == kind], kind) for kind in args.kinds]
    print(*sums, sep="\n", flush=True)
    write_table("bare_worlds", (*columns, "error findings", ""), [cells_of(row) for row in rows], note=". ".join(sums))


def video_of(folder: Path, world: World) -> Path:
    """Where a world's video lies; its truth lies beside it."""
    return folder / f"{world.name.replace(', ', '_').replace(' ', '_')}.mp4"


def light_rooms(kept: Path, world_seed: int = WORLD_SEED, quick: bool = False) -> list[WorldObject]:
    """The apartment with little furniture, painted and lit; made once and kept."""
    from apartment_world.lighting import bake  # mujoco
    from apartment_world.render import paint_all

    rooms, openings = floor_plan()
    everything = furnish(np.random.default_rng(world_seed))
    lamps = [thing for thing in everything if thing.category == "ceiling lamp"]
    few = [thing for thing in everything if thing.id.rsplit("_", 1)[0] in FURNITURE.get(thing.room, ())]
    objects = build_shell(rooms, openings) + few + lamps
    if kept.exists():
        with np.load(kept, allow_pickle=False) as lit:
            for number, patch in enumerate(patches_of(objects)):
                patch.image = lit[f"arr_{number}"]
        return objects
    paint_all(objects, world_seed)
    lamps_m = np.array([[lamp.center_m[0], lamp.center_m[1], HEIGHT_M - 0.7] for lamp in lamps])
    if quick:
        light_by_lamps(objects, lamps_m)
    else:
        bake(objects, openings, lamps_m, world_seed, 1)
    part = kept.with_suffix(".part.npz")
    np.savez(part, *[patch.image for patch in patches_of(objects) if patch.image is not None])
    part.replace(kept)
    return objects


def light_by_lamps(objects: list[WorldObject], lamps_m: np.ndarray) -> None:
    """Multiply every painted image by the light of all lamps, as if nothing stood between, and a little from above."""
    from apartment_world.lighting import _expose  # mujoco

    for patch in patches_of(objects):
        rows, columns = (int(np.clip(np.ceil(side / 0.15), 3, 80)) for side in patch.size_m()[::-1])
        v, u = np.meshgrid((np.arange(rows) + 0.5) / rows, (np.arange(columns) + 0.5) / columns, indexing="ij")
        at, normal = patch.sample(u.reshape(-1), v.reshape(-1))
        normal = np.broadcast_to(normal, at.shape)
        to = lamps_m[None] - at[:, None]
        away = np.maximum((to**2).sum(axis=-1), 0.15)
        light = (np.maximum((to * normal[:, None]).sum(axis=-1), 0) / away**1.5).sum(axis=1)
        light += 0.12 * (1.2 + 0.5 * normal[:, 2])
        warm = light[:, None] * np.array([1.0, 0.95, 0.88])
        _expose(patch, warm.reshape(rows, columns, 3), np.zeros((rows, columns), np.float32), 0.3)


def patches_of(objects: list[WorldObject]) -> Iterator[Patch]:
    """Every surface."""
    return (patch for thing in objects for part in thing.parts for patch in part.patches)


def bare(objects: list[WorldObject], texture: float) -> list[WorldObject]:
    """The same rooms with that share of their fine texture; what is seen through the windows stays."""

    def flatten(patch: Patch) -> Patch:
        assert patch.image is not None
        image = patch.image.astype(np.float32)
        coarse = cv2.GaussianBlur(image, (0, 0), BLUR_M * patch.px_per_m, borderType=cv2.BORDER_REPLICATE)
        return replace(patch, image=np.clip(coarse + texture * (image - coarse), 0, 255).astype(np.uint8))

    return [
        thing
        if thing.id.startswith("outside")
        else replace(thing, parts=[replace(part, patches=list(map(flatten, part.patches))) for part in thing.parts])
        for thing in objects
    ]


def vary(walk: tuple[tuple[float, float], float, list], world_seed: int) -> tuple[tuple[float, float], float, list]:
    """The walk of another world seed: way points and turns differ a little."""
    if world_seed == WORLD_SEED:
        return walk
    rng = np.random.default_rng(world_seed)

    def move_m(place: tuple[float, float]) -> tuple[float, float]:
        x, y = np.array(place) + rng.uniform(-WAY_OFF_M, WAY_OFF_M, 2)
        return float(x), float(y)

    start, heading_deg, moves = walk
    varied = []
    for move in moves:
        if isinstance(move, Walk):
            varied.append(replace(move, way_m=tuple(map(move_m, move.way_m))))
        elif isinstance(move, Turn):
            varied.append(replace(move, angle_deg=move.angle_deg * rng.uniform(1 - TURN_OFF, 1 + TURN_OFF)))
        else:
            varied.append(move)
    return move_m(start), heading_deg, varied


def film(
    world: World, objects: list[WorldObject], folder: Path, world_seed: int = WORLD_SEED, quick: bool = False
) -> None:
    """Write a world's video and the poses of its camera."""
    from apartment_world.render import Mirror, build_model, encode, render  # mujoco

    parts = 5 if world.shutter else 1
    fps = QUICK_FPS if quick else FPS
    finer = 1 if quick and world.shutter else 2  # pictures over which the shutter is open are averaged anyway
    path = camera_path(*vary(world.walk, world_seed), fps * parts, world_seed)
    focal_px = WIDTH_PX / 2 / np.tan(np.radians(FOV_DEG) / 2)
    fovy_deg = float(2 * np.degrees(np.arctan(HEIGHT_PX / 2 / focal_px)))
    mirrors = [Mirror(*MIRROR_M)] if world.mirror else []
    model = build_model(bare(objects, world.texture), finer * WIDTH_PX, finer * HEIGHT_PX, fovy_deg, mirrors)
    video = video_of(folder, world)
    times_s = encode(expose(render(model, path, WIDTH_PX, HEIGHT_PX), world, parts, world_seed), video, fps, 20)
    open_at = np.arange(len(times_s)) * parts + (open_parts(world, parts) - 1) // 2  # the middle of the exposure
    shown = CameraPath(path.time_s[open_at], path.position_m[open_at], path.world_from_cam[open_at], [])
    write_trajectory(shown, times_s, video.with_suffix(".tum"))
    print(f"{video.name}: {len(times_s)} frames, {times_s[-1]:.1f} s", flush=True)


def open_parts(world: World, parts: int) -> int:
    """How many of the pictures between two shown ones the shutter is open for."""
    return max(1, round(world.shutter * parts))


def expose(images: Iterator[np.ndarray], world: World, parts: int, world_seed: int) -> Iterator[np.ndarray]:
    """What a sensor makes of the light: means over the open shutter, less light, noise."""
    rng = np.random.default_rng(world_seed)
    wanted = open_parts(world, parts)
    light: list[np.ndarray] = []
    for number, image in enumerate(images):
        if number % parts < wanted:
            light.append((image.astype(np.float32) / 255) ** 2.2)
        if number % parts == parts - 1:
            shown = 255 * (world.exposure * np.mean(light, axis=0)).clip(0, 1) ** (1 / 2.2)
            noise = rng.normal(0, world.noise, shown.shape) if world.noise else 0.0
            yield np.round(np.clip(shown + noise, 0, 255)).astype(np.uint8)
            light = []


def measure(world: World, kind: str, seed: int, folder: Path) -> dict:
    """One run against the truth; read back where it is there."""
    kept = folder / "rows" / f"{video_of(folder, world).stem}_{kind}_{seed}.json"
    if kept.exists():
        return json.loads(kept.read_text(encoding="utf-8"))
    video = video_of(folder, world)
    path = folder / "runs" / kept.stem
    command = [sys.executable, "-m", "roomtour", "process", str(video), "--out", str(path), "--workers", "1"]
    flags = ["--until", "scene", "--perception", "landmarks", "--features.kind", kind, "--seed", str(seed)]
    code = subprocess.run([*command, *flags], capture_output=True, check=False).returncode
    run = Run(path)
    scene = run.scene
    truth = match_poses(read_tum(video.with_suffix(".tum")), scene.frames, PictureIndex(()))
    reference = truth.world_from_cam
    centers = np.array([reference[frame].center for frame in sorted(reference)])
    length_m = float(np.linalg.norm(np.diff(centers, axis=0), axis=1).sum())
    errors = []
    for model in sorted(scene.models, key=lambda one: -len(one.frames)):
        if len(model.frames) >= 3:
            error = pose_error(model.world_from_cam, reference)
            errors.append((len(model.frames), error.rmse / length_m, error.largest / length_m))
    row = {
        "world": world.name,
        "kind": kind,
        "seed": seed,
        "exit": code,
        "frames": len(scene.frames),
        "registered": scene.registered,
        "models": len(scene.models),
        "errors": errors,
        "path_m": length_m,
        "findings": sorted({f.code for f in run.findings if f.severity == "error"}),
        "warnings": sorted({f.code for f in run.findings if f.severity == "warning"}),
        "cpu_s": sum(stage.cpu_seconds or 0.0 for stage in run.stages.values()),
    }
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(row), encoding="utf-8")
    return row


def cells_of(row: dict) -> list[str]:
    """One line of the table."""
    size, rmse, largest = row["errors"][0] if row["errors"] else (0, float("nan"), float("nan"))
    wrong = rmse > WRONG and not row["findings"]
    return [
        row["world"],
        row["kind"],
        str(row["seed"]),
        f"{row['registered'] / row['frames']:.2f}",
        f"{size / row['frames']:.2f}",
        str(row["models"]),
        f"{100 * rmse:.2f} ({100 * largest:.2f})",
        ", ".join(row["findings"]) or "none",
        "WRONG" if wrong else "",
    ]


def summary(rows: Sequence[dict], kind: str) -> str:
    """What the rows of one kind of features say together."""
    shares = [row["errors"][0][0] / row["frames"] if row["errors"] else 0.0 for row in rows]
    off = [bool(row["errors"]) and row["errors"][0][1] > WRONG for row in rows]
    told = [bool(row["findings"]) for row in rows]
    quiet = sum(bad and not said for bad, said in zip(off, told, strict=True))
    needless = sum(said and not bad for bad, said in zip(off, told, strict=True))
    return (
        f"{kind}: {len(rows)} runs, mean share in the largest {np.mean(shares):.3f}, {sum(off)} more than "
        f"{WRONG:.0%} off, {quiet} of them without an error finding, {needless} error findings on others, "
        f"{np.mean([row['cpu_s'] for row in rows]):.0f} CPU-s a run"
    )


if __name__ == "__main__":
    main()
