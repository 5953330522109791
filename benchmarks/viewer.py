"""How long `roomtour view` takes to show a long tour: 30 minutes, 5,400 frames, a million points by default.

    python benchmarks/viewer.py [--frames 5400] [--points 1000000]

Makes a run of that size out of nothing (one model, every point seen by five frames), loads it, serves it, and opens it
in chromium where that and playwright are installed. Prints wall and CPU seconds; wall time counts only on an idle
machine, and what the browser draws per second only on one with a GPU.
"""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import cv2
import numpy as np
import tyro

from instructions.navigation.records import Instruction
from instructions.records import Obb, Observation, SceneObject, SpatialLine
from recon.conventions import heading_deg
from recon.geometry import Camera, Pose
from recon.records import Clip, Frame, Scale, Scene, SceneModel, SourceInfo, Tracks
from recon.upright.scene_io import write_scene
from roomtour.files.records import write_jsonl
from roomtour.run import Run
from roomtour.stages.table import STAGE_NAMES
from roomtour.store import RunStore, StageEntry
from roomtour.view.live import LiveViewer
from roomtour.view.ports import free_port
from roomtour.view.tour import load_tour
from trajectories.records import DecisionPoint, Trajectory, TrajectoryPoint, ViewChange

T = TypeVar("T")
RATE_HZ, SEEN_BY, OBJECTS, SEEN_PER_FRAME = 3.0, 5, 300, 8
CAMERA = Camera("SIMPLE_RADIAL", 640, 360, (500.0, 320.0, 180.0, 0.01))


def main(frames: int = 5400, points: int = 1_000_000) -> None:
    """Make the run and measure.

    Args:
        frames: Of the tour.
        points: Of its model.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = _measure("make the run (not part of viewing)", lambda: make_run(Path(folder), frames, points))
        tour = _measure("read the run", lambda: load_tour(Run(run), points))
        viewer = _measure("build the page", lambda: LiveViewer(tour, tour.models[0], free_port(18400)))
        try:
            middle = [tour.frames[frame].time_s for frame in tour.models[0].frames[frames // 4 : frames // 4 + 100]]
            _measure("go to 100 frames", lambda: [viewer.go_to(moment) for moment in middle])
            if shutil.which("chromium"):
                _browse(viewer)
        finally:
            viewer.stop()


def make_run(folder: Path, frame_count: int, point_count: int) -> Path:
    """A run folder with a walk round and round a flat of 12 x 9 m."""
    rng = np.random.default_rng(0)
    poses = _walk(frame_count)
    frames = tuple(
        Frame(number, (number - 1) / RATE_HZ, f"{number:06d}.jpg", 640, 360, 100.0, 0)
        for number in range(1, frame_count + 1)
    )
    numbers = tuple(frame.index for frame in frames)
    scale = Scale("assumed", 1.0, 0.15, "made")
    no_points = Tracks(
        np.zeros((0, 3)), np.zeros((0, 3), np.uint8), np.zeros(0), np.zeros(0, int), np.zeros(0, int), np.zeros((0, 2))
    )
    model = SceneModel(
        "0", CAMERA, dict(zip(numbers, poses, strict=True)), no_points, scale, 0.0, "made", 0.6, ("000",)
    )
    source = SourceInfo("long.mp4", "video", 1920, 1080, frame_count / RATE_HZ, frame_count * 10, 30.0, "h264", 0, "")
    write_scene(Scene("long", source, frames, (Clip("000", 0, numbers),), (model,)), folder / "scene")
    _fill_model(folder / "scene/models/0", poses, point_count, rng)
    _write_frames(folder / "frames", frames)
    _write_records(folder, frames, poses, rng)
    store = RunStore(folder)
    store.facts = {"tour": "long", "versions": {"roomtour": importlib.metadata.version("roomtour")}}
    store.stages = {name: StageEntry("0" * 16, 1.0, 1.0, "2026-01-01T00:00:00+00:00") for name in STAGE_NAMES}
    store.write()
    return folder


def _walk(count: int) -> list[Pose]:
    around = np.linspace(0.0, 12 * np.pi, count)
    out = []
    for angle in around:
        heading = angle + np.pi / 2 + 0.6 * np.sin(9 * angle)
        forward = np.array([np.cos(heading), np.sin(heading), 0.0])
        right = np.array([np.sin(heading), -np.cos(heading), 0.0])
        center = np.array([6 + 4.5 * np.cos(angle), 4.5 + 3 * np.sin(angle), 1.5])
        out.append(Pose(np.column_stack([right, np.cross(forward, right), forward]), center))
    return out


def _fill_model(folder: Path, poses: list[Pose], points: int, rng: np.random.Generator) -> None:
    """COLMAP's binary files, written as arrays: its own objects take minutes for so many points."""
    frames = len(poses)
    wall = rng.integers(0, 4, points)
    xyz = rng.uniform((0, 0, 0), (12, 9, 2.6), (points, 3))
    xyz[wall == 0, 0], xyz[wall == 1, 0], xyz[wall == 2, 1], xyz[wall == 3, 1] = 0, 12, 0, 9
    obs_point = np.repeat(np.arange(points), SEEN_BY)
    obs_frame = (rng.integers(0, frames - SEEN_BY, points)[:, None] + np.arange(SEEN_BY)).ravel()
    order = np.argsort(obs_frame, kind="stable")
    per_frame = np.bincount(obs_frame, minlength=frames)
    start = np.concatenate([[0], np.cumsum(per_frame)])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.repeat(start[:-1], per_frame)
    track = np.dtype([("image", "<u4"), ("place", "<u4")])
    point = np.zeros(
        points,
        [("id", "<u8"), ("xyz", "<f8", 3), ("rgb", "u1", 3), ("error", "<f8"), ("n", "<u8"), ("track", track, SEEN_BY)],
    )
    point["id"], point["xyz"], point["rgb"] = np.arange(1, points + 1), xyz, rng.integers(0, 256, (points, 3))
    point["error"], point["n"] = 0.5, SEEN_BY
    point["track"]["image"], point["track"]["place"] = obs_frame.reshape(-1, SEEN_BY) + 1, place.reshape(-1, SEEN_BY)
    (folder / "points3D.bin").write_bytes(struct.pack("<Q", points) + point.tobytes())
    seen = np.zeros(len(order), [("xy", "<f8", 2), ("id", "<i8")])
    seen["xy"], seen["id"] = rng.uniform((0, 0), (640, 360), (len(order), 2)), obs_point[order] + 1
    with (folder / "images.bin").open("wb") as file:
        file.write(struct.pack("<Q", frames))
        for row, pose in enumerate(poses):
            cam_from_world = pose.inverse().to_rigid3d()
            x, y, z, w = cam_from_world.rotation.quat
            numbers = (row + 1, w, x, y, z, *cam_from_world.translation, 1)
            file.write(struct.pack("<I7dI", *numbers) + f"{row + 1:06d}.jpg".encode() + b"\0")
            file.write(struct.pack("<Q", per_frame[row]) + seen[start[row] : start[row + 1]].tobytes())


