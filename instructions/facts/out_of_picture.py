"""Whether a thing that no observation shows lies surely beside the picture, by its measured place."""

from __future__ import annotations

import numpy as np

from instructions.facts.things import Thing
from instructions.facts.verdict import SIGMAS
from recon.geometry import Pose
from recon.records import SceneModel

OUTSIDE_DEG = 10.0
"""By so much all of a thing's box must lie out of the picture, besides the error of its place."""


def lies_outside(model: SceneModel, pose: Pose, one: Thing) -> bool:
    """Whether all of a thing's box, with its error, lies well out of the picture on one side, or behind the camera.

    Args:
        model: With its camera.
        pose: World from camera.
        one: The thing.
    """
    camera = model.camera
    local = pose.inverse() @ one.body.points
    slack = SIGMAS * one.sigma
    if bool((local[:, 2] < -slack).all()):
        return True
    edges = camera.rays(np.array([[0.0, camera.height / 2], [float(camera.width), camera.height / 2]]))
    left, right = (float(np.arctan2(ray[0], ray[2])) for ray in edges)
    bearing = np.arctan2(local[:, 0], local[:, 2])
    margin = np.radians(OUTSIDE_DEG) + np.arctan2(slack, np.linalg.norm(local[:, [0, 2]], axis=1))
    return bool((bearing - margin > right).all() or (bearing + margin < left).all())
