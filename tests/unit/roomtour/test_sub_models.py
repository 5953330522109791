"""Sub-models as a run folder keeps them."""

import numpy as np
import pycolmap

from recon.records import SubModel
from roomtour.files.models import read_sub_models, write_sub_models


def two_frames() -> pycolmap.Reconstruction:
    model = pycolmap.Reconstruction()
    camera = pycolmap.Camera(model="SIMPLE_PINHOLE", width=64, height=48, params=[50.0, 32.0, 24.0], camera_id=1)
    model.add_camera_with_trivial_rig(camera)
    for frame in (1, 2):
        image = pycolmap.Image(name=f"{frame:06d}.jpg", keypoints=np.zeros((3, 2)), camera_id=1, image_id=frame)
        model.add_image_with_trivial_frame(image, pycolmap.Rigid3d())
    return model


def test_whether_the_floor_holds_a_model_is_kept(tmp_path):
    models = (SubModel("000/0", ("000",), two_frames(), held_by_floor=True), SubModel("000/1", ("000",), two_frames()))

    write_sub_models(tmp_path, models)

    kept = [(model.name, model.frames, model.held_by_floor) for model in read_sub_models(tmp_path)]
    assert kept == [("000/0", (1, 2), True), ("000/1", (1, 2), False)]
