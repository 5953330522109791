"""A made walk through a flat of boxes with everything a run holds: poses, points, objects, boxes, texts, pictures."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import cast

import cv2
import numpy as np

from instructions.navigation.records import Instruction
from instructions.records import Claim, ClaimCheck, Obb, Observation, SceneObject
from recon.conventions import elevation_deg, heading_deg, wrap_deg
from recon.findings import Finding
from recon.geometry import Camera, Pose
from recon.records import Clip, Frame, MergeAttempt, Scale, ScaleStatus, Scene, SceneModel, SourceInfo, Tracks
from roomtour.export.core.records import RunData
from roomtour.files.models import SubModelEntry
from roomtour.report.page import RunFacts
from roomtour.store import StageEntry
from tests.support.export.made_run import level_camera
from trajectories.records import DecisionPoint, Trajectory, TrajectoryPoint, ViewChange, WalkingPath

CAMERA = Camera("SIMPLE_RADIAL", 480, 360, (400.0, 240.0, 180.0, 0.0))
RATE_HZ = 3.0

# colour word, size word, noun, centre on the floor, (length, width, height), RGB
_THINGS = (
    ("dark red", "large", "sofa", (3.2, 2.4), (1.9, 0.9, 0.8), (150, 45, 45)),
    ("blue", "tall", "wardrobe", (5.2, -0.6), (1.2, 0.6, 2.0), (50, 80, 160)),
    ("green", "small", "plant", (7.6, 2.0), (0.5, 0.5, 1.1), (60, 140, 70)),
    ("white", "low", "table", (5.0, 4.4), (1.4, 0.8, 0.5), (225, 222, 215)),
    ("yellow", "small", "chair", (7.3, 4.8), (0.6, 0.6, 0.9), (220, 180, 60)),
    ("gray", "large", "cupboard", (9.4, -0.4), (1.6, 0.5, 1.6), (130, 130, 135)),
)
_WALLS = ((0, -1), (11, -1), (11, 3), (8, 3), (8, 6.6), (4.3, 6.6), (4.3, 3), (0, 3), (0, -1))
_STOPS = ((1.0, 1.0), (6.2, 1.0), (6.2, 5.6), (6.2, 1.2), (9.6, 1.2))


def make_run(
    folder: Path, status: ScaleStatus = "assumed", *, models: int = 1, pictures: bool = True, text: str = ""
) -> RunData:
    """A run whose pictures lie in `folder`."""
    poses = _walk()
    frames = tuple(
        Frame(index, (index - 1) / RATE_HZ + 0.04, f"{index:06d}.jpg", CAMERA.width, CAMERA.height, 120.0, 0)
        for index in range(1, len(poses) + 1)
    )
    objects = _objects(text)
    if pictures:
        for frame, pose in zip(frames, poses, strict=True):
            cv2.imwrite(str(folder / frame.image), _picture(pose))
    scale = Scale(status, 2.37, 0.15, f"camera height 1.5 {text}".strip())
    posed = [frame.index for frame in frames[3:]]
    cut = len(posed) * 3 // 5
    shares = {0: [], 1: [posed], 2: [posed[:cut], posed[cut + 8 :]]}[models]
    built = tuple(_model(str(row), share, poses, scale, text) for row, share in enumerate(shares))
    observations = tuple(found for item in objects for found in _observe(item, posed, poses)) if models else ()
    kept = tuple(_add_frames(item, observations) for item in objects) if models else ()
    trajectories = tuple(_trajectory(model, f"made_flat{text}") for model in built)
    scene = Scene(
        id=f"made_flat{text}",
        source=SourceInfo(
            f"tours/made_flat.mp4{text}", "video", 640, 480, len(frames) / RATE_HZ, len(frames) * 10, 30.0, "h264",
            0, "0" * 64,
        ),
        frames=frames,
        clips=_clips(frames),
        models=built,
        findings=_findings(text, len(built)),
    )  # fmt: skip
    return RunData(
        scene=scene,
        trajectories=trajectories,
        objects=kept,
        observations=observations,
        spatial_lines=(),
        rows={"navigation": _instructions(trajectories, kept, text)},
        frames_dir=folder,
        provenance={"tool": {"name": "roomtour", "note": text or "made"}, "seed": 0},
    )


def make_facts(text: str = "") -> RunFacts:
    """Stages, options and versions as a run leaves them."""
    names = ("decode", "shots", "features", "sfm", "merge", "scene", "trajectories", "perception", "instructions")
    seconds = (4.1, 1.2, 21.0, 48.0, 6.5, 0.4, 0.1, 2.2, 0.3)
    return RunFacts(
        stages={name + text: StageEntry("", s, s * 1.7, "") for name, s in zip(names, seconds, strict=True)},
        options={"sample": {"fps": 3.0, "short_side": 360}, "writer": f"embedded{text}", "empty": {}, "none": None},
        versions={"roomtour": "0.1.0", "pycolmap": "4.2.1"},
    )


def make_merge_log(text: str = "") -> tuple[list[MergeAttempt], list[SubModelEntry]]:
    """Four sub-models: two joined, a third joined to those, one left apart."""
    names = ("000/0", "000/1", "001/0", "001/1")
    subs = [
        SubModelEntry(name, name, (name[:3],), 30 + 5 * row, 1 + 20 * row, 40 + 20 * row, 900, 0.6)
        for row, name in enumerate(names)
    ]
    good = MergeAttempt(
        "000/0", "001/0", "merged/0", (31, 32, 33, 34), 0.61, 0.58, 0.64, 0.2, 0.8, 9000, 8800, "accepted",
        f"errors stay below their sum{text}", 2.5,
    )  # fmt: skip
    bad = replace(
        good, first="merged/0", second="001/1", result="", verdict="rolled back", error_merged_px=1.9, reason="1.9 px"
    )
    apart = replace(
        good, first="000/1", second="001/1", result="", verdict="not aligned", error_merged_px=None,
        center_disagreement=None, rotation_disagreement_deg=None, observations_after=None, reason="3 inliers",
    )  # fmt: skip
    again = replace(good, first="merged/0", second="000/1", result="merged/1")
    return [good, bad, apart, again], subs


look = partial(level_camera, elevation=-6.0)


def _walk() -> list[Pose]:
    return [pose for stretch in _stretches() for pose in stretch]


def _turns() -> list[tuple[int, int]]:
    """First and last frame of every turn on the spot."""
    ends = np.cumsum([len(stretch) for stretch in _stretches()])
    return [(int(ends[row - 1]), int(ends[row])) for row in range(2, len(ends), 2)]


def _stretches() -> list[list[Pose]]:
    """Turn and walk in turns; the first turn is empty."""
    out: list[list[Pose]] = []
    heading = 0.0
    for (x0, y0), (x1, y1) in pairwise(_STOPS):
        goal = float(np.degrees(np.arctan2(y1 - y0, x1 - x0)))
        turn = wrap_deg(goal - heading - 90.0) + 90.0
        out.append([look(x0, y0, heading + turn * share) for share in np.linspace(0, 1, int(abs(turn) // 15) + 1)[1:]])
        along = np.linspace(0, 1, int(np.hypot(x1 - x0, y1 - y0) / 0.3))
        out.append([look(x0 + (x1 - x0) * s, y0 + (y1 - y0) * s, goal + 3 * np.sin(40 * s)) for s in along])
        heading = goal
    return out


def _objects(text: str) -> list[SceneObject]:
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    out = []
    for row, (color, size, _, (x, y), (length, width, height), _) in enumerate(_THINGS):
        obb = Obb((x, y, height / 2), (length / 2, width / 2, height / 2), axes)
        alias = f"{size} {color} object{text}"
        points = tuple(range(row * 40, row * 40 + 40))
        out.append(SceneObject(f"0_{row}", "0", None, alias, color, size, obb, points, (), False, "embedded"))
    return out


def _corners(obb: Obb) -> np.ndarray:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    return signs * obb.half_extents + obb.center


def _observe(item: SceneObject, posed: Sequence[int], poses: Sequence[Pose]) -> list[Observation]:
    out = []
    for frame in posed:
        in_cam = poses[frame - 1].inverse() @ _corners(item.obb)
        if (in_cam[:, 2] < 0.6).any() or in_cam[:, 2].mean() > 6:
            continue
        pixels = CAMERA.project(in_cam)
        low, high = np.clip(pixels.min(axis=0), 0, (480, 360)), np.clip(pixels.max(axis=0), 0, (480, 360))
        share = float(np.prod(high - low) / np.prod(np.ptp(pixels, axis=0)))
        if share < 0.3:
            continue
        box = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
        out.append(Observation(frame, item.id, box, share, share, float(in_cam[:, 2].mean()), ("middle",), ("near",)))
    return out


def _add_frames(item: SceneObject, observations: Sequence[Observation]) -> SceneObject:
    return replace(item, frames=tuple(found.frame for found in observations if found.object == item.id))


def _picture(pose: Pose) -> np.ndarray:
    """A plain picture of the flat: walls, a horizon, boxes from far to near."""
    image_bgr = np.full((360, 480, 3), (205, 214, 220), np.uint8)
    horizon = 180 - 400 * np.tan(np.radians(-elevation_deg(pose)))
    image_bgr[int(max(horizon, 0)) + 60 :] = (120, 150, 178)
    for stripe in range(0, 480, 40):
        cv2.line(image_bgr, (stripe + int(heading_deg(pose) * 7) % 40, 0), (stripe, 160), (190, 200, 208), 2)
    shapes = []
    for _, _, _, (x, y), (length, width, height), rgb in _THINGS:
        axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
        obb = Obb((x, y, height / 2), (length / 2, width / 2, height / 2), axes)
        in_cam = pose.inverse() @ _corners(obb)
        if (in_cam[:, 2] > 0.3).all():
            hull = cv2.convexHull(CAMERA.project(in_cam).astype(np.int32))
            shapes.append((float(in_cam[:, 2].mean()), hull, rgb[::-1]))
    for _, hull, color in sorted(shapes, key=lambda shape: -shape[0]):
        cv2.fillPoly(image_bgr, [hull], color)
        cv2.polylines(image_bgr, [hull], True, (40, 40, 40), 2)
    return image_bgr


def _model(name: str, share: Sequence[int], poses: Sequence[Pose], scale: Scale, text: str) -> SceneModel:
    rng = np.random.default_rng(len(share))
    on_things = [
        np.column_stack([rng.uniform(-0.5, 0.5, (40, 3)) * size + (x, y, size[2] / 2)])
        for _, _, _, (x, y), size, _ in _THINGS
    ]
    colors = [np.tile(rgb, (40, 1)) for *_, rgb in _THINGS]
    walls = []
    for start, end in pairwise(_WALLS):
        along = rng.uniform(0, 1, (420, 1))
        plan = np.array(start) + along * (np.array(end) - start)
        walls.append(np.column_stack([plan, rng.uniform(0, 2.5, 420)]))
    xyz = np.vstack([*on_things, *walls]) + rng.normal(0, 0.02, (240 + sum(map(len, walls)), 3))
    rgb = np.vstack([*colors, np.full((len(xyz) - 240, 3), 190)]).astype(np.uint8)
    obs_frame = np.repeat(np.array(share), 150)
    tracks = Tracks(
        xyz, rgb, np.full(len(xyz), 0.6), rng.integers(0, len(xyz), len(obs_frame)), obs_frame,
        rng.uniform(0, 360, (len(obs_frame), 2)),
    )  # fmt: skip
    return SceneModel(
        name, CAMERA, {frame: poses[frame - 1] for frame in share}, tracks, scale, 0.0, f"walls and gait{text}", 0.63,
        ("000", "001"),
    )  # fmt: skip


def _trajectory(model: SceneModel, tour: str) -> Trajectory:
    headings = {frame: heading_deg(pose) for frame, pose in model.world_from_cam.items()}
    points = tuple(
        TrajectoryPoint(frame, frame / RATE_HZ, tuple(model.world_from_cam[frame].center), headings[frame], -6.0)
        for frame in model.frames
    )
    changes = []
    for number, (first, last) in enumerate(_turns()):
        if first in headings and last in headings:
            # a half turn is to the left in this walk, and the wrapped angle may say otherwise
            turn = wrap_deg(headings[last] - headings[first] - 90.0) + 90.0
            changes.append(ViewChange((first + last) // 2, first, last, turn, abs(turn), 0.1, number != 2))
    decisions = tuple(
        DecisionPoint(
            row, tuple(range(change.first_frame, change.last_frame + 1)), change.frame, change.last_frame,
            change.last_frame, (change.first_frame,), 0.1,
        )
        for row, change in enumerate(changes)
    )  # fmt: skip
    clusters = tuple(decision.path_frames for decision in decisions)
    paths = tuple(WalkingPath(decision.cluster, decision.path_frames) for decision in decisions)
    name = f"made_flat_m{model.name}_t0"
    return Trajectory(
        name, tour, model.name, model.scale.unit, model.scale.status, points, tuple(changes), clusters, paths,
        decisions,
    )  # fmt: skip


def _clips(frames: Sequence[Frame]) -> tuple[Clip, ...]:
    half = len(frames) // 2
    numbers = [frame.index for frame in frames]
    return (Clip("000", 0, tuple(numbers[: half + 8])), Clip("001", 0, tuple(numbers[half - 8 :])))


def _findings(text: str, models: int) -> tuple[Finding, ...]:
    lost = [
        Finding("info", "sfm.frame_lost", f"frame {frame}", f"frame {frame} saw too few matches{text}")
        for frame in (1, 2, 3, 19, 20)
    ]
    apart = Finding(
        "warning", "merge.apart", "model 1",
        f"models 0 and 1 share 2 frames, need 4, and stay apart{text}. Try a longer --clips.overlap-s.",
    )  # fmt: skip
    nothing = Finding(
        "error", "sfm.no_model", f"clip 000{text}",
        "no two frames have enough parallax: 12 matches, need 100; try a tour in which the camera moves.",
    )  # fmt: skip
    prior = Finding("warning", "scene.scale_assumed", "model 0", "the scale rests on an assumed camera height")
    return (*lost, *([nothing] if models == 0 else [prior]), *([apart] if models > 1 else []))


def _instructions(
    trajectories: Sequence[Trajectory], objects: Sequence[SceneObject], text: str
) -> tuple[Instruction, ...]:
    out = []
    for trajectory in trajectories:
        frames = trajectory.frames
        for part in range(3):
            stretch = frames[part * len(frames) // 3 : (part + 1) * len(frames) // 3]
            seen = [item for item in objects if set(item.frames) & set(stretch)] or list(objects)
            a, b = seen[0], seen[-1]
            words = f"Walk forward past the {a.alias} on your left, turn left, and stop in front of the {b.alias}."
            checks = (
                ClaimCheck(Claim("pass", f"past the {a.alias} on your left", a.id, "left"), True, f"74° left{text}"),
                ClaimCheck(Claim("turn", "turn left", None, "left", 90.0), True, "heading changes by 88° to the left"),
                ClaimCheck(Claim("stop_at", f"in front of the {b.alias}", b.id), part != 2, "6° off the middle"),
            )
            out.append(
                Instruction(
                    id=f"{trajectory.id}_i{part}", tour=trajectory.scene, model=trajectory.model, views=stretch,
                    claims=checks, perception="embedded", writer="embedded",
                    scale_status=cast(ScaleStatus, trajectory.scale_status),
                    seed=0, accepted=part != 2, rejected_because="false_claim" if part == 2 else None,
                    rejection=f"the last claim is false{text}" if part == 2 else None, trajectory=trajectory.id,
                    kind="description" if part == 1 else "instruction", text=words + text, objects=(a.id, b.id),
                )
            )  # fmt: skip
    return tuple(out)
