"""New models made of some frames of another, or of the same frames with more keypoints."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pycolmap

from recon.colmap.observations import keypoints_by_frame
from recon.geometry import Array

_NO_XY: Mapping[int, Array] = {}


def subset(
    model: pycolmap.Reconstruction, frames: Collection[int], xy: Mapping[int, Array] = _NO_XY
) -> pycolmap.Reconstruction:
    """A new model with some of the frames and the points that at least two of them see.

    Args:
        model: Any.
        frames: Registered ones.
        xy: Keypoints (K, 2) that a frame is to have, if not its own; its own are the first of them.
    """
    wanted = set(frames)
    part = pycolmap.Reconstruction()
    for camera_id in sorted({model.image(frame).camera_id for frame in wanted}):
        part.add_camera_with_trivial_rig(pycolmap.Camera(model.camera(camera_id).todict()))
    for frame, keypoints in keypoints_by_frame(model).items():
        if frame not in wanted:
            continue
        image, more = model.image(frame), xy.get(frame, keypoints.xy)[len(keypoints.xy) :]
        copied = pycolmap.Image(
            name=image.name,
            keypoints=np.concatenate([keypoints.xy, more]),
            camera_id=image.camera_id,
            image_id=image.image_id,
        )
        part.add_image_with_trivial_frame(copied, image.cam_from_world())
    for point_id in sorted(model.point3D_ids()):
        point = model.point3D(point_id)
        track = pycolmap.Track()
        for element in point.track.elements:
            if element.image_id in wanted:
                track.add_element(element)
        if track.length() > 1:
            part.add_point3D(point.xyz, track, point.color)
    part.update_point_3d_errors()
    return part
