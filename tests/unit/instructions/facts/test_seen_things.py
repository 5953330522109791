"""What frames follow of a thing: the error of its box where it is drawn into them, and the points that are its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from instructions.facts.bodies import Body
from instructions.facts.things import box_sigma
from instructions.facts.tracks import find_tracked_pixels
from instructions.records import Observation
from tests.support.worlds.boxworld import CAMERA, make_world, true_objects


def test_a_box_beside_its_thing_has_a_sigma_of_that_size():
    world = make_world()
    model, box, thing = world.model, world.boxes[0], true_objects(world)[0][0]
    seen = []
    for frame in (1, 3, 5):
        pose = model.world_from_cam[frame]
        pixels = CAMERA.project(pose.inverse() @ box.corners())
        (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
        depth = float(pose.depths(box.center[None])[0])
        clipped = (max(float(x0), 0.0), max(float(y0), 0.0), min(float(x1), 320.0), min(float(y1), 240.0))
        seen.append(Observation(frame, "0_0", clipped, 1.0, 0.9, depth, ("left",), ("near",)))
    x, y, z = (float(value) for value in box.center)
    for off in (0.0, 0.1, 0.3):
        body = Body.of_box(replace(thing.obb, center=(x, y + off, z)))
        assert 0.5 * off <= box_sigma(model, body, seen) <= 0.12 + 2.0 * off
        few = box_sigma(model, body, seen[:1])
        assert few > box_sigma(model, body, [seen[0], replace(seen[0]), replace(seen[0])])


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
