"""Runs of made homes whose walks come back to one junction and leave it by another arm: much to decide, cheaply made.

Walls, things and camera are formulas (`tests/support/worlds/boxworld.py`), so no reconstruction is needed. What is
decided and written is what roomtour makes of them, and every view is painted: coloured boxes on gray.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from instructions.navigation.grammar_writer import write_instructions
from instructions.navigation.records import Instruction
from instructions.tour import Tour
from recon.records import Scene
from roomtour.export.core.records import RunData
from tests.support.worlds.boxworld import RGB, Box, World, make_world, paint, true_objects
from trajectories.build import build_trajectories

ARMS = 4
ARM_M = (3.5, 5.0)
BESIDE_M = 1.1
"""Distance of a thing from the middle of an arm."""
SPREAD_DEG = 8.0
"""How far an arm's direction may be off a right angle's."""


def make_run(seed: int, folder: Path) -> RunData:
    """A home with its walk, decisions and texts; its views are painted into `folder`. The same for the same seed."""
    world = make_junction(seed)
    name = f"junction{seed:03d}"
    source = replace(world.scene.source, name=name) if hasattr(world.scene.source, "name") else world.scene.source
    scene: Scene = replace(world.scene, id=name, source=source)
    trajectories, _ = build_trajectories(scene)
    objects, observations = true_objects(world)
    rows: list[Instruction] = write_instructions(Tour(scene, objects, observations, seed=seed), trajectories)
    frames = folder / name
    frames.mkdir(parents=True, exist_ok=True)
    for frame in scene.frames:
        cv2.imwrite(str(frames / frame.image), paint(world, frame.index)[..., ::-1])
    return RunData(
        scene=scene,
        trajectories=tuple(trajectories),
        objects=tuple(objects),
        observations=tuple(observations),
        spatial_lines=(),
        rows={"navigation": tuple(rows)},
        frames_dir=frames,
        provenance={"versions": {}, "options": {}, "tour": {"licence": "CC0-1.0"}},
    )


def make_junction(seed: int) -> World:
    """Arms of a junction with a thing at the end and one beside each, and a walk through them in any order."""
    rng = np.random.default_rng(seed)
    headings = 360.0 / ARMS * np.arange(ARMS) + rng.normal(0.0, SPREAD_DEG, ARMS) + rng.uniform(0.0, 360.0)
    lengths = rng.uniform(*ARM_M, ARMS)
    colors = list(rng.permutation(list(RGB)))
    boxes: list[Box] = []
    for arm in range(ARMS):
        ahead = np.array([np.cos(np.radians(headings[arm])), np.sin(np.radians(headings[arm]))])
        aside = np.array([-ahead[1], ahead[0]]) * rng.choice([-1.0, 1.0])
        for place in (ahead * (lengths[arm] + 1.2), ahead * lengths[arm] * 0.6 + aside * BESIDE_M):
            size = (float(rng.uniform(0.5, 1.0)), float(rng.uniform(0.4, 0.7)), float(rng.uniform(0.8, 1.9)))
            boxes.append(Box(colors[len(boxes)], float(place[0]), float(place[1]), size, float(rng.uniform(-90, 90))))
    order = [*rng.permutation(ARMS), *rng.permutation(ARMS)]
    order = [arm for arm, before in zip(order, [-1, *order], strict=False) if arm != before]
    first = order[0]
    start = lengths[first] * np.array([np.cos(np.radians(headings[first])), np.sin(np.radians(headings[first]))])
    heading = float(headings[first]) + 180.0
    legs: list[tuple[str, float]] = [("walk", float(lengths[first]))]
    for arm in order[1:]:
        turn = (float(headings[arm]) - heading + 180.0) % 360.0 - 180.0
        around = 180.0 * float(rng.choice([-1.0, 1.0]))
        legs += [("turn", turn), ("walk", float(lengths[arm])), ("turn", around), ("walk", float(lengths[arm]))]
        heading = float(headings[arm]) + 180.0
    return make_world(boxes, legs, (float(start[0]), float(start[1]), float(headings[first]) + 180.0), (), seed)
