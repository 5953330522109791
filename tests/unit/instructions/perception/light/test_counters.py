"""Tables that are too high for one are counters, if the scale is good enough to tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.perception.interfaces import LandmarkResult
from instructions.perception.sizes.counters import name_counters
from instructions.records import Obb, Observation, SceneObject
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