def _write_frames(folder: Path, frames: tuple[Frame, ...]) -> None:
    """One picture under all names, so that the disk does not fill; it is still read and shrunk for every frame."""
    folder.mkdir()
    picture = np.random.default_rng(1).integers(0, 256, (45, 80, 3), dtype=np.uint8)
    first = folder / frames[0].image
    cv2.imwrite(str(first), cv2.resize(picture, (640, 360), interpolation=cv2.INTER_CUBIC))
    for frame in frames[1:]:
        os.link(first, folder / frame.image)


def _write_records(folder: Path, frames: tuple[Frame, ...], poses: list[Pose], rng: np.random.Generator) -> None:
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    centers = rng.uniform((0, 0, 0.3), (12, 9, 1.5), (OBJECTS, 3))
    objects = [
        SceneObject(f"0_{n}", "0", None, f"blue object {n}", "blue", None, Obb((x, y, z), (0.3, 0.2, 0.3), axes), (),
                    (1,), False, "made")
        for n, (x, y, z) in enumerate(centers.tolist())
    ]  # fmt: skip
    observations = [
        Observation(frame.index, f"0_{(frame.index + k * 37) % OBJECTS}", (60.0 * k, 80.0, 60.0 * k + 90, 200.0), 0.5,
                    0.9, 2.0 + k, ("left",), ("near",))
        for frame in frames for k in range(SEEN_PER_FRAME)
    ]  # fmt: skip
    points = tuple(
        TrajectoryPoint(f.index, f.time_s, (float(p.center[0]), float(p.center[1]), 1.5), heading_deg(p), 0.0)
        for f, p in zip(frames, poses, strict=True)
    )
    turns = tuple(ViewChange(n, n - 3, n + 3, 60.0, 60.0, 0.1, True) for n in range(10, len(frames) - 10, 30))
    choices = tuple(DecisionPoint(0, (n,), n, n - 1, n, (n - 6,), 0.1) for n in range(10, len(frames) - 10, 30))
    walk = Trajectory("long_m0_t0", "long", "0", "m", "assumed", points, turns, (), (), choices)
    texts = [
        Instruction(
            id=f"long_{n}", tour=walk.scene, model="0", views=tuple(range(n, n + 40, 4)),
            scale_status="assumed", perception="made", writer="made", seed=0, accepted=True,
            trajectory=walk.id, kind="instruction", text="Walk on and turn left at the blue object.", objects=(),
        )
        for n in range(1, len(frames) - 40, 12)
    ]  # fmt: skip
    for name in ("trajectories", "perception", "navigation"):
        (folder / name).mkdir()
    write_jsonl(folder / "trajectories/trajectories.jsonl", [walk], Trajectory)
    write_jsonl(folder / "perception/objects.jsonl", objects, SceneObject)
    write_jsonl(folder / "perception/observations.jsonl", observations, Observation)
    lines = [SpatialLine(frame.index, None, "In the middle: a blue object.") for frame in frames]
    write_jsonl(folder / "perception/spatial_lines.jsonl", lines, SpatialLine)
    write_jsonl(folder / "navigation/rows.jsonl", texts, Instruction)


def _browse(viewer: LiveViewer) -> None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("playwright is not installed: no browser is opened")
        return
    arguments = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(300_000)
        page.goto("about:blank")
        _measure("open the page until the card of the frame shows", lambda: _open(page, viewer.address))
        before = viewer.shown_frame
        slider = page.get_by_role("slider").first
        slider.focus()
        _measure("one key on the slider until the card follows", lambda: _press(page, slider, before))
        browser.close()


def _open(page, address: str) -> None:
    page.goto(address)
    page.locator(".rt-card image").wait_for()


def _press(page, slider, before: int | None) -> None:
    for _ in range(4):
        slider.press("ArrowRight")
    page.wait_for_function("before => !document.body.innerText.includes(`Frame ${before} `)", arg=before)


def _measure(what: str, call: Callable[[], T]) -> T:
    wall, cpu = time.perf_counter(), time.process_time()
    out = call()
    print(f"{what:<50} {time.perf_counter() - wall:7.2f} s  {time.process_time() - cpu:7.2f} s CPU", flush=True)
    return out


if __name__ == "__main__":
    tyro.cli(main)
