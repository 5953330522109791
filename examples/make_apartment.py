"""Make the example world: an apartment tour with known truth, and the small test clips of the same apartment.

Run `python examples/make_apartment.py --help`. Needs the `dev` extra (mujoco) and an EGL or OSMesa library; set
MUJOCO_GL to choose (egl by default). Nothing is downloaded; everything is painted, lit and rendered from the seed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")

import cv2
import numpy as np
from apartment_world import walk
from apartment_world.furnishing import furnish
from apartment_world.geometry import Paint, WorldObject
from apartment_world.lighting import bake
from apartment_world.render import build_model, encode, paint_all, render
from apartment_world.rooms import HEIGHT_M, Opening, Room, build_shell, floor_plan
from apartment_world.truth import write_trajectory, write_truth

FOV_DEG = 77.0
"""Horizontal: between a phone's main lens (68) and its wide one (100)."""
TILE_M = 1.5


@dataclass(frozen=True)
class Clip:
    """A video to make. `walk` is (start, heading in degrees, moves)."""

    name: str
    walk: tuple[tuple[float, float], float, list]
    size_px: tuple[int, int]
    fps: int
    crf: int
    note: str
    length_s: float | None = None
    tiled: bool = False


def all_clips() -> list[Clip]:
    """The example tour and the test clips."""
    return [
        Clip("apartment", walk.apartment_tour(), (640, 360), 30, 25, "The whole apartment."),
        Clip("short_walk", walk.short_walk(), (480, 270), 15, 27, "Hall to living room, one turn on the spot.", 15.0),
        Clip(
            "tiled_walk",
            walk.make_tiled_walk(),
            (480, 270),
            15,
            27,
            f"Same rooms, bare; wall and floor textures repeat exactly every {TILE_M} m, so reconstructions look fine "
            "and are wrong.",
            20.0,
            tiled=True,
        ),
        Clip("straight_walk", walk.straight_walk(), (320, 180), 10, 26, "Along the hall.", 6.0),
    ]


def tile(paint: Paint) -> Paint:
    """The painter's first TILE_M by TILE_M, repeated exactly over the surface."""

    def paint_tiles(h: int, w: int, px_per_m: float, rng: np.random.Generator) -> np.ndarray:
        side = round(TILE_M * px_per_m)
        tile = paint(side, side, px_per_m, rng)
        return np.tile(tile, (-(-h // side), -(-w // side), 1))[:h, :w]

    return paint_tiles


def flat(h: int, w: int, px_per_m: float, rng: np.random.Generator) -> np.ndarray:
    """A painter of plain off-white, with nothing to recognise."""
    return np.full((h, w, 3), 0.86, np.float32)


def build_world(seed: int, workers: int, tile_walls: bool) -> tuple[list[WorldObject], list[Room], list[Opening]]:
    """Paint and light the apartment; the tiled one is empty, evenly lit, and has plain frames and sky."""
    rooms, openings = floor_plan()
    if tile_walls:
        objects = build_shell(rooms, openings)
        for patch in (patch for thing in objects for part in thing.parts for patch in part.patches):
            width, height = patch.size_m()
            patch.paint = tile(patch.paint) if patch.glow == 0 and width * height > 3 else flat
        paint_all(objects, seed)
        return objects, rooms, openings
    furniture = furnish(np.random.default_rng(seed))
    objects = build_shell(rooms, openings) + furniture
    paint_all(objects, seed)
    lamps = [thing for thing in furniture if thing.category == "ceiling lamp"]
    lamps_m = np.array([[lamp.center_m[0], lamp.center_m[1], HEIGHT_M - 0.7] for lamp in lamps])
    bake(objects, openings, lamps_m, seed, workers)
    return objects, rooms, openings


def make_clip(clip: Clip, world: tuple, video: Path, truth_dir: Path, seed: int, scale: float, fps: int | None) -> None:
    """Render one clip and write its truth."""
    objects, rooms, openings = world
    width, height = clip.size_px
    focal_px = width / 2 / np.tan(np.radians(FOV_DEG) / 2)
    fovy_deg = 2 * np.degrees(np.arctan(height / 2 / focal_px))
    path = walk.camera_path(*clip.walk, fps or clip.fps, seed, clip.length_s)
    began = time.monotonic()
    model = build_model(objects, round(width * scale), round(height * scale), fovy_deg)
    times_s = encode(render(model, path, width, height), video, fps or clip.fps, clip.crf)
    if len(times_s) != len(path.time_s):
        raise SystemExit(f"{video}: {len(times_s)} frames in the file, {len(path.time_s)} rendered. Is the disk full?")
    write_trajectory(path, times_s, truth_dir / "trajectory.tum")
    write_truth(
        truth_dir / "truth.json",
        video=video.name,
        fps=fps or clip.fps,
        size_px=clip.size_px,
        focal_px=float(focal_px),
        seed=seed,
        path=path,
        rooms=rooms,
        openings=openings,
        objects=objects,
        note=clip.note,
    )
    size_mb, took_s = video.stat().st_size / 1e6, time.monotonic() - began
    print(f"{video}: {len(times_s)} frames, {times_s[-1]:.1f} s, {size_mb:.2f} MB, made in {took_s:.0f} s")


def main(argv: list[str] | None = None) -> int:
    """Parse the command line and make the clips."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("examples"), help="folder of apartment.mp4 and its truth")
    parser.add_argument("--clips", type=Path, help="folder of the test clips; none are made without it")
    parser.add_argument("--only", nargs="*", help="names of the videos to make (default: all)")
    parser.add_argument("--seed", type=int, default=7, help="seed of textures, furniture details and sway")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes for tracing light")
    parser.add_argument("--scale", type=float, default=2.0, help="render this much larger, then average down")
    parser.add_argument("--fps", type=int, help="override the frame rate (for a quick look)")
    args = parser.parse_args(argv)
    cv2.setNumThreads(args.workers)
    worlds: dict[bool, tuple] = {}
    for clip in all_clips():
        folder = args.out if clip.name == "apartment" else args.clips
        if (args.only and clip.name not in args.only) or folder is None:
            continue
        if clip.tiled not in worlds:
            began = time.monotonic()
            worlds[clip.tiled] = build_world(args.seed, args.workers, clip.tiled)
            print(f"painted and lit the {'tiled ' if clip.tiled else ''}apartment in {time.monotonic() - began:.0f} s")
        truth_dir = folder / (f"{clip.name}_truth" if folder is args.out else clip.name)
        make_clip(clip, worlds[clip.tiled], folder / f"{clip.name}.mp4", truth_dir, args.seed, args.scale, args.fps)
    return 0


if __name__ == "__main__":
    sys.exit(main())
