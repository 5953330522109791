"""Views of a model with their depth as files, as readers of scenes take them: pictures, 16 bit depth, cameras."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from recon.geometry import Array, Pose
from recon.pictures import write_picture_file
from recon.records import SceneModel
from roomtour.artifacts import DEPTH
from roomtour.export.core.images import copy_frame
from roomtour.export.core.records import RunData
from roomtour.files.arrays import STEP_PX, depth_path, read_depth

MOST_VIEWS = 64
"""Of a scene, spread over its walk; readers take 20 to 50 of them."""
NO_DEPTH = "scene of a run without depth maps, which the loader needs"


@dataclass(frozen=True)
class SceneView:
    """One written view."""

    frame: int
    picture: str
    """Name of its file."""
    depth: str
    """Name of its depth, PNG in millimeters at every fourth pixel, 0 where it is not known."""
    world_from_cam: Pose


def write_views(run: RunData, model: SceneModel, folder: Path) -> list[SceneView]:
    """Write pictures and depth of at most `MOST_VIEWS` frames; none without depth maps, and then no folder."""
    maps = run.home / DEPTH.path
    frames = [frame for frame in model.world_from_cam if depth_path(maps, frame).is_file()]
    places = np.linspace(0, len(frames) - 1, min(MOST_VIEWS, len(frames))).round().astype(int)
    views = []
    for frame in dict.fromkeys(frames[place] for place in places):
        folder.mkdir(parents=True, exist_ok=True)
        suffix = Path(run.scene.frame_by_index[frame].image).suffix
        view = SceneView(frame, f"{frame:06d}{suffix}", f"{frame:06d}_depth.png", model.world_from_cam[frame])
        copy_frame(run, frame, folder / view.picture)
        depth = read_depth(maps, frame)
        known = np.isfinite(depth) & (depth > 0)
        millimeters = np.where(known, np.clip(depth * 1000.0, 0, 65535), 0).astype(np.uint16)
        write_picture_file(folder / view.depth, millimeters)
        views.append(view)
    return views


def pinhole_matrices(model: SceneModel) -> tuple[Array, Array]:
    """The camera as 4 x 4 matrices in pixels of pictures and of depth; the middle of the first pixel is at 0."""
    camera = model.camera
    picture = np.diag([camera.fx, camera.fy, 1.0, 1.0])
    picture[:2, 2] = camera.cx - 0.5, camera.cy - 0.5
    depth = picture.copy()
    depth[:2] /= STEP_PX  # samples at every fourth pixel from the first
    return picture, depth
