"""Points of a thing that a frame follows, without those of what stands behind it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.facts.tracked import find_tracked_pixels
from tests.support.worlds.boxworld import make_world, true_objects


def test_points_count_where_they_lie_in_the_boxes_that_name_the_thing():
    world = make_world()
    tracks = world.model.tracks
    objects, observations = true_objects(world)
    blue, box = next((one, box) for one, box in zip(objects, world.boxes, strict=True) if one.color == "blue")
    on_it = np.flatnonzero(np.all(np.abs((tracks.xyz - box.center) @ box.axes) <= box.half + 0.01, axis=1))
    behind = np.flatnonzero(np.all(np.abs(tracks.xyz - (8.5, 6.0, 1.0)) <= (0.6, 0.1, 1.0), axis=1))
    assert len(on_it) > 10
    assert len(behind) > 10
    mixed = replace(blue, points=(*on_it.tolist(), *behind.tolist()))
    boxes = {one.frame: one.box_xyxy for one in observations if one.object == blue.id}
    last = world.trajectory.frames[-1]
    rows = tracks.rows_of_frame(last)
    seen = np.isin(tracks.obs_point[rows], on_it)
    found = find_tracked_pixels(world.model, mixed, last, boxes)
    assert 4 < len(found) <= int(seen.sum())
    assert {tuple(one) for one in found} <= {tuple(one) for one in tracks.obs_xy[rows][seen]}
    assert len(find_tracked_pixels(world.model, mixed, last, {})) == 0, "nothing ever named it"
    assert len(find_tracked_pixels(world.model, replace(blue, points=()), last, boxes)) == 0
