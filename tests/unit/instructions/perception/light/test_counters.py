"""Tables that are too high for one are counters, if the scale is good enough to tell; cabinets with a sink are, too."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.perception.interfaces import LandmarkResult
from instructions.perception.sizes.counters import name_counters
from instructions.perception.sizes.sinks import name_sink_counters
from instructions.records import Box, Obb, Observation, SceneObject
from recon.records import SceneModel
from tests.support.cases import each_case
from tests.support.worlds.boxworld import make_world

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def name(top_m: float, sigma: float, category: str = "table") -> tuple[str | None, str | None]:
    """The category of a thing with a level top, and the label of its only observation."""
    made: SceneModel = make_world().scene.models[0]
    rng = np.random.default_rng(0)
    xyz = np.column_stack([rng.uniform(0.0, 1.5, (60, 2)), np.full(60, top_m) + rng.normal(0.0, 0.01, 60)])
    xyz[:, 2] += made.floor_z or 0.0
    tracks = replace(made.tracks, xyz=xyz, rgb=np.zeros((60, 3), np.uint8), error_px=np.zeros(60))
    empty = {"obs_point": np.zeros(0, int), "obs_frame": np.zeros(0, int), "obs_xy": np.zeros((0, 2))}
    model = replace(made, tracks=replace(tracks, **empty), scale=replace(made.scale, sigma=sigma))
    box = Obb((0.75, 0.75, top_m / 2), (0.75, 0.75, top_m / 2), AXES)
    thing = SceneObject("0_0", "0", category, category, None, None, box, tuple(range(60)), (1,), False, "made")
    seen = Observation(1, "0_0", (0.0, 0.0, 9.0, 9.0), 1.0, 0.9, 2.0, ("middle",), ("near",), label=category)
    named = name_counters(LandmarkResult((thing,), (seen,), ()), model)
    return named.objects[0].category, named.observations[0].label


@each_case(
    ("top_m", "sigma", "word"),
    [
        (0.74, 0.05, "table"),
        (0.95, 0.03, "counter"),
        (0.90, 0.15, "table"),  # with this scale it may be a table of 0.78
        (1.10, 0.15, "counter"),
        (0.40, 0.02, "table"),
    ],
)
def test_height_tells_a_counter_from_a_table(top_m: float, sigma: float, word: str):
    assert name(top_m, sigma) == (word, word)


def test_other_furniture_keeps_its_name():
    assert name(0.95, 0.03, "cabinet") == ("cabinet", "cabinet")


BASIN = (3.0, 0.3, 0.9)
"""Its rim is 0.9 m above the floor, ahead of where the walk begins."""


def look(model: SceneModel, frames: tuple[int, ...], basin=BASIN) -> dict[int, list[Box]]:
    """Boxes around the basin in some frames."""
    found: dict[int, list[Box]] = {}
    for frame in frames:
        pixel = model.camera.project(model.world_from_cam[frame].inverse() @ np.array([basin]))[0]
        x, y = pixel.tolist()
        found[frame] = [(x - 9.0, y - 5.0, x + 9.0, y + 5.0)]
    return found


def name_by_sink(category="cabinet", half=(0.9, 0.3, 0.45), frames=(1, 2, 3), basin=BASIN) -> tuple[str | None, ...]:
    model = replace(make_world().model, floor_z=0.0)
    box = Obb((3.2, 0.3, half[2]), half, AXES)
    thing = SceneObject("0_0", "0", category, category, None, None, box, (), (1,), False, "made")
    seen = Observation(1, "0_0", (0.0, 0.0, 9.0, 9.0), 1.0, 0.9, 2.0, ("middle",), ("near",), label=category)
    named = name_sink_counters(LandmarkResult((thing,), (seen,), ()), model, look(model, frames, basin))
    return named.objects[0].category, named.objects[0].alias


@each_case(
    ("how", "word"),
    [
        ({}, "counter"),
        ({"category": "table"}, "counter"),
        ({"category": "shelf"}, "shelf"),
        ({"frames": (1, 2)}, "cabinet"),  # too few pictures
        ({"half": (0.4, 0.3, 0.45)}, "cabinet"),  # a washstand
        ({"half": (0.9, 0.3, 0.9)}, "cabinet"),  # a cupboard
        ({"basin": (3.0, 1.3, 0.9)}, "cabinet"),  # the sink is elsewhere
    ],
)
def test_a_sink_in_its_top_makes_a_counter(how: dict, word: str):
    assert name_by_sink(**how) == (word, word)


def test_without_a_floor_all_keep_their_names():
    model = replace(make_world().model, floor_z=None)
    box = Obb((3.2, 0.3, 0.45), (0.9, 0.3, 0.45), AXES)
    thing = SceneObject("0_0", "0", "cabinet", "cabinet", None, None, box, (), (1,), False, "made")
    found = LandmarkResult((thing,), (), ())
    assert name_sink_counters(found, model, look(model, (1, 2, 3))).objects == (thing,)
