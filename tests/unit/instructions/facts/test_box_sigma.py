"""The error of a box is measured where it is drawn into the frames."""

from __future__ import annotations

from dataclasses import replace

import pytest

from instructions.facts.bodies import Body
from instructions.facts.box_sigma import box_sigma
from instructions.records import Observation
from tests.support.worlds.boxworld import CAMERA, make_world


@pytest.mark.parametrize("off", [0.0, 0.1, 0.3])
def test_a_box_beside_its_thing_has_a_sigma_of_that_size(off: float):
    world = make_world()
    model, box = world.model, world.boxes[0]
    seen = []
    for frame in (1, 3, 5):
        pose = model.world_from_cam[frame]
        pixels = CAMERA.project(pose.inverse() @ box.corners())
        (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
        depth = float(pose.depths(box.center[None])[0])
        clipped = (max(float(x0), 0.0), max(float(y0), 0.0), min(float(x1), 320.0), min(float(y1), 240.0))
        seen.append(Observation(frame, "0_0", clipped, 1.0, 0.9, depth, ("left",), ("near",)))
    body = Body.of_box(_obb(box, off))
    sigma = box_sigma(model, body, seen)
    assert sigma >= 0.5 * off
    assert sigma <= 0.12 + 2.0 * off
    few = box_sigma(model, body, seen[:1])
    assert few > box_sigma(model, body, [seen[0], replace(seen[0]), replace(seen[0])])


def _obb(box, off: float):
    from instructions.records import Obb

    x, y, z = ((float(r[0]), float(r[1]), float(r[2])) for r in box.axes)
    cx, cy, cz = (float(v) for v in box.center)
    hx, hy, hz = (float(v) for v in box.half)
    return Obb((cx, cy + off, cz), (hx, hy, hz), (x, y, z))
