"""An image's model: the floor is one only where it is, things are clouds, what has no depth of its own is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from instructions.errors import InstructionError
from instructions.facts import sizes
from instructions.facts.things import know_things
from instructions.perception.masks import encode_mask
from instructions.perception.single_images.image_scene import (
    DepthImage,
    ImageThing,
    build_image_model,
    require_depth,
)
from recon.records import Scale
from roomtour.imports.images.perceive import forget_unsure_names
from tests.support.cases import each_case
from tests.support.worlds.made_depth import CAMERA, FLOOR, Crate, SeenRoom, look_at_room

CHEST = Crate("chest", (2.4, -0.4, 0.0), (2.9, 0.5, 0.6))
METRIC = Scale("metric", 1.0, 0.01, "made")


def image_of(seen: SeenRoom, **change) -> DepthImage:
    mask = encode_mask(seen.shows == 0)
    y, x = np.nonzero(seen.shows == 0)
    box = (float(x.min()), float(y.min()), float(x.max() + 1), float(y.max() + 1)) if len(x) else (0.0, 0.0, 9.0, 9.0)
    image = DepthImage(
        frame=1,
        camera=CAMERA,
        depth=seen.depth,
        scale=METRIC,
        things=(ImageThing("chest", 0.9, box, mask, "wooden chest"),),
        ground=encode_mask(seen.shows == FLOOR),
    )
    return replace(image, **change)


@each_case(("height_m", "is_floor"), [(0.65, False), (0.75, True), (2.45, True), (2.55, False)])
def test_an_unnamed_plane_is_the_floor_where_cameras_are_carried(height_m: float, is_floor: bool) -> None:
    made = build_image_model(image_of(look_at_room([CHEST], height_m=height_m)))
    assert made.model.is_upright
    assert made.model.floor_z == (0.0 if is_floor else None)


@each_case(("label", "is_floor"), [("wooden floor", True), ("table", False)])
def test_a_named_plane_is_what_it_is_called_whatever_its_height(label: str, is_floor: bool) -> None:
    for height_m in (0.5, 1.5):
        made = build_image_model(image_of(look_at_room([CHEST], height_m=height_m), ground_label=label))
        assert made.model.floor_z == (0.0 if is_floor else None)


def test_a_thing_is_measured_as_it_stands() -> None:
    made = build_image_model(image_of(look_at_room([CHEST], roll_deg=-20.0)))
    known, faults = know_things(made.model, made.objects, made.observations)
    assert not faults
    chest = known["1_0"]
    assert chest.body.is_cloud
    assert sizes.height(chest.body) == pytest.approx(0.6, abs=0.04)
    assert sizes.length(chest.body) == pytest.approx(0.9, abs=0.06)
    assert 0 < chest.sigma < 0.2


def test_a_thing_without_depth_is_left_out_by_name() -> None:
    seen = look_at_room([CHEST])
    depth = seen.depth.copy()
    depth[seen.shows == 0] = np.nan
    made = build_image_model(image_of(seen, depth=depth))
    assert made.left_out == ("chest",)
    assert not made.objects


def test_points_of_the_model_are_those_of_its_things_and_then_of_surfaces_around() -> None:
    seen = look_at_room([CHEST])
    made = build_image_model(image_of(seen))
    own = len(made.objects[0].points)
    assert made.objects[0].points == tuple(range(own))
    column, row = np.floor(made.model.tracks.obs_xy[own:]).astype(int).T
    depths = made.model.world_from_cam[1].depths(made.model.tracks.xyz[own:])
    assert len(depths) > 50
    assert depths == pytest.approx(seen.depth[row, column], rel=1e-5)
    projected = CAMERA.project(made.model.world_from_cam[1].inverse() @ made.model.tracks.xyz)
    assert np.allclose(projected, made.model.tracks.obs_xy, atol=1e-6)


def test_depth_that_does_not_fit_is_refused() -> None:
    depth = look_at_room([CHEST]).depth
    require_depth(depth, CAMERA, "here")
    with pytest.raises(InstructionError, match=r"here: the depth map is 240 x 320 pixels, the image 320 x 240"):
        require_depth(depth.T, CAMERA, "here")
    half = depth.copy()
    half[:, : depth.shape[1] // 2] = np.nan
    require_depth(half, CAMERA, "here")
    half[:, : depth.shape[1] // 2 + 2] = np.nan
    with pytest.raises(InstructionError, match="is unknown"):
        require_depth(half, CAMERA, "here")


@each_case(("score", "name"), [(0.5, None), (0.95, "chest")])
def test_a_name_that_one_look_is_not_sure_of_is_not_told(score: float, name: str | None) -> None:
    image = image_of(look_at_room([CHEST]))
    (told,) = image.things
    looked = replace(told, caption=None, may_be=(("chest", score), ("bed", 0.1)))
    for things, category, is_ambiguous in (((told,), "chest", False), ((looked,), name, name is None)):
        (one,) = forget_unsure_names(build_image_model(replace(image, things=things)).objects)
        assert (one.category, one.ambiguous) == (category, is_ambiguous)
        assert "chest" in (one.category, *one.possible_names)
