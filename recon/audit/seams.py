"""Cut a model in parts: two honest models are worth more than one that is broken inside."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pycolmap

from recon.audit.verdict import cut_at
from recon.colmap.observations import keypoints_by_frame


def split_at(model: pycolmap.Reconstruction, seams: Sequence[tuple[int, int]]) -> list[pycolmap.Reconstruction]:
    """The parts of a model between seams, in time order; the model itself if there are none."""
    if not seams:
        return [model]
    return [subset(model, part) for part in cut_at(sorted(model.reg_image_ids()), seams)]


def subset(model: pycolmap.Reconstruction, frames: Collection[int]) -> pycolmap.Reconstruction:
    """A new model with some of the frames and the points that at least two of them see."""
    wanted = set(frames)
    part = pycolmap.Reconstruction()
    for camera_id in sorted({model.image(frame).camera_id for frame in wanted}):
        part.add_camera_with_trivial_rig(pycolmap.Camera(model.camera(camera_id).todict()))
    for frame, keypoints in keypoints_by_frame(model).items():
        if frame not in wanted:
            continue
        image = model.image(frame)
        copied = pycolmap.Image(
            name=image.name,
            keypoints=keypoints.xy,
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
